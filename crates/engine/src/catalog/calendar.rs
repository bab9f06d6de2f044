//! Dates as AWS prints them in texts and stream labels. UTC, proleptic Gregorian.

/// Milliseconds of a day.
pub(super) const DAY_MS: u64 = 24 * HOUR_MS;
/// Milliseconds of an hour.
pub(super) const HOUR_MS: u64 = 60 * 60 * 1000;

const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// `2026-01-01T00:00:00.000`: the label of a stream.
pub(super) fn label(ms: u64) -> String {
    let (year, month, day) = civil(ms / DAY_MS);
    let (hour, minute, second) = time(ms);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}", ms % 1000)
}

/// `Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time`.
pub(super) fn long(ms: u64) -> String {
    let (year, month, day) = civil(ms / DAY_MS);
    let (hour, minute, second) = time(ms);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    let weekday = WEEKDAYS[index(ms / DAY_MS % 7)];
    let month = MONTHS[index(month - 1)];
    format!(
        "{weekday}, {month} {day}, {year} at {hour}:{minute:02}:{second:02} {half} Coordinated Universal Time"
    )
}

/// Hour, minute and second of the day.
fn time(ms: u64) -> (u64, u64, u64) {
    let second = ms % DAY_MS / 1000;
    (second / 3600, second / 60 % 60, second % 60)
}

/// Year, month (1 to 12) and day (from 1) of a day counted from 1970-01-01.
///
/// Howard Hinnant's `civil_from_days`, for days after the epoch: years begin in March, so that the leap day is the last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

fn index(small: u64) -> usize {
    usize::try_from(small).expect("weekdays and months are below thirteen")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_iso_dates_to_the_millisecond() {
        assert_eq!(label(0), "1970-01-01T00:00:00.000");
        assert_eq!(label(1_767_225_600_000), "2026-01-01T00:00:00.000");
        assert_eq!(label(1_709_210_096_789), "2024-02-29T12:34:56.789");
        assert_eq!(label(951_782_400_001), "2000-02-29T00:00:00.001");
    }

    #[test]
    fn long_dates_name_weekday_and_month_and_count_twelve_hours() {
        let midnight = 1_791_504_000_000;
        assert_eq!(label(midnight), "2026-10-09T00:00:00.000");
        assert_eq!(
            long(midnight + 1_294_000),
            "Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time"
        );
        assert_eq!(
            long(midnight + 15 * HOUR_MS),
            "Friday, October 9, 2026 at 3:00:00 PM Coordinated Universal Time"
        );
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut before = civil(0);
        for day in 1..146_097 {
            let (year, month, date) = civil(day);
            let expected_first = date == 1 && (month == before.1 + 1 || (month == 1 && year == before.0 + 1));
            assert!(expected_first || (date == before.2 + 1 && month == before.1), "{year}-{month}-{date}");
            before = (year, month, date);
        }
    }
}

//! When a request was signed, and whether that is near enough to now.

use std::borrow::Cow;

use hashrange_api::{Error, message};
use hashrange_env::WallMs;

use super::{incomplete, invalid};

/// How far the time of a signature may be from ours, in seconds, in either direction.
const SKEW_S: i64 = 15 * 60;

/// A time to the second, in the basic form of ISO 8601: `YYYYMMDDTHHMMSSZ`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignedAt<'a> {
    basic: Cow<'a, str>,
    /// Seconds since the epoch.
    seconds: i64,
}

/// Reads the time of a signature and compares it with `now`.
pub(super) fn check<'a>(sent: &Cow<'a, str>, now: WallMs) -> Result<SignedAt<'a>, Error> {
    let at = SignedAt::read(sent).ok_or_else(|| incomplete(message::auth::unreadable_date(sent)))?;
    let now = i64::try_from(now.seconds()).unwrap_or(i64::MAX / 2);
    if at.seconds < now - SKEW_S {
        return Err(invalid(message::auth::expired(at.text(), &basic(now - SKEW_S), &basic(now))));
    }
    if at.seconds > now + SKEW_S {
        return Err(invalid(message::auth::not_yet(at.text(), &basic(now + SKEW_S), &basic(now))));
    }
    Ok(at)
}

impl<'a> SignedAt<'a> {
    /// Takes ISO 8601's basic form and, as some clients send it in `Date`, `Thu, 01 Jan 2026 00:00:00 GMT`.
    fn read(text: &Cow<'a, str>) -> Option<SignedAt<'a>> {
        if let Some(seconds) = read_basic(text.as_bytes()) {
            return Some(SignedAt { basic: text.clone(), seconds });
        }
        let seconds = read_http(text)?;
        Some(SignedAt { basic: Cow::Owned(basic(seconds)), seconds })
    }

    /// The whole text, `YYYYMMDDTHHMMSSZ`.
    pub(super) fn text(&self) -> &str {
        &self.basic
    }

    /// Its first eight characters, `YYYYMMDD`.
    pub(super) fn day(&self) -> &str {
        &self.basic[..8]
    }
}

fn read_basic(text: &[u8]) -> Option<i64> {
    let text: &[u8; 16] = text.try_into().ok()?;
    if text[8] != b'T' || text[15] != b'Z' {
        return None;
    }
    let date = [number(&text[..4])?, number(&text[4..6])?, number(&text[6..8])?];
    seconds_of(date, [number(&text[9..11])?, number(&text[11..13])?, number(&text[13..15])?])
}

/// The fixed-length date of RFC 9110, 5.6.7, also with the zone that Python writes. The name of the day is not compared
/// with the date.
fn read_http(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let [day, month, year, time, zone] =
        [words.next()?, words.next()?, words.next()?, words.next()?, words.next()?];
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let clock = time.as_bytes();
    let shaped =
        day.len() == 2 && year.len() == 4 && clock.len() == 8 && clock[2] == b':' && clock[5] == b':';
    if !shaped || !matches!(zone, "GMT" | "UTC" | "+0000" | "-0000") || words.next().is_some() {
        return None;
    }
    let date = [number(year.as_bytes())?, i64::try_from(month).ok()?, number(day.as_bytes())?];
    seconds_of(date, [number(&clock[..2])?, number(&clock[3..5])?, number(&clock[6..])?])
}

fn number(digits: &[u8]) -> Option<i64> {
    digits
        .iter()
        .try_fold(0, |so_far, digit| digit.is_ascii_digit().then(|| so_far * 10 + i64::from(digit - b'0')))
}

fn seconds_of([year, month, day]: [i64; 3], [hour, minute, second]: [i64; 3]) -> Option<i64> {
    let in_range = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    in_range.then(|| days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since the epoch of a date of the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date
/// algorithms"): years begin in March, so that the leap day is the last one.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`].
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

pub(super) fn basic(seconds: i64) -> String {
    let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
    let time = seconds.rem_euclid(86_400);
    format!("{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        SignedAt::read(&text.into()).map(|at| at.seconds)
    }

    #[test]
    fn times_in_both_forms_are_read() {
        assert_eq!(seconds("19700101T000000Z"), Some(0));
        assert_eq!(seconds("20260101T000000Z"), Some(1_767_225_600));
        assert_eq!(seconds("20240229T235959Z"), Some(1_709_251_199));
        let http = SignedAt::read(&"Sun, 06 Nov 1994 08:49:37 GMT".into()).unwrap();
        assert_eq!((http.seconds, http.text(), http.day()), (784_111_777, "19941106T084937Z", "19941106"));
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "20260101",
            "20260101T000000",
            "2026-01-01T00:00:00Z",
            "20260229T000000Z",
            "20261301T000000Z",
            "20260100T000000Z",
            "20260101T240000Z",
            "20260101T006000Z",
            "20260101T000060Z",
            "2026010aT000000Z",
            "2026０101T0000Z",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT x",
            "Sun, 06 Xyz 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_can_be_read_back() {
        for day in -1000..146_097 {
            let text = basic(day * 86_400 + 3661);
            assert_eq!(seconds(&text), Some(day * 86_400 + 3661), "{text}");
        }
    }

    #[test]
    fn fifteen_minutes_are_near_enough_and_one_second_more_is_not() {
        let now = WallMs(1_767_225_600_999);
        let outcome = |text: &str| check(&text.into(), now).map(|_| ()).map_err(|error| error.to_string());
        assert!(outcome("20251231T234500Z").is_ok() && outcome("20260101T001500Z").is_ok());
        assert_eq!(
            outcome("20251231T234459Z").unwrap_err(),
            "InvalidSignatureException: Signature expired: 20251231T234459Z is now earlier than 20251231T234500Z \
             (20260101T000000Z - 15 min.)"
        );
        assert_eq!(
            outcome("Thu, 01 Jan 2026 00:15:01 GMT").unwrap_err(),
            "InvalidSignatureException: Signature not yet current: 20260101T001501Z is still later than \
             20260101T001500Z (20260101T000000Z + 15 min.)"
        );
        assert_eq!(
            outcome("yesterday").unwrap_err(),
            "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got 'yesterday'. See \
             http://en.wikipedia.org/wiki/ISO_8601"
        );
    }
}

//! How often requests of one form come: in all, in the busiest second, minute by minute, by hour of the day.

/// Minutes that are told one by one.
pub(super) const MINUTES: usize = 60;

/// Counts of requests over time. A request costs two additions; the rest is done once in a second.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// The second that is counted, since the recording began.
    second: u64,
    in_second: u64,
    /// Requests before this second.
    before: u64,
    /// Requests that went on where a page ended.
    pub(super) continued: u64,
    peak: u64,
    pub(super) hours: [u64; 24],
    /// Requests of the last minutes, each at its number modulo [`MINUTES`].
    minutes: [u32; MINUTES],
    /// The number of the newest of them.
    minute: u64,
    peak_minute: u64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            second: 0,
            in_second: 0,
            before: 0,
            continued: 0,
            peak: 0,
            hours: [0; 24],
            minutes: [0; MINUTES],
            minute: 0,
            peak_minute: 0,
        }
    }
}

impl Pace {
    /// A request came, so many seconds after the recording began, which was at `began` (seconds since 1970). How many there are now.
    pub(super) fn came(&mut self, second: u64, began: u64) -> u64 {
        if second > self.second {
            self.turn(second, began);
        }
        self.in_second += 1;
        self.before + self.in_second
    }

    /// Closes the second that was counted and goes on to another one.
    pub(super) fn turn(&mut self, second: u64, began: u64) {
        self.peak = self.peak.max(self.in_second);
        self.before += self.in_second;
        let hour = usize::try_from((began + self.second) / 3600 % 24).unwrap_or_default();
        self.hours[hour] += self.in_second;
        let at = slot(self.minute);
        self.minutes[at] = self.minutes[at].saturating_add(u32::try_from(self.in_second).unwrap_or(u32::MAX));
        self.peak_minute = self.peak_minute.max(u64::from(self.minutes[at]));
        (self.second, self.in_second) = (second, 0);
        let minute = second / 60;
        for passed in (self.minute + 1..=minute).rev().take(MINUTES) {
            self.minutes[slot(passed)] = 0;
        }
        self.minute = minute.max(self.minute);
    }

    /// Requests in all.
    pub(super) fn count(&self) -> u64 {
        self.before + self.in_second
    }

    /// Most requests in one second.
    pub(super) fn peak(&self) -> u64 {
        self.peak.max(self.in_second)
    }

    /// Most requests in one minute.
    pub(super) fn peak_minute(&self) -> u64 {
        self.peak_minute
    }

    /// The last minutes, oldest first, those before the recording left out; the newest has only begun.
    pub(super) fn minutes(&self) -> Vec<u64> {
        let first = (self.minute + 1).saturating_sub(MINUTES as u64);
        (first..=self.minute).map(|minute| u64::from(self.minutes[slot(minute)])).collect()
    }

    /// Adds what was counted of another form up to the same second. Peaks of seconds are added: how they fell together is not known.
    pub(super) fn merge(&mut self, other: &Pace) {
        if self.second < other.second {
            self.turn(other.second, 0);
        }
        self.before += other.count();
        self.continued += other.continued;
        self.peak += other.peak();
        for (mine, theirs) in self.hours.iter_mut().zip(other.hours) {
            *mine += theirs;
        }
        for (mine, theirs) in self.minutes.iter_mut().zip(other.minutes) {
            *mine = mine.saturating_add(theirs);
        }
        let together = self.minutes.iter().copied().max().map_or(0, u64::from);
        self.peak_minute = self.peak_minute.max(other.peak_minute).max(together);
    }
}

fn slot(minute: u64) -> usize {
    usize::try_from(minute % MINUTES as u64).expect("less than sixty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_the_busiest_second() {
        let mut pace = Pace::default();
        for second in [0, 0, 0, 1, 2, 2] {
            pace.came(second, 5 * 3600);
        }
        assert_eq!((pace.count(), pace.peak()), (6, 3));
        pace.turn(3, 5 * 3600);
        assert_eq!((pace.count(), pace.peak(), pace.hours[5], pace.peak_minute()), (6, 3, 6, 6));
    }

    #[test]
    fn the_last_hour_is_told_minute_by_minute() {
        let mut pace = Pace::default();
        for minute in 0..100_u64 {
            (0..=minute).for_each(|_| _ = pace.came(minute * 60 + minute % 60, 0));
        }
        pace.turn(99 * 60 + 59, 0);
        let minutes = pace.minutes();
        assert_eq!((minutes.len(), minutes[0], minutes[59]), (MINUTES, 41, 100));
        assert_eq!((pace.peak_minute(), pace.count()), (100, 5050));
        pace.turn(130 * 60, 0);
        let minutes = pace.minutes();
        assert_eq!((minutes[0], minutes[28], minutes[29]), (72, 100, 0), "{minutes:?}");
        pace.turn(9000 * 60, 0);
        assert_eq!(pace.minutes(), [0; MINUTES]);
        assert_eq!(pace.peak_minute(), 100);
    }

    #[test]
    fn a_request_that_comes_late_is_counted_where_the_others_are() {
        let mut pace = Pace::default();
        pace.came(61, 0);
        pace.came(59, 0);
        assert_eq!((pace.count(), pace.peak()), (2, 2));
    }

    #[test]
    fn two_paces_become_one() {
        let (mut one, mut other) = (Pace::default(), Pace::default());
        (0..120).for_each(|second| _ = one.came(second, 0));
        (60..120).for_each(|second| _ = other.came(second, 0));
        one.turn(120, 0);
        other.turn(120, 0);
        let mut both = Pace::default();
        both.merge(&one);
        both.merge(&other);
        assert_eq!((both.count(), both.minutes(), both.peak_minute()), (180, vec![60, 120, 0], 120));
    }
}

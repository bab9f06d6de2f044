//! Points in time as the API shows them.

use std::fmt;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z. On the wire it is a number of seconds, with a fraction
/// only where there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Milliseconds since the epoch; negative before it.
    pub ms: i64,
}

impl Timestamp {
    /// The point `ms` milliseconds after the epoch.
    pub fn from_ms(ms: i64) -> Self {
        Self { ms }
    }
}

/// Seconds since the epoch, as on the wire: `1700000000`, `1700000000.125`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, fraction) = (self.ms.unsigned_abs() / 1000, self.ms.unsigned_abs() % 1000);
        let sign = if self.ms < 0 { "-" } else { "" };
        if fraction == 0 {
            return write!(f, "{sign}{seconds}");
        }
        let digits = format!("{fraction:03}");
        write!(f, "{sign}{seconds}.{}", digits.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_seconds_and_a_fraction_only_where_there_is_one() {
        let shown = |ms| Timestamp::from_ms(ms).to_string();
        assert_eq!(shown(1_700_000_000_000), "1700000000");
        assert_eq!(shown(1_700_000_000_120), "1700000000.12");
        assert_eq!(shown(-1_005), "-1.005");
        assert_eq!(shown(0), "0");
    }
}

//! Durations and sizes as people write them.

use std::time::Duration;

const DURATION_UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
const SIZE_UNITS: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// `0s`, `250ms`, `2s`, `1m`, `1h`; nothing else.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    parse_with_unit(text, &DURATION_UNITS).map(Duration::from_millis)
}

/// `512B`, `64KiB`, `64MiB`, `2GiB`; nothing else.
pub(crate) fn parse_bytes(text: &str) -> Option<u64> {
    parse_with_unit(text, &SIZE_UNITS)
}

/// The shortest text that [`parse_duration`] reads back, to the millisecond.
pub(crate) fn duration_text(duration: Duration) -> String {
    let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if ms == 0 { "0s".to_owned() } else { text_with_unit(ms, &DURATION_UNITS) }
}

/// The shortest text that [`parse_bytes`] reads back.
pub(crate) fn bytes_text(bytes: u64) -> String {
    text_with_unit(bytes, &SIZE_UNITS)
}

fn parse_with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

fn text_with_unit(value: u64, units: &[(&str, u64)]) -> String {
    let largest = units.iter().rev().find(|(_, factor)| value.is_multiple_of(*factor));
    let (unit, factor) = largest.unwrap_or(&units[0]);
    format!("{}{unit}", value / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_whole_number_and_a_known_unit() {
        assert_eq!(parse_duration("0s"), Some(Duration::ZERO));
        assert_eq!(parse_duration("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(parse_duration("2 s"), Some(Duration::from_secs(2)));
        assert_eq!(parse_duration("1h"), Some(Duration::from_hours(1)));
        for wrong in
            ["", "5", "s", "-1s", "1.5s", "5 parsecs", "99999999999999999999h", "18446744073709551615h"]
        {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_need_a_whole_number_and_a_binary_unit() {
        assert_eq!(parse_bytes("64MiB"), Some(64 << 20));
        assert_eq!(parse_bytes("0B"), Some(0));
        assert_eq!(parse_bytes("64MB"), None);
        assert_eq!(parse_bytes("64"), None);
    }

    #[test]
    fn what_is_printed_can_be_read_back() {
        for text in ["0s", "250ms", "2s", "90s", "1m", "1h"] {
            assert_eq!(parse_duration(text).map(duration_text).as_deref(), Some(text));
        }
        for text in ["1B", "1KiB", "1025KiB", "32MiB", "1024GiB"] {
            assert_eq!(parse_bytes(text).map(bytes_text).as_deref(), Some(text));
        }
    }
}

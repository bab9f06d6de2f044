//! Failures of our own, told once each: a disk that fails makes every request fail with the same cause.

use std::collections::BTreeSet;

use parking_lot::Mutex;

/// Causes that are remembered; beyond, all are forgotten and may be told again.
const CAUSES_MAX: usize = 64;

/// The causes that the log has been told.
#[derive(Debug, Default)]
pub(crate) struct Failures(Mutex<BTreeSet<String>>);

impl Failures {
    /// Whether this cause has not been told yet.
    pub(crate) fn is_news(&self, cause: &str) -> bool {
        let mut told = self.0.lock();
        if told.contains(cause) {
            return false;
        }
        if told.len() >= CAUSES_MAX {
            told.clear();
        }
        told.insert(cause.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_news_once() {
        let failures = Failures::default();
        assert!(failures.is_news("the disk is full"));
        assert!(!failures.is_news("the disk is full"));
        for number in 0..1000 {
            assert!(failures.is_news(&number.to_string()));
        }
        assert!(failures.0.lock().len() <= CAUSES_MAX);
    }
}

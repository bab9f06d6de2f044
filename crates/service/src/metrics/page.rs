//! Prometheus' text format: families of samples, each with its type and a line of help.

use std::fmt::{Display, Write as _};

use hashrange_store::Distribution;

const NS_PER_SECOND: u64 = 1_000_000_000;

/// A page that is being written.
#[derive(Debug, Default)]
pub struct Page {
    text: String,
}

/// What a family's samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only rises; its name ends with `_total`.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Values counted by range; its name ends with their unit.
    Histogram,
}

/// The samples of one name.
#[derive(Debug)]
pub struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl Page {
    /// Begins a family. `name` ends with the unit; `help` is one line.
    pub fn family(&mut self, name: &'static str, kind: Kind, help: &str) -> Family<'_> {
        debug_assert_eq!(kind == Kind::Counter, name.ends_with("_total"), "{name}");
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n").expect("a String takes any text");
        Family { text: &mut self.text, name }
    }

    /// The page as it is sent.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

impl Family<'_> {
    /// One value.
    pub fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.line("", labels, None, value);
    }

    /// One time, given in nanoseconds, in seconds.
    pub fn seconds(&mut self, labels: &[(&str, &str)], ns: u64) {
        self.sample(labels, seconds(ns));
    }

    /// A histogram of plain numbers.
    pub fn numbers(&mut self, labels: &[(&str, &str)], values: &Distribution) {
        self.distribution(labels, values, |number| number.to_string());
    }

    /// A histogram of times, given in nanoseconds, in seconds.
    pub fn times(&mut self, labels: &[(&str, &str)], values: &Distribution) {
        self.distribution(labels, values, seconds);
    }

    fn distribution(&mut self, labels: &[(&str, &str)], values: &Distribution, text: impl Fn(u64) -> String) {
        for (bound, count) in &values.up_to {
            self.line("_bucket", labels, Some(&text(*bound)), count);
        }
        self.line("_bucket", labels, Some("+Inf"), values.count);
        self.line("_sum", labels, None, text(values.sum));
        self.line("_count", labels, None, values.count);
    }

    fn line(&mut self, suffix: &str, labels: &[(&str, &str)], bound: Option<&str>, value: impl Display) {
        let labels = labels.iter().copied().chain(bound.map(|bound| ("le", bound)));
        let labels: Vec<_> = labels.map(|(name, text)| format!("{name}=\"{}\"", escaped(text))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        writeln!(self.text, "{}{suffix}{labels} {value}", self.name).expect("a String takes any text");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

/// Nanoseconds as seconds, exactly.
fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / NS_PER_SECOND, ns % NS_PER_SECOND);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_seconds() {
        assert_eq!(seconds(0), "0");
        assert_eq!(seconds(50_000), "0.00005");
        assert_eq!(seconds(10_000_000_000), "10");
        assert_eq!(seconds(1_500_000_001), "1.500000001");
    }

    #[test]
    fn labels_are_escaped() {
        let mut page = Page::default();
        page.family("a", Kind::Gauge, "Help.").sample(&[("b", "c\"\\\nd")], 7);
        assert_eq!(page.into_text(), "# HELP a Help.\n# TYPE a gauge\na{b=\"c\\\"\\\\\\nd\"} 7\n");
    }
}

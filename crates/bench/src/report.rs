//! Medians, ratios, the table and the bars.

use std::fmt::Write as _;

use crate::load::Sample;

/// One line of the table: what ran where with how many connections, one sample per round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) operation: &'static str,
    /// `hashrange`, `bare` or `disk`.
    pub(crate) on: &'static str,
    pub(crate) connections: usize,
}

/// A figure of a sample.
pub(crate) type Figure = fn(&Sample) -> f64;

/// What a figure is held against.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Debug)]
struct Bar {
    what: String,
    measured: f64,
    limit: Limit,
}

impl Bar {
    fn holds(&self) -> bool {
        match self.limit {
            Limit::AtMost(limit) => self.measured <= limit,
            Limit::AtLeast(limit) => self.measured >= limit,
        }
    }
}

/// Everything that a run measured.
#[derive(Debug, Default)]
pub(crate) struct Report {
    lines: Vec<(Line, Vec<Sample>)>,
    bars: Vec<Bar>,
    notes: Vec<String>,
}

impl Report {
    /// Adds one round's sample to its line.
    pub(crate) fn sample(&mut self, line: Line, sample: Sample) {
        match self.lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, samples)) => samples.push(sample),
            None => self.lines.push((line, vec![sample])),
        }
    }

    pub(crate) fn bar(&mut self, what: impl Into<String>, measured: f64, limit: Limit) {
        self.bars.push(Bar { what: what.into(), measured, limit });
    }

    /// A figure worth knowing that no bar judges.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// The median over the rounds of one line's figure divided by another's in the same round.
    ///
    /// Rounds are interleaved, so a machine that slows down for a while slows both sides of a ratio.
    pub(crate) fn ratio(&self, above: &Line, below: &Line, figure: Figure) -> f64 {
        let pairs = self.samples(above).iter().zip(self.samples(below));
        median(pairs.map(|(above, below)| figure(above) / figure(below)).collect())
    }

    /// The samples of a line, one per round.
    pub(crate) fn samples(&self, line: &Line) -> &[Sample] {
        self.lines.iter().find(|(known, _)| known == line).map_or(&[], |(_, samples)| samples)
    }

    /// Whether every bar holds.
    pub(crate) fn holds(&self) -> bool {
        self.bars.iter().all(Bar::holds)
    }

    pub(crate) fn render(&self) -> String {
        let mut text = String::from(
            "\n| operation | conn | on | k req/s | p50 us | p99 us | server CPU us | generator CPU us | per flush \
             | req/s / bare | p50 / bare | CPU / bare |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for (line, samples) in &self.lines {
            text.push_str(&self.render_line(line, samples));
        }
        text.push('\n');
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        text.push_str("\n| bar | measured | allowed | |\n|---|---|---|---|\n");
        for bar in &self.bars {
            text.push_str(&render_bar(bar));
        }
        text
    }

    fn render_line(&self, line: &Line, samples: &[Sample]) -> String {
        let of = |figure: Figure| median(samples.iter().map(figure).collect());
        let bare = Line { on: "bare", ..line.clone() };
        let ratio = |figure: Figure| match line.on {
            "bare" => String::new(),
            _ => some(self.ratio(line, &bare, figure), 2),
        };
        let cpu = |value: f64| if value > 0.0 { some(value, 1) } else { String::new() };
        let per_flush = median(samples.iter().filter_map(|sample| sample.requests_per_flush).collect());
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            line.operation,
            line.connections,
            line.on,
            some(of(Sample::rate) / 1e3, 1),
            some(of(|sample| sample.p50_us), 0),
            some(of(|sample| sample.p99_us), 0),
            cpu(of(|sample| sample.server_cpu_us)),
            cpu(of(|sample| sample.client_cpu_us)),
            some(per_flush, 1),
            ratio(Sample::rate),
            ratio(|sample| sample.p50_us),
            ratio(|sample| sample.server_cpu_us).replace("0.00", ""),
        )
    }
}

/// A figure with `places` decimals, or nothing where there is none.
fn some(value: f64, places: usize) -> String {
    if value.is_finite() { format!("{value:.places$}") } else { String::new() }
}

fn render_bar(bar: &Bar) -> String {
    let allowed = match bar.limit {
        Limit::AtMost(limit) => format!("at most {limit}"),
        Limit::AtLeast(limit) => format!("at least {limit}"),
    };
    let verdict = if bar.holds() { "pass" } else { "**FAIL**" };
    format!("| {} | {:.2} | {allowed} | {verdict} |\n", bar.what, bar.measured)
}

/// The middle value; the mean of the middle two for an even count; not a number for none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[half],
        _ => f64::midpoint(values[half - 1], values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(on: &'static str) -> Line {
        Line { operation: "GetItem", on, connections: 64 }
    }

    fn sample(cpu: f64) -> Sample {
        Sample { requests: 1000, seconds: 1.0, server_cpu_us: cpu, ..Sample::default() }
    }

    #[test]
    fn a_ratio_is_the_median_of_the_rounds_own_ratios() {
        let mut report = Report::default();
        for (bare, real) in [(10.0, 20.0), (100.0, 150.0), (10.0, 40.0)] {
            report.sample(line("bare"), sample(bare));
            report.sample(line("hashrange"), sample(real));
        }
        let ratio = report.ratio(&line("hashrange"), &line("bare"), |sample| sample.server_cpu_us);
        assert!((ratio - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_bar_without_a_measurement_does_not_hold() {
        let mut report = Report::default();
        assert!(report.holds());
        report.bar(
            "unmeasured",
            report.ratio(&line("hashrange"), &line("bare"), Sample::rate),
            Limit::AtMost(1.9),
        );
        assert!(!report.holds());
        assert!(report.render().contains("**FAIL**"));
    }

    #[test]
    fn a_median_of_an_even_count_is_between_the_middle_two() {
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!(median(Vec::new()).is_nan());
    }
}

//! What rules look at.

use std::collections::BTreeMap;

use super::{Kind, Observed, Samples, Threshold, touching};
use crate::catalogue::{Catalogue, Entity, Index, Pattern, Purpose, Table};
use crate::finding::{Severity, Subject};
use crate::plan::request::Request;
use crate::plan::{self, PatternPlan, sizes};

/// Everything that a rule may look at.
#[derive(Debug)]
pub struct Context<'a> {
    /// The model.
    pub catalogue: &'a Catalogue,
    /// The plan of each pattern, in the order of the patterns.
    pub plans: Vec<PatternPlan>,
    /// The samples, by kind.
    pub samples: Samples<'a>,
    /// The request of each pattern, where it states one.
    requests: Vec<Option<Request>>,
    /// The places of the kinds that each pattern touches, with how many items of each.
    touched: Vec<Vec<(usize, f64)>>,
    observed: BTreeMap<&'a str, &'a Observed>,
    today: &'a str,
}

impl<'a> Context<'a> {
    /// Plans the patterns and sorts the samples.
    ///
    /// `today` is a date such as `2026-11-30`.
    pub fn new(catalogue: &'a Catalogue, observed: &'a [Observed], today: &'a str) -> Context<'a> {
        let mut context = Context {
            catalogue,
            plans: plan::plans(catalogue),
            samples: Samples::of(catalogue),
            requests: catalogue.patterns.iter().map(|pattern| plan::request(catalogue, pattern)).collect(),
            touched: Vec::new(),
            observed: observed.iter().map(|seen| (seen.pattern.as_str(), seen)).collect(),
            today,
        };
        context.touched = touching::all(&context);
        context
    }

    /// What a pattern's request asks for; `None` where it states none.
    pub fn request(&self, pattern: &Pattern) -> Option<&Request> {
        self.requests.get(self.place(pattern)?)?.as_ref()
    }

    /// The kinds of item that a pattern reads or writes, with how many of each: as it declares, else those whose keys its request names.
    pub fn touched(&self, pattern: &Pattern) -> impl Iterator<Item = (&Kind<'a>, f64)> {
        let of_pattern = self.place(pattern).and_then(|place| self.touched.get(place));
        of_pattern.into_iter().flatten().map(|(kind, count)| (&self.samples.kinds()[*kind], *count))
    }

    /// Whether a pattern reads or writes items of a kind.
    pub fn touches(&self, pattern: &Pattern, kind: &Kind<'_>) -> bool {
        self.touched(pattern).any(|(other, _)| other.table == kind.table && other.name == kind.name)
    }

    fn place(&self, pattern: &Pattern) -> Option<usize> {
        self.catalogue.patterns.iter().position(|other| other.id == pattern.id)
    }

    /// Midnight of today, in seconds since 1970; `None` where today is no date.
    pub fn today_s(&self) -> Option<f64> {
        let mut numbers = self.today.splitn(3, '-').map(|part| part.parse::<u32>().ok());
        let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
        // Years of 365.2425 days and months of 30.44: a few days do not matter here.
        let days = (f64::from(year) - 1970.0) * 365.2425 + (f64::from(month) - 1.0) * 30.44 + f64::from(day);
        Some(days * 86_400.0)
    }

    /// The threshold's number: the model's own, or the usual one.
    pub fn threshold(&self, threshold: &Threshold) -> f64 {
        self.catalogue.thresholds.get(threshold.name).copied().unwrap_or(threshold.value)
    }

    /// Every pattern with its plan.
    pub fn patterns(&self) -> impl Iterator<Item = (&'a Pattern, &PatternPlan)> {
        self.catalogue.patterns.iter().zip(&self.plans)
    }

    /// The plan of a pattern, by id.
    pub fn plan(&self, pattern: &str) -> Option<&PatternPlan> {
        self.plans.iter().find(|plan| plan.pattern == pattern)
    }

    /// What was observed of a pattern, by id.
    pub fn observed(&self, pattern: &str) -> Option<&'a Observed> {
        self.observed.get(pattern).copied()
    }

    /// The table that a pattern's plan reads or writes.
    pub fn table_of(&self, plan: &PatternPlan) -> Option<&'a Table> {
        self.catalogue.table(&plan.table)
    }

    /// The index that a pattern's plan reads.
    pub fn index_of(&self, plan: &PatternPlan) -> Option<&'a Index> {
        self.table_of(plan)?.index(plan.index.as_deref()?)
    }

    /// Items of an entity: declared, else the samples where it has some and nothing is declared of its table.
    pub fn count(&self, entity: &Entity) -> Option<f64> {
        entity.count
    }

    /// Mean bytes of an item of an entity.
    pub fn bytes(&self, entity: &Entity) -> Option<f64> {
        sizes::entity_bytes(self.catalogue, entity)
    }

    /// Items in a table: declared, else the sum over its entities where each tells.
    pub fn table_count(&self, table: &Table) -> Option<f64> {
        sizes::table_count(self.catalogue, table)
    }

    /// Bytes in a table, without the overhead of storage.
    pub fn table_bytes(&self, table: &Table) -> Option<f64> {
        sizes::table_bytes(self.catalogue, table)
    }

    /// Grades a rate of units on one key or partition: above `error` an error, above `warn` a warning; `None` below. Where the rate is
    /// unknown it is a warning, and the text says from which rate on it would be an error.
    ///
    /// `units` are those of one run on that key.
    pub fn by_rate(
        &self,
        rate: Option<f64>,
        units: f64,
        [warn, error]: [&Threshold; 2],
    ) -> Option<(Severity, String)> {
        let (warn, error) = (self.threshold(warn), self.threshold(error));
        let Some(rate) = rate else {
            let limit = number(error / units.max(0.001));
            return Some((
                Severity::Warn,
                format!("no rate is stated; from {limit} per second on it is an error"),
            ));
        };
        let load = rate * units;
        let text = format!("{} units per second at {} per second", number(load), number(rate));
        if load > error {
            Some((Severity::Error, format!("{text}, above {}", number(error))))
        } else if load > warn {
            Some((
                Severity::Warn,
                format!("{text}, above {}; above {} it is an error", number(warn), number(error)),
            ))
        } else {
            None
        }
    }
}

/// Runs per second on average, else at the peak.
pub(crate) fn rate(pattern: &Pattern) -> Option<f64> {
    pattern.avg_rps.or(pattern.peak_rps)
}

/// Runs per second at the peak, else on average.
pub(crate) fn peak(pattern: &Pattern) -> Option<f64> {
    pattern.peak_rps.or(pattern.avg_rps)
}

/// Whether somebody waits for the answer.
pub(crate) fn is_request(pattern: &Pattern) -> bool {
    pattern.purpose == Purpose::Request
}

/// A finding's subject for a pattern.
pub(crate) fn of(pattern: &Pattern) -> Subject {
    Subject::Pattern(pattern.id.clone())
}

/// A number as people write it: no more than two places, groups of three digits.
pub(crate) fn number(value: f64) -> String {
    let text = if value.abs() >= 100.0 || value.fract().abs() < 0.005 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let digits: Vec<char> = whole.chars().collect();
    let mut grouped = String::new();
    for (at, digit) in digits.iter().enumerate() {
        let left = digits.len() - at;
        if at > 0 && left.is_multiple_of(3) && digits[at - 1] != '-' {
            grouped.push(',');
        }
        grouped.push(*digit);
    }
    grouped + rest
}

//! What rules look at.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::statistics::Column;
use super::{Kind, Observed, Samples, Threshold, touching};
use crate::catalogue::{Catalogue, Entity, Flow, FlowStep, Index, Pattern, Purpose, Table};
use crate::cost::{self, CostReport, Prices};
use crate::finding::{Severity, Subject};
use crate::plan::request::Request;
use crate::plan::{self, PatternPlan, sizes};

/// What a write unit costs in read units, on demand and provisioned alike. (Source: AWS price list, us-east-1.)
pub(crate) const WRITE_PRICE: f64 = 5.0;

/// Everything that a rule may look at.
#[derive(Debug)]
pub struct Context<'a> {
    /// The model.
    pub catalogue: &'a Catalogue,
    /// The plan of each pattern, in the order of the patterns.
    pub plans: Vec<PatternPlan>,
    /// The samples, by kind.
    pub samples: Samples<'a>,
    /// The request of each pattern, in the order of the patterns; `None` where none is stated.
    pub requests: Vec<Option<Request>>,
    /// What the key attributes of each kind hold.
    columns: Vec<BTreeMap<String, Column>>,
    /// What the model costs, once it is asked for.
    bill: OnceCell<CostReport>,
    /// The places of the kinds that each pattern touches, with how many items of each.
    touched: Vec<Vec<(usize, f64)>>,
    observed: BTreeMap<&'a str, &'a Observed>,
    today: &'a str,
}

/// A step of a flow with all that is known of its pattern.
#[derive(Clone, Copy, Debug)]
pub struct Step<'c> {
    /// How it is taken.
    pub step: &'c FlowStep,
    /// The pattern.
    pub pattern: &'c Pattern,
    /// Its plan.
    pub plan: &'c PatternPlan,
    /// Its request, where it is stated.
    pub request: Option<&'c Request>,
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
            columns: Vec::new(),
            bill: OnceCell::new(),
            touched: Vec::new(),
            observed: observed.iter().map(|seen| (seen.pattern.as_str(), seen)).collect(),
            today,
        };
        context.columns = context.samples.kinds().iter().map(|kind| Column::all(catalogue, kind)).collect();
        context.touched = touching::all(&context);
        context
    }

    /// What a pattern's request asks for; `None` where it states none.
    pub fn request(&self, pattern: &Pattern) -> Option<&Request> {
        self.requests.get(self.place(pattern)?)?.as_ref()
    }

    /// What a key attribute of a table or an index holds in items of a kind; `None` where they do not have it.
    pub(crate) fn column(&self, kind: &Kind<'_>, attribute: &str) -> Option<&Column> {
        self.columns.get(kind.place)?.get(attribute)
    }

    /// What the model costs, by list prices.
    pub fn bill(&self) -> &CostReport {
        self.bill.get_or_init(|| cost::cost(self.catalogue, &Prices::built_in()))
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

    /// Every pattern with its plan and its request, where a request is stated.
    pub fn requested(&self) -> impl Iterator<Item = (&'a Pattern, &PatternPlan, &Request)> {
        let with_requests = self.patterns().zip(&self.requests);
        with_requests.filter_map(|((pattern, plan), request)| Some((pattern, plan, request.as_ref()?)))
    }

    /// The steps of a flow whose patterns exist, in order.
    pub fn steps<'c>(&'c self, flow: &'c Flow) -> Vec<Step<'c>> {
        let step = |step: &'c FlowStep| {
            let at = self.catalogue.patterns.iter().position(|pattern| pattern.id == step.pattern)?;
            Some(Step {
                step,
                pattern: &self.catalogue.patterns[at],
                plan: &self.plans[at],
                request: self.requests[at].as_ref(),
            })
        };
        flow.steps.iter().filter_map(step).collect()
    }

    /// What a pattern costs in a second in the price of read units, on demand: a write unit costs five. `None` where rate or units are
    /// unknown.
    pub fn cost(&self, pattern: &Pattern) -> Option<f64> {
        let plan = self.plan(&pattern.id).filter(|plan| !plan.arms.is_empty())?;
        Some(rate(pattern)? * (plan.read_units() + WRITE_PRICE * plan.write_units()))
    }

    /// The share of the cost of all patterns that one has, 0 to 1.
    pub fn cost_share(&self, pattern: &Pattern) -> Option<f64> {
        let all: f64 = self.catalogue.patterns.iter().filter_map(|pattern| self.cost(pattern)).sum();
        (all > 0.0).then_some(self.cost(pattern)? / all)
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

/// Whether the name or the description of a pattern has a word that begins so; `words` are in lower case.
pub(crate) fn says(pattern: &Pattern, words: &[&str]) -> bool {
    let text =
        format!("{} {}", pattern.name, pattern.description.as_deref().unwrap_or_default()).to_lowercase();
    words.iter().any(|word| {
        text.match_indices(word)
            .any(|(at, _)| !text[..at].chars().next_back().is_some_and(char::is_alphanumeric))
    })
}

/// A key text with the names of its gaps taken out: keys of two patterns that may be of one item compare equal.
pub(crate) fn shape_of(text: &str) -> String {
    let mut shape = String::new();
    let mut inside = false;
    for letter in text.chars() {
        match letter {
            '{' => inside = true,
            '}' => {
                inside = false;
                shape.push('?');
            }
            _ if !inside => shape.push(letter),
            _ => {}
        }
    }
    shape
}

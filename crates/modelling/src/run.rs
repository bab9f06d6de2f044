//! Runs the patterns of a model on a database and compares what happens with what is declared.
//!
//! Samples are loaded once for each scale. Each pattern then finds them fresh: reads change nothing, and what a write touched is
//! put back after it. The samples of a larger scale contain those of a smaller one, and a pattern takes the same parameters at
//! all scales, so whatever costs more at the larger one grows with the table.

mod execute;
mod judge;
mod load;
mod merge;
mod observe;
mod restore;

use std::collections::{BTreeMap, BTreeSet};

use hashrange_api::Operation;
use serde_json::Value;

use crate::catalogue::{Catalogue, Pattern};
use crate::check::Observed;
use crate::finding::{Evidence, Finding, Severity};
use crate::plan::{self, Arm, PatternPlan, PlanClass};
use crate::samples::{self, Requests, Samples, Unfilled};
use crate::target::Target;

pub use judge::{RULES, Rule};

/// How to run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Tells data apart.
    pub seed: u64,
    /// Scales, each a number of blocks of samples; see [`mod@samples`].
    pub scales: &'a [usize],
    /// Whether writes stay for the patterns after them, in the order of the file.
    pub shared_state: bool,
    /// Only these patterns; empty is all.
    pub patterns: &'a [String],
    /// The day by which waivers expire, such as `2026-11-30`.
    pub today: &'a str,
    /// Told what is being done, in words for people.
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            seed: 1,
            scales: &[1, 10],
            shared_state: false,
            patterns: &[],
            today: "",
            progress: &|_| (),
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("Options");
        debug.field("seed", &self.seed).field("scales", &self.scales);
        debug
            .field("shared_state", &self.shared_state)
            .field("patterns", &self.patterns)
            .finish_non_exhaustive()
    }
}

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The model's name.
    pub model: String,
    /// What told data apart.
    pub seed: u64,
    /// Each scale with the items that were in the tables.
    pub scales: Vec<(usize, usize)>,
    /// Every pattern, in the order of the file.
    pub patterns: Vec<Tested>,
    /// Why tables could not be made or samples not be loaded; patterns were not run then.
    pub problems: Vec<String>,
}

/// What came of one pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The operation.
    pub operation: Option<Operation>,
    /// What the declarations say of it.
    pub plan: PatternPlan,
    /// What it may consume.
    pub budget: crate::catalogue::Budget,
    /// Why it was not run; such a pattern neither passed nor failed.
    pub skipped: Option<String>,
    /// One for each scale.
    pub runs: Vec<Run>,
    /// What is wrong; of severity error where the pattern fails.
    pub findings: Vec<Finding>,
}

impl Tested {
    /// Whether it was run and nothing grave was found.
    pub fn passed(&self) -> bool {
        self.skipped.is_none() && !self.failed() && !self.runs.is_empty()
    }

    /// Whether something grave was found.
    pub fn failed(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// What came of it, in words: `passed`, `failed`, `not run: SearchVectors is not built yet`.
    pub fn outcome(&self) -> String {
        match (self.failed(), &self.skipped) {
            (true, _) => "failed".to_owned(),
            (false, Some(reason)) => format!("not run: {reason}"),
            (false, None) => "passed".to_owned(),
        }
    }
}

/// One run of a pattern: all its pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The scale of the samples.
    pub scale: usize,
    /// How the database reached its items, where it tells.
    pub class: Option<PlanClass>,
    /// The plan in the engine's words, where it tells.
    pub engine_plan: Option<String>,
    /// Items returned.
    pub returned: u64,
    /// Items examined.
    pub examined: u64,
    /// Bytes of the items returned.
    pub returned_bytes: u64,
    /// Requests.
    pub pages: u64,
    /// Whether there was more after the last request.
    pub has_more: bool,
    /// Where units fell, the table first.
    pub arms: Vec<Arm>,
    /// The error that ended it: code and text.
    pub error: Option<(String, String)>,
    /// The items, in order, each in DynamoDB's JSON. Those of several shards are merged as a caller would.
    pub items: Vec<Value>,
    /// The condition or filter of the request that no sample was found for, in words.
    pub unmet: Option<String>,
}

impl Run {
    /// All read units.
    pub fn read_units(&self) -> f64 {
        self.arms.iter().fold(0.0, |sum, arm| sum + arm.read)
    }

    /// All write units.
    pub fn write_units(&self) -> f64 {
        self.arms.iter().fold(0.0, |sum, arm| sum + arm.write)
    }
}

/// What writes cost on one index.
#[derive(Clone, Debug, PartialEq)]
pub struct Amplification {
    /// The table.
    pub table: String,
    /// The index.
    pub index: String,
    /// Write units on the index, by pattern.
    pub patterns: Vec<(String, f64)>,
    /// Write units on the index for each unit that the same patterns write to the table.
    pub per_table_unit: f64,
}

impl Amplification {
    fn none((table, index): (&str, &str)) -> Amplification {
        let (table, index) = (table.to_owned(), index.to_owned());
        Amplification { table, index, patterns: Vec::new(), per_table_unit: 0.0 }
    }
}

impl Report {
    /// Whether everything that could be run passed.
    pub fn passed(&self) -> bool {
        self.problems.is_empty() && !self.patterns.iter().any(Tested::failed)
    }

    /// How many passed, failed and were not run.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |is: fn(&Tested) -> bool| self.patterns.iter().filter(|tested| is(tested)).count();
        (
            count(Tested::passed),
            count(Tested::failed),
            count(|tested| tested.skipped.is_some() && !tested.failed()),
        )
    }

    /// All findings, in the order of the patterns.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.patterns.iter().flat_map(|tested| &tested.findings)
    }

    /// What the rules of [`check`](mod@crate::check) can take from the run: patterns that were answered, at the smallest scale.
    pub fn observed(&self) -> Vec<Observed> {
        self.patterns
            .iter()
            .filter_map(|tested| Some((tested, tested.runs.first()?)))
            .filter(|(_, run)| run.error.is_none())
            .map(observed)
            .collect()
    }

    /// What each index adds to writes, by table and index, at the smallest scale.
    pub fn amplification(&self) -> Vec<Amplification> {
        let mut indexes: BTreeMap<(&str, &str), Amplification> = BTreeMap::new();
        let mut on_tables: BTreeMap<(&str, &str), f64> = BTreeMap::new();
        for (tested, run) in self.patterns.iter().filter_map(|tested| Some((tested, tested.runs.first()?))) {
            for arm in run.arms.iter().filter(|arm| arm.write > 0.0) {
                let Some(index) = &arm.index else { continue };
                let of_table = |other: &&Arm| other.index.is_none() && other.table == arm.table;
                let table: f64 = run.arms.iter().filter(of_table).map(|arm| arm.write).sum();
                let key = (arm.table.as_str(), index.as_str());
                *on_tables.entry(key).or_default() += table;
                let entry = indexes.entry(key).or_insert_with(|| Amplification::none(key));
                entry.patterns.push((tested.id.clone(), arm.write));
            }
        }
        for (key, entry) in &mut indexes {
            let units: f64 = entry.patterns.iter().map(|(_, units)| units).sum();
            let on_table = on_tables.get(key).copied().filter(|units| *units > 0.0);
            entry.per_table_unit = on_table.map_or(0.0, |on_table| units / on_table);
        }
        indexes.into_values().collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run are far below 2^52")]
fn observed((tested, run): (&Tested, &Run)) -> Observed {
    let all_bytes = tested.plan.filter.is_empty() && tested.plan.wanted.is_empty() && !run.items.is_empty();
    Observed {
        runs: 1,
        examined: run.examined as f64,
        returned: run.returned as f64,
        returned_bytes: all_bytes.then_some(run.returned_bytes as f64),
        // Rules judge how one collection is read: of shards, each.
        pages: match run.class {
            Some(PlanClass::Scatter(shards)) if tested.plan.class == PlanClass::Scatter(shards) => {
                (run.pages as f64 / f64::from(shards.max(1))).ceil()
            }
            _ => run.pages as f64,
        },
        has_more: run.has_more,
        arms: run.arms.clone(),
        ..Observed::of(&tested.id, Evidence::Run)
    }
}

/// Runs the patterns of a model: makes its tables, loads samples, runs each pattern at each scale, removes the tables.
///
/// The tables must not be there before.
pub async fn run(catalogue: &Catalogue, target: &dyn Target, options: &Options<'_>) -> Report {
    let mut report = Report { model: catalogue.name.clone(), seed: options.seed, ..Report::default() };
    report.patterns = catalogue
        .patterns
        .iter()
        .filter(|pattern| is_chosen(pattern, options))
        .map(|pattern| tested(catalogue, pattern))
        .collect();
    let made = load::create(catalogue, target).await;
    match made.problem {
        Some(problem) => report.problems.push(problem),
        None => at_scales(catalogue, target, options, &mut report).await,
    }
    if !report.problems.is_empty() {
        for tested in report.patterns.iter_mut().filter(|tested| tested.runs.is_empty()) {
            tested.skipped.get_or_insert_with(|| "its tables and samples could not be made".to_owned());
        }
    }
    report.problems.extend(load::remove(&made.tables, target).await);
    for (tested, pattern) in report
        .patterns
        .iter_mut()
        .zip(catalogue.patterns.iter().filter(|pattern| is_chosen(pattern, options)))
    {
        if !tested.runs.is_empty() {
            tested.findings = judge::judge(catalogue, pattern, tested, options.today);
        }
    }
    report
}

/// Makes the tables of a model and loads samples; the names of the tables, for [`tidy`].
///
/// # Errors
/// Why a table could not be made, as where one of its name is there, or samples not be loaded. What was made is removed then.
pub async fn prepare(
    catalogue: &Catalogue,
    samples: &Samples,
    target: &dyn Target,
) -> Result<Vec<String>, String> {
    let made = load::create(catalogue, target).await;
    let loaded = match made.problem {
        Some(problem) => Err(problem),
        None => load::Loaded::default().load(catalogue, samples, target).await,
    };
    match loaded {
        Ok(()) => Ok(made.tables),
        Err(problem) => {
            let mut problems = vec![problem];
            problems.extend(tidy(&made.tables, target).await);
            Err(problems.join("; "))
        }
    }
}

/// Removes the tables that [`prepare`] made; why it could not.
pub async fn tidy(tables: &[String], target: &dyn Target) -> Vec<String> {
    load::remove(tables, target).await
}

fn is_chosen(pattern: &Pattern, options: &Options<'_>) -> bool {
    options.patterns.is_empty() || options.patterns.contains(&pattern.id)
}

fn tested(catalogue: &Catalogue, pattern: &Pattern) -> Tested {
    Tested {
        id: pattern.id.clone(),
        name: pattern.name.clone(),
        operation: pattern.operation,
        plan: plan::plan(catalogue, pattern),
        budget: pattern.budget,
        skipped: cannot_run(pattern),
        runs: Vec::new(),
        findings: judge::mismatches(catalogue, pattern),
    }
}

/// Why a pattern has nothing to run.
fn cannot_run(pattern: &Pattern) -> Option<String> {
    if let Some(reason) = &pattern.external {
        return Some(format!("served elsewhere: {reason}"));
    }
    if let Some(reason) = plan::not_built(pattern) {
        return Some(reason);
    }
    match pattern.operation {
        None => Some("states a need, no operation".to_owned()),
        Some(_) if pattern.request.is_none() => Some("its format states no request".to_owned()),
        Some(_) => None,
    }
}

async fn at_scales(catalogue: &Catalogue, target: &dyn Target, options: &Options<'_>, report: &mut Report) {
    let scales: BTreeSet<usize> = options.scales.iter().copied().filter(|scale| *scale > 0).collect();
    let mut loaded = load::Loaded::default();
    for scale in scales {
        let samples = samples::generate(catalogue, samples::Options { seed: options.seed, scale });
        (options.progress)(&format!("loading {} items ({scale}x)", samples.len()));
        if let Err(problem) = loaded.load(catalogue, &samples, target).await {
            report.problems.push(problem);
            return;
        }
        report.scales.push((scale, samples.len()));
        let scene = Scene { catalogue, samples: &samples, target, options, scale };
        let count = report.patterns.len();
        for (at, tested) in
            report.patterns.iter_mut().enumerate().filter(|(_, tested)| tested.skipped.is_none())
        {
            (options.progress)(&format!("running pattern {} of {count} ({scale}x)", at + 1));
            let Some(pattern) = catalogue.pattern(&tested.id) else { continue };
            match scene.run(pattern).await {
                Ok(run) => tested.runs.push(run),
                Err(Trouble::Unfilled(unfilled)) => tested.skip(pattern, &unfilled),
                Err(Trouble::Target(problem)) => {
                    report.problems.push(problem);
                    return;
                }
            }
        }
    }
}

impl Tested {
    fn skip(&mut self, pattern: &Pattern, unfilled: &Unfilled) {
        self.skipped = Some(unfilled.to_string());
        self.findings.push(judge::unfilled(pattern, unfilled));
    }
}

/// Why a pattern could not be run.
enum Trouble {
    /// A gap of its request has no value, or its shards cannot be told.
    Unfilled(Unfilled),
    /// The database cannot be asked.
    Target(String),
}

/// Where patterns are run.
struct Scene<'a> {
    catalogue: &'a Catalogue,
    samples: &'a Samples,
    target: &'a dyn Target,
    options: &'a Options<'a>,
    scale: usize,
}

impl Scene<'_> {
    async fn run(&self, pattern: &Pattern) -> Result<Run, Trouble> {
        let Requests { bodies, unmet } = self.filled(pattern)?;
        let reading = match bodies.as_slice() {
            [one] if !self.options.shared_state => restore::touched(self.catalogue, pattern, one),
            _ => Vec::new(),
        };
        let before = restore::look(&reading, self.target).await.map_err(Trouble::Target)?;
        let run = execute::execute(self, pattern, bodies).await.map_err(Trouble::Target);
        restore::put_back(before, self.target).await.map_err(Trouble::Target)?;
        run.map(|run| Run { unmet, ..run })
    }

    fn filled(&self, pattern: &Pattern) -> Result<Requests, Trouble> {
        let requests = samples::requests(self.catalogue, self.samples, pattern, self.options.seed, 0);
        let mut requests = requests.map_err(Trouble::Unfilled)?;
        // A transaction with the token of another scale's run would be told that it was done.
        for body in &mut requests.bodies {
            if let Some(Value::String(token)) = body.get_mut("ClientRequestToken") {
                let end = format!("x{}", self.scale);
                let kept: String = token.chars().take(36 - end.len()).collect();
                *token = kept + &end;
            }
        }
        Ok(requests)
    }
}

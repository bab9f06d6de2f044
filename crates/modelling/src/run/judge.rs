//! What is wrong with a run.

use serde_json::Value;

use super::{Run, Tested};
use crate::catalogue::{Catalogue, Expect, Pattern, Purpose};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::{Arm, PlanClass, shards};
use crate::samples::{Unfilled, attributes_json};

/// A rule of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: &'static str,
    /// How grave its findings are, unless the model says otherwise.
    pub severity: Severity,
    /// What it looks at, in one sentence.
    pub about: &'static str,
}

const ERROR: Severity = Severity::Error;

/// The rules of runs.
pub const RULES: [Rule; 12] = [
    Rule { id: "unfilled-parameter", severity: ERROR, about: "A gap of the request has no value." },
    Rule {
        id: "shards-without-key",
        severity: ERROR,
        about: "The pattern declares shards, and its partition key has none, or its operation has no use for them.",
    },
    Rule {
        id: "request-mismatch",
        severity: ERROR,
        about: "The request is not of the table or index that the pattern names.",
    },
    Rule {
        id: "unexpected-error",
        severity: ERROR,
        about: "The database refused the request, or did not refuse it as expected.",
    },
    Rule {
        id: "empty-read",
        severity: ERROR,
        about: "A read found nothing; write `expect: {empty: true}` where that is right.",
    },
    Rule {
        id: "unexpected-items",
        severity: ERROR,
        about: "Other items came than expected, or more or fewer.",
    },
    Rule { id: "unexpected-order", severity: ERROR, about: "Items came in another order than expected." },
    Rule {
        id: "unexpected-plan",
        severity: ERROR,
        about: "The database reached the items in another way than expected.",
    },
    Rule { id: "too-many-pages", severity: ERROR, about: "The answer took more pages than expected." },
    Rule { id: "budget-exceeded", severity: ERROR, about: "One run consumed more than its budget." },
    Rule {
        id: "not-run",
        severity: Severity::Note,
        about: "The pattern was not run, so it neither passed nor failed.",
    },
    Rule { id: "grows-with-table", severity: ERROR, about: "One run consumes more in a larger table." },
];

/// Units that differ by no more than this share are the same.
const TOLERANCE: f64 = 0.1;
/// Sums of half units are exact; this is far below the least of them.
const EPSILON: f64 = 1e-6;

/// Collects what is found of one pattern.
struct Judge<'a> {
    catalogue: &'a Catalogue,
    pattern: &'a Pattern,
    findings: Vec<Finding>,
}

impl<'a> Judge<'a> {
    fn new(catalogue: &'a Catalogue, pattern: &'a Pattern) -> Judge<'a> {
        Judge { catalogue, pattern, findings: Vec::new() }
    }

    fn found(&mut self, id: &str, message: String, advice: String) {
        let rule = RULES.iter().find(|rule| rule.id == id).expect("every rule is in the table");
        self.graded(*rule, rule.severity, message, advice);
    }

    /// Adds a finding, as grave as the model has it.
    fn graded(&mut self, rule: Rule, severity: Severity, message: String, advice: String) {
        let severity = match self.catalogue.severities.get(rule.id) {
            Some(None) => return,
            Some(Some(severity)) => *severity,
            None => severity,
        };
        self.findings.push(Finding {
            rule: rule.id,
            severity,
            evidence: Evidence::Run,
            subject: Subject::Pattern(self.pattern.id.clone()),
            message,
            advice,
            waived: None,
        });
    }
}

/// What the declarations alone show: the request is of another table or index than the pattern says.
pub(super) fn mismatches(catalogue: &Catalogue, pattern: &Pattern) -> Vec<Finding> {
    let mut judge = Judge::new(catalogue, pattern);
    let Some(request) = &pattern.request else { return judge.findings };
    let of = |name: &str| request.get(name).and_then(Value::as_str);
    for (what, declared, asked) in [
        ("table", pattern.table.as_deref(), of("TableName")),
        ("index", pattern.index.as_deref(), of("IndexName")),
    ] {
        if let (Some(declared), Some(asked)) = (declared, asked)
            && declared != asked
        {
            let message = format!("the pattern names the {what} {declared}, its request {asked}");
            judge.found("request-mismatch", message, format!("name one {what} in both"));
        }
    }
    if let (Some(index), None, true) =
        (&pattern.index, of("IndexName"), of("Statement").is_none() && of("TableName").is_some())
    {
        let message = format!("the pattern names the index {index}, its request reads the table");
        judge.found("request-mismatch", message, format!("add IndexName {index}, or leave the index out"));
    }
    judge.findings
}

/// A gap without a value, or shards that cannot be told.
pub(super) fn unfilled(pattern: &Pattern, unfilled: &Unfilled) -> Finding {
    let (rule, message, advice) = match unfilled {
        Unfilled::Gap(gap) => (
            "unfilled-parameter",
            format!("nothing fills the gap {{{gap}}} of the request"),
            format!("say where it comes from: parameters: {{{gap}: Entity.attribute}}"),
        ),
        Unfilled::Shards(problem) => ("shards-without-key", problem.clone(), shards::ADVICE.to_owned()),
    };
    Finding {
        rule,
        severity: ERROR,
        evidence: Evidence::Run,
        subject: Subject::Pattern(pattern.id.clone()),
        message,
        advice,
        waived: None,
    }
}

/// Everything that is wrong with the runs of a pattern, with what was found before.
pub(super) fn judge(catalogue: &Catalogue, pattern: &Pattern, tested: &Tested, today: &str) -> Vec<Finding> {
    let mut judge = Judge::new(catalogue, pattern);
    judge.findings.clone_from(&tested.findings);
    let Some(first) = tested.runs.first() else { return judge.findings };
    judge.outcome(first);
    if first.error.is_none() {
        judge.items(first);
        judge.plan(first);
    }
    // One scale is enough: what grows with the table is told by a rule of its own.
    let _over = tested.runs.iter().any(|run| judge.budget(run));
    judge.growth(tested);
    waive(catalogue, today, &mut judge.findings);
    judge.findings
}

/// Waivers of the model that have not expired let findings be notes.
fn waive(catalogue: &Catalogue, today: &str, findings: &mut [Finding]) {
    for finding in findings {
        let Subject::Pattern(id) = &finding.subject else { continue };
        let allows = catalogue.waivers.iter().find(|waiver| {
            waiver.until.as_str() >= today
                && waiver.rule == finding.rule
                && waiver.on.as_ref().is_none_or(|on| on == id)
        });
        if let Some(waiver) = allows {
            finding.severity = Severity::Note;
            finding.waived = Some(format!("{} (until {})", waiver.reason, waiver.until));
        }
    }
}

impl Judge<'_> {
    fn outcome(&mut self, run: &Run) {
        let expected = self.pattern.expect.error.clone();
        match (expected, &run.error) {
            (None, Some((code, message))) => self.found(
                "unexpected-error",
                format!("the database refuses the request: {code}: {message}{}", unmet(run)),
                "mend the request, or write expect: {error: ..} where the refusal is right".to_owned(),
            ),
            (Some(expected), Some((code, message))) if expected != *code => self.found(
                "unexpected-error",
                format!("expected {expected}, but {code} came: {message}"),
                "mend the request or the expectation".to_owned(),
            ),
            (Some(expected), None) => self.found(
                "unexpected-error",
                format!("expected {expected}, but the request succeeded{}", unmet(run)),
                "mend the condition or the samples, so that it is refused".to_owned(),
            ),
            _ => {}
        }
    }

    fn items(&mut self, run: &Run) {
        let expect = self.pattern.expect.clone();
        let is_read = run.class.is_none_or(|class| !matches!(class, PlanClass::Write(_)))
            && !run.arms.iter().any(|arm| arm.write > 0.0);
        if !is_read {
            return;
        }
        let may_be_empty = expect.max == Some(0)
            || expect.items.as_ref().is_some_and(Vec::is_empty)
            || self.pattern.non_existent_rate.is_some_and(|rate| rate >= 1.0);
        if run.returned == 0 && !may_be_empty {
            self.found(
                "empty-read",
                format!("nothing was found ({} items examined){}", run.examined, unmet(run)),
                "give samples that it finds, or write expect: {empty: true}".to_owned(),
            );
            return;
        }
        self.counts(run, &expect);
        self.exact(run, &expect);
        self.order(run, &expect);
        let shards = self.shards();
        if let Some(most) = expect.pages.filter(|most| run.pages > most.saturating_mul(shards)) {
            let of = if shards > 1 { format!(" of each of {shards} shards") } else { String::new() };
            let message = format!("the answer took {} pages, expected {most}{of} at most", run.pages);
            self.found(
                "too-many-pages",
                message,
                "bound the read with a Limit or a narrower range".to_owned(),
            );
        }
    }

    fn counts(&mut self, run: &Run, expect: &Expect) {
        let (min, max) = (expect.min.unwrap_or(0), expect.max.unwrap_or(u64::MAX));
        if run.returned < min || run.returned > max {
            let wanted = match (expect.min, expect.max) {
                (Some(min), Some(max)) if min == max => format!("{min}"),
                (Some(min), None) => format!("at least {min}"),
                (None, _) => format!("at most {max}"),
                (Some(min), Some(max)) => format!("{min} to {max}"),
            };
            self.found(
                "unexpected-items",
                format!("{} items came, expected {wanted}", run.returned),
                "mend the key condition, the samples or the expectation".to_owned(),
            );
        }
    }

    fn exact(&mut self, run: &Run, expect: &Expect) {
        let Some(expected) = &expect.items else { return };
        let expected: Vec<Value> = expected.iter().map(attributes_json).collect();
        let in_order = run.class.is_none_or(|class| {
            !matches!(class, PlanClass::BatchGet | PlanClass::Scan | PlanClass::IndexScan)
        });
        let matches = if in_order {
            expected.len() == run.items.len()
                && expected.iter().zip(&run.items).all(|(one, item)| covers(item, one))
        } else {
            let mut left: Vec<&Value> = run.items.iter().collect();
            let found =
                |one: &Value| left.iter().position(|item| covers(item, one)).map(|at| left.remove(at));
            expected.len() == run.items.len() && expected.iter().map(found).all(|found| found.is_some())
        };
        if !matches {
            let missing = expected.iter().find(|one| !run.items.iter().any(|item| covers(item, one)));
            let detail = match missing {
                Some(missing) => format!("{missing} did not come"),
                None if expected.len() != run.items.len() => {
                    format!("{} items came, expected {}", run.items.len(), expected.len())
                }
                None => "they came in another order".to_owned(),
            };
            self.found(
                "unexpected-items",
                format!("other items came than expected: {detail}"),
                "mend the request, the samples or the expectation".to_owned(),
            );
        }
    }

    fn order(&mut self, run: &Run, expect: &Expect) {
        let Some((attribute, ascending)) = &expect.order else { return };
        let values: Vec<Option<&Value>> = run.items.iter().map(|item| item.get(attribute)).collect();
        if let Some(at) = values.iter().position(Option::is_none) {
            // A key that the answer leaves out is what the rows lie by all the same.
            if self.reads_by(attribute) == Some(*ascending) && self.shards() == 1 {
                return;
            }
            let message = format!("item {} of the answer has no {attribute} to be sorted by", at + 1);
            self.found("unexpected-order", message, format!("add {attribute} to the projection"));
            return;
        }
        let wrong = values.windows(2).position(|pair| {
            let order = compare(pair[0].unwrap_or(&Value::Null), pair[1].unwrap_or(&Value::Null));
            if *ascending { order.is_gt() } else { order.is_lt() }
        });
        if let Some(at) = wrong {
            let way = if *ascending { "ascending" } else { "descending" };
            self.found(
                "unexpected-order",
                format!("items are not sorted by {attribute}, {way}: item {} breaks the order", at + 2),
                format!("make {attribute} the beginning of the sort key, or turn ScanIndexForward"),
            );
        }
    }

    /// How many collections it reads side by side.
    fn shards(&self) -> u64 {
        match shards::shards(self.catalogue, self.pattern) {
            Some(Ok(shards)) if shards.all => shards.values.len() as u64,
            _ => 1,
        }
    }

    /// Whether the request reads by this sort key, and if so, whether ascending.
    fn reads_by(&self, attribute: &str) -> Option<bool> {
        let table = self.catalogue.table(self.pattern.table.as_deref()?)?;
        let request = self.pattern.request.as_ref()?;
        let keys = match request.get("IndexName").and_then(Value::as_str) {
            Some(index) => &table.index(index)?.keys,
            None => &table.keys,
        };
        let forward = request.get("ScanIndexForward").and_then(Value::as_bool).unwrap_or(true);
        (keys.range.first()? == attribute).then_some(forward)
    }

    fn plan(&mut self, run: &Run) {
        let (Some(expected), Some(class)) = (self.pattern.expect.plan.clone(), run.class) else { return };
        let printed = class.to_string();
        // `write` and `scatter` stand for any number.
        let bare = printed.split('(').next().unwrap_or_default();
        if printed != expected && bare != expected {
            let words = run.engine_plan.clone().unwrap_or_default();
            self.found(
                "unexpected-plan",
                format!("the plan is {printed}, expected {expected}: {words}"),
                "mend the key condition or add the index that it needs".to_owned(),
            );
        }
    }

    fn budget(&mut self, run: &Run) -> bool {
        let budget = self.pattern.budget;
        let kinds = [
            ("RCU", budget.rcu, run.read_units(), (|arm| arm.read) as fn(&Arm) -> f64),
            ("WCU", budget.wcu, run.write_units(), |arm| arm.write),
        ];
        for (name, most, units, of) in kinds {
            let Some(most) = most.filter(|most| units > *most + EPSILON) else { continue };
            let mean = run.returned_bytes.checked_div(run.returned).unwrap_or(0);
            let sizes = if run.returned > 0 {
                format!(
                    "; {} items examined, {} returned of {mean} bytes on average",
                    run.examined, run.returned
                )
            } else {
                String::new()
            };
            self.found(
                "budget-exceeded",
                format!(
                    "{units} {name} at scale {}x, budget {most}: {}{sizes}",
                    run.scale,
                    arms(&run.arms, of)
                ),
                "read or write fewer or smaller items, keep fewer indexes, or raise the budget".to_owned(),
            );
            return true;
        }
        false
    }

    fn growth(&mut self, tested: &Tested) {
        let (Some(small), Some(large)) = (tested.runs.first(), tested.runs.last()) else { return };
        let kinds = [
            ("read", small.read_units(), large.read_units(), 0.5),
            ("write", small.write_units(), large.write_units(), 1.0),
        ];
        for (kind, before, after, step) in kinds {
            if after <= before * (1.0 + TOLERANCE) + step + EPSILON {
                continue;
            }
            let rule = RULES.iter().find(|rule| rule.id == "grows-with-table").expect("it is in the table");
            let expected = matches!(self.pattern.expect.plan.as_deref(), Some("scan" | "index-scan"));
            let severity =
                if self.pattern.purpose == Purpose::Request && !expected { ERROR } else { Severity::Note };
            let message = format!(
                "{before} {kind} units at scale {}x, {after} at {}x: what it costs grows with the table",
                small.scale, large.scale
            );
            self.graded(*rule, severity, message, growth_advice(tested, large));
        }
    }
}

/// Why samples cannot be what the request asks for, where that was seen before it was sent.
fn unmet(run: &Run) -> String {
    run.unmet
        .as_ref()
        .map_or_else(String::new, |condition| format!("; no sample item was found for {condition}"))
}

fn growth_advice(tested: &Tested, run: &Run) -> String {
    if let Some(remedy) = &tested.plan.remedy {
        return remedy.clone();
    }
    match run.class {
        Some(PlanClass::Scan | PlanClass::IndexScan) => {
            "serve it by a key look-up or a range of an index".to_owned()
        }
        _ => {
            "bound the read with a Limit or a narrower sort key range, or give the partition key more values"
                .to_owned()
        }
    }
}

/// `Shop 1, index ByEmail 2`.
pub(crate) fn arms(arms: &[Arm], of: impl Fn(&Arm) -> f64) -> String {
    let arms = arms.iter().filter(|arm| of(arm) > 0.0);
    let texts: Vec<String> = arms
        .map(|arm| match &arm.index {
            None => format!("{} {}", arm.table, of(arm)),
            Some(index) => format!("index {index} {}", of(arm)),
        })
        .collect();
    texts.join(", ")
}

/// Whether an item has these attributes.
fn covers(item: &Value, attributes: &Value) -> bool {
    let Some(attributes) = attributes.as_object() else { return false };
    attributes.iter().all(|(name, value)| item.get(name).is_some_and(|own| same(own, value)))
}

/// Whether two attribute values are the same: numbers by their value.
fn same(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| hashrange_item::Number::parse(value.get("N")?.as_str()?).ok();
    one == other || number(one).is_some_and(|one| number(other) == Some(one))
}

/// The order of two key values in DynamoDB's JSON.
pub(super) fn compare(one: &Value, other: &Value) -> std::cmp::Ordering {
    let content = |value: &Value, kind: &str| value.get(kind).and_then(Value::as_str).map(str::to_owned);
    if let (Some(one), Some(other)) = (content(one, "N"), content(other, "N")) {
        let number = |text: &str| hashrange_item::Number::parse(text).ok();
        return number(&one).cmp(&number(&other));
    }
    for kind in ["S", "B"] {
        if let (Some(one), Some(other)) = (content(one, kind), content(other, kind)) {
            return one.as_bytes().cmp(other.as_bytes());
        }
    }
    std::cmp::Ordering::Equal
}

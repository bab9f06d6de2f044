//! What a rule is.

use std::fmt;

use super::{Context, Kind};
use crate::catalogue::{Index, Pattern, Table};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::PatternPlan;

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// How patterns read.
    Reads,
    /// How patterns write.
    Writes,
    /// Keys and partitions.
    Keys,
    /// Indexes.
    Indexes,
    /// Items, attributes and expiry.
    Items,
    /// The model as a whole: budgets, capacity, settings.
    Model,
    /// What the API refuses, found without asking it.
    Refused,
    /// Smaller checks.
    Minor,
}

impl Group {
    /// A word for people.
    pub fn name(self) -> &'static str {
        match self {
            Group::Reads => "reads",
            Group::Writes => "writes",
            Group::Keys => "keys",
            Group::Indexes => "indexes",
            Group::Items => "items",
            Group::Model => "model",
            Group::Refused => "refused",
            Group::Minor => "minor",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A number that decides, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// The rule's id, a full stop and what it bounds: `hot-key.warn`.
    pub name: &'static str,
    /// The number, in the unit that `source` names.
    pub value: f64,
    /// Its unit, and who says so: AWS's guide, an AWS tool, or this project's choice.
    pub source: &'static str,
}

impl Threshold {
    /// A threshold of that name, value and source.
    pub const fn new(name: &'static str, value: f64, source: &'static str) -> Threshold {
        Threshold { name, value, source }
    }
}

/// What a rule needs that some formats cannot state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// Requests: conditions, `Limit`, order.
    Requests,
    /// Local indexes.
    LocalIndexes,
    /// The attribute of time to live.
    Ttl,
    /// Capacity, scaling and protection.
    Settings,
    /// Rates.
    Rates,
    /// Flows, purposes, personal data and the like.
    Declarations,
}

impl Need {
    /// What it is called in a note about it.
    pub fn name(self) -> &'static str {
        match self {
            Need::Requests => "conditions, Limit and order of requests",
            Need::LocalIndexes => "local indexes",
            Need::Ttl => "time to live",
            Need::Settings => "capacity and protection settings",
            Need::Rates => "rates",
            Need::Declarations => "declarations such as flows, purposes and personal data",
        }
    }
}

/// A small model with the fault, and the same without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// With the fault, as lines of a catalogue.
    pub before: &'static str,
    /// Without it.
    pub after: &'static str,
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its id: `scan-on-request-path`.
    pub id: &'static str,
    /// What it is about.
    pub group: Group,
    /// The gravest finding that it gives.
    pub severity: Severity,
    /// What its findings may rest on, the weakest first.
    pub evidence: &'static [Evidence],
    /// The numbers that decide.
    pub thresholds: &'static [Threshold],
    /// What the fault is and why it is one, in one or two sentences.
    pub summary: &'static str,
    /// When the same sight is no fault; empty where it always is.
    pub not_a_fault_when: &'static str,
    /// The change that cures it, for a finding that knows none of its own.
    pub advice: &'static str,
    /// The fault and its cure.
    pub teach: Example,
    /// Rules whose findings on the same subject are only consequences of this one.
    pub covers: &'static [&'static str],
    /// What must be stated for the rule to say anything.
    pub needs: &'static [Need],
    /// How it judges.
    pub judge: Judge,
}

/// How a rule judges: it looks at one thing at a time and says what is wrong with it, or at the whole model and pushes what it finds.
#[derive(Clone, Copy, Debug)]
pub enum Judge {
    /// Each table.
    Table(fn(&Context<'_>, &Table) -> Option<Said>),
    /// Each index, with its table.
    Index(fn(&Context<'_>, &Table, &Index) -> Option<Said>),
    /// Each kind of item.
    Kind(for<'a> fn(&Context<'a>, &Kind<'a>) -> Option<Said>),
    /// Each pattern, with its plan.
    Pattern(fn(&Context<'_>, &Pattern, &PatternPlan) -> Option<Said>),
    /// Everything: pushes findings of this rule, and of no other.
    Any(fn(&Context<'_>, &mut Vec<Finding>)),
}

/// What a rule says of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    severity: Severity,
    message: String,
    evidence: Option<Evidence>,
    advice: Option<String>,
}

impl Said {
    /// Of that severity, resting on the weakest evidence that the rule accepts, with the rule's usual advice.
    pub fn new(severity: Severity, message: impl Into<String>) -> Said {
        Said { severity, message: message.into(), evidence: None, advice: None }
    }

    /// An error.
    pub fn error(message: impl Into<String>) -> Said {
        Said::new(Severity::Error, message)
    }

    /// A warning.
    pub fn warn(message: impl Into<String>) -> Said {
        Said::new(Severity::Warn, message)
    }

    /// A note.
    pub fn note(message: impl Into<String>) -> Said {
        Said::new(Severity::Note, message)
    }

    /// The same resting on this.
    #[must_use]
    pub fn rests_on(self, evidence: Evidence) -> Said {
        Said { evidence: Some(evidence), ..self }
    }

    /// The same with advice of its own.
    #[must_use]
    pub fn advise(self, advice: String) -> Said {
        Said { advice: Some(advice), ..self }
    }
}

/// A rule that says nothing yet, to fill in with `..PLAIN`.
pub(super) const PLAIN: Rule = Rule {
    id: "",
    group: Group::Minor,
    severity: Severity::Warn,
    evidence: &[Evidence::Declared],
    thresholds: &[],
    summary: "",
    not_a_fault_when: "",
    advice: "",
    teach: Example { before: "", after: "" },
    covers: &[],
    needs: &[],
    judge: Judge::Any(|_, _| {}),
};

impl Rule {
    /// Judges a model: pushes findings of this rule.
    pub fn run(&self, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let tables = &context.catalogue.tables;
        let mut tell = |subject: Subject, said: Option<Said>| {
            findings.extend(said.map(|said| self.says(subject, said)));
        };
        match self.judge {
            Judge::Any(judge) => judge(context, findings),
            Judge::Table(judge) => {
                for table in tables {
                    tell(Subject::Table(table.name.clone()), judge(context, table));
                }
            }
            Judge::Index(judge) => {
                for table in tables {
                    for index in &table.indexes {
                        let subject = Subject::Index(table.name.clone(), index.name.clone());
                        tell(subject, judge(context, table, index));
                    }
                }
            }
            Judge::Kind(judge) => {
                for kind in context.samples.kinds() {
                    tell(kind.subject(), judge(context, kind));
                }
            }
            Judge::Pattern(judge) => {
                for (pattern, plan) in context.patterns() {
                    tell(Subject::Pattern(pattern.id.clone()), judge(context, pattern, plan));
                }
            }
        }
    }

    fn says(&self, subject: Subject, said: Said) -> Finding {
        let finding = self.found(said.severity, subject, said.message);
        Finding {
            evidence: said.evidence.unwrap_or(finding.evidence),
            advice: said.advice.unwrap_or(finding.advice),
            ..finding
        }
    }

    /// A finding of this rule with its usual advice, resting on the weakest evidence that the rule accepts.
    pub fn found(&self, severity: Severity, subject: Subject, message: String) -> Finding {
        Finding {
            rule: self.id,
            severity,
            evidence: self.evidence.first().copied().unwrap_or(Evidence::Declared),
            subject,
            message,
            advice: self.advice.to_owned(),
            waived: None,
        }
    }
}

impl Finding {
    /// The same with advice of its own.
    #[must_use]
    pub fn advise(mut self, advice: String) -> Finding {
        self.advice = advice;
        self
    }

    /// The same resting on this.
    #[must_use]
    pub fn rests_on(mut self, evidence: Evidence) -> Finding {
        self.evidence = evidence;
        self
    }
}

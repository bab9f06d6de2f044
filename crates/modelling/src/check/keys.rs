//! Keys and partitions.

mod heat;

use super::{Example, Group, Rule};
use crate::finding::{Evidence, Severity};

/// What most rules of this group share.
const BASE: Rule = Rule {
    id: "",
    group: Group::Keys,
    severity: Severity::Warn,
    evidence: &[Evidence::Declared],
    thresholds: &[],
    summary: "",
    not_a_fault_when: "",
    advice: "",
    teach: Example { before: "", after: "" },
    covers: &[],
    needs: &[],
    judge: |_, _| {},
};

pub(super) const RULES: &[Rule] = heat::RULES;

//! Keys and partitions.

pub(super) mod heat;
pub(super) mod order;
pub(super) mod structure;
pub(super) mod values;

use super::statistics::Column;
use super::{Context, Example, Group, Judge, Kind, Rule};
use crate::finding::{Evidence, Severity, Subject};

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
    judge: Judge::Any(|_, _| {}),
};

/// One key attribute of a kind, in the table or an index.
#[derive(Clone, Debug)]
struct KeyColumn {
    /// The index; `None` is the table.
    index: Option<String>,
    /// The attribute.
    attribute: String,
    /// Whether it belongs to the partition key.
    is_hash: bool,
    /// What it holds.
    column: Column,
}

impl KeyColumn {
    /// The subject of findings about it: the table or the index.
    fn subject(&self, kind: &Kind<'_>) -> Subject {
        match &self.index {
            Some(index) => Subject::Index(kind.table.to_owned(), index.clone()),
            None => Subject::Table(kind.table.to_owned()),
        }
    }
}

/// The key attributes of a kind, of the table first; one that several indexes share is given with the first.
fn key_columns(context: &Context<'_>, kind: &Kind<'_>) -> Vec<KeyColumn> {
    let mut found: Vec<KeyColumn> = Vec::new();
    let indexes = kind.schema.indexes.iter().map(|index| (Some(&index.name), &index.keys));
    for (index, keys) in std::iter::once((None, &kind.schema.keys)).chain(indexes) {
        let attributes =
            keys.hash.iter().map(|name| (name, true)).chain(keys.range.iter().map(|name| (name, false)));
        for (attribute, is_hash) in attributes {
            if found.iter().any(|other| other.attribute == *attribute && other.is_hash == is_hash) {
                continue;
            }
            if let Some(column) = context.column(kind, attribute) {
                found.push(KeyColumn {
                    index: index.cloned(),
                    attribute: attribute.clone(),
                    is_hash,
                    column: column.clone(),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;

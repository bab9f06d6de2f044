//! Application Auto Scaling: targets and policies of tables and indexes, apart from the tables themselves.

use crate::catalogue::{Scaling, Table};
use crate::read::node::Mark;

use super::context::Context;

/// Most targets and policies that are matched; a stack may have 500 resources.
const MOST: usize = 5_000;

/// What a target scales: a table or one of its indexes, reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scaled {
    /// `table/NAME` or `table/NAME/index/NAME`.
    pub(super) resource_id: String,
    /// `dynamodb:table:ReadCapacityUnits` and its like.
    pub(super) dimension: String,
}

impl Scaled {
    /// Whether it is capacity of DynamoDB at all.
    pub(super) fn is_table(&self) -> bool {
        self.dimension.starts_with("dynamodb:")
    }

    /// 0 for reads, 1 for writes.
    fn side(&self) -> usize {
        usize::from(self.dimension.ends_with(":WriteCapacityUnits"))
    }
}

/// A scalable target.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// How a policy may refer to it.
    pub(super) id: String,
    /// Where it stands.
    pub(super) mark: Mark,
    /// What it scales.
    pub(super) scaled: Scaled,
    /// Fewest units per second.
    pub(super) min: Option<f64>,
    /// Most units per second.
    pub(super) max: Option<f64>,
}

/// A target-tracking policy.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    /// Where it stands.
    pub(super) mark: Mark,
    /// The id of its target, where it names one.
    pub(super) target: Option<String>,
    /// What it scales, where it says so itself.
    pub(super) scaled: Option<Scaled>,
    /// Utilisation aimed at, in per cent.
    pub(super) utilisation: Option<f64>,
    /// Whether capacity only grows.
    pub(super) disable_scale_in: bool,
}

/// Gives each table and index its scaling.
pub(super) fn attach(
    context: &mut Context<'_>,
    tables: &mut [Table],
    targets: &[Target],
    policies: &[Policy],
) {
    for target in targets.iter().take(MOST).filter(|target| target.scaled.is_table()) {
        let policy = policies.iter().take(MOST).find(|policy| {
            policy.target.as_deref() == Some(target.id.as_str())
                || policy.scaled.as_ref() == Some(&target.scaled)
        });
        let Some(policy) = policy else {
            context
                .note(target.mark, format!("{} has no target-tracking policy: it does not scale", target.id));
            continue;
        };
        let (Some(min), Some(max), Some(utilisation)) = (target.min, target.max, policy.utilisation) else {
            let mark = if policy.utilisation.is_none() { policy.mark } else { target.mark };
            context.note(mark, format!("the scaling of {} is not known", target.id));
            continue;
        };
        let scaling = Scaling { min, max, target: utilisation, disable_scale_in: policy.disable_scale_in };
        if !set(tables, &target.scaled, scaling) {
            context
                .note(target.mark, format!("{} scales a table or index that is not in the file", target.id));
        }
    }
}

fn set(tables: &mut [Table], scaled: &Scaled, scaling: Scaling) -> bool {
    let mut parts = scaled.resource_id.split('/');
    let (Some("table"), Some(name)) = (parts.next(), parts.next()) else { return false };
    let table =
        tables.iter_mut().find(|table| table.name == name || table.logical_id.as_deref() == Some(name));
    let Some(table) = table else { return false };
    match (parts.next(), parts.next()) {
        (Some("index"), Some(name)) => {
            let Some(index) = table.indexes.iter_mut().find(|index| index.name == name) else { return false };
            index.scaling[scaled.side()] = Some(scaling);
        }
        _ => table.scaling[scaled.side()] = Some(scaling),
    }
    true
}

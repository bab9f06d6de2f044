//! What each pattern will read or write, and what that costs, from the declarations alone.

pub mod collections;
mod need;
mod reads;
pub mod request;
pub mod shape;
pub mod shards;
pub mod sizes;
pub mod units;
mod writes;

use std::fmt;

use hashrange_api::{Operation, State, state};

use crate::catalogue::{Catalogue, Pattern};

pub use reads::{holds, missing};
pub use request::request;
pub use writes::written;

/// How a pattern reaches its items. The order is from cheap to dear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlanClass {
    /// One item by its key.
    Get,
    /// Several items by their keys.
    BatchGet,
    /// Items of one collection whose sort keys lie between bounds.
    Range,
    /// The items of one collection.
    Collection,
    /// As `Range`, in an index.
    IndexRange,
    /// As `Collection`, in an index.
    IndexCollection,
    /// So many collections, read side by side.
    Scatter(u32),
    /// Every entry of an index.
    IndexScan,
    /// Every item of a table.
    Scan,
    /// A search by nearness.
    Vector,
    /// A write that touches so many tables and indexes for each item (1 is the table alone).
    Write(u32),
    /// Served by another system, by declaration.
    External,
    /// No table or index serves it.
    Unservable,
}

impl fmt::Display for PlanClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            PlanClass::Get => "get",
            PlanClass::BatchGet => "batch-get",
            PlanClass::Range => "range",
            PlanClass::Collection => "collection",
            PlanClass::IndexRange => "index-range",
            PlanClass::IndexCollection => "index-collection",
            PlanClass::Scatter(shards) => return write!(f, "scatter({shards})"),
            PlanClass::IndexScan => "index-scan",
            PlanClass::Scan => "scan",
            PlanClass::Vector => "vector",
            PlanClass::Write(1) => "write(1 arm)",
            PlanClass::Write(arms) => return write!(f, "write({arms} arms)"),
            PlanClass::External => "external",
            PlanClass::Unservable => "unservable",
        };
        f.pad(name)
    }
}

/// Units on one table or index that a pattern consumes each time it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The table.
    pub table: String,
    /// The index; `None` is the table itself.
    pub index: Option<String>,
    /// Read units (RRU, RCU).
    pub read: f64,
    /// Write units (WRU, WCU).
    pub write: f64,
}

/// The comparison that bounds a sort key.
#[derive(Clone, Debug, PartialEq)]
pub struct SortBound {
    /// The sort key attribute.
    pub attribute: String,
    /// `=`, `<`, `<=`, `>`, `>=`, `between`, `begins_with`.
    pub operator: &'static str,
    /// What it is compared with, as written in the pattern: literals and `{parameters}`.
    pub operands: Vec<String>,
}

/// What a pattern will do.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternPlan {
    /// The pattern's id.
    pub pattern: String,
    /// How it reaches its items.
    pub class: PlanClass,
    /// The table; empty where the pattern is external.
    pub table: String,
    /// The index that is read.
    pub index: Option<String>,
    /// The partition key attributes and what each must equal, as written.
    pub hash: Vec<(String, String)>,
    /// The bound on the sort key; several where the key has several attributes.
    pub sort: Vec<SortBound>,
    /// Attributes that are tested after the read.
    pub filter: Vec<String>,
    /// Attributes that the caller asks for; empty is all.
    pub wanted: Vec<String>,
    /// Ascending (`true`) or descending; `None` where order has no meaning.
    pub forward: Option<bool>,
    /// Whether it reads strongly.
    pub strong: bool,
    /// Whether it is a transaction: units count twice on tables.
    pub transaction: bool,
    /// Items that are examined, or written, each time; `None` where nothing states it.
    pub items: Option<f64>,
    /// Bytes of one of these items as it lies in the table or index that is read; `None` where nothing states it.
    pub item_bytes: Option<f64>,
    /// Where units fall: the table first, then indexes by name. Empty where sizes are unknown.
    pub arms: Vec<Arm>,
    /// What would serve an unservable pattern, or a better index for a scan; advice for people.
    pub remedy: Option<String>,
}

impl PatternPlan {
    /// All read units of one run.
    pub fn read_units(&self) -> f64 {
        // The sum of none would be -0.
        self.arms.iter().fold(0.0, |sum, arm| sum + arm.read)
    }

    /// All write units of one run.
    pub fn write_units(&self) -> f64 {
        self.arms.iter().fold(0.0, |sum, arm| sum + arm.write)
    }
}

/// The plan of each pattern, in the order of the catalogue.
pub fn plans(catalogue: &Catalogue) -> Vec<PatternPlan> {
    catalogue.patterns.iter().map(|pattern| plan(catalogue, pattern)).collect()
}

/// The plan of a pattern.
pub fn plan(catalogue: &Catalogue, pattern: &Pattern) -> PatternPlan {
    let mut plan = unknown(pattern);
    if pattern.external.is_some() {
        plan.class = PlanClass::External;
        return plan;
    }
    match (request(catalogue, pattern), pattern.operation) {
        (Some(request), _) if request.actions.is_empty() => {
            let faults: Vec<String> = request.faults.iter().map(|fault| format!("{fault:?}")).collect();
            plan.remedy = Some(format!("write a request that can be read: {}", faults.join("; ")));
        }
        (Some(request), _) if is_write(pattern) || request.writes().next().is_some() => {
            writes::plan(catalogue, pattern, Some(&request), &mut plan);
        }
        (Some(request), _) => reads::plan(catalogue, pattern, &request, &mut plan),
        (None, Some(_)) if is_write(pattern) => writes::plan(catalogue, pattern, None, &mut plan),
        (None, Some(operation)) if pattern.need_equal.is_empty() => {
            reads::unstated(catalogue, pattern, operation, &mut plan);
        }
        (None, _) => need::plan(catalogue, pattern, &mut plan),
    }
    plan
}

/// Whether a pattern's operation writes; statements are judged by their request.
pub fn is_write(pattern: &Pattern) -> bool {
    matches!(
        pattern.operation,
        Some(
            Operation::PutItem
                | Operation::UpdateItem
                | Operation::DeleteItem
                | Operation::BatchWriteItem
                | Operation::TransactWriteItems
        )
    )
}

/// Why no command runs a pattern, and none counts it as passed: this database has no such operation yet.
pub fn not_built(pattern: &Pattern) -> Option<String> {
    let own = pattern.operation.filter(|_| pattern.external.is_none());
    let operation = own.filter(|operation| state(*operation) == State::NotYet)?;
    Some(format!("{} is not built yet", operation.name()))
}

fn unknown(pattern: &Pattern) -> PatternPlan {
    PatternPlan {
        pattern: pattern.id.clone(),
        class: PlanClass::Unservable,
        table: pattern.table.clone().unwrap_or_default(),
        index: pattern.index.clone(),
        hash: Vec::new(),
        sort: Vec::new(),
        filter: Vec::new(),
        wanted: Vec::new(),
        forward: None,
        strong: pattern.strong.unwrap_or(false),
        transaction: false,
        items: None,
        item_bytes: None,
        arms: Vec::new(),
        remedy: None,
    }
}

/// Adds units to the arm of a table or index.
fn add(arms: &mut Vec<Arm>, table: &str, index: Option<&str>, read: f64, write: f64) {
    let same = |arm: &&mut Arm| arm.table == table && arm.index.as_deref() == index;
    if let Some(arm) = arms.iter_mut().find(same) {
        arm.read += read;
        arm.write += write;
        return;
    }
    arms.push(Arm { table: table.to_owned(), index: index.map(str::to_owned), read, write });
}

/// A number of bytes or things as a float; beyond 4 thousand million it stays there.
pub(crate) fn float(value: usize) -> f64 {
    f64::from(u32::try_from(value).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;

//! What a request may cost, by its sender's own wish: a request that breaks its budget is refused, a write before it is
//! applied.
//!
//! The write path knows what a write costs before it hands its commit to the store, and refuses there, on the very images
//! that it would commit. Writes of a batch are commits of their own, so a batch is weighed before the first of them, and each
//! write is then held to what it weighed: what another writer does in between cannot make the batch dearer than its budget.
//! What a read costs is known when it was read; its answer is withheld.

use std::fmt;

use hashrange_api::message::budget as text;
use hashrange_api::{Error, ErrorCode};

use crate::capacity::{Charge, Units};
use crate::core::Core;
use crate::plan::{
    BatchWritePlan, Plan, Planned, RangePlan, StatementPlan, StatementRun, StatementsPlan, SweepPlan,
    TransactionPlan,
};
use crate::write::{self, Mutation};

/// How a request reaches its items, from cheap to dear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlanKind {
    /// One item by its key; writes too.
    Get,
    /// Several items by their keys; writes too.
    BatchGet,
    /// Items of one collection whose sort keys lie between bounds.
    Range,
    /// The items of one collection.
    Collection,
    /// As `Range`, in an index.
    IndexRange,
    /// As `Collection`, in an index.
    IndexCollection,
    /// Several collections, one after the other.
    Scatter,
    /// Every entry of an index.
    IndexScan,
    /// Every item of a table.
    Scan,
}

impl PlanKind {
    /// All of them, from cheap to dear.
    pub const ALL: [PlanKind; 9] = [
        PlanKind::Get,
        PlanKind::BatchGet,
        PlanKind::Range,
        PlanKind::Collection,
        PlanKind::IndexRange,
        PlanKind::IndexCollection,
        PlanKind::Scatter,
        PlanKind::IndexScan,
        PlanKind::Scan,
    ];

    /// `get`, `batch-get`, `range`, `collection`, `index-range`, `index-collection`, `scatter`, `index-scan`, `scan`.
    pub fn name(self) -> &'static str {
        match self {
            PlanKind::Get => "get",
            PlanKind::BatchGet => "batch-get",
            PlanKind::Range => "range",
            PlanKind::Collection => "collection",
            PlanKind::IndexRange => "index-range",
            PlanKind::IndexCollection => "index-collection",
            PlanKind::Scatter => "scatter",
            PlanKind::IndexScan => "index-scan",
            PlanKind::Scan => "scan",
        }
    }

    fn of_count(keys: usize) -> PlanKind {
        if keys > 1 { PlanKind::BatchGet } else { PlanKind::Get }
    }

    fn of_range(plan: &RangePlan) -> PlanKind {
        match (plan.source.index().is_some(), plan.is_bounded()) {
            (false, true) => PlanKind::Range,
            (false, false) => PlanKind::Collection,
            (true, true) => PlanKind::IndexRange,
            (true, false) => PlanKind::IndexCollection,
        }
    }

    fn of_sweep(plan: &SweepPlan) -> PlanKind {
        if plan.source.index().is_some() { PlanKind::IndexScan } else { PlanKind::Scan }
    }

    fn of_statement(plan: &StatementPlan) -> PlanKind {
        match &plan.run {
            StatementRun::Lookup(_) | StatementRun::Write(_) => PlanKind::Get,
            StatementRun::Ranges { ranges, .. } if ranges.len() > 1 => PlanKind::Scatter,
            StatementRun::Ranges { ranges, .. } => ranges.first().map_or(PlanKind::Get, PlanKind::of_range),
            StatementRun::Sweep(plan) => PlanKind::of_sweep(plan),
        }
    }

    fn of_plan(plan: &Planned) -> Option<PlanKind> {
        Some(match plan {
            Planned::KeyLookup(_) | Planned::WriteSet(_) => PlanKind::Get,
            Planned::RangeRead(plan) => PlanKind::of_range(plan),
            Planned::SweepSegment(plan) => PlanKind::of_sweep(plan),
            Planned::KeyLookups(plan) => {
                PlanKind::of_count(plan.tables.iter().map(|(_, keys)| keys.len()).sum())
            }
            Planned::WriteSets(plan) => {
                PlanKind::of_count(plan.tables.iter().map(|(_, writes)| writes.len()).sum())
            }
            Planned::TransactGet(plan) => PlanKind::of_count(plan.gets.len()),
            Planned::TransactWrite(plan) => PlanKind::of_count(plan.actions.len()),
            Planned::Statement(plan) => PlanKind::of_statement(plan),
            Planned::Statements(plan) => PlanKind::of_count(plan.members.len()),
            Planned::Transaction(plan) => match &**plan {
                TransactionPlan::Reads(plan) => PlanKind::of_count(plan.gets.len()),
                TransactionPlan::Writes(plan) => PlanKind::of_count(plan.actions.len()),
            },
            Planned::Tables(_) => return None,
        })
    }
}

impl fmt::Display for PlanKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What one request may cost: made from a text such as `rcu=0.5; wcu=1; plan=range`. What it does not name is free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    rcu: Option<f64>,
    wcu: Option<f64>,
    plan: Option<PlanKind>,
}

impl Budget {
    /// Reads `rcu=UNITS; wcu=UNITS; plan=KIND`, in any order, each once at most, one at least.
    ///
    /// # Errors
    /// `ValidationException` with a text that says which part is wrong and how it is written.
    pub fn parse(line: &str) -> Result<Budget, Error> {
        let mut budget = Budget::default();
        for part in line.split(';').map(str::trim) {
            let (name, value) =
                part.split_once('=').ok_or_else(|| text::not_a_pair(part)).map_err(Error::validation)?;
            budget.set(name.trim(), value.trim()).map_err(Error::validation)?;
        }
        Ok(budget)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let known = match name {
            "rcu" => self.rcu.replace(units(name, value)?).is_some(),
            "wcu" => self.wcu.replace(units(name, value)?).is_some(),
            "plan" => self.plan.replace(kind(value)?).is_some(),
            _ => return Err(text::unknown_name(name)),
        };
        if known { Err(text::named_twice(name)) } else { Ok(()) }
    }

    /// Refuses what was read where it cost more than the budget: `units` in all, `cost` in words.
    ///
    /// # Errors
    /// `BudgetExceededException`.
    pub fn check_read(&self, units: f64, cost: &str, plan: &str) -> Result<(), Error> {
        match self.rcu {
            Some(most) if units > most => Err(exceeded(text::read_too_dear(&self.to_string(), cost, plan))),
            _ => Ok(()),
        }
    }
}

fn units(name: &str, value: &str) -> Result<f64, String> {
    let units = value.parse().ok().filter(|units: &f64| units.is_finite() && *units >= 0.0);
    units.ok_or_else(|| text::not_units(name, value))
}

fn kind(value: &str) -> Result<PlanKind, String> {
    let found = PlanKind::ALL.into_iter().find(|kind| kind.name() == value);
    found.ok_or_else(|| text::unknown_plan(value, &PlanKind::ALL.map(PlanKind::name).join(", ")))
}

fn exceeded(message: String) -> Error {
    Error::new(ErrorCode::BudgetExceededException, message)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.rcu.map(|units| format!("rcu={units}")),
            self.wcu.map(|units| format!("wcu={units}")),
            self.plan.map(|kind| format!("plan={kind}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }
}

/// What a write is held to in the write path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    most: f64,
    budget: String,
    plan: String,
}

impl Limit {
    /// What is left of it for one write of a batch: what that weighed.
    fn share(&self, charge: &Charge) -> Limit {
        let most = charge.total().as_f64();
        let budget = format!("{} ({most} of it for this write, which has become dearer)", self.budget);
        Limit { most, budget, plan: self.plan.clone() }
    }

    /// Refuses a write that would cost more.
    pub(crate) fn check(&self, charge: &Charge) -> Result<(), Error> {
        if charge.total().as_f64() <= self.most {
            return Ok(());
        }
        Err(exceeded(text::write_too_dear(&self.budget, &cost(charge), &self.plan)))
    }
}

/// `3 units: table 1, index GSI1 2`.
fn cost(charge: &Charge) -> String {
    let total = charge.total().as_f64();
    let table = Some(charge.table).filter(|units| *units > Units::ZERO);
    let table = table.map(|units| format!("table {}", units.as_f64()));
    let indexes = charge.locals.iter().chain(&charge.globals);
    let indexes = indexes.map(|(name, units)| format!("index {name} {}", units.as_f64()));
    let arms = table.into_iter().chain(indexes).collect::<Vec<_>>().join(", ");
    format!("{total} unit{}: {arms}", if total > 1.0 { "s" } else { "" })
}

impl Plan {
    /// How the request reaches its items; `None` where it is about tables themselves.
    pub fn kind(&self) -> Option<PlanKind> {
        PlanKind::of_plan(&self.0)
    }

    /// Whether it changes items.
    pub fn writes(&self) -> bool {
        match &self.0 {
            Planned::WriteSet(_) | Planned::WriteSets(_) | Planned::TransactWrite(_) => true,
            Planned::Statement(plan) => matches!(plan.run, StatementRun::Write(_)),
            Planned::Statements(plan) => {
                plan.members.iter().flatten().any(|member| matches!(member.run, StatementRun::Write(_)))
            }
            Planned::Transaction(plan) => matches!(**plan, TransactionPlan::Writes(_)),
            _ => false,
        }
    }

    /// Holds the plan to a budget: its kind now, its writes when their cost is known, before they are applied.
    ///
    /// # Errors
    /// `BudgetExceededException` where the plan is of a dearer kind.
    pub fn hold_to(&mut self, budget: &Budget) -> Result<(), Error> {
        if let (Some(most), Some(kind)) = (budget.plan, self.kind())
            && kind > most
        {
            return Err(exceeded(text::plan_too_dear(&budget.to_string(), kind.name(), &self.to_string())));
        }
        if let Some(most) = budget.wcu {
            self.limit(Limit { most, budget: budget.to_string(), plan: self.to_string() });
        }
        Ok(())
    }

    fn limit(&mut self, limit: Limit) {
        let limit = Some(Box::new(limit));
        match &mut self.0 {
            Planned::WriteSet(plan) => plan.limit = limit,
            Planned::WriteSets(plan) => plan.limit = limit,
            Planned::TransactWrite(plan) => plan.limit = limit,
            Planned::Statements(plan) => plan.limit = limit,
            Planned::Statement(plan) => {
                if let StatementRun::Write(plan) = &mut plan.run {
                    plan.limit = limit;
                }
            }
            Planned::Transaction(plan) => {
                if let TransactionPlan::Writes(plan) = &mut **plan {
                    plan.limit = limit;
                }
            }
            _ => {}
        }
    }
}

/// Refuses a batch whose writes would cost more than it may. Items are weighed as they lie now; what comes back holds each write
/// to that, in the order of the plan. `None` where the batch has no budget.
pub(crate) async fn weigh_batch(core: &Core, plan: &BatchWritePlan) -> Result<Option<Vec<Limit>>, Error> {
    let Some(limit) = &plan.limit else { return Ok(None) };
    let mutations = plan.tables.iter().flat_map(|(table, writes)| {
        writes.iter().map(|(key, image)| Mutation {
            table,
            key,
            condition: None,
            action: image.action(),
            limit: None,
        })
    });
    Ok(Some(weigh(core, &mutations.collect::<Vec<_>>(), limit).await?))
}

/// As [`weigh_batch`], for statements, whose writes hold their own limits then. What a statement that fails consumes is not counted.
pub(crate) async fn weigh_statements(core: &Core, plan: &mut StatementsPlan) -> Result<(), Error> {
    let Some(limit) = plan.limit.take() else { return Ok(()) };
    let writes = plan.members.iter().flatten().filter_map(|member| match &member.run {
        StatementRun::Write(plan) => Some(plan.mutation()),
        _ => None,
    });
    let mut limits = weigh(core, &writes.collect::<Vec<_>>(), &limit).await?.into_iter();
    for member in plan.members.iter_mut().flatten() {
        if let StatementRun::Write(plan) = &mut member.run {
            plan.limit = limits.next().map(Box::new);
        }
    }
    Ok(())
}

async fn weigh(core: &Core, mutations: &[Mutation<'_>], limit: &Limit) -> Result<Vec<Limit>, Error> {
    let charges = write::estimate(core, mutations).await?;
    let mut sum = Charge::default();
    for charge in &charges {
        sum.add(charge);
    }
    limit.check(&sum)?;
    Ok(charges.iter().map(|charge| limit.share(charge)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_prints_as_it_is_written() {
        for line in ["rcu=0.5; wcu=1; plan=range", "wcu=0", "plan=index-collection"] {
            assert_eq!(Budget::parse(line).unwrap().to_string(), line);
        }
        assert_eq!(Budget::parse(" plan = scan ;rcu=2").unwrap().to_string(), "rcu=2; plan=scan");
    }

    #[test]
    fn kinds_of_plans_are_ordered_from_cheap_to_dear() {
        assert!(PlanKind::ALL.is_sorted());
    }

    #[test]
    fn a_cost_names_what_it_falls_on() {
        let mut charge = Charge::table(Units::whole(1));
        charge.globals.insert("ByDate".to_owned(), Units::whole(2));
        assert_eq!(cost(&charge), "3 units: table 1, index ByDate 2");
    }
}

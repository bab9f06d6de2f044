//! Texts of our own, for requests that are held to a budget by the header `x-hashrange-budget`. They say what to do.

/// The header has a part that is no `NAME=VALUE`: `ValidationException`.
pub fn not_a_pair(part: &str) -> String {
    malformed(&format!("\"{part}\" is no NAME=VALUE"))
}

/// The header names something that cannot be budgeted: `ValidationException`.
pub fn unknown_name(name: &str) -> String {
    malformed(&format!("there is no budget of \"{name}\", only of rcu, wcu and plan"))
}

/// The header names something twice: `ValidationException`.
pub fn named_twice(name: &str) -> String {
    malformed(&format!("{name} is there twice"))
}

/// Units that are no number from zero up: `ValidationException`.
pub fn not_units(name: &str, value: &str) -> String {
    malformed(&format!("{name} takes a number from 0 up, not \"{value}\""))
}

/// A kind of plan that does not exist: `ValidationException`. `kinds` are those that do, from cheap to dear.
pub fn unknown_plan(value: &str, kinds: &str) -> String {
    malformed(&format!("plan takes one of {kinds}, not \"{value}\""))
}

fn malformed(fault: &str) -> String {
    format!("The header x-hashrange-budget is malformed: {fault}; write it as in rcu=0.5; wcu=1; plan=range")
}

/// A request whose plan is dearer than its budget allows: `BudgetExceededException`. Nothing was read or written.
pub fn plan_too_dear(budget: &str, kind: &str, plan: &str) -> String {
    format!(
        "The request breaks its budget {budget}: its plan is of the kind {kind}, and nothing was done; the plan: {plan}"
    )
}

/// A read that consumed more than its budget allows: `BudgetExceededException`. The answer is withheld.
pub fn read_too_dear(budget: &str, cost: &str, plan: &str) -> String {
    format!(
        "The request breaks its budget {budget}: it read {cost}, and its answer is withheld; the plan: {plan}"
    )
}

/// A write that would consume more than its budget allows: `BudgetExceededException`. Nothing was written.
pub fn write_too_dear(budget: &str, cost: &str, plan: &str) -> String {
    format!(
        "The request breaks its budget {budget}: it would write {cost}, and nothing was written; the plan: {plan}"
    )
}

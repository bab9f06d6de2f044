//! The worked models in `examples/models`, run on the real engine.

use std::path::PathBuf;

use hashrange::model::{Model, Tested};

const NAMES: [&str; 5] = ["e-commerce", "saas", "time-series", "chat", "leaderboard"];

fn model(name: &str) -> Model {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/models").join(name);
    Model::from_file(path.join("catalogue.yaml")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The most units of any run that are over or under the budget: read, then write.
fn apart(tested: &Tested) -> Option<String> {
    let most = |units: fn(&hashrange::model::Run) -> f64| tested.runs.iter().map(units).fold(0.0, f64::max);
    let kinds = [
        ("read", tested.budget.rcu, most(hashrange::model::Run::read_units)),
        ("write", tested.budget.wcu, most(hashrange::model::Run::write_units)),
    ];
    kinds.into_iter().find_map(|(kind, budget, units)| {
        let budget = budget.filter(|budget| (budget - units).abs() > 1e-6)?;
        Some(format!("{}: {units} {kind} units, and a budget of {budget}", tested.id))
    })
}

#[tokio::test]
async fn every_pattern_passes_at_once_and_ten_times_the_data_and_its_budget_is_what_it_consumes() {
    for name in NAMES {
        let model = model(name);
        let outcome = model.test().scales(&[1, 10]).await;
        outcome.assert();
        // A refusal tells nothing of units.
        let answers = |tested: &&Tested| {
            model.catalogue().pattern(&tested.id).is_some_and(|pattern| pattern.expect.error.is_none())
        };
        let ran = outcome.report.patterns.iter().filter(|tested| tested.skipped.is_none());
        let apart: Vec<String> = ran.filter(answers).filter_map(apart).collect();
        assert!(apart.is_empty(), "{name}:\n{}", apart.join("\n"));
    }
}

//! A pattern that is run: its rate, its keys, its request.

use std::sync::Arc;

use hashrange_api::Operation;

use super::keys::{self, Pool, Touch};
use super::{Options, Rate};
use crate::catalogue::{Catalogue, Pattern};
use crate::plan::{self, PatternPlan};
use crate::samples::Samples;
use crate::skew::{Access, Shape, Skew};

/// The body of a request.
pub(super) type Body = serde_json::Map<String, serde_json::Value>;

/// A pattern that is run.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) catalogue: Arc<Catalogue>,
    samples: Arc<Samples>,
    /// The pattern's place in the model.
    at: usize,
    pub(super) operation: Operation,
    pub(super) plan: PatternPlan,
    pub(super) rate: f64,
    pub(super) skew: Skew,
    /// Keys that the model says there are.
    pub(super) keys: u64,
    pub(super) pool: Pool,
    pub(super) writes: bool,
    seed: u64,
}

impl Lane {
    pub(super) fn pattern(&self) -> &Pattern {
        &self.catalogue.patterns[self.at]
    }

    /// How requests fall on its keys.
    pub(super) fn shape(&self) -> Shape {
        Shape::new(self.skew, self.keys, if self.writes { Access::Write } else { Access::Read })
    }

    /// Whether a rank is among the first hundredth of the keys.
    pub(super) fn is_hot(&self, rank: u64) -> bool {
        !self.pool.always_new && rank <= (self.keys / 100).max(1)
    }

    /// The requests for a key, one for each shard, and the partition keys that they touch.
    pub(super) fn requests(
        &self,
        rank: u64,
        number: usize,
        pick: u64,
    ) -> Result<(Vec<Body>, Vec<Touch>), String> {
        let turn = self.pool.turn(rank, number, pick);
        let filled = keys::filled(&self.catalogue, &self.samples, self.pattern(), self.seed, turn)?.bodies;
        let mut touches = keys::touches(&self.catalogue, self.pattern(), &filled);
        let round = rank.saturating_sub(1) / self.pool.len().max(1) as u64;
        if round > 0 {
            // A key that the model has and the samples have not.
            for touch in &mut touches {
                touch.key = format!("{} (like {round})", touch.key);
            }
        }
        Ok((filled, touches))
    }
}

/// The patterns that are run, and those that are not, with the reason.
pub(super) fn lanes(
    catalogue: &Arc<Catalogue>,
    samples: &Arc<Samples>,
    options: &Options,
) -> (Vec<Arc<Lane>>, Vec<(String, String)>) {
    let (mut lanes, mut skipped) = (Vec::new(), Vec::new());
    for (at, pattern) in catalogue.patterns.iter().enumerate() {
        if !options.patterns.is_empty() && !options.patterns.contains(&pattern.id) {
            continue;
        }
        match lane(catalogue, samples, at, options) {
            Ok(lane) => lanes.push(Arc::new(lane)),
            Err(reason) => skipped.push((pattern.id.clone(), reason)),
        }
    }
    (lanes, skipped)
}

fn lane(
    catalogue: &Arc<Catalogue>,
    samples: &Arc<Samples>,
    at: usize,
    options: &Options,
) -> Result<Lane, String> {
    let pattern = &catalogue.patterns[at];
    if let Some(reason) = &pattern.external {
        return Err(format!("served elsewhere: {reason}"));
    }
    let operation = pattern.operation.ok_or("states a need, no operation")?;
    if let Some(reason) = plan::not_built(pattern) {
        return Err(reason);
    }
    let (peak, average) = (pattern.peak_rps, pattern.avg_rps);
    let rate = match options.rate {
        Rate::Peak => peak.or(average),
        Rate::Average => average.or(peak),
    };
    let rate = rate.filter(|rate| *rate > 0.0).ok_or("declares no rate")? * options.speed;
    let skew = match &pattern.skew {
        Some(text) => Skew::parse(text)?,
        None => options.skew.unwrap_or(Skew::Uniform),
    };
    let plan = plan::plan(catalogue, pattern);
    let pool = Pool::of(catalogue, samples, pattern, skew, options.seed)?;
    let keys = if pool.always_new { 0 } else { declared_keys(catalogue, samples, pattern, pool.len()) };
    Ok(Lane {
        catalogue: Arc::clone(catalogue),
        samples: Arc::clone(samples),
        at,
        operation,
        writes: plan.write_units() > 0.0 || writes(operation),
        plan,
        rate,
        skew,
        keys: keys.max(1),
        pool,
        seed: options.seed,
    })
}

fn writes(operation: Operation) -> bool {
    use Operation as O;
    matches!(
        operation,
        O::PutItem | O::UpdateItem | O::DeleteItem | O::BatchWriteItem | O::TransactWriteItems
    )
}

/// How many keys the model says there are: as many more than the samples have as it says there are more items.
fn declared_keys(catalogue: &Catalogue, samples: &Samples, pattern: &Pattern, sampled: usize) -> u64 {
    let binding = crate::samples::bind(catalogue, samples, pattern, 0, 0);
    let grown = binding.sources.iter().filter_map(|(name, _)| {
        let declared = catalogue.entity(name)?.count?;
        let made = samples.entities.get(name)?.len();
        Some(declared / as_f64(made.max(1)))
    });
    let times = grown.fold(1.0, f64::max);
    crate::skew::whole(as_f64(sampled.max(1)) * times)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of samples are small")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

//! PutItem, UpdateItem, DeleteItem and BatchWriteItem on both sides.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_api::{
    BatchWriteItemInput, ConsumedCapacity, DeleteItemInput, DeleteRequest, Error, ItemCollectionMetrics,
    PutItemInput, PutRequest, ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue,
    ReturnValuesOnConditionCheckFailure, UpdateItemInput, WriteRequest,
};
use hashrange_item::{Attributes, Image};

use crate::database::{check_consumed, check_metrics, check_refusal, item_of};
use crate::expression::{Action, Condition, Placeholders};
use crate::generate;
use crate::oracle::{self, Charge, ITEM_BYTES, Key, Refusal, Table};
use crate::run::{Verdict, World};
use crate::value::{Item, Value, item_size, to_attributes};

/// What a single write answers.
struct Written {
    attributes: Option<Image>,
    consumed: Option<ConsumedCapacity>,
    metrics: Option<ItemCollectionMetrics>,
}

/// What the oracle says of a single write.
struct Expected {
    key: Key,
    new: Option<Item>,
    attributes: Told,
    charge: Charge,
}

/// The Attributes of an answer.
#[derive(Debug)]
enum Told {
    Exactly(Option<Item>),
    /// The rules do not say.
    Open,
}

/// The condition of a write, and what its failure tells.
struct Guard {
    condition: Option<Condition>,
    tell: bool,
}

impl Guard {
    fn refusal(&self, old: Option<&Item>) -> Option<Refusal> {
        let condition = self.condition.as_ref()?;
        let empty = Item::new();
        if condition.evaluate(old.unwrap_or(&empty)) {
            return None;
        }
        let texts = vec!["The conditional request failed".to_owned()];
        let item = if self.tell { old.cloned() } else { None };
        Some(Refusal { code: "ConditionalCheckFailedException", texts, item })
    }

    fn told(&self) -> Option<ReturnValuesOnConditionCheckFailure> {
        self.tell.then_some(ReturnValuesOnConditionCheckFailure::AllOld)
    }
}

pub(crate) fn values_of(placeholders: &Placeholders) -> Option<Attributes> {
    let values = &placeholders.values;
    (!values.is_empty()).then(|| values.iter().map(|(name, value)| (name.clone(), value.to_api())).collect())
}

pub(crate) fn names_of(placeholders: &Placeholders) -> Option<BTreeMap<String, String>> {
    (!placeholders.names.is_empty()).then(|| placeholders.names.clone())
}

impl World<'_> {
    fn guard(&mut self, at: usize) -> Guard {
        let names = generate::all_names(&self.tables[at].spec);
        let condition = self.rng.percent(40).then(|| generate::condition(&mut self.rng, &names, 2));
        Guard { condition, tell: self.rng.percent(50) }
    }

    pub(crate) fn put(&mut self, at: usize) -> Verdict {
        let item = generate::item(&mut self.rng, &self.tables[at].spec);
        let guard = self.guard(at);
        let all_old = self.rng.percent(40);
        let mut placeholders = Placeholders::default();
        let input = PutItemInput {
            table_name: self.tables[at].spec.name.clone(),
            item: to_attributes(&item),
            condition_expression: guard.condition.as_ref().map(|condition| placeholders.condition(condition)),
            expression_attribute_names: names_of(&placeholders),
            expression_attribute_values: values_of(&placeholders),
            return_values: all_old.then_some(ReturnValue::AllOld),
            return_values_on_condition_check_failure: guard.told(),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
            ..PutItemInput::default()
        };
        self.history.push(format!("{input:?}"));
        let expected = expect_put(&self.tables[at], item, &guard, all_old);
        let got = self.database.call(input).map(|output| Written {
            attributes: output.attributes,
            consumed: output.consumed_capacity,
            metrics: output.item_collection_metrics,
        });
        self.settle(at, got, expected)
    }

    pub(crate) fn update(&mut self, at: usize) -> Verdict {
        let spec = &self.tables[at].spec;
        let key = generate::key(&mut self.rng, spec);
        let actions = generate::actions(&mut self.rng, spec);
        let guard = self.guard(at);
        let wanted = *self.rng.pick(&[
            ReturnValue::None,
            ReturnValue::AllOld,
            ReturnValue::AllNew,
            ReturnValue::UpdatedOld,
            ReturnValue::UpdatedNew,
        ]);
        let mut placeholders = Placeholders::default();
        let input = UpdateItemInput {
            table_name: self.tables[at].spec.name.clone(),
            key: to_attributes(&key),
            update_expression: Some(placeholders.update(&actions)),
            condition_expression: guard.condition.as_ref().map(|condition| placeholders.condition(condition)),
            expression_attribute_names: names_of(&placeholders),
            expression_attribute_values: values_of(&placeholders),
            return_values: Some(wanted),
            return_values_on_condition_check_failure: guard.told(),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
            ..UpdateItemInput::default()
        };
        self.history.push(format!("{input:?}"));
        let expected = expect_update(&self.tables[at], &key, &actions, &guard, wanted);
        let got = self.database.call(input).map(|output| Written {
            attributes: output.attributes,
            consumed: output.consumed_capacity,
            metrics: output.item_collection_metrics,
        });
        self.settle(at, got, expected)
    }

    pub(crate) fn delete(&mut self, at: usize) -> Verdict {
        let key = generate::key(&mut self.rng, &self.tables[at].spec);
        let guard = self.guard(at);
        let all_old = self.rng.percent(40);
        let mut placeholders = Placeholders::default();
        let input = DeleteItemInput {
            table_name: self.tables[at].spec.name.clone(),
            key: to_attributes(&key),
            condition_expression: guard.condition.as_ref().map(|condition| placeholders.condition(condition)),
            expression_attribute_names: names_of(&placeholders),
            expression_attribute_values: values_of(&placeholders),
            return_values: all_old.then_some(ReturnValue::AllOld),
            return_values_on_condition_check_failure: guard.told(),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
            ..DeleteItemInput::default()
        };
        self.history.push(format!("{input:?}"));
        let expected = expect_delete(&self.tables[at], &key, &guard, all_old);
        let got = self.database.call(input).map(|output| Written {
            attributes: output.attributes,
            consumed: output.consumed_capacity,
            metrics: output.item_collection_metrics,
        });
        self.settle(at, got, expected)
    }

    /// Compares a single write, and does it on the oracle's side.
    fn settle(
        &mut self,
        at: usize,
        got: Result<Written, Error>,
        expected: Result<Expected, Refusal>,
    ) -> Verdict {
        let (got, expected) = match (got, expected) {
            (Ok(got), Ok(expected)) => (got, expected),
            (Err(got), Err(expected)) => return check_refusal(&got, &expected),
            (Ok(got), Err(expected)) => {
                return Err(format!("written: {:?}, expected {expected:?}", got.attributes));
            }
            (Err(got), Ok(expected)) => {
                return Err(format!("refused with {got:?}, expected {:?}", expected.new));
            }
        };
        let table = &mut self.tables[at];
        let attributes = got.attributes.as_ref().map(item_of);
        if matches!(&expected.attributes, Told::Exactly(expected) if *expected != attributes) {
            return Err(format!("Attributes {attributes:?}, expected {:?}", expected.attributes));
        }
        check_consumed(got.consumed.as_ref(), &table.spec.name, &expected.charge)?;
        let collection = Item::from([(table.spec.hash.name.clone(), expected.key.0.clone())]);
        match (&got.metrics, table.spec.has_local()) {
            (Some(metrics), true) => check_metrics(metrics, &collection)?,
            (None, false) => {}
            (metrics, _) => return Err(format!("metrics {metrics:?}")),
        }
        match expected.new {
            Some(item) => drop(table.items.insert(expected.key, item)),
            None => drop(table.items.remove(&expected.key)),
        }
        Ok(())
    }

    pub(crate) fn batch_write(&mut self) -> Verdict {
        let mut requests: BTreeMap<String, Vec<WriteRequest>> = BTreeMap::new();
        let mut writes: Vec<(usize, Item, bool)> = Vec::new();
        for _ in 0..=self.rng.below(12) {
            let at = self.rng.below(self.tables.len());
            let put = self.rng.percent(65);
            let spec = &self.tables[at].spec;
            let item =
                if put { generate::item(&mut self.rng, spec) } else { generate::key(&mut self.rng, spec) };
            let twice = writes.iter().any(|(other, before, _)| {
                *other == at && spec.keys().all(|attr| before.get(&attr.name) == item.get(&attr.name))
            });
            if twice && !self.rng.percent(4) {
                continue;
            }
            requests.entry(spec.name.clone()).or_default().push(write_request(&item, put));
            writes.push((at, item, put));
        }
        let input = BatchWriteItemInput {
            request_items: requests,
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            return_item_collection_metrics: Some(ReturnItemCollectionMetrics::Size),
        };
        self.history.push(format!("{input:?}"));
        let faults = self.batch_faults(&writes);
        match self.database.call(input) {
            Ok(output) if faults.is_empty() => {
                if output.unprocessed_items != Some(BTreeMap::new()) {
                    return Err(format!("unprocessed {:?}", output.unprocessed_items));
                }
                self.check_batch_metrics(&writes, &output.item_collection_metrics.unwrap_or_default())?;
                self.settle_batch(writes, &output.consumed_capacity.unwrap_or_default())
            }
            Ok(_) => Err(format!("the batch was written, expected {faults:?}")),
            Err(error) if faults.is_empty() => Err(format!("the batch was refused: {error:?}")),
            Err(error) => check_refusal(&error, &Refusal::invalid(faults)),
        }
    }

    fn batch_faults(&self, writes: &[(usize, Item, bool)]) -> Vec<String> {
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, item, put) in writes {
            let table = &self.tables[*at];
            let own = if *put { table.key_fault(item, true) } else { Vec::new() };
            if own.is_empty() && !seen.insert((*at, table.key_of(item))) {
                faults.push("Provided list of item keys contains duplicates".to_owned());
            }
            faults.extend(own);
            if *put {
                faults.extend(table.index_faults(item, true));
            }
        }
        faults
    }

    fn check_batch_metrics(
        &self,
        writes: &[(usize, Item, bool)],
        got: &BTreeMap<String, Vec<ItemCollectionMetrics>>,
    ) -> Verdict {
        for (at, table) in self.tables.iter().enumerate() {
            let hashes = writes.iter().filter(|(other, _, _)| *other == at).map(|(_, item, _)| item);
            let expected: BTreeSet<Value> = if table.spec.has_local() {
                hashes.map(|item| item[&table.spec.hash.name].clone()).collect()
            } else {
                BTreeSet::new()
            };
            let none = Vec::new();
            let metrics = got.get(&table.spec.name).unwrap_or(&none);
            let mut found = BTreeSet::new();
            for metric in metrics {
                let hash = metric.item_collection_key.as_ref().and_then(|key| key.get(&table.spec.hash.name));
                let hash = Value::from_api(hash.ok_or("metrics without a key")?);
                check_metrics(metric, &Item::from([(table.spec.hash.name.clone(), hash.clone())]))?;
                found.insert(hash);
            }
            if found != expected {
                return Err(format!("metrics of {found:?}, expected {expected:?}"));
            }
        }
        Ok(())
    }

    fn settle_batch(&mut self, writes: Vec<(usize, Item, bool)>, consumed: &[ConsumedCapacity]) -> Verdict {
        let mut charges: BTreeMap<String, Charge> = BTreeMap::new();
        for (at, item, put) in writes {
            let table = &mut self.tables[at];
            let key = table.key_of(&item);
            let new = put.then_some(item);
            let charge = table.write_charge(table.items.get(&key), new.as_ref());
            charges.entry(table.spec.name.clone()).or_default().add(&charge);
            match new {
                Some(item) => drop(table.items.insert(key, item)),
                None => drop(table.items.remove(&key)),
            }
        }
        check_charges(consumed, &charges)
    }
}

/// One entry for each table, in any order.
pub(crate) fn check_charges(consumed: &[ConsumedCapacity], charges: &BTreeMap<String, Charge>) -> Verdict {
    if consumed.len() != charges.len() {
        return Err(format!("capacity of {} tables, expected {}", consumed.len(), charges.len()));
    }
    charges.iter().try_for_each(|(name, charge)| {
        let got = consumed.iter().find(|consumed| consumed.table_name.as_ref() == Some(name));
        check_consumed(got, name, charge)
    })
}

fn write_request(item: &Item, put: bool) -> WriteRequest {
    let item = to_attributes(item);
    if put {
        WriteRequest { put_request: Some(PutRequest { item }), delete_request: None }
    } else {
        WriteRequest { put_request: None, delete_request: Some(DeleteRequest { key: item }) }
    }
}

fn expect_put(table: &Table, item: Item, guard: &Guard, all_old: bool) -> Result<Expected, Refusal> {
    let mut faults = table.key_fault(&item, false);
    if faults.is_empty() {
        faults = table.index_faults(&item, true);
    }
    if !faults.is_empty() {
        return Err(Refusal::invalid(faults));
    }
    let key = table.key_of(&item);
    let old = table.items.get(&key);
    guard.refusal(old).map_or(Ok(()), Err)?;
    let charge = table.write_charge(old, Some(&item));
    let attributes = Told::Exactly(old.cloned().filter(|_| all_old));
    Ok(Expected { key, new: Some(item), attributes, charge })
}

fn expect_delete(table: &Table, key: &Item, guard: &Guard, all_old: bool) -> Result<Expected, Refusal> {
    let key = table.key_of(key);
    let old = table.items.get(&key);
    guard.refusal(old).map_or(Ok(()), Err)?;
    let charge = table.write_charge(old, None);
    Ok(Expected { key, new: None, attributes: Told::Exactly(old.cloned().filter(|_| all_old)), charge })
}

fn expect_update(
    table: &Table,
    key_item: &Item,
    actions: &[Action],
    guard: &Guard,
    wanted: ReturnValue,
) -> Result<Expected, Refusal> {
    let key = table.key_of(key_item);
    let old = table.items.get(&key);
    guard.refusal(old).map_or(Ok(()), Err)?;
    let new = oracle::update(old, key_item, actions).map_err(Refusal::invalid)?;
    let mut faults = new.as_ref().map(|item| table.index_faults(item, false)).unwrap_or_default();
    if new.as_ref().is_some_and(|item| item_size(item) > ITEM_BYTES) {
        faults.push("Item size to update has exceeded the maximum allowed size".to_owned());
    }
    if !faults.is_empty() {
        return Err(Refusal::invalid(faults));
    }
    let attributes = match wanted {
        ReturnValue::None => Told::Exactly(None),
        ReturnValue::AllOld => Told::Exactly(old.cloned()),
        ReturnValue::AllNew => Told::Exactly(new.clone()),
        ReturnValue::UpdatedOld => Told::Exactly(oracle::touched(old, actions, false)),
        ReturnValue::UpdatedNew if oracle::tells_updated_new(old, actions) => {
            Told::Exactly(oracle::touched(new.as_ref(), actions, true))
        }
        ReturnValue::UpdatedNew => Told::Open,
    };
    let charge = table.write_charge(old, new.as_ref());
    Ok(Expected { key, new, attributes, charge })
}

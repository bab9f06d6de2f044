//! PutItem, UpdateItem, DeleteItem and BatchWriteItem on both sides.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_api::{
    BatchWriteItemInput, ConsumedCapacity, DeleteRequest, ItemCollectionMetrics, PutRequest,
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, WriteRequest,
};
use hashrange_sim::oracle::generate;
use hashrange_sim::oracle::table::{Charge, Refusal, Table};
use hashrange_sim::oracle::value::{Item, Value, to_attributes};
use hashrange_sim::oracle::write::{Expected, Write, Written, check_refusal};

use crate::database::{check_consumed, check_metrics};
use crate::run::{Verdict, World};

impl World<'_> {
    pub(crate) fn put(&mut self, at: usize) -> Verdict {
        let write = Write::put(&mut self.rng, &self.tables[at].spec);
        self.write(at, &write)
    }

    pub(crate) fn update(&mut self, at: usize) -> Verdict {
        let write = Write::update(&mut self.rng, &self.tables[at].spec);
        self.write(at, &write)
    }

    pub(crate) fn delete(&mut self, at: usize) -> Verdict {
        let write = Write::delete(&mut self.rng, &self.tables[at].spec);
        self.write(at, &write)
    }

    /// Carries out a single write on both sides and compares.
    fn write(&mut self, at: usize, write: &Write) -> Verdict {
        let table = &mut self.tables[at];
        let request = write.request(&table.spec.name);
        self.history.push(format!("{request:?}"));
        // The old item of one whose key is at fault is asked for by nobody.
        let old = if table.key_fault(write.item(), false).is_empty() {
            table.items.get(&table.key_of(write.item())).cloned()
        } else {
            None
        };
        let expected = write.expect(table, old.as_ref());
        let got =
            self.database.request(request).map(|response| Written::of(response).expect("a write's answer"));
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
        check_written(table, &got, &expected)?;
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

fn check_written(table: &Table, got: &Written, expected: &Expected) -> Verdict {
    if !expected.attributes.fits(got.attributes.as_ref()) {
        return Err(format!("Attributes {:?}, expected {:?}", got.attributes, expected.attributes));
    }
    check_consumed(got.consumed.as_ref(), &table.spec.name, &expected.charge)?;
    let collection = Item::from([(table.spec.hash.name.clone(), expected.key.0.clone())]);
    match (&got.metrics, table.spec.has_local()) {
        (Some(metrics), true) => check_metrics(metrics, &collection),
        (None, false) => Ok(()),
        (metrics, _) => Err(format!("metrics {metrics:?}")),
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
        WriteRequest { put_request: Some(PutRequest { item: item.into() }), delete_request: None }
    } else {
        WriteRequest { put_request: None, delete_request: Some(DeleteRequest { key: item }) }
    }
}

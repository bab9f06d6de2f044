//! Single writes and batches of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashrange_api::{
    BatchWriteItemInput, DeleteRequest, Error, PutRequest, Request, Response, ReturnValue, WriteRequest,
};

use super::{Client, touch_of};
use crate::history::Touch;
use crate::oracle::Item;
use crate::oracle::value::to_attributes;
use crate::oracle::write::{Change, Guard, Write, Written};

impl Client {
    pub(super) async fn write(&mut self, at: usize) {
        let write = Arc::new(self.draw_write(at));
        let request = write.request(&self.stage(at).spec().name);
        let touches = vec![touch_of(at, self.stage(at), &write, None)];
        let Some((id, answer)) = self.world.call(self.number, request, touches).await else { return };
        let answer = match answer {
            Ok(response) => match Written::of(response) {
                Some(written) => Ok(written.attributes),
                None => {
                    return self.violate("a write was answered with another operation's answer".to_owned());
                }
            },
            Err(error) => Err(error),
        };
        let touches = vec![touch_of(at, self.stage(at), &write, Some(answer.clone()))];
        self.world.history.answer(id, touches, || format!("{answer:?}"));
    }

    pub(super) async fn batch_write(&mut self) {
        let writes = self.draw_batch();
        if writes.is_empty() {
            return;
        }
        let request = self.batch_request(&writes);
        let touches = |answer: Option<Result<Option<Item>, Error>>| -> Vec<Touch> {
            let touch =
                |(at, write): &(usize, Arc<Write>)| touch_of(*at, self.stage(*at), write, answer.clone());
            writes.iter().map(touch).collect()
        };
        let Some((id, answer)) = self.world.call(self.number, request, touches(None)).await else { return };
        match answer {
            Ok(Response::BatchWriteItem(output)) if output.unprocessed_items == Some(BTreeMap::new()) => {
                self.world.history.answer(id, touches(Some(Ok(None))), || "done".to_owned());
            }
            answer => self.violate(format!("a batch of good writes was answered {answer:?}")),
        }
    }

    /// Unconditional writes of different items that no rule refuses.
    fn draw_batch(&mut self) -> Vec<(usize, Arc<Write>)> {
        let mut writes: Vec<(usize, Arc<Write>)> = Vec::new();
        for _ in 0..=self.rng.below(6) {
            let at = self.rng.below(self.world.scene.stages.len());
            let drawn = self.draw_write(at);
            let stage = self.stage(at);
            let change = match drawn.change {
                Change::Put(item) if stage.table.put_faults(&item).is_empty() => Change::Put(item),
                Change::Put(item) | Change::Update(item, _) | Change::Delete(item) => {
                    let is_key = |name: &String| stage.spec().is_key(name);
                    Change::Delete(item.into_iter().filter(|(name, _)| is_key(name)).collect())
                }
            };
            let write = Write { change, guard: Guard::default(), wanted: ReturnValue::None };
            let key = stage.key_of(write.item());
            if !writes.iter().any(|(other, before)| *other == at && stage.key_of(before.item()) == key) {
                writes.push((at, Arc::new(write)));
            }
        }
        writes
    }

    fn batch_request(&self, writes: &[(usize, Arc<Write>)]) -> Request {
        let mut request_items: BTreeMap<String, Vec<WriteRequest>> = BTreeMap::new();
        for (at, write) in writes {
            let item = to_attributes(write.item());
            let request = match &write.change {
                Change::Put(_) => {
                    WriteRequest { put_request: Some(PutRequest { item: item.into() }), delete_request: None }
                }
                Change::Update(..) | Change::Delete(_) => {
                    WriteRequest { put_request: None, delete_request: Some(DeleteRequest { key: item }) }
                }
            };
            request_items.entry(self.stage(*at).spec().name.clone()).or_default().push(request);
        }
        BatchWriteItemInput { request_items, ..BatchWriteItemInput::default() }.into()
    }
}

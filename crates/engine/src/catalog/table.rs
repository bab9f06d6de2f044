//! A table as the engine knows it: what requests need to be planned, and what DescribeTable tells.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hashrange_api::{BillingMode, ScalarAttributeType, StreamViewType};
use hashrange_item::{KeyAttribute, KeyKind, limits};
use hashrange_store::{Space, Stamp};
use parking_lot::{RwLock, RwLockReadGuard};

use super::row::{IndexState, TableRow, Units, Updating};
use super::state::Moment;
use crate::capacity::{Ceiling, Meters, Rate, Traffic};
use crate::core::Core;

/// Whose tables: an account in a region. Tables of different scopes do not see each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// Twelve digits.
    pub account: String,
    /// Region name, such as `us-east-1`.
    pub region: String,
}

/// A table's primary key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimaryKey {
    /// The partition key.
    pub hash: KeyAttribute,
    /// The sort key, on tables that have one.
    pub range: Option<KeyAttribute>,
}

impl PrimaryKey {
    /// The key attributes, partition key first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.hash).chain(self.range.as_ref())
    }

    /// Whether `name` is one of the key attributes.
    pub fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }
}

/// Which attributes an index entry carries beside the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Every attribute of the item.
    All,
    /// Table and index keys only.
    KeysOnly,
    /// Keys and these.
    Include(Vec<String>),
}

/// A local secondary index; its rows live in the table's own partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalIndex {
    /// Index name.
    pub name: String,
    /// The index's sort key; its partition key is the table's.
    pub range: KeyAttribute,
    /// What its entries carry.
    pub projection: Projection,
    /// Kind of its rows within a partition (`16..`), unique in the table.
    pub row_kind: u8,
}

/// A global secondary index; its rows live in a space of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalIndex {
    /// Index name.
    pub name: String,
    /// Where its rows live.
    pub space: Space,
    /// One to four partition-key attributes.
    pub hash: Vec<KeyAttribute>,
    /// None to four sort-key attributes.
    pub range: Vec<KeyAttribute>,
    /// What its entries carry.
    pub projection: Projection,
    /// Whether entries of older items may still be missing: the index was added and is being filled.
    pub filling: bool,
}

impl GlobalIndex {
    /// The index's key attributes, partition key first.
    pub fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.hash.iter().chain(&self.range)
    }
}

/// What requests on items need to know of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The primary key.
    pub key: PrimaryKey,
    /// Local secondary indexes, by name.
    pub locals: Vec<LocalIndex>,
    /// Global secondary indexes whose rows are kept up to date, by name.
    pub globals: Vec<GlobalIndex>,
}

/// A table at one moment. It is shared and never changes; a change of the table makes a new one.
#[derive(Debug)]
pub struct Table {
    /// Whose it is.
    pub scope: Scope,
    /// Its name.
    pub name: String,
    /// `TableId`: a UUID that tells it from an earlier table of the same name.
    pub id: String,
    /// Where its items live.
    pub space: Space,
    /// What requests on items need to know.
    pub schema: Schema,
    pub(super) row: TableRow,
    /// Version of the catalogue row that this was made from.
    pub(super) stamp: Stamp,
    fence: Arc<Fence>,
    /// Capacity that is left, shared by all snapshots.
    pub(crate) meters: Arc<Meters>,
    /// Whether the time of creation is known to be over.
    ready: AtomicBool,
}

/// The version of a table that writers may still write under, shared by all its snapshots.
#[derive(Debug)]
pub(super) struct Fence(RwLock<Stamp>);

/// Leave to hand the store one commit under a [`Table`]; see [`Table::admit`].
#[derive(Debug)]
pub struct Admission<'a>(#[expect(dead_code, reason = "held for its lock")] RwLockReadGuard<'a, Stamp>);

impl Table {
    /// The table that a catalogue row describes; `predecessor` is the snapshot it replaces.
    pub(super) fn new(
        scope: Scope,
        name: String,
        row: TableRow,
        stamp: Stamp,
        predecessor: Option<&Table>,
    ) -> Table {
        let same = predecessor.filter(|table| table.id == row.id);
        let fence = same.map_or_else(
            || Arc::new(Fence(RwLock::new(stamp))),
            |predecessor| Arc::clone(&predecessor.fence),
        );
        let meters = same.map_or_else(Arc::default, |predecessor| Arc::clone(&predecessor.meters));
        let spaces = || row.globals.iter().map(|index| index.space).chain([row.space]);
        meters.keep_only(|space| spaces().any(|known| known == space.0));
        Table {
            scope,
            name,
            id: row.id.clone(),
            space: Space(row.space),
            schema: schema(&row),
            row,
            stamp,
            fence,
            meters,
            ready: AtomicBool::new(false),
        }
    }

    /// Leave to hand one commit to the store under this snapshot, or `None` where the table has changed since: plan again.
    ///
    /// Hold it across the call of [`hashrange_store::Store::commit`] and let go before awaiting the answer. Whoever
    /// changes the table then knows that every commit planned without the change has been queued before: an index that is
    /// added sees all items that do not know it, and nothing is written into a space that has been given up.
    pub fn admit(&self) -> Option<Admission<'_>> {
        let current = self.fence.0.read();
        (*current == self.stamp).then_some(Admission(current))
    }

    /// Lets writers in under this snapshot only, or under a newer one where that has taken over already.
    pub(super) fn take_over(&self) {
        let mut current = self.fence.0.write();
        *current = self.stamp.max(*current);
    }

    /// Lets no writer in any more.
    pub(super) fn shut(&self) {
        *self.fence.0.write() = Stamp(u64::MAX);
    }

    /// Whether requests on items are served: neither in creation nor on its way out.
    pub(super) fn serves(&self, moment: impl FnOnce() -> Moment) -> bool {
        if self.row.deleting_ms.is_some() {
            return false;
        }
        if self.ready.load(Ordering::Relaxed) {
            return true;
        }
        let ready = !moment().lasting(self.row.created_ms);
        self.ready.store(ready, Ordering::Relaxed);
        ready
    }

    /// Whether a global index can be read: it has an entry for every item that it covers. One that was added to a table
    /// with items cannot until it is filled.
    pub fn index_is_readable(&self, index: &str) -> bool {
        let found = self.row.globals.iter().find(|known| known.name == index);
        found.is_some_and(|index| match index.state {
            IndexState::WithTable => true,
            IndexState::Added { populated, filled_ms, .. } => !populated || filled_ms.is_some(),
            IndexState::Deleting { .. } => false,
        })
    }

    /// `arn:aws:dynamodb:REGION:ACCOUNT:table/NAME`.
    pub fn arn(&self) -> String {
        format!("arn:aws:dynamodb:{}:{}:table/{}", self.scope.region, self.scope.account, self.name)
    }

    /// `…:table/NAME/index/INDEX`.
    pub fn index_arn(&self, index: &str) -> String {
        format!("{}/index/{index}", self.arn())
    }

    /// `…:table/NAME/stream/LABEL`.
    pub fn stream_arn(&self, label: &str) -> String {
        format!("{}/stream/{label}", self.arn())
    }

    /// How requests are paid for.
    pub fn billing_mode(&self) -> BillingMode {
        self.row.billing.mode
    }

    /// How fast the table, or one of its global indexes, may be read or written, and what says so. `None` where nothing
    /// holds it: on-demand capacity without a maximum.
    pub(crate) fn rate(
        &self,
        index: Option<&GlobalIndex>,
        traffic: Traffic,
        core: &Core,
    ) -> Option<(Ceiling, Rate)> {
        let row = index.and_then(|index| self.row.globals.iter().find(|row| row.space == index.space.0));
        let begun_ms = match row.map(|row| row.state) {
            Some(IndexState::Added { since_ms, .. }) => since_ms,
            _ => self.row.created_ms,
        };
        // What was not used in the other billing mode is not kept.
        let switched = self.row.updating.as_ref().filter(|updating| updating.what == Updating::Billing);
        let begun_ms = begun_ms.max(switched.map_or(0, |updating| updating.since_ms));
        if self.billing_mode() == BillingMode::Provisioned {
            let throughput = row.map_or(&self.row.throughput, |row| &row.throughput);
            let (units, since_ms) = throughput.in_force(core.now_ms(), core.table_delay_ms());
            let rate = Rate { units_per_s: of(units, traffic), burst_s: limits::BURST_S, since_ms };
            return Some((Ceiling::Provisioned, rate.not_before(begun_ms)));
        }
        let maxima = row.map_or(self.row.on_demand, |row| row.on_demand);
        let units_per_s = match traffic {
            Traffic::Read => maxima.read?,
            Traffic::Write => maxima.write?,
        };
        let rate = Rate { units_per_s, burst_s: 1, since_ms: begun_ms };
        Some((Ceiling::OnDemandMaximum, rate))
    }

    /// The enabled stream's view type and label.
    pub fn stream(&self) -> Option<(StreamViewType, &str)> {
        self.row.stream.as_ref().map(|stream| (stream.view, stream.label.as_str()))
    }

    /// The attribute that tells when an item expires, where expiry is enabled.
    pub fn expiry_attribute(&self) -> Option<&str> {
        self.row.expiry.as_ref().filter(|expiry| expiry.enabled).map(|expiry| expiry.attribute.as_str())
    }

    /// The resource policy that came with the table, as sent.
    pub fn policy(&self) -> Option<&str> {
        self.row.policy.as_deref()
    }

    /// The tags, in the order they were added.
    pub fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.row.tags.iter().map(|tag| (tag.key.as_str(), tag.value.as_str()))
    }
}

fn of(units: Units, traffic: Traffic) -> u64 {
    match traffic {
        Traffic::Read => units.read,
        Traffic::Write => units.write,
    }
}

/// What requests on items need of a catalogue row: indexes by name, without those that are on their way out.
fn schema(row: &TableRow) -> Schema {
    let attribute = |name: &String| KeyAttribute { name: name.clone(), kind: kind_of(row, name) };
    let attributes = |names: &[String]| names.iter().map(attribute).collect();
    let key = PrimaryKey { hash: attribute(&row.key[0]), range: row.key.get(1).map(attribute) };
    let mut locals: Vec<_> = row
        .locals
        .iter()
        .map(|index| LocalIndex {
            name: index.name.clone(),
            range: attribute(&index.range),
            projection: index.projection.clone(),
            row_kind: index.row_kind,
        })
        .collect();
    let mut globals: Vec<_> = row
        .globals
        .iter()
        .filter(|index| !matches!(index.state, IndexState::Deleting { .. }))
        .map(|index| GlobalIndex {
            name: index.name.clone(),
            space: Space(index.space),
            hash: attributes(&index.hash),
            range: attributes(&index.range),
            projection: index.projection.clone(),
            filling: matches!(index.state, IndexState::Added { populated: true, filled_ms: None, .. }),
        })
        .collect();
    locals.sort_by(|a, b| a.name.cmp(&b.name));
    globals.sort_by(|a, b| a.name.cmp(&b.name));
    Schema { key, locals, globals }
}

fn kind_of(row: &TableRow, name: &str) -> KeyKind {
    let definition = row.attributes.iter().find(|attribute| attribute.name == name);
    match definition.expect("a row defines its key attributes").kind {
        ScalarAttributeType::S => KeyKind::S,
        ScalarAttributeType::N => KeyKind::N,
        ScalarAttributeType::B => KeyKind::B,
    }
}

//! Filling a global index that was added to a table with items.
//!
//! Writers keep entries of the index for every item they write from the moment it was added; the items that nobody writes
//! are found here by a sweep of the table. An entry is put by a commit that expects the item as it was read and no entry
//! where it goes, so that neither a newer image is overwritten nor an entry counted twice.

use bytes::Bytes;
use futures_util::future::try_join_all;
use hashrange_api::Error;
use hashrange_item::{Attributes, Lookup, Row};
use hashrange_store::{
    Address, Expect, Found, Freshness, Outcome, PageLimit, Part, RowKey, Stored, SweepRead, Tally, Write,
};

use crate::catalog::{GlobalIndex, Table};
use crate::check::internal;
use crate::core::Core;
use crate::index::{Entry, Index};
use crate::key::ItemKey;
use crate::layout;
use crate::write::stored_row;

/// Items looked at in one step; the caller rests between steps.
const STEP_ROWS: usize = 128;
/// Bytes looked at in one step.
const STEP_BYTES: usize = 1 << 20;

/// How far the filling of an index has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Items looked at so far.
    pub items: u64,
    /// The last item that was looked at.
    after: Option<(Bytes, RowKey)>,
    /// Whether all were.
    pub done: bool,
    /// Whether writers that do not know of the index are known to be through, so that a step may be taken.
    pub(crate) begun: bool,
}

/// Looks at the next items of the table and gives each its entry.
pub(crate) async fn step(
    core: &Core,
    table: &Table,
    index: &GlobalIndex,
    progress: Progress,
) -> Result<Progress, Error> {
    let sweep = SweepRead {
        space: table.space,
        kind: layout::ITEM,
        segment: 0,
        segments: 1,
        after: progress.after.clone(),
        limit: PageLimit { rows: STEP_ROWS, bytes: STEP_BYTES },
        freshness: Freshness::Strong,
    };
    let page = core.store.sweep(sweep).await.map_err(internal)?;
    let addresses = page.rows.iter().map(|(partition, row, _)| {
        fill(core, table, index, layout::address(table.space, partition.clone(), row.clone()))
    });
    try_join_all(addresses).await?;
    let items = progress.items + page.rows.len() as u64;
    let last = page.rows.into_iter().next_back().map(|(partition, row, _)| (partition, row));
    let next = Progress { items, after: last.or(progress.after), done: !page.more, begun: true };
    save(core, index, &next).await?;
    Ok(next)
}

/// Gives one item its entry, again where a writer was faster.
async fn fill(core: &Core, table: &Table, index: &GlobalIndex, address: Address) -> Result<(), Error> {
    loop {
        let found = core.store.get(&address, Freshness::Newest).await.map_err(internal)?;
        let Some(item) = stored_row(&found)? else { return Ok(()) };
        let key = ItemKey::of_item(table, &key_attributes(table, &item))?;
        let Some(entry) = Index::Global(index).entry(table, &key, &item) else { return Ok(()) };
        let parts = vec![unchanged(&address, &found), new_entry(core, &entry)];
        let commit = core.store.commit(core.commit_id(), parts);
        match commit.await.map_err(internal)? {
            Outcome::Applied => return Ok(()),
            Outcome::Refused { row, .. } if row == entry.address => return Ok(()),
            Outcome::Refused { .. } => {}
            Outcome::Unknown => return Err(internal("the outcome of a commit is unknown")),
        }
    }
}

fn key_attributes(table: &Table, item: &Row) -> Attributes {
    let mut key = Attributes::new();
    for attribute in table.schema.key.attributes() {
        if let Some(value) = item.attribute(&attribute.name) {
            key.insert(attribute.name.clone(), value.into_owned());
        }
    }
    key
}

fn unchanged(address: &Address, found: &Found) -> Part {
    let stamp = found.row.as_ref().map(|stored| stored.stamp);
    let mut part = part(address);
    part.expects.push(Expect { row: address.row.clone(), stamp, seen: found.mark });
    part
}

fn new_entry(core: &Core, entry: &Entry) -> Part {
    let row = entry.address.row.clone();
    let stored = Stored { stamp: core.next_stamp(None), value: entry.row.clone().into_bytes() };
    let bytes = i64::try_from(entry.row.item_size()).expect("an item is at most 400 KB");
    let mut part = part(&entry.address);
    part.expects.push(Expect { row: row.clone(), stamp: None, seen: hashrange_store::ReadMark::NONE });
    part.writes.push(Write::Put { row, stored });
    part.tallies.push(Tally { space: entry.address.space, kind: layout::ITEM, rows: 1, bytes });
    part
}

fn part(address: &Address) -> Part {
    Part {
        space: address.space,
        partition: address.partition.clone(),
        expects: Vec::new(),
        writes: Vec::new(),
        log: None,
        tallies: Vec::new(),
    }
}

/// Where the progress of filling an index is kept: beside its entries, and gone with them.
fn progress_address(index: &GlobalIndex) -> Address {
    let row = RowKey { kind: layout::PROGRESS, sort: Bytes::new() };
    layout::address(index.space, Bytes::new(), row)
}

/// Keeps the progress, so that filling goes on there after a restart. An older state does no harm.
async fn save(core: &Core, index: &GlobalIndex, progress: &Progress) -> Result<(), Error> {
    let address = progress_address(index);
    let mut part = part(&address);
    let stored = Stored { stamp: core.next_stamp(None), value: encode(progress).into() };
    part.writes.push(Write::Put { row: address.row, stored });
    core.store.commit(core.commit_id(), vec![part]).await.map_err(internal)?;
    Ok(())
}

/// The progress that was kept, or the beginning. No step was taken in this life.
pub(crate) async fn load(core: &Core, index: &GlobalIndex) -> Result<Progress, Error> {
    let found = core.store.get(&progress_address(index), Freshness::Strong).await.map_err(internal)?;
    Ok(found.row.and_then(|stored| decode(&stored.value)).unwrap_or_default())
}

/// Items (8 bytes), length of the partition (2 bytes), partition, sort bytes; only items follow where nothing was looked at.
fn encode(progress: &Progress) -> Vec<u8> {
    let mut bytes = progress.items.to_be_bytes().to_vec();
    if let Some((partition, row)) = &progress.after {
        let length = u16::try_from(partition.len()).expect("an encoded partition key is below 8 KiB");
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(partition);
        bytes.extend_from_slice(&row.sort);
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<Progress> {
    let (items, rest) = bytes.split_first_chunk::<8>()?;
    let items = u64::from_be_bytes(*items);
    let Some((length, rest)) = rest.split_first_chunk::<2>() else {
        return Some(Progress { items, ..Progress::default() });
    };
    let (partition, sort) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let row = RowKey { kind: layout::ITEM, sort: Bytes::copy_from_slice(sort) };
    let after = Some((Bytes::copy_from_slice(partition), row));
    Some(Progress { items, after, ..Progress::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_survives_its_encoding() {
        let row = RowKey { kind: layout::ITEM, sort: Bytes::from_static(b"sort") };
        let after = Some((Bytes::from_static(b"partition"), row));
        let progress = Progress { items: 7, after, ..Progress::default() };
        assert_eq!(decode(&encode(&progress)), Some(progress));
        assert_eq!(decode(&encode(&Progress::default())), Some(Progress::default()));
        assert_eq!(decode(b"short"), None);
    }
}

//! Copies what is readable into a new folder.

use std::io;
use std::path::Path;

use fjall::{UserKey, UserValue};
use hashrange_store::{Address, Space};

use super::{Check, Summary, unreadable};
use crate::Options;
use crate::files::{LOG, ROWS};
use crate::folder::{Folder, OpenError};
use crate::keys;
use crate::sequence::{Sealed, Watermark};
use crate::shared::encode_stored;
use crate::tree::{Op, Table, Tree};

/// Bytes written in one batch.
const BATCH_BYTES: usize = 4 << 20;

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Keys copied: rows, log records, totals and marks.
    pub keys: u64,
    /// The greatest space of a table or index that anything was found of.
    pub last_space: Option<Space>,
}

/// Writes to the new folder.
struct Copy {
    tree: Tree,
    ops: Vec<Op>,
    bytes: usize,
    keys: u64,
}

impl Copy {
    fn add(&mut self, op: Op) -> io::Result<()> {
        self.bytes += op.len();
        self.keys += 1;
        self.ops.push(op);
        if self.bytes >= BATCH_BYTES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        self.bytes = 0;
        let ops = std::mem::take(&mut self.ops);
        self.tree.wait_for_room().map_err(io::Error::other)?;
        let mut batch = self.tree.batch(ops.len());
        for op in ops {
            self.tree.add(&mut batch, op);
        }
        batch.commit().map_err(io::Error::other)
    }
}

/// Visits all keys and copies them; then writes totals by recount and the number of the last commit.
pub(super) fn copy(mut check: Check<'_>, to: &Path) -> Result<(Summary, Salvaged), OpenError> {
    let folder = Folder::open(to)?;
    if !folder.is_new() {
        return Err(OpenError::Occupied(to.into()));
    }
    let failed = |why: String| OpenError::Failed { path: to.into(), why };
    let tree = Tree::open(&folder.tree(), Options::default().cache_bytes)
        .map_err(|error| failed(error.to_string()))?;
    let mut copy = Copy { tree, ops: Vec::new(), bytes: 0, keys: 0 };
    let path = check.path.clone();
    let last = keys::last_sequence();
    let contents = check.contents(&mut |id, key, value| {
        let table = if id == LOG { Table::Log } else { Table::Rows };
        if id == ROWS && key == last {
            return Ok(());
        }
        copy.add(Op { table, key: UserKey::from(key), value: Some(UserValue::from(value)) })
    });
    let contents = contents.map_err(|error| unreadable(&path, &error))?;
    let written = |done: io::Result<()>| done.map_err(|error| unreadable(to, &error));
    for ((space, kind), totals) in contents.recounted() {
        let key = UserKey::from(keys::at(&Address::tally(space, kind)));
        written(copy.add(Op {
            table: Table::Rows,
            key,
            value: Some(encode_stored(&totals.to_row()).into()),
        }))?;
    }
    // Positions of the change logs go on after all that were given, also after those that are lost.
    let sequence = check.summary.sequence.max(check.summary.answered).max(contents.logged());
    let sealed = UserValue::from(Sealed::encode(sequence, sequence));
    written(copy.write())?;
    written(copy.add(Op { table: Table::Rows, key: last.into(), value: Some(sealed) }))?;
    written(copy.write())?;
    copy.tree.flush().map_err(|error| failed(error.to_string()))?;
    let keys = copy.keys;
    drop(copy);
    Watermark::open(to, sequence).map_err(|error| unreadable(to, &error))?;
    folder.finish()?;
    Ok((check.summary, Salvaged { keys, last_space: contents.last_space() }))
}

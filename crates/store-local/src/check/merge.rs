//! All keys of a tree in order, merged from its table files and the journals; of each key the newest version.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::path::PathBuf;

use crate::files::journal::Batch;
use crate::files::table::{Entry, Piece, Reader};

/// Is handed each key that is not removed, with its value.
pub(super) type Visit<'a> = dyn FnMut(u64, &[u8], &[u8]) -> io::Result<()> + 'a;
/// The same within one tree.
type VisitOne<'a> = dyn FnMut(&[u8], &[u8]) -> io::Result<()> + 'a;

/// Of each key the number of the newest change, and its value.
type Newest = BTreeMap<Vec<u8>, (u64, Option<Vec<u8>>)>;

/// The changes in the journals, by keyspace: the newest of each key. As large as the memtables would be.
#[derive(Debug, Default)]
pub(super) struct Journaled(BTreeMap<u64, Newest>);

impl Journaled {
    pub(super) fn add(&mut self, batch: &Batch<'_>) {
        for item in &batch.items {
            // What does not decompress passed its checksum: it was written so, and the engine refuses it too.
            let Ok(value) = item.decoded() else { continue };
            let keys = self.0.entry(item.keyspace).or_default();
            let newest = keys.entry(item.key.to_vec()).or_default();
            if batch.number >= newest.0 {
                *newest = (batch.number, value);
            }
        }
    }

    pub(super) fn take(&mut self, keyspace: u64) -> Vec<Entry> {
        let keys = self.0.remove(&keyspace).unwrap_or_default();
        keys.into_iter().map(|(key, (number, value))| Entry { key, number, value }).collect()
    }
}

/// One sorted source of entries.
enum Source {
    Table { reader: Reader, block: std::vec::IntoIter<Entry> },
    Journal(std::vec::IntoIter<Entry>),
}

impl Source {
    /// Damaged blocks are passed over: they are named elsewhere.
    fn next(&mut self) -> io::Result<Option<Entry>> {
        match self {
            Source::Journal(entries) => Ok(entries.next()),
            Source::Table { reader, block } => loop {
                if let Some(entry) = block.next() {
                    return Ok(Some(entry));
                }
                match reader.next()? {
                    Some(Piece::Entries(entries)) => *block = entries.into_iter(),
                    Some(Piece::Damaged { .. }) => {}
                    None => return Ok(None),
                }
            },
        }
    }
}

/// The next entry of a source: least key first, and of one key the newest.
type Head = Reverse<(Vec<u8>, Reverse<u64>, usize)>;

/// The merge under way.
pub(super) struct Merge {
    sources: Vec<Source>,
    heads: BinaryHeap<Head>,
    values: Vec<Option<Vec<u8>>>,
}

impl Merge {
    pub(super) fn new(tables: &[PathBuf], journaled: Vec<Entry>) -> io::Result<Merge> {
        let mut sources = vec![Source::Journal(journaled.into_iter())];
        for path in tables {
            sources.push(Source::Table { reader: Reader::open(path)?, block: Vec::new().into_iter() });
        }
        let values = vec![None; sources.len()];
        let mut merge = Merge { sources, heads: BinaryHeap::new(), values };
        for source in 0..merge.sources.len() {
            merge.advance(source)?;
        }
        Ok(merge)
    }

    fn advance(&mut self, source: usize) -> io::Result<()> {
        if let Some(entry) = self.sources[source].next()? {
            self.values[source] = entry.value;
            self.heads.push(Reverse((entry.key, Reverse(entry.number), source)));
        }
        Ok(())
    }

    pub(super) fn run(mut self, visit: &mut VisitOne<'_>) -> io::Result<()> {
        let mut last: Option<Vec<u8>> = None;
        while let Some(Reverse((key, _, source))) = self.heads.pop() {
            let value = self.values[source].take();
            self.advance(source)?;
            if last.as_ref() == Some(&key) {
                continue;
            }
            if let Some(value) = value {
                visit(&key, &value)?;
            }
            last = Some(key);
        }
        Ok(())
    }
}

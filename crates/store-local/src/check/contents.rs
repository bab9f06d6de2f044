//! What the keys and values say, and whether it agrees.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_store::{Address, Space, Totals, partition_hash};

use super::Observer;
use crate::files::ROWS;
use crate::keys;
use crate::sequence::{NONE_YET, Sealed};
use crate::shared::decode_stored;

/// What was seen so far. Kinds and spaces are few.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) rows: u64,
    pub(super) log_records: u64,
    pub(super) sequence: u64,
    /// Rows that are there, and the bytes that they count, where that can be told of all of them.
    counted: BTreeMap<(Space, u8), (i64, Option<i64>)>,
    /// What the totals say.
    totals: BTreeMap<(Space, u8), Totals>,
    forgotten: BTreeSet<Space>,
    /// The greatest commit in a position of a change log.
    logged: u64,
}

impl Contents {
    /// Takes one key; what is wrong with it if not all is well.
    pub(super) fn take(
        &mut self,
        id: u64,
        key: &[u8],
        value: &[u8],
        observer: &mut dyn Observer,
    ) -> Result<(), String> {
        if id != ROWS {
            return self.log_record(key);
        }
        if key == keys::last_sequence() {
            let sealed = Sealed::decode(value).ok_or("the number of the last commit has another length")?;
            self.sequence = sealed.last;
            return Ok(());
        }
        if key.starts_with(&keys::forgotten_prefix()) {
            let space =
                keys::decode_forgotten(key).ok_or("the mark of a forgotten space cannot be decoded")?;
            self.forgotten.insert(space);
            return Ok(());
        }
        let inner = keys::buried(key);
        let at = keys::decode(inner.unwrap_or(key)).ok_or("a key has not the form of a row's")?;
        let hashed = at.space.0.to_be_bytes().len();
        let hash = inner.unwrap_or(key).get(hashed..hashed + 8);
        if hash != Some(&partition_hash(&at.partition).to_be_bytes()[..]) {
            return Err("a key holds another hash than that of its partition".to_owned());
        }
        match inner {
            Some(_) => decode_stored(value.into()).map(|_| ()).map_err(|error| error.to_string()),
            None => self.row(&at, value, observer),
        }
    }

    fn log_record(&mut self, key: &[u8]) -> Result<(), String> {
        let position = keys::decode_log(key).ok_or("a key has not the form of a log record's")?;
        self.log_records += 1;
        self.logged = self.logged.max(position.0 >> 16);
        Ok(())
    }

    fn row(&mut self, at: &Address, value: &[u8], observer: &mut dyn Observer) -> Result<(), String> {
        let stored = decode_stored(value.into()).map_err(|error| error.to_string())?;
        if at.space == Space::TALLIES {
            let owner = keys::tallied_space(&at.partition).zip(at.partition.get(8).copied());
            let owner = owner.ok_or("a total belongs to no space")?;
            let total = Totals::decode(&stored.value).ok_or("a total is not 16 bytes long")?;
            self.totals.insert(owner, total);
            return Ok(());
        }
        self.rows += 1;
        let weight = observer.weight(at, &stored).and_then(|weight| i64::try_from(weight).ok());
        let counted = self.counted.entry((at.space, at.row.kind)).or_insert((0, Some(0)));
        counted.0 += 1;
        counted.1 = counted.1.zip(weight).map(|(sum, weight)| sum + weight);
        observer.row(at, &stored)
    }

    /// Where two things that were read whole contradict each other, and what that concerns.
    pub(super) fn contradictions(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for ((space, kind), total) in &self.totals {
            if self.forgotten.contains(space) {
                continue;
            }
            let (rows, bytes) = self.counted.get(&(*space, *kind)).copied().unwrap_or((0, Some(0)));
            let bytes = bytes.unwrap_or(total.bytes);
            if (rows, bytes) != (total.rows, total.bytes) {
                let what = format!(
                    "the total says {} rows and {} bytes, and there are {rows} rows and {bytes} bytes",
                    total.rows, total.bytes
                );
                found.push((what, format!("rows of kind {kind} of space {}", space.0)));
            }
        }
        if self.logged > self.sequence.max(NONE_YET) {
            let what =
                format!("a log record is of commit {}, after the last, {}", self.logged, self.sequence);
            found.push((what, "the change logs".to_owned()));
        }
        found
    }

    /// The totals as they are by a recount.
    pub(super) fn recounted(&self) -> impl Iterator<Item = ((Space, u8), Totals)> + '_ {
        let kept = self.totals.iter().filter(|((space, _), _)| !self.forgotten.contains(space));
        kept.map(|(owner, total)| {
            let (rows, bytes) = self.counted.get(owner).copied().unwrap_or((0, Some(0)));
            (*owner, Totals { rows, bytes: bytes.unwrap_or(total.bytes) })
        })
    }

    /// The greatest space of a table or index that anything is there of.
    pub(super) fn last_space(&self) -> Option<Space> {
        let owners = self.counted.keys().chain(self.totals.keys()).map(|(space, _)| *space);
        owners.chain(self.forgotten.iter().copied()).filter(|space| *space >= Space::FIRST_USER).max()
    }

    /// The greatest commit that a change log has a record of.
    pub(super) fn logged(&self) -> u64 {
        self.logged
    }
}

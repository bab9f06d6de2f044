//! What a lock holds: the writes of a transaction in one partition.
//!
//! ```text
//! parts    u32 n, then n times: log | u32 n, n writes | u32 n, n tallies
//! log      0, or 1 and bytes
//! write    0 key, or 1 key stamp u64 bytes
//! key      kind u8, bytes
//! tally    space u64 | kind u8 | rows i64 | bytes i64
//! bytes    u32 length, then so many
//! ```
//! Numbers are big-endian.

use bytes::Bytes;

use crate::{Part, RowKey, Space, Stamp, StoreError, StoreResult, Stored, Tally, Write};

/// Writes down what parts do, without what they expect.
pub(super) fn encode(parts: &[Part]) -> Vec<u8> {
    let mut out = Vec::new();
    count(parts.len(), &mut out);
    for part in parts {
        match &part.log {
            None => out.push(0),
            Some(payload) => {
                out.push(1);
                bytes(payload, &mut out);
            }
        }
        count(part.writes.len(), &mut out);
        part.writes.iter().for_each(|one| write(one, &mut out));
        count(part.tallies.len(), &mut out);
        part.tallies.iter().for_each(|one| tally(one, &mut out));
    }
    out
}

fn count(count: usize, out: &mut Vec<u8>) {
    let count = u32::try_from(count).expect("a commit is far below 4 GiB");
    out.extend_from_slice(&count.to_be_bytes());
}

fn bytes(bytes: &[u8], out: &mut Vec<u8>) {
    count(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn write(write: &Write, out: &mut Vec<u8>) {
    let (row, stored) = match write {
        Write::Delete { row } => (row, None),
        Write::Put { row, stored } => (row, Some(stored)),
    };
    out.push(u8::from(stored.is_some()));
    out.push(row.kind);
    bytes(&row.sort, out);
    if let Some(stored) = stored {
        out.extend_from_slice(&stored.stamp.0.to_be_bytes());
        bytes(&stored.value, out);
    }
}

fn tally(tally: &Tally, out: &mut Vec<u8>) {
    out.extend_from_slice(&tally.space.0.to_be_bytes());
    out.push(tally.kind);
    out.extend_from_slice(&tally.rows.to_be_bytes());
    out.extend_from_slice(&tally.bytes.to_be_bytes());
}

/// Reads the parts of a partition back; they expect nothing.
pub(super) fn decode(space: Space, partition: &Bytes, bytes: Bytes) -> StoreResult<Vec<Part>> {
    let mut reader = Reader(bytes);
    let mut parts = Vec::new();
    for _ in 0..reader.count()? {
        let log = if reader.byte()? == 0 { None } else { Some(reader.bytes()?) };
        let mut part = Part {
            space,
            partition: partition.clone(),
            expects: Vec::new(),
            writes: Vec::new(),
            log,
            tallies: Vec::new(),
        };
        for _ in 0..reader.count()? {
            part.writes.push(reader.write()?);
        }
        for _ in 0..reader.count()? {
            part.tallies.push(reader.tally()?);
        }
        parts.push(part);
    }
    Ok(parts)
}

/// Takes bytes apart from the front.
pub(super) struct Reader(pub(super) Bytes);

impl Reader {
    pub(super) fn take(&mut self, length: usize) -> StoreResult<Bytes> {
        if length > self.0.len() {
            return Err(damaged());
        }
        Ok(self.0.split_to(length))
    }

    pub(super) fn array<const N: usize>(&mut self) -> StoreResult<[u8; N]> {
        self.take(N)?.as_ref().try_into().map_err(|_| damaged())
    }

    pub(super) fn byte(&mut self) -> StoreResult<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn count(&mut self) -> StoreResult<usize> {
        usize::try_from(u32::from_be_bytes(self.array()?)).map_err(|_| damaged())
    }

    pub(super) fn number(&mut self) -> StoreResult<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(super) fn bytes(&mut self) -> StoreResult<Bytes> {
        let length = self.count()?;
        self.take(length)
    }

    fn write(&mut self) -> StoreResult<Write> {
        let is_put = self.byte()? != 0;
        let row = RowKey { kind: self.byte()?, sort: self.bytes()? };
        if !is_put {
            return Ok(Write::Delete { row });
        }
        let stamp = Stamp(self.number()?);
        Ok(Write::Put { row, stored: Stored { stamp, value: self.bytes()? } })
    }

    fn tally(&mut self) -> StoreResult<Tally> {
        Ok(Tally {
            space: Space(self.number()?),
            kind: self.byte()?,
            rows: i64::from_be_bytes(self.array()?),
            bytes: i64::from_be_bytes(self.array()?),
        })
    }
}

fn damaged() -> StoreError {
    StoreError::Corrupt("a row of a transaction cannot be read".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_as_they_were_written_and_cut_bytes_do_not() {
        let row = |sort: &'static str| RowKey { kind: 3, sort: Bytes::from_static(sort.as_bytes()) };
        let stored = Stored { stamp: Stamp(9), value: Bytes::from_static(b"value") };
        let part = Part {
            space: Space(2000),
            partition: Bytes::from_static(b"p"),
            expects: Vec::new(),
            writes: vec![Write::Put { row: row("a"), stored }, Write::Delete { row: row("") }],
            log: Some(Bytes::from_static(b"record")),
            tallies: vec![Tally { space: Space(7), kind: 1, rows: -2, bytes: i64::MAX }],
        };
        let parts = vec![part.clone(), Part { log: None, writes: Vec::new(), ..part }];
        let bytes = Bytes::from(encode(&parts));
        assert_eq!(decode(Space(2000), &parts[0].partition, bytes.clone()).unwrap(), parts);
        for length in 0..bytes.len() {
            let cut = bytes.slice(..length);
            assert!(decode(Space(2000), &parts[0].partition, cut).is_err(), "{length}");
        }
    }
}

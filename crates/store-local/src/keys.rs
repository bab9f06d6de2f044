//! Keys of the two trees, byte by byte (see `docs/format.md`).
//!
//! A row: `space u64 | partition hash u64 | partition length u16 | partition | kind u8 | sort`, all numbers
//! big-endian. So a partition is one contiguous stretch in row order, and a space is in hash order.

use bytes::{Buf, Bytes};
use fjall::UserKey;
use hashrange_store::{Address, Bound, Direction, LogPosition, RowKey, Space, partition_hash};

/// Spaces from here on belong to the engine itself.
const FIRST_RESERVED: u64 = u64::MAX - 1;
/// Stamps of blind deletes, under the key of the row that they deleted.
const GRAVES: u64 = FIRST_RESERVED;
/// The engine's own records.
const META: u64 = u64::MAX;

const SPACE_LEN: usize = 8;
/// Spare room of keys and values: `Bytes` made of a vector with some counts its holders from the start, one of a full
/// vector finds that out at its first clone, which costs more at each one.
pub(crate) const SHARED: usize = 1;
const HEADER_LEN: usize = SPACE_LEN + 8 + 2;

/// A scan of the keys `lower..upper` of one tree.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub(crate) lower: Vec<u8>,
    pub(crate) upper: Vec<u8>,
    pub(crate) direction: Direction,
}

/// Whether callers may write rows of this space.
pub(crate) fn is_writable(space: Space) -> bool {
    space.0 < FIRST_RESERVED && space != Space::TALLIES
}

/// Fails where a caller names a space that it may not write: a bug above, caught before it damages data.
pub(crate) fn assert_writable(space: Space) {
    assert!(space.0 < FIRST_RESERVED, "space {} belongs to the engine", space.0);
    assert!(space != Space::TALLIES, "totals are written through tallies only");
}

/// What all row keys of a partition start with, with room for `extra` bytes more.
fn partition_start(space: Space, partition: &[u8], extra: usize) -> Vec<u8> {
    let length = u16::try_from(partition.len()).expect("the contract caps a partition at 8,192 bytes");
    let mut key = Vec::with_capacity(HEADER_LEN + partition.len() + extra + SHARED);
    key.extend_from_slice(&space.0.to_be_bytes());
    key.extend_from_slice(&partition_hash(partition).to_be_bytes());
    key.extend_from_slice(&length.to_be_bytes());
    key.extend_from_slice(partition);
    key
}

/// What all row keys of a partition start with.
pub(crate) fn partition_prefix(space: Space, partition: &[u8]) -> Vec<u8> {
    partition_start(space, partition, 0)
}

/// The key of a row.
pub(crate) fn row(space: Space, partition: &[u8], row: &RowKey) -> Vec<u8> {
    row_with_room(space, partition, row, 0)
}

/// The key of a row, with room for `extra` bytes more.
pub(crate) fn row_with_room(space: Space, partition: &[u8], row: &RowKey, extra: usize) -> Vec<u8> {
    let mut key = partition_start(space, partition, 1 + row.sort.len() + extra);
    key.push(row.kind);
    key.extend_from_slice(&row.sort);
    key
}

/// The key of the row at an address.
pub(crate) fn at(address: &Address) -> Vec<u8> {
    row(address.space, &address.partition, &address.row)
}

/// The row key in what follows the partition; `None` where it is empty.
pub(crate) fn decode_row(rest: &[u8]) -> Option<RowKey> {
    let (kind, sort) = rest.split_first()?;
    Some(RowKey { kind: *kind, sort: Bytes::copy_from_slice(sort) })
}

/// The row key in the key of a row whose partition takes the first `prefix` bytes, without a copy.
pub(crate) fn into_row(key: UserKey, prefix: usize) -> Option<RowKey> {
    let kind = *key.get(prefix)?;
    let mut sort = Bytes::from(key);
    sort.advance(prefix + 1);
    Some(RowKey { kind, sort })
}

/// The partition and the row key in the key of a row, without a copy.
pub(crate) fn into_place(key: UserKey) -> Option<(Bytes, RowKey)> {
    let end = HEADER_LEN + split(&key)?.0.len();
    let key = Bytes::from(key);
    let partition = key.slice(HEADER_LEN..end);
    Some((partition, into_row(key.into(), end)?))
}

/// Takes a row's key apart; `None` where it is no such key.
pub(crate) fn decode(key: &[u8]) -> Option<Address> {
    let space = space_of(key)?;
    let (partition, rest) = split(key)?;
    Some(Address { space, partition: Bytes::copy_from_slice(partition), row: decode_row(rest)? })
}

/// The partition, and what follows it.
pub(crate) fn split(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = key.get(HEADER_LEN - 2..HEADER_LEN)?;
    let length = usize::from(u16::from_be_bytes(length.try_into().ok()?));
    key.get(HEADER_LEN..)?.split_at_checked(length)
}

/// The space that a key of either tree starts with.
pub(crate) fn space_of(key: &[u8]) -> Option<Space> {
    Some(Space(u64::from_be_bytes(*key.first_chunk::<SPACE_LEN>()?)))
}

/// Whose total a row of [`Space::TALLIES`] is, from its partition.
pub(crate) fn tallied_space(partition: &[u8]) -> Option<Space> {
    space_of(partition)
}

/// Sorts before all rows of `space` whose partition has this hash or a greater one.
pub(crate) fn sweep_from(space: Space, hash: u64) -> Vec<u8> {
    [space.0.to_be_bytes(), hash.to_be_bytes()].concat()
}

/// What all keys of a space start with, in either tree.
pub(crate) fn space_prefix(space: Space) -> Vec<u8> {
    space.0.to_be_bytes().to_vec()
}

/// The smallest key that is greater than every key starting with `prefix`.
pub(crate) fn successor(mut prefix: Vec<u8>) -> Vec<u8> {
    while let Some(last) = prefix.pop() {
        if last < u8::MAX {
            prefix.push(last + 1);
            break;
        }
    }
    prefix
}

/// The smallest key that is greater than `key`.
pub(crate) fn next(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

/// Where a range within a partition begins.
pub(crate) fn lower(prefix: &[u8], bound: &Bound) -> Vec<u8> {
    match bound {
        Bound::Included(row) => in_partition(prefix, row),
        Bound::Excluded(row) => next(&in_partition(prefix, row)),
        Bound::Unbounded => prefix.to_vec(),
    }
}

/// Before which key a range within a partition ends.
pub(crate) fn upper(prefix: &[u8], bound: &Bound) -> Vec<u8> {
    match bound {
        Bound::Included(row) => next(&in_partition(prefix, row)),
        Bound::Excluded(row) => in_partition(prefix, row),
        Bound::Unbounded => successor(prefix.to_vec()),
    }
}

fn in_partition(prefix: &[u8], row: &RowKey) -> Vec<u8> {
    [prefix, &[row.kind], &row.sort].concat()
}

/// Between which two keys all rows of the partition lie that a row's key belongs to.
pub(crate) fn partition_edges(key: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (_, partition) = partition_of(key)?;
    let start = key.get(..HEADER_LEN + partition.len())?.to_vec();
    Some((start.clone(), successor(start)))
}

/// A digest of the space and partition of a key that begins as a row's does.
pub(crate) fn partition_digest(key: &[u8]) -> Option<u64> {
    // Spaces are numbered in order: their bits are spread over all of the digest.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (space, rest) = key.split_first_chunk::<SPACE_LEN>()?;
    let hash = rest.first_chunk::<8>()?;
    Some(u64::from_be_bytes(*hash) ^ u64::from_be_bytes(*space).wrapping_mul(SPREAD))
}

/// The space and partition of a row's key.
pub(crate) fn partition_of(key: &[u8]) -> Option<(Space, &[u8])> {
    Some((space_of(key)?, split(key)?.0))
}

/// The key of a log record: `space u64 | position u64`.
pub(crate) fn log(space: Space, position: LogPosition) -> Vec<u8> {
    sweep_from(space, position.0)
}

/// The position in a log record's key.
pub(crate) fn decode_log(key: &[u8]) -> Option<LogPosition> {
    Some(LogPosition(u64::from_be_bytes(key.get(SPACE_LEN..)?.try_into().ok()?)))
}

/// Where the stamp of the blind delete of a row is kept.
pub(crate) fn grave(row_key: &[u8]) -> Vec<u8> {
    [&GRAVES.to_be_bytes(), row_key].concat()
}

/// The row's key in the key of such a stamp.
pub(crate) fn buried(key: &[u8]) -> Option<&[u8]> {
    key.strip_prefix(&GRAVES.to_be_bytes())
}

/// Where the sequence number of the last commit is kept.
pub(crate) fn last_sequence() -> Vec<u8> {
    [&META.to_be_bytes()[..], b"S"].concat()
}

/// What the marks of forgotten spaces start with.
pub(crate) fn forgotten_prefix() -> Vec<u8> {
    [&META.to_be_bytes()[..], b"F"].concat()
}

/// The mark of a forgotten space.
pub(crate) fn forgotten(space: Space) -> Vec<u8> {
    [&META.to_be_bytes()[..], b"F", &space.0.to_be_bytes()].concat()
}

/// The space in the key of such a mark.
pub(crate) fn decode_forgotten(key: &[u8]) -> Option<Space> {
    space_of(key.get(SPACE_LEN + 1..)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(partition: &'static [u8], kind: u8, sort: &'static [u8]) -> Address {
        let row = RowKey { kind, sort: Bytes::from_static(sort) };
        Address { space: Space(1024), partition: Bytes::from_static(partition), row }
    }

    #[test]
    fn a_row_key_comes_apart_as_it_was_put_together() {
        for address in [sample(b"", 0, b""), sample(b"p", 255, b"sort"), sample(b"\0\xff", 7, b"\xff\xff")] {
            assert_eq!(decode(&at(&address)), Some(address));
        }
    }

    fn hex_digits(byte: u8) -> [char; 2] {
        [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap())
    }

    /// The layout of docs/format.md. If this fails, folders of older releases cannot be read.
    #[test]
    fn keys_are_laid_out_as_documented() {
        let hex = |bytes: Vec<u8>| bytes.iter().flat_map(|byte| hex_digits(*byte)).collect::<String>();
        assert_eq!(hex(at(&sample(b"pk", 5, b"sk"))), "0000000000000400bad1711b9b1ef8010002706b05736b");
        let total = hex(at(&Address::tally(Space(1024), 3)));
        assert!(
            total.starts_with("0000000000000001") && total.ends_with("000900000000000004000300"),
            "{total}"
        );
        assert_eq!(hex(log(Space(1024), LogPosition(65_537))), "00000000000004000000000000010001");
        assert_eq!(hex(grave(b"k")), "fffffffffffffffe6b");
        assert_eq!(hex(last_sequence()), "ffffffffffffffff53");
        assert_eq!(hex(forgotten(Space(1024))), "ffffffffffffffff460000000000000400");
    }

    #[test]
    fn a_truncated_row_key_is_refused() {
        let whole = at(&sample(b"partition", 1, b""));
        for length in 0..whole.len() {
            assert_eq!(decode(&whole[..length]), None, "cut to {length} bytes");
        }
    }

    #[test]
    fn the_successor_is_past_everything_with_the_prefix() {
        assert_eq!(successor(vec![1, 2]), vec![1, 3]);
        assert_eq!(successor(vec![1, 255, 255]), vec![2]);
    }
}

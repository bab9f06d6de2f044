//! The row codec: items survive it, and no bytes from a damaged disk bring it down.

use bytes::Bytes;
use hashrange_item::json::write_row;
use hashrange_item::{Path, Row, Step};

use super::structured::Source;
use super::{MEGABYTE, Run, Target};

/// The first byte chooses: a row of an item, the same with one byte changed, arbitrary bytes.
pub const TARGET: Target = Target {
    name: "rows",
    words: &["\0", "\x01", "\u{7f}", "a", "\u{ffff}"],
    length: 2048,
    memory: 4 * MEGABYTE,
    seeds: |_| {
        let item = b"\x04\x01a\x09\x02\x01b\x00\x02cd\x01e\x08\x02\x03\x01\x04\x01f\x05\x02\x01a\x01b\x01g\x06\x01\x01\x90";
        (0..3).map(|first| [&[first], item.as_slice()].concat()).collect()
    },
    make: || -> Run { Box::new(run) },
};

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    if first % 3 == 2 {
        return read(rest);
    }
    let mut source = Source::new(rest);
    let (at, change) = (usize::from(source.byte()), source.byte());
    let item = source.attributes(4);
    let row = Row::encode(&item);
    if first % 3 == 0 {
        assert_eq!(row.decode().as_ref(), Ok(&item));
        assert_eq!(row.verify(), Ok(()));
        for (name, value) in item.iter() {
            assert_eq!(row.get(name).ok().flatten().as_ref(), Some(value));
        }
        assert_eq!(row.item_size(), hashrange_item::size::item(&item));
        return;
    }
    let mut bytes = row.as_bytes().to_vec();
    if let Some(byte) = bytes.len().checked_sub(1).and_then(|last| bytes.get_mut(at % (last + 1))) {
        *byte ^= change;
    }
    read(&bytes);
}

/// Everything that is read of rows, of bytes that may be none.
fn read(bytes: &[u8]) {
    let Ok(row) = Row::from_bytes(Bytes::copy_from_slice(bytes)) else { return };
    let decoded = row.decode();
    let _ = (row.get("a"), row.item_size(), row.len());
    let mut path = Path::new("a");
    path.push(Step::Name("b".to_owned()));
    path.push(Step::Index(1));
    let resolved = row.resolve(&path).is_ok();
    let mut written = Vec::new();
    let shown = write_row(&row, &mut written).is_ok();
    if row.verify().is_ok() {
        let item = decoded.clone().expect("what verifies decodes");
        assert!(resolved && shown, "what verifies can be read in every way");
        assert_eq!(row.item_size(), hashrange_item::size::item(&item), "the size in the header is true");
        for name in item.names() {
            assert!(row.get(name).is_ok_and(|value| value.is_some()), "what verifies is found by name");
        }
    }
    if let Ok(item) = decoded {
        assert_eq!(Row::encode(&item).decode(), Ok(item));
    }
}

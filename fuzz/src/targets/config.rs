//! Files that an operator writes: settings in TOML, credentials in both formats.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use hashrange_wire::Keyring;

use super::{MEGABYTE, Run, Target};
use crate::config;

/// The first byte chooses the file, the rest is what is in it.
pub const TARGET: Target = Target {
    name: "config",
    words: &[
        "=",
        "\n",
        "\"",
        "'",
        "[",
        "]",
        "[[",
        "]]",
        "#",
        "\"\"\"",
        "credential",
        "access-key",
        "secret-key",
        "session-token",
        "account",
        "expires",
        "[default]",
        "[profile a]",
        "aws_access_key_id",
        "aws_secret_access_key",
        "aws_session_token",
        "addr",
        "data",
        "in-memory",
        "credentials",
        "cache-size",
        "table-delay",
        "index-lag",
        "item-collection-limit",
        "log-level",
        "log-format",
        "true",
        "\"1s\"",
        "\"10 GB\"",
        "1979-05-27T07:32:00Z",
        "\"000000000000\"",
    ],
    length: 2048,
    memory: 4 * MEGABYTE,
    seeds: |_| SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect(),
    make,
};

const SEEDS: [&str; 4] = [
    "\0addr = \"127.0.0.1:8000\"\nin-memory = true\ntable-delay = \"2s\"\nlog-level = \"debug\"\n",
    "\0data = 'x'\nindex-lag = 5\n",
    "\x01[[credential]]\naccess-key = \"a\"\nsecret-key = \"b\"\naccount = \"000000000000\"\nexpires = 2026-01-01T00:00:00Z\n",
    "\x01[default]\naws_access_key_id = a\naws_secret_access_key = b\n# c\n[profile d]\n  aws_session_token = e\n",
];

fn make() -> Run {
    let path = std::env::temp_dir().join(format!("hashrange-fuzz-config-{}", std::process::id()));
    let flags = BTreeMap::from([("config".to_owned(), path.to_string_lossy().into_owned())]);
    Box::new(move |input| run(input, &path, &flags))
}

fn run(input: &[u8], path: &PathBuf, flags: &BTreeMap<String, String>) {
    let Some((first, text)) = input.split_first() else { return };
    if fs::write(path, text).is_err() {
        return;
    }
    let complaint = if first & 1 == 0 {
        config::resolve(flags, &BTreeMap::new()).err()
    } else {
        Keyring::open(path).err()
    };
    if let Some(complaint) = complaint {
        assert!(!complaint.contains('\n'), "a complaint has one line: {complaint:?}");
    }
}

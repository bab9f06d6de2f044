//! The page `docs/configuration.md`, written from the table of settings.

#![cfg(test)]

use std::fmt::Write;

use super::table::KEYS;

const HEAD: &str = "\
# Configuration

<!-- Generated from the table of settings: `UPDATE_EXPECT=1 cargo test -p hashrange configuration` writes it. -->

`hashrange serve` takes every setting as a flag, as an environment variable and as a key of a TOML file. One rule
gives the three names: the flag `--table-delay` is the variable `HASHRANGE_TABLE_DELAY` and the key `table-delay`.

A flag wins over a variable, a variable over the file, the file over the default. An empty variable counts as not
set. The file is named with `--config FILE` or `HASHRANGE_CONFIG`; without either no file is read. A key that the
file has and this page has not is an error, so that a misspelling cannot pass in silence.

```toml
# hashrange.toml
addr = \"127.0.0.1:8000\"
data = \"/var/lib/hashrange\"
log-format = \"json\"
```

";

/// The whole page.
pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for key in KEYS {
        let bounds = key.bounds();
        let bounds = if bounds.is_empty() { bounds } else { format!(" Allowed: {bounds}.") };
        write!(
            page,
            "## `{}`\n\n{} Default: `{}`.{bounds}\n\n| flag | variable | file |\n|---|---|---|\n| `--{} {}` | `{}` | `{}` |\n\n",
            key.name,
            key.doc,
            key.default,
            key.name,
            key.placeholder,
            key.variable(),
            key.name
        )
        .expect("a String takes any text");
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

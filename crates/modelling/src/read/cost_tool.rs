//! The input of the cost tool: `access_pattern_list` and `table_list`, only sizes and rates.

use super::create_table::empty;
use super::fields::{Fields, Shape};
use super::log::Log;
use super::node::Node;
use super::own::pattern::{OPERATIONS, unknown};
use super::own::required;
use crate::catalogue::{Catalogue, Index, IndexKind, Keys, Pattern, Projection, States, Table};

const FILE: Shape = Shape { name: "cost model", keys: &["access_pattern_list", "table_list"] };

const TABLE: Shape = Shape { name: "table", keys: &["name", "item_count", "item_size_bytes", "gsi_list"] };

const INDEX: Shape = Shape { name: "index", keys: &["name", "item_count", "item_size_bytes"] };

const PATTERN: Shape = Shape {
    name: "access pattern",
    keys: &[
        "operation",
        "pattern",
        "description",
        "table",
        "rps",
        "item_size_bytes",
        "item_count",
        "strongly_consistent",
        "gsi",
        "gsi_list",
    ],
};

/// Only sizes and rates: not even keys.
const STATES: States = States {
    requests: false,
    local_indexes: false,
    ttl: false,
    settings: false,
    rates: true,
    declarations: false,
};

/// Reads a file.
pub fn read(root: &Node, log: &mut Log) -> Catalogue {
    let mut catalogue = Catalogue { states: STATES, ..Catalogue::default() };
    let Some(fields) = Fields::open(root, &FILE, log) else { return catalogue };
    catalogue.tables = fields.list("table_list", log).iter().filter_map(|node| table(node, log)).collect();
    for node in fields.list("access_pattern_list", log) {
        let pattern = pattern(node, &catalogue, log);
        catalogue.patterns.extend(pattern);
    }
    catalogue
}

fn table(node: &Node, log: &mut Log) -> Option<Table> {
    let fields = Fields::open(node, &TABLE, log)?;
    let mut table = Table { name: required(&fields, "name", &TABLE, log)?, ..Table::default() };
    table.item_count = fields.number("item_count", log);
    table.item_bytes = fields.number("item_size_bytes", log);
    for node in fields.list("gsi_list", log) {
        let index = index(node, &table, log);
        table.indexes.extend(index);
    }
    Some(table)
}

fn index(node: &Node, table: &Table, log: &mut Log) -> Option<Index> {
    let fields = Fields::open(node, &INDEX, log)?;
    let name = required(&fields, "name", &INDEX, log)?;
    let mut index = empty(name, IndexKind::Global, Keys::default(), Projection::All);
    index.entry_bytes = fields.number("item_size_bytes", log);
    index.entry_count = fields.number("item_count", log);
    if index.entry_bytes > table.item_bytes && table.item_bytes.is_some() {
        log.note(
            node.mark,
            format!("entries of index {} are larger than the items of {}", index.name, table.name),
        );
    }
    Some(index)
}

fn pattern(node: &Node, catalogue: &Catalogue, log: &mut Log) -> Option<Pattern> {
    let fields = Fields::open(node, &PATTERN, log)?;
    let id = required(&fields, "pattern", &PATTERN, log)?;
    let name = fields.text("description", log).unwrap_or_else(|| id.clone());
    let mut pattern = Pattern { id, name, ..Pattern::default() };
    pattern.operation = fields.choice("operation", &OPERATIONS, log);
    pattern.table = fields.text("table", log);
    pattern.index = fields.text("gsi", log);
    pattern.peak_rps = fields.number("rps", log);
    pattern.avg_rps = pattern.peak_rps;
    pattern.item_bytes = fields.number_in("item_size_bytes", 1.0, 409_600.0, log);
    pattern.items = fields.number("item_count", log).or(Some(1.0));
    pattern.strong = fields.flag("strongly_consistent", log);
    if let (Some(name), Some(node)) = (&pattern.table, fields.get("table"))
        && catalogue.table(name).is_none()
    {
        let names: Vec<&str> = catalogue.tables.iter().map(|table| table.name.as_str()).collect();
        unknown("table", name, &names, node, log);
    }
    Some(pattern)
}

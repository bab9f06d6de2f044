//! What DescribeTable counts, counted again.

use hashrange_api::TableDescription;

use super::table::{Table, totals};

/// Items and bytes of a table or an index, by name.
type Count = (String, Option<i64>, Option<i64>);

/// What the description counts is what the table holds.
pub fn check_counts(described: &TableDescription, table: &Table) -> Result<(), String> {
    let mut got = vec![("table".to_owned(), described.item_count, described.table_size_bytes)];
    for index in described.local_secondary_indexes.iter().flatten() {
        got.push((index.index_name.clone().unwrap_or_default(), index.item_count, index.index_size_bytes));
    }
    for index in described.global_secondary_indexes.iter().flatten() {
        got.push((index.index_name.clone().unwrap_or_default(), index.item_count, index.index_size_bytes));
    }
    got.sort();
    let expected = recount(table);
    if got == expected {
        Ok(())
    } else {
        Err(format!("DescribeTable counts {got:?}, recounted {expected:?}"))
    }
}

fn recount(table: &Table) -> Vec<Count> {
    let count = |name: &str, (count, bytes): (i64, i64)| (name.to_owned(), Some(count), Some(bytes));
    let mut counts = vec![count("table", totals(&table.entries(None)))];
    let indexes = table.spec.indexes.iter();
    counts.extend(indexes.map(|index| count(&index.name, totals(&table.entries(Some(index))))));
    counts.sort();
    counts
}

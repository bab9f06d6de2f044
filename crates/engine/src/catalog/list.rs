//! `ListTables`.

use std::ops::Bound;

use hashrange_api::{ListTablesInput, ListTablesOutput};
use hashrange_item::limits;

use super::Catalog;
use super::table::Scope;

impl Catalog {
    /// Names in order of their bytes, those on their way out included.
    pub(super) fn list(&self, scope: &Scope, input: &ListTablesInput) -> ListTablesOutput {
        let limit =
            input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(limits::LIST_TABLES_MAX);
        let start = input.exclusive_start_table_name.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let moment = self.moment();
        let tables = self.tables.read();
        let after = tables.get(scope).map(|tables| tables.range::<str, _>((start, Bound::Unbounded)));
        let present = after.into_iter().flatten().filter(|(_, table)| !table.row.is_gone(moment));
        let mut names: Vec<String> = present.map(|(name, _)| name.clone()).take(limit + 1).collect();
        let more = names.len() > limit;
        names.truncate(limit);
        let last_evaluated_table_name = names.last().filter(|_| more).cloned();
        ListTablesOutput { last_evaluated_table_name, table_names: Some(names) }
    }
}

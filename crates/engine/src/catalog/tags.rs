//! `TagResource`, `UntagResource`, `ListTagsOfResource`.

use std::sync::Arc;

use hashrange_api::message::tables as text;
use hashrange_api::{
    Error, ListTagsOfResourceInput, ListTagsOfResourceOutput, TableStatus, Tag, TagResourceInput,
    TagResourceOutput, UntagResourceInput, UntagResourceOutput,
};
use hashrange_item::limits;

use super::row::{TableRow, TagRow};
use super::table::{Scope, Table};
use super::{Catalog, Change, names};

impl Catalog {
    pub(super) async fn tag(
        &self,
        scope: &Scope,
        input: TagResourceInput,
    ) -> Result<TagResourceOutput, Error> {
        let table = self.tagged(scope, &input.resource_arn)?;
        self.check_taggable(&table)?;
        self.change(&table, |row| {
            let mut row = row.clone();
            input.tags.iter().for_each(|tag| put(&mut row, tag));
            if row.tags.len() > limits::TAGS_MAX {
                return Err(Error::validation(text::too_many_tags()));
            }
            Ok(Change::Replace(Box::new(row), ()))
        })
        .await?;
        Ok(TagResourceOutput {})
    }

    pub(super) async fn untag(
        &self,
        scope: &Scope,
        input: &UntagResourceInput,
    ) -> Result<UntagResourceOutput, Error> {
        let table = self.tagged(scope, &input.resource_arn)?;
        self.check_taggable(&table)?;
        self.change(&table, |row| {
            let mut row = row.clone();
            let before = row.tags.len();
            row.tags.retain(|tag| !input.tag_keys.contains(&tag.key));
            let changed = row.tags.len() != before;
            Ok(if changed { Change::Replace(Box::new(row), ()) } else { Change::Keep(()) })
        })
        .await?;
        Ok(UntagResourceOutput {})
    }

    /// All tags come on one page: there are at most 50.
    pub(super) fn list_tags(
        &self,
        scope: &Scope,
        input: &ListTagsOfResourceInput,
    ) -> Result<ListTagsOfResourceOutput, Error> {
        if input.next_token.is_some() {
            return Err(Error::validation(text::next_token_invalid()));
        }
        let arn = &input.resource_arn;
        let name = names::resolve_resource(scope, arn)?;
        let moment = self.moment();
        let Some(table) = self.get(scope, name).filter(|table| !table.row.is_gone(moment)) else {
            return Err(Error::access_denied(text::not_authorized_to_list_tags(&scope.account, arn)));
        };
        if table.row.status(moment) == TableStatus::Creating {
            return Err(names::resource_not_found(arn));
        }
        let tags = table.tags().map(|(key, value)| Tag { key: key.to_owned(), value: value.to_owned() });
        Ok(ListTagsOfResourceOutput { next_token: None, tags: Some(tags.collect()) })
    }

    /// The table of a resource ARN.
    fn tagged(&self, scope: &Scope, arn: &str) -> Result<Arc<Table>, Error> {
        let name = names::resolve_resource(scope, arn)?;
        let moment = self.moment();
        self.get(scope, name)
            .filter(|table| !table.row.is_gone(moment))
            .ok_or_else(|| names::resource_not_found(arn))
    }

    /// Tags of a table in creation or on its way out do not change.
    fn check_taggable(&self, table: &Table) -> Result<(), Error> {
        match table.row.status(self.moment()) {
            TableStatus::Creating => Err(Error::resource_in_use(text::being_created(&table.name))),
            TableStatus::Deleting => Err(Error::resource_in_use(text::being_deleted(&table.name))),
            _ => Ok(()),
        }
    }
}

/// Adds a tag, or changes its value.
fn put(row: &mut TableRow, tag: &Tag) {
    match row.tags.iter_mut().find(|known| known.key == tag.key) {
        Some(known) => known.value.clone_from(&tag.value),
        None => row.tags.push(TagRow { key: tag.key.clone(), value: tag.value.clone() }),
    }
}

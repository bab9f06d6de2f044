//! Index definitions.

use std::collections::BTreeSet;

use hashrange_api::message::tables as text;
use hashrange_api::{
    CreateTableInput, Error, GlobalSecondaryIndex, KeySchemaElement, LocalSecondaryIndex, Projection,
    ProjectionType,
};
use hashrange_item::limits;

use super::{keys, refuse};

/// Checks the indexes of a new table.
pub(super) fn create(
    input: &CreateTableInput,
    key: &[KeySchemaElement],
    definitions: &keys::Definitions<'_>,
) -> Result<(), Error> {
    not_empty("LocalSecondaryIndexes", input.local_secondary_indexes.as_deref())?;
    not_empty("GlobalSecondaryIndexes", input.global_secondary_indexes.as_deref())?;
    let locals = input.local_secondary_indexes.as_deref().unwrap_or_default();
    let globals = input.global_secondary_indexes.as_deref().unwrap_or_default();
    if !locals.is_empty() && key.len() < 2 {
        return refuse(text::table_without_range());
    }
    let local_keys = locals.iter().map(|index| index.key_schema.as_slice());
    let global_keys = globals.iter().map(|index| index.key_schema.as_slice());
    let index_keys: Vec<&[KeySchemaElement]> = local_keys.chain(global_keys).collect();
    index_keys.iter().try_for_each(|key| keys::defined(key, definitions))?;
    keys::used(key, &index_keys, definitions)?;
    locals.iter().try_for_each(|index| local(index, key))?;
    globals.iter().try_for_each(|index| global(&index.key_schema, &index.projection))?;
    distinct(locals, globals)?;
    counts(locals, globals)
}

fn not_empty<T>(list: &str, indexes: Option<&[T]>) -> Result<(), Error> {
    if indexes.is_some_and(<[T]>::is_empty) { refuse(text::list_is_empty(list)) } else { Ok(()) }
}

fn local(index: &LocalSecondaryIndex, table_key: &[KeySchemaElement]) -> Result<(), Error> {
    keys::pair(&index.key_schema)?;
    if index.key_schema.len() < 2 {
        return refuse(text::index_without_range(&index.index_name));
    }
    let (hash, table_hash) = (&index.key_schema[0].attribute_name, &table_key[0].attribute_name);
    if hash != table_hash {
        return refuse(text::index_on_other_hash(&index.index_name, hash, table_hash));
    }
    projection(&index.projection)
}

/// Checks key and projection of a global index.
pub(super) fn global(key: &[KeySchemaElement], projected: &Projection) -> Result<(), Error> {
    keys::several(key)?;
    projection(projected)
}

fn projection(projection: &Projection) -> Result<(), Error> {
    let names = projection.non_key_attributes.as_deref();
    match projection.projection_type {
        None => refuse(text::projection_without_type()),
        Some(ProjectionType::Include) => {
            let names = names.filter(|names| !names.is_empty());
            names.map_or_else(|| refuse(text::projection_without_names()), distinct_names)
        }
        Some(other) if names.is_some() => refuse(text::projection_with_names(other.as_str())),
        Some(_) => Ok(()),
    }
}

fn distinct_names(names: &[String]) -> Result<(), Error> {
    match names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        Some((_, name)) => refuse(text::projection_names_twice(name)),
        None => Ok(()),
    }
}

/// Indexes of both sorts share one name space.
fn distinct(locals: &[LocalSecondaryIndex], globals: &[GlobalSecondaryIndex]) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    let locals = locals.iter().map(|index| &index.index_name);
    let mut names = locals.chain(globals.iter().map(|index| &index.index_name));
    match names.find(|name| !seen.insert(*name)) {
        Some(name) => refuse(text::duplicate_index(name)),
        None => Ok(()),
    }
}

fn counts(locals: &[LocalSecondaryIndex], globals: &[GlobalSecondaryIndex]) -> Result<(), Error> {
    if locals.len() > limits::LOCAL_INDEXES_MAX {
        return refuse(text::too_many_locals(limits::LOCAL_INDEXES_MAX));
    }
    if globals.len() > limits::GLOBAL_INDEXES_MAX {
        return refuse(text::too_many_globals(limits::GLOBAL_INDEXES_MAX));
    }
    let projections = locals.iter().map(|index| &index.projection);
    let projections = projections.chain(globals.iter().map(|index| &index.projection));
    let projected: usize =
        projections.map(|projection| projection.non_key_attributes.as_ref().map_or(0, Vec::len)).sum();
    if projected > limits::PROJECTED_ATTRIBUTES_MAX {
        return refuse(text::too_many_projected(limits::PROJECTED_ATTRIBUTES_MAX));
    }
    Ok(())
}

//! `CreateTable`.

use hashrange_api::message::tables as text;
use hashrange_api::{AttributeDefinition, CreateTableInput, Error, KeySchemaElement};

use super::{indexes, keys, refuse, settings, tags, throughput};
use crate::catalog::names;

/// Checks a `CreateTable`.
pub(in crate::catalog) fn create(input: &CreateTableInput) -> Result<(), Error> {
    names::check(&input.table_name)?;
    let (key, definitions) = constraints(input)?;
    unsupported(input)?;
    throughput::create(input)?;
    keys::table(key, definitions)?;
    indexes::create(input, key, definitions)?;
    throughput::create_details(input)?;
    settings::stream_of_new_table(input.stream_specification.as_ref())?;
    settings::encryption(input.sse_specification.as_ref())?;
    settings::policy(input.resource_policy.as_deref())?;
    tags::new(input.tags.as_deref().unwrap_or_default())
}

/// Constraints that AWS reports like those of the model, though the model does not carry them.
fn constraints(input: &CreateTableInput) -> Result<(&[KeySchemaElement], &[AttributeDefinition]), Error> {
    let mut broken = Vec::new();
    match &input.key_schema {
        None => broken.push(text::value_is_null("keySchema")),
        Some(key) => keys::at_most_two(key, "keySchema", &mut broken),
    }
    if input.attribute_definitions.is_none() {
        broken.push(text::value_is_null("attributeDefinitions"));
    }
    for (position, index) in input.local_secondary_indexes.iter().flatten().enumerate() {
        let member = format!("localSecondaryIndexes.{}.member.keySchema", position + 1);
        keys::at_most_two(&index.key_schema, &member, &mut broken);
    }
    match (&input.key_schema, &input.attribute_definitions) {
        (Some(key), Some(definitions)) if broken.is_empty() => Ok((key, definitions)),
        _ => refuse(text::constraints(&broken)),
    }
}

/// What is not built yet is refused, rather than taken and ignored.
fn unsupported(input: &CreateTableInput) -> Result<(), Error> {
    let members = [
        ("VectorIndexes", input.vector_indexes.is_some()),
        ("GlobalTableSourceArn", input.global_table_source_arn.is_some()),
        ("GlobalTableSettingsReplicationMode", input.global_table_settings_replication_mode.is_some()),
    ];
    super::update::refuse_members(&members)
}

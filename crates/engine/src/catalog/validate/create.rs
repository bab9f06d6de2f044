//! `CreateTable`.

use hashrange_api::message::tables as text;
use hashrange_api::{AttributeDefinition, CreateTableInput, Error, KeySchemaElement};

use super::{indexes, keys, refuse, settings, tags, throughput};
use crate::catalog::names;

/// Checks a `CreateTable`.
pub(in crate::catalog) fn create(input: &CreateTableInput) -> Result<(), Error> {
    names::check(&input.table_name)?;
    let (key, definitions) = required(input)?;
    unsupported(input)?;
    throughput::create(input)?;
    let definitions = keys::Definitions::new(definitions)?;
    keys::table(key, &definitions)?;
    indexes::create(input, key, &definitions)?;
    throughput::create_details(input)?;
    settings::stream_of_new_table(input.stream_specification.as_ref())?;
    settings::encryption(input.sse_specification.as_ref())?;
    settings::policy(input.resource_policy.as_deref())?;
    tags::new(input.tags.as_deref().unwrap_or_default())
}

/// Members that AWS requires like those of the model, though the model does not.
fn required(input: &CreateTableInput) -> Result<(&[KeySchemaElement], &[AttributeDefinition]), Error> {
    if let (Some(key), Some(definitions)) = (&input.key_schema, &input.attribute_definitions) {
        return Ok((key, definitions));
    }
    let members = [
        ("keySchema", input.key_schema.is_none()),
        ("attributeDefinitions", input.attribute_definitions.is_none()),
    ];
    let absent = members.into_iter().filter(|(_, absent)| *absent);
    let broken: Vec<String> = absent.map(|(member, _)| text::value_is_null(member)).collect();
    refuse(text::constraints(&broken))
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

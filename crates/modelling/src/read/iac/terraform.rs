//! Terraform: tables and what stands beside them, from a plan, a state or the language itself.
//!
//! Messages name addresses and arguments, never values: plans and states hold secrets in clear.

use crate::catalogue::{Consistency, KeyType, Table};
use crate::read::Input;
use crate::read::node::{Mark, Node};
use crate::read::value::dynamo_item;

use super::context::Context;
use super::scaling::{self, Policy, Scaled, Target};
use super::settings;
use super::tree::{Tree, Value};

pub(super) mod hcl;
pub(super) mod plan;
mod table;

/// What to do where the language alone does not tell.
pub(super) const PLAN: &str =
    "run \"terraform plan -out p && terraform show -json p > plan.json\" and read plan.json instead";

/// A managed resource, its arguments known as far as they are.
#[derive(Debug)]
pub(super) struct Resource {
    /// Which of the inputs it is in.
    pub(super) input: usize,
    /// `module.a.aws_dynamodb_table.orders["eu"]`.
    pub(super) address: String,
    /// The type: `aws_dynamodb_table`.
    pub(super) kind: String,
    /// The name in the file: `orders`.
    pub(super) name: String,
    /// Arguments; blocks are lists of maps.
    pub(super) values: Tree,
    /// Addresses that arguments refer to, by argument, without indexes.
    pub(super) references: Vec<(String, String)>,
    /// The region of its provider, where the file tells it.
    pub(super) region: Option<String>,
}

/// The types of resources that say something of tables.
pub(super) fn is_wanted(kind: &str) -> bool {
    matches!(
        kind,
        "aws_dynamodb_table"
            | "aws_dynamodb_global_secondary_index"
            | "aws_dynamodb_vector_index"
            | "aws_dynamodb_table_replica"
            | "aws_dynamodb_table_item"
            | "aws_dynamodb_kinesis_streaming_destination"
            | "aws_dynamodb_contributor_insights"
            | "aws_dynamodb_resource_policy"
            | "aws_appautoscaling_target"
            | "aws_appautoscaling_policy"
            | "aws_lambda_event_source_mapping"
    )
}

/// A table and the address of its resource.
struct Made {
    address: String,
    table: Table,
}

/// The tables of resources, with all that stands beside them.
pub(super) fn tables(resources: &[Resource], inputs: &mut [Input<'_>]) -> Vec<Table> {
    let declared: Vec<&Resource> =
        resources.iter().filter(|resource| resource.kind == "aws_dynamodb_table").collect();
    let mut made = Vec::new();
    for resource in &declared {
        let unique = declared.iter().filter(|other| other.name == resource.name).count() == 1;
        let id = if unique { &resource.name } else { &resource.address };
        let mut context = Context { log: &mut inputs[resource.input].log };
        let table = table::table(&mut context, resource, id);
        made.push(Made { address: resource.address.clone(), table });
    }
    for resource in resources {
        let mut context = Context { log: &mut inputs[resource.input].log };
        beside(&mut context, resource, &mut made);
    }
    let mut tables: Vec<Table> = made.into_iter().map(|made| made.table).collect();
    scale(resources, inputs, &mut tables);
    tables
}

/// Adds what a resource says of a table that another resource makes.
fn beside(context: &mut Context<'_>, resource: &Resource, made: &mut [Made]) {
    let argument = match resource.kind.as_str() {
        "aws_dynamodb_global_secondary_index"
        | "aws_dynamodb_vector_index"
        | "aws_dynamodb_table_item"
        | "aws_dynamodb_kinesis_streaming_destination"
        | "aws_dynamodb_contributor_insights" => "table_name",
        "aws_dynamodb_resource_policy" => "resource_arn",
        "aws_dynamodb_table_replica" => "global_table_arn",
        "aws_lambda_event_source_mapping" => "event_source_arn",
        _ => return,
    };
    let Some(table) = owner(resource, argument, made) else {
        if argument != "event_source_arn" {
            let message =
                format!("{} belongs to a table that is not in the file, and is left out", resource.address);
            context.note(resource.values.mark, message);
        }
        return;
    };
    match resource.kind.as_str() {
        "aws_dynamodb_global_secondary_index" => table::separate_index(context, &resource.values, table),
        "aws_dynamodb_vector_index" => table::vector_index(context, &resource.values, table),
        "aws_dynamodb_table_item" => sample(context, resource, table),
        "aws_dynamodb_table_replica" => replica(context, resource, table),
        "aws_dynamodb_kinesis_streaming_destination" => table::kinesis(context, &resource.values, table),
        "aws_dynamodb_contributor_insights" => table::insights(context, &resource.values, table),
        "aws_dynamodb_resource_policy" => resource_policy(context, &resource.values, table),
        _ => table.stream_consumers = Some(table.stream_consumers.unwrap_or(0).saturating_add(1)),
    }
}

/// The table that an argument names: by its name, its ARN, or a reference to its resource.
fn owner<'m>(resource: &Resource, argument: &str, made: &'m mut [Made]) -> Option<&'m mut Table> {
    let text = resource.values.get(argument).and_then(Tree::as_text);
    let name = text.map(|text| {
        text.split_once(":table/").map_or(text, |(_, rest)| rest.split('/').next().unwrap_or(rest))
    });
    if let Some(name) = name {
        return made.iter_mut().map(|made| &mut made.table).find(|table| table.name == name);
    }
    let referred = resource.references.iter().filter(|(name, _)| name == argument);
    let addresses: Vec<&str> = referred.map(|(_, address)| address.as_str()).collect();
    let found =
        made.iter().position(|made| addresses.contains(&plan::without_indexes(&made.address).as_str()))?;
    Some(&mut made[found].table)
}

/// `aws_dynamodb_table_item`: its item is DynamoDB's JSON in a string.
fn sample(context: &mut Context<'_>, resource: &Resource, table: &mut Table) {
    let Some(item) = resource.values.get("item") else { return };
    let Some(text) = item.as_text() else {
        context.note(item.mark, format!("the item of {} is not known, and is left out", resource.address));
        return;
    };
    let mut log = crate::read::Log::new("");
    let parsed = Node::parse(text).ok().and_then(|node| dynamo_item(&node, &mut log));
    match parsed {
        Some(attributes) if log.problems.is_empty() => table.samples.push(attributes),
        _ => context
            .problem(item.mark, format!("the item of {} is no item in DynamoDB's JSON", resource.address)),
    }
}

/// `aws_dynamodb_resource_policy`: of the table; one of its stream is left out.
fn resource_policy(context: &mut Context<'_>, values: &Tree, table: &mut Table) {
    let arn = values.get("resource_arn").and_then(Tree::as_text).unwrap_or_default();
    if arn.contains("/stream/") {
        return context.note(values.mark, format!("the policy of the stream of {} is not read", table.name));
    }
    table.policy = settings::policy(context, values.get("policy"));
}

fn replica(context: &mut Context<'_>, resource: &Resource, table: &mut Table) {
    let region = resource.values.get("region").and_then(Tree::scalar).or_else(|| resource.region.clone());
    let Some(region) = region else {
        context.note(
            resource.values.mark,
            format!("the region of {} is not known, and is left out", resource.address),
        );
        return;
    };
    table.replicas.push(region);
    table.replica_consistency = table.replica_consistency.or(Some(Consistency::Eventual));
}

/// Gives tables their scaling. A policy may be in another file than its target.
fn scale(resources: &[Resource], inputs: &mut [Input<'_>], tables: &mut [Table]) {
    let mut policies = Vec::new();
    for resource in resources.iter().filter(|resource| resource.kind == "aws_appautoscaling_policy") {
        policies.extend(policy(&mut Context { log: &mut inputs[resource.input].log }, resource));
    }
    for (at, input) in inputs.iter_mut().enumerate() {
        let mut context = Context { log: &mut input.log };
        let own = resources.iter().filter(|resource| resource.input == at);
        let targets: Vec<Target> = own
            .filter(|resource| resource.kind == "aws_appautoscaling_target")
            .filter_map(|resource| target(&mut context, resource))
            .collect();
        scaling::attach(&mut context, tables, &targets, &policies);
    }
}

fn scaled(values: &Tree) -> Option<Scaled> {
    let dimension = values.get("scalable_dimension").and_then(Tree::scalar)?;
    let resource_id = values.get("resource_id").and_then(Tree::scalar)?;
    Some(Scaled { resource_id, dimension })
}

fn target(context: &mut Context<'_>, resource: &Resource) -> Option<Target> {
    let values = &resource.values;
    let is_table = values
        .get("scalable_dimension")
        .and_then(Tree::as_text)
        .is_some_and(|text| text.starts_with("dynamodb:"));
    let Some(scaled) = scaled(values) else {
        if is_table {
            context.note(values.mark, format!("what {} scales is not known", resource.address));
        }
        return None;
    };
    Some(Target {
        id: resource.address.clone(),
        mark: values.mark,
        scaled,
        min: is_table.then(|| context.number(values.get("min_capacity"), "min_capacity")).flatten(),
        max: is_table.then(|| context.number(values.get("max_capacity"), "max_capacity")).flatten(),
    })
}

fn policy(context: &mut Context<'_>, resource: &Resource) -> Option<Policy> {
    let tracking = block(&resource.values, "target_tracking_scaling_policy_configuration")?;
    let references = resource.references.iter().filter(|(name, _)| name == "resource_id");
    Some(Policy {
        mark: resource.values.mark,
        target: references.map(|(_, address)| address.clone()).next(),
        scaled: scaled(&resource.values),
        utilisation: context.number(tracking.get("target_value"), "target_value"),
        disable_scale_in: context.flag(tracking.get("disable_scale_in"), "disable_scale_in").unwrap_or(false),
    })
}

/// The first block of that name, or the map that an attribute of that name holds.
fn block<'t>(values: &'t Tree, name: &str) -> Option<&'t Tree> {
    let node = values.get(name)?;
    match &node.value {
        Value::List(blocks) => blocks.first(),
        _ => Some(node),
    }
}

/// An argument that is there: null and the empty string mean that it is not.
fn argument<'t>(values: &'t Tree, name: &str) -> Option<&'t Tree> {
    values.get(name).filter(|node| node.as_text() != Some(""))
}

/// `S`, `N` or `B` of an argument of the index's own.
fn typed(context: &mut Context<'_>, node: &Tree, mark: Mark) -> Option<KeyType> {
    super::aws::key_type(context, node.as_text().unwrap_or_default(), mark)
}

//! CloudFormation templates: tables of three resource types, and what stands beside them.

use std::collections::BTreeMap;

use crate::catalogue::{Resource, Table};
use crate::read::log::Log;

use super::context::Context;
use super::evaluate::{Evaluator, is_table, transforms};
use super::scaling::{self, Policy, Scaled, Target};
use super::tree::{Tree, Value};

mod global;
mod simple;
mod table;

/// Transforms that need no note: their work is done here, or touches no table.
const TRANSFORMS: [&str; 4] = [
    "AWS::Serverless-2016-10-31",
    "AWS::LanguageExtensions",
    "AWS::SecretsManager-2020-07-23",
    "AWS::CodeDeployBlueGreen",
];

/// The tables of a template, with the parameters that were given by name.
pub(super) fn tables(template: &Tree, given: &BTreeMap<String, String>, log: &mut Log) -> Vec<Table> {
    let mut context = Context { log };
    for name in transforms(template).into_iter().filter(|name| !TRANSFORMS.contains(name)) {
        context
            .note(template.mark, format!("macro {name} is not run: the template is read as it is written"));
    }
    let evaluator = Evaluator::new(template, given);
    let globals = template.at(&["Globals", "SimpleTable"]).and_then(|globals| evaluator.evaluate(globals));
    let mut reading = Reading { evaluator: &evaluator, globals, context: &mut context };
    let mut tables = reading.tables();
    reading.beside(&mut tables);
    for (mark, message) in evaluator.assumed.borrow_mut().drain(..) {
        context.note(mark, message);
    }
    if evaluator.is_exhausted() {
        context.problem(
            template.mark,
            "the template takes too much work to evaluate: it loops or refers without end",
        );
    }
    tables
}

struct Reading<'r, 'l> {
    evaluator: &'r Evaluator<'r>,
    globals: Option<Tree>,
    context: &'r mut Context<'l>,
}

impl Reading<'_, '_> {
    fn tables(&mut self) -> Vec<Table> {
        let evaluator = self.evaluator;
        let resources = evaluator.resources.iter().filter(|(_, resource)| is_table(resource));
        resources.filter_map(|(id, resource)| self.table(id, resource)).collect()
    }

    /// Whether a resource is made. An open condition counts as yes.
    fn is_made(&mut self, id: &str, resource: &Tree) -> bool {
        let Some(condition) = resource.get("Condition") else { return true };
        match self.evaluator.holds(condition.as_text().unwrap_or_default()) {
            Ok(holds) => holds,
            Err(why) => {
                self.context.note(
                    condition.mark,
                    format!("{id} is taken as made, though its condition is open: {why}"),
                );
                true
            }
        }
    }

    fn table(&mut self, id: &str, resource: &Tree) -> Option<Table> {
        if !self.is_made(id, resource) {
            return None;
        }
        let nothing = Tree::new(resource.mark, Value::Map(Vec::new()));
        let properties = self.evaluator.evaluate(resource.get("Properties").unwrap_or(&nothing))?;
        if let Some(why) = properties.why_unknown() {
            self.context.problem(properties.mark, format!("the properties of {id} are not known: {why}"));
            return None;
        }
        let kind = resource.get("Type").and_then(Tree::as_text).unwrap_or_default();
        let resource = Resource::ALL.into_iter().find(|one| one.name() == kind).unwrap_or(Resource::Table);
        let mut table = match resource {
            Resource::GlobalTable => self.global(id, &properties),
            Resource::SimpleTable => self.simple(&properties),
            Resource::Table => self.plain(&properties),
        };
        table.resource = Some(resource);
        table.name = self.table_name(id, &properties);
        table.logical_id = Some(id.to_owned());
        Some(table)
    }

    /// The name, or the logical id where the deployment makes one or the template does not tell it.
    fn table_name(&mut self, id: &str, properties: &Tree) -> String {
        let Some(node) = properties.get("TableName") else { return id.to_owned() };
        if let Some(why) = node.why_unknown() {
            self.context
                .note(node.mark, format!("the name of table {id} is not known, so it is called {id}: {why}"));
            return id.to_owned();
        }
        for stand_in in ["AWS::StackName", "AWS::AccountId", "AWS::StackId"] {
            if !self.evaluator.is_given(stand_in) && self.names(id, stand_in) {
                let message = format!(
                    "the name of table {id} has a stand-in for {stand_in}; give --parameter {stand_in}=VALUE"
                );
                self.context.note(node.mark, message);
            }
        }
        self.context.text(Some(node), "TableName").unwrap_or_else(|| id.to_owned())
    }

    /// Whether the name of a table is made with a parameter.
    fn names(&self, id: &str, parameter: &str) -> bool {
        let resource = self.evaluator.resource(id);
        resource
            .and_then(|resource| resource.at(&["Properties", "TableName"]))
            .is_some_and(|name| mentions(name, parameter))
    }

    /// Scaling, replicas and consumers of streams, which are resources of their own.
    fn beside(&mut self, tables: &mut [Table]) {
        let evaluator = self.evaluator;
        let (mut targets, mut policies) = (Vec::new(), Vec::new());
        for (id, resource) in &evaluator.resources {
            let kind = resource.get("Type").and_then(Tree::as_text).unwrap_or_default();
            let wanted = matches!(
                kind,
                "AWS::ApplicationAutoScaling::ScalableTarget"
                    | "AWS::ApplicationAutoScaling::ScalingPolicy"
                    | "AWS::Lambda::EventSourceMapping"
                    | "AWS::Serverless::Function"
                    | "Custom::DynamoDBReplica"
            );
            if let Some(message) = elsewhere(id, kind) {
                self.context.note(resource.mark, message);
            }
            if !wanted || !self.is_made(id, resource) {
                continue;
            }
            let Some(properties) = resource.get("Properties").and_then(|node| evaluator.evaluate(node))
            else {
                continue;
            };
            match kind {
                "AWS::ApplicationAutoScaling::ScalableTarget" => targets.extend(self.target(id, &properties)),
                "AWS::ApplicationAutoScaling::ScalingPolicy" => policies.extend(self.policy(&properties)),
                "Custom::DynamoDBReplica" => self.replica(&properties, tables),
                _ => consumers(&properties, tables),
            }
        }
        scaling::attach(self.context, tables, &targets, &policies);
    }

    fn target(&mut self, id: &str, properties: &Tree) -> Option<Target> {
        let scaled = self.scaled(properties)?;
        Some(Target {
            id: id.to_owned(),
            mark: properties.mark,
            scaled,
            min: self.context.number(properties.get("MinCapacity"), "MinCapacity"),
            max: self.context.number(properties.get("MaxCapacity"), "MaxCapacity"),
        })
    }

    fn scaled(&mut self, properties: &Tree) -> Option<Scaled> {
        let dimension = properties.get("ScalableDimension").and_then(Tree::scalar)?;
        if !dimension.starts_with("dynamodb:") {
            return None;
        }
        let resource_id = self.context.text(properties.get("ResourceId"), "ResourceId")?;
        Some(Scaled { resource_id, dimension })
    }

    fn policy(&mut self, properties: &Tree) -> Option<Policy> {
        let tracking = properties.get("TargetTrackingScalingPolicyConfiguration")?;
        Some(Policy {
            mark: properties.mark,
            target: properties.get("ScalingTargetId").and_then(Tree::scalar),
            scaled: self.scaled(properties),
            utilisation: self.context.number(tracking.get("TargetValue"), "TargetValue"),
            disable_scale_in: self
                .context
                .flag(tracking.get("DisableScaleIn"), "DisableScaleIn")
                .unwrap_or(false),
        })
    }

    /// A replica that the CDK makes through a function of its own.
    fn replica(&mut self, properties: &Tree, tables: &mut [Table]) {
        let name = properties.get("TableName").and_then(Tree::scalar);
        let region = self.context.text(properties.get("Region"), "Region");
        let table = tables.iter_mut().find(|table| Some(&table.name) == name.as_ref());
        if let (Some(table), Some(region)) = (table, region) {
            table.replicas.push(region);
            table.replica_consistency = Some(crate::catalogue::Consistency::Eventual);
        }
    }
}

/// Whether a text of a tree has these letters.
fn mentions(tree: &Tree, letters: &str) -> bool {
    match &tree.value {
        Value::Text(text) => text.contains(letters),
        Value::List(elements) => elements.iter().any(|element| mentions(element, letters)),
        Value::Map(entries) => entries.iter().any(|(_, node)| mentions(node, letters)),
        _ => false,
    }
}

/// What to say of a resource that may hold tables of its own.
fn elsewhere(id: &str, kind: &str) -> Option<String> {
    match (id, kind) {
        ("Fn::Transform", _) => {
            Some("Fn::Transform is not run: resources that it adds are left out".to_owned())
        }
        (_, "AWS::CloudFormation::Stack" | "AWS::Serverless::Application") => {
            Some(format!("{id} is a stack of its own: give its template too if it has tables"))
        }
        _ => None,
    }
}

/// Counts an event source mapping, and each DynamoDB event of a function.
fn consumers(properties: &Tree, tables: &mut [Table]) {
    let direct = properties.get("EventSourceArn");
    let events = properties.get("Events").map_or(&[][..], Tree::entries);
    let nested = events.iter().filter_map(|(_, event)| event.at(&["Properties", "Stream"]));
    for arn in direct.into_iter().chain(nested).filter_map(Tree::as_text) {
        let Some(name) = stream_owner(arn) else { continue };
        if let Some(table) = tables.iter_mut().find(|table| table.name == name) {
            table.stream_consumers = Some(table.stream_consumers.unwrap_or(0).saturating_add(1));
        }
    }
}

/// The table of `arn:aws:dynamodb:region:account:table/NAME/stream/..`.
fn stream_owner(arn: &str) -> Option<&str> {
    let rest = arn.split_once(":table/")?.1;
    rest.split_once("/stream/").map(|(name, _)| name)
}

//! CloudFormation's intrinsic functions, as far as a template alone can answer them.
//!
//! Nothing here fails: what the template does not tell becomes [`Value::Unknown`] with its reason, and whoever needs the value judges.
//! Work is bounded: each value costs a step, and each piece of text costs by its length, so that neither circles nor doubling references
//! nor loops run away.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::tree::{Tree, Value};
use crate::read::node::Mark;

mod condition;
mod expand;
mod text;

/// Steps of one template. A stack may have 500 resources of some hundred values.
const STEPS_MAX: usize = 1_000_000;
/// Levels of values and references. A template has few; this bounds the call stack.
const DEPTH_MAX: usize = 150;

/// A template that can be asked what its values are.
#[derive(Debug)]
pub(super) struct Evaluator<'a> {
    given: &'a BTreeMap<String, String>,
    parameters: BTreeMap<String, Tree>,
    mappings: Option<Tree>,
    conditions: BTreeMap<String, Tree>,
    /// The resources, loops expanded, in the order of the file.
    pub(super) resources: Vec<(String, Tree)>,
    /// Where each resource is in `resources`.
    places: BTreeMap<String, usize>,
    has_loops: bool,
    steps: Cell<usize>,
    depth: Cell<usize>,
    /// Names of resources and conditions that are being asked.
    asked: RefCell<Vec<String>>,
    /// What was assumed on the way.
    pub(super) assumed: RefCell<Vec<(Mark, String)>>,
}

impl<'a> Evaluator<'a> {
    /// The evaluator of a template with these parameters.
    pub(super) fn new(template: &Tree, given: &'a BTreeMap<String, String>) -> Evaluator<'a> {
        let section =
            |name: &str| template.get(name).cloned().unwrap_or_else(|| Tree::new(template.mark, Value::Null));
        let mut evaluator = Evaluator {
            given,
            parameters: section("Parameters").entries().iter().cloned().collect(),
            mappings: template.get("Mappings").cloned(),
            conditions: BTreeMap::new(),
            resources: Vec::new(),
            places: BTreeMap::new(),
            has_loops: has_transform(template, "AWS::LanguageExtensions"),
            steps: Cell::new(STEPS_MAX),
            depth: Cell::new(0),
            asked: RefCell::new(Vec::new()),
            assumed: RefCell::new(Vec::new()),
        };
        evaluator.conditions = evaluator.entries(section("Conditions").entries()).into_iter().collect();
        evaluator.resources = evaluator.entries(section("Resources").entries());
        let places = evaluator.resources.iter().enumerate().map(|(at, (name, _))| (name.clone(), at));
        evaluator.places = places.collect();
        evaluator
    }

    /// Whether the template took more work than it is given.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// What a node stands for; `None` where it stands for nothing (`AWS::NoValue`).
    pub(super) fn evaluate(&self, node: &Tree) -> Option<Tree> {
        if let Err(why) = self.enter(1) {
            return Some(Tree::unknown(node.mark, why));
        }
        let value = match &node.value {
            Value::List(elements) => {
                let elements = elements.iter().filter_map(|element| self.evaluate(element)).collect();
                Some(Tree::new(node.mark, Value::List(elements)))
            }
            Value::Map(entries) => match entries.as_slice() {
                [(name, argument)] if is_function(name) => self.call(name, argument, node.mark),
                entries => Some(self.map(entries, node.mark)),
            },
            Value::Text(text) if text.contains("{{resolve:") => {
                Some(Tree::unknown(node.mark, "a dynamic reference is resolved at deployment"))
            }
            Value::Text(text) if self.spend(text.len() / 64).is_err() => {
                Some(Tree::unknown(node.mark, "the template takes too much work to evaluate"))
            }
            _ => Some(node.clone()),
        };
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// The value of a node that must be something: nothing is null.
    fn some(&self, node: &Tree) -> Tree {
        self.evaluate(node).unwrap_or_else(|| Tree::new(node.mark, Value::Null))
    }

    /// The text of a node, or why it is none.
    fn text(&self, node: &Tree) -> Result<String, String> {
        let value = self.some(node);
        match (value.scalar(), value.value) {
            (Some(text), _) => Ok(text),
            (None, Value::Unknown(why)) => Err(why),
            _ => Err("a string is expected".to_owned()),
        }
    }

    /// The elements of a node, or why there are none.
    fn list(&self, node: &Tree) -> Result<Vec<Tree>, String> {
        match self.some(node).value {
            Value::List(elements) => Ok(elements),
            Value::Unknown(why) => Err(why),
            _ => Err("a list is expected".to_owned()),
        }
    }

    /// Takes `cost` steps and one level; the caller gives the level back.
    fn enter(&self, cost: usize) -> Result<(), String> {
        self.spend(cost)?;
        if self.depth.get() >= DEPTH_MAX {
            return Err("the value nests too deep, or refers to itself".to_owned());
        }
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    fn spend(&self, cost: usize) -> Result<(), String> {
        self.steps.set(self.steps.get().saturating_sub(cost));
        if self.is_exhausted() {
            return Err("the template takes too much work to evaluate".to_owned());
        }
        Ok(())
    }

    fn map(&self, entries: &[(String, Tree)], mark: Mark) -> Tree {
        let looped = entries.iter().any(|(name, _)| name.starts_with(expand::LOOP));
        let entries = if looped { Cow::Owned(self.entries(entries)) } else { Cow::Borrowed(entries) };
        let values = entries.iter().filter_map(|(name, node)| Some((name.clone(), self.evaluate(node)?)));
        Tree::new(mark, Value::Map(values.collect()))
    }

    fn call(&self, name: &str, argument: &Tree, mark: Mark) -> Option<Tree> {
        let result = match name {
            "Ref" => return self.reference_of(argument, mark),
            "Fn::If" => return self.choice(argument, mark),
            name if name.starts_with(expand::LOOP) => {
                return Some(self.map(&[(name.to_owned(), argument.clone())], mark));
            }
            "Fn::Sub" => self.sub(argument),
            "Fn::Join" => self.join(argument),
            "Fn::Select" => self.select(argument),
            "Fn::Split" => self.split(argument),
            "Fn::FindInMap" => self.find_in_map(argument),
            "Fn::GetAtt" => self.attribute_of(argument),
            "Fn::Length" => self.list(argument).map(|list| Value::Number(list.len().to_string())),
            "Fn::Equals" | "Fn::And" | "Fn::Or" | "Fn::Not" => self.judge(name, argument).map(Value::Bool),
            _ => Err(format!("{name} is answered at deployment")),
        };
        Some(Tree::new(mark, result.unwrap_or_else(Value::Unknown)))
    }

    fn reference_of(&self, argument: &Tree, mark: Mark) -> Option<Tree> {
        match argument.as_text() {
            Some("AWS::NoValue") => None,
            Some(name) => Some(Tree::new(mark, self.reference(name).unwrap_or_else(Value::Unknown))),
            None => Some(Tree::unknown(mark, "Ref takes a name")),
        }
    }

    /// What `Ref` of a name gives: a parameter, a pseudo parameter or a resource.
    fn reference(&self, name: &str) -> Result<Value, String> {
        if let Some(parameter) = self.parameters.get(name) {
            return self.parameter(name, parameter);
        }
        if name.starts_with("AWS::") {
            return self.pseudo(name);
        }
        self.physical_name(name).map(Value::Text)
    }

    fn parameter(&self, name: &str, parameter: &Tree) -> Result<Value, String> {
        let kind = parameter.get("Type").and_then(Tree::as_text).unwrap_or("String");
        let text = match (self.given.get(name), parameter.get("Default")) {
            (Some(text), _) => text.clone(),
            (None, _) if kind.starts_with("AWS::SSM::Parameter::Value") => {
                return Err(format!(
                    "parameter {name} is looked up at deployment; give --parameter {name}=VALUE"
                ));
            }
            (None, Some(default)) => default.scalar().unwrap_or_default(),
            (None, None) => {
                return Err(format!("parameter {name} has no default; give --parameter {name}=VALUE"));
            }
        };
        self.spend(1 + text.len() / 16)?;
        let is_list = kind == "CommaDelimitedList" || kind.starts_with("List<");
        Ok(if is_list { texts(text.split(',').map(str::trim)) } else { Value::Text(text) })
    }

    /// A pseudo parameter: what was given, else a stand-in.
    fn pseudo(&self, name: &str) -> Result<Value, String> {
        if let Some(text) = self.given.get(name) {
            return Ok(Value::Text(text.clone()));
        }
        let stand_in = match name {
            "AWS::Region" => "us-east-1",
            "AWS::AccountId" => "000000000000",
            "AWS::Partition" => "aws",
            "AWS::URLSuffix" => "amazonaws.com",
            "AWS::StackName" => "stack",
            "AWS::StackId" => "arn:aws:cloudformation:us-east-1:000000000000:stack/stack/0",
            "AWS::NotificationARNs" => return Ok(Value::List(Vec::new())),
            _ => return Err(format!("{name} is no pseudo parameter")),
        };
        Ok(Value::Text(stand_in.to_owned()))
    }

    /// Whether a parameter was given.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// A resource, by its logical id.
    pub(super) fn resource(&self, logical_id: &str) -> Option<&Tree> {
        self.places.get(logical_id).map(|at| &self.resources[*at].1)
    }

    /// The name of a resource: its table name where it is a table that has one, else its logical id.
    fn physical_name(&self, logical_id: &str) -> Result<String, String> {
        let Some(resource) = self.resource(logical_id) else {
            return Err(format!("{logical_id} is neither a parameter nor a resource of this file"));
        };
        let name = is_table(resource).then(|| resource.at(&["Properties", "TableName"])).flatten();
        let Some(name) = name else { return Ok(logical_id.to_owned()) };
        self.guarded(logical_id, || Ok(self.text(name).unwrap_or_else(|_| logical_id.to_owned())))
    }

    /// Runs an answer about `name`, unless the same is being answered already.
    fn guarded<T>(&self, name: &str, answer: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        if self.asked.borrow().iter().any(|asked| asked == name) {
            return Err(format!("{name} refers to itself"));
        }
        self.asked.borrow_mut().push(name.to_owned());
        let result = self.enter(1).and_then(|()| {
            let result = answer();
            self.depth.set(self.depth.get() - 1);
            result
        });
        self.asked.borrow_mut().pop();
        result
    }

    /// `Fn::GetAtt` of a table's names; anything else is answered at deployment.
    fn attribute_of(&self, argument: &Tree) -> Result<Value, String> {
        let (resource, attribute) = match (argument.as_text(), argument.elements()) {
            (Some(text), _) => text.split_once('.').map(|(a, b)| (a.to_owned(), b.to_owned())),
            (None, [resource, attribute]) => Some((self.text(resource)?, self.text(attribute)?)),
            _ => None,
        }
        .ok_or("Fn::GetAtt takes a resource and an attribute")?;
        self.attribute(&resource, &attribute)
    }

    fn attribute(&self, resource: &str, attribute: &str) -> Result<Value, String> {
        let deployed = || format!("attribute {attribute} of {resource} is known at deployment");
        if !is_table(self.resource(resource).ok_or_else(deployed)?) {
            return Err(deployed());
        }
        let name = self.physical_name(resource)?;
        let tail = match attribute {
            "Arn" => "",
            "StreamArn" => "/stream/latest",
            _ => return Err(deployed()),
        };
        let Value::Text(region) = self.pseudo("AWS::Region")? else { return Err(deployed()) };
        Ok(Value::Text(format!("arn:aws:dynamodb:{region}:000000000000:table/{name}{tail}")))
    }
}

/// A list of texts.
fn texts<'t>(parts: impl Iterator<Item = &'t str>) -> Value {
    Value::List(parts.map(|part| Tree::text(Mark::default(), part)).collect())
}

/// Whether a map of one entry with this name is a function.
fn is_function(name: &str) -> bool {
    name == "Ref" || name.starts_with("Fn::")
}

/// Whether a resource is a table of any type.
pub(super) fn is_table(resource: &Tree) -> bool {
    matches!(
        resource.get("Type").and_then(Tree::as_text),
        Some("AWS::DynamoDB::Table" | "AWS::DynamoDB::GlobalTable" | "AWS::Serverless::SimpleTable")
    )
}

/// The names in `Transform`.
pub(super) fn transforms(template: &Tree) -> Vec<&str> {
    let Some(node) = template.get("Transform") else { return Vec::new() };
    let elements = node.elements().iter().chain(std::iter::once(node));
    elements.filter_map(|element| element.as_text().or_else(|| element.get("Name")?.as_text())).collect()
}

fn has_transform(template: &Tree, name: &str) -> bool {
    transforms(template).contains(&name)
}

/// `{Ref: AWS::Region}`.
pub(super) fn region() -> Tree {
    let name = Tree::text(Mark::default(), "AWS::Region");
    Tree::new(Mark::default(), Value::Map(vec![("Ref".to_owned(), name)]))
}

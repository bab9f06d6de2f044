//! Serverless Framework: a service file whose `resources` are CloudFormation with variables of its own.
//!
//! `${source:address, fallback}` is resolved where a file or a parameter can tell; what only a deployment tells stays unknown.
//! `${Name}` and `${AWS::Name}` are CloudFormation's and are left alone.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Tree, Value};
use crate::read::log::Log;
use crate::read::node::Mark;

mod syntax;

/// Values that one file may become with its variables.
const STEPS_MAX: usize = 500_000;
/// Variables within variables.
const DEPTH_MAX: usize = 100;
/// Most bytes of a text.
const TEXT_MAX: usize = 64 << 10;

/// How the file that a variable names is found: its tree, or why not.
pub(super) type Open<'o> = &'o dyn Fn(&str) -> Result<Tree, String>;

/// Whether a tree is a service file.
pub(super) fn is_service(root: &Tree) -> bool {
    root.get("Resources").is_none() && root.get("resources").is_some()
}

/// A service file as a template, the parameters that it gives, and the files that it used.
pub(super) struct Service {
    /// The template in `resources`, in which no variable is left.
    pub(super) template: Tree,
    /// What was given, with the region and the name of the stack.
    pub(super) given: BTreeMap<String, String>,
    /// The files that variables named, as they name them.
    pub(super) used: BTreeSet<String>,
}

/// Resolves the variables of a service file.
pub(super) fn service(
    root: &Tree,
    given: &BTreeMap<String, String>,
    open: Open<'_>,
    log: &mut Log,
) -> Service {
    let variables = Variables {
        root,
        given,
        open,
        steps: Cell::new(STEPS_MAX),
        depth: Cell::new(0),
        used: RefCell::new(BTreeSet::new()),
    };
    let resources = root.get("resources").map(|node| variables.tree(node));
    let mut template =
        resources.map_or_else(|| Tree::new(root.mark, Value::Null), |node| sections(&node, log));
    consumers(&mut template, variables.streams());
    if variables.steps.get() == 0 {
        log.error(
            root.mark,
            "the variables of the file take too much work to resolve: they refer without end",
        );
    }
    let mut given = given.clone();
    for (name, value) in [("AWS::Region", variables.region()), ("AWS::StackName", variables.stack())] {
        if let Some(value) = value {
            given.entry(name.to_owned()).or_insert(value);
        }
    }
    Service { template, given, used: variables.used.into_inner() }
}

/// The sections of one template, of an object or a list of them.
fn sections(resources: &Tree, log: &mut Log) -> Tree {
    let mut whole: Vec<(String, Tree)> = Vec::new();
    for part in resources.elements().iter().chain(std::iter::once(resources)) {
        if let Some(why) = part.why_unknown() {
            log.error(part.mark, format!("resources are not known: {why}"));
        }
        for (name, section) in part.entries() {
            match whole.iter_mut().find(|(known, _)| known == name) {
                Some((_, Tree { value: Value::Map(entries), .. })) => {
                    entries.extend_from_slice(section.entries());
                }
                _ => whole.push((name.clone(), section.clone())),
            }
        }
    }
    Tree::new(resources.mark, Value::Map(whole))
}

/// Adds the functions that read streams to the resources, in CloudFormation's form.
fn consumers(template: &mut Tree, streams: Vec<Tree>) {
    let Value::Map(sections) = &mut template.value else { return };
    let resources = sections.iter_mut().find(|(name, _)| name == "Resources");
    let Some((_, Tree { value: Value::Map(resources), .. })) = resources else { return };
    for (at, arn) in streams.into_iter().enumerate() {
        let mark = arn.mark;
        let properties = Tree::new(mark, Value::Map(vec![("EventSourceArn".to_owned(), arn)]));
        let kind = Tree::text(mark, "AWS::Lambda::EventSourceMapping");
        let resource = Value::Map(vec![("Type".to_owned(), kind), ("Properties".to_owned(), properties)]);
        resources.push((format!("stream {at} of a function"), Tree::new(mark, resource)));
    }
}

/// What a source answers: a value, nothing (so that a fallback counts), or why nobody can tell offline.
type Answer = Result<Option<Tree>, String>;

struct Variables<'a> {
    root: &'a Tree,
    given: &'a BTreeMap<String, String>,
    open: Open<'a>,
    steps: Cell<usize>,
    depth: Cell<usize>,
    used: RefCell<BTreeSet<String>>,
}

impl Variables<'_> {
    /// A tree with its variables resolved.
    fn tree(&self, node: &Tree) -> Tree {
        if let Err(why) = self.enter() {
            return Tree::unknown(node.mark, why);
        }
        let result = match &node.value {
            Value::Text(text) if text.contains("${") => self.fill(text, node.mark),
            Value::List(elements) => {
                Tree::new(node.mark, Value::List(elements.iter().map(|element| self.tree(element)).collect()))
            }
            Value::Map(entries) => Tree::new(
                node.mark,
                Value::Map(entries.iter().map(|(name, value)| (name.clone(), self.tree(value))).collect()),
            ),
            Value::Text(text) if self.spend(text.len() / 64).is_err() => {
                Tree::unknown(node.mark, "the file is too large")
            }
            _ => node.clone(),
        };
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// The streams that functions read: `events: [{stream: {arn: ..}}]`.
    fn streams(&self) -> Vec<Tree> {
        let functions = self.root.get("functions").map_or(&[][..], Tree::entries);
        let events =
            functions.iter().flat_map(|(_, function)| function.get("events").map_or(&[][..], Tree::elements));
        let streams = events.filter_map(|event| event.get("stream"));
        streams.map(|stream| self.tree(stream.get("arn").unwrap_or(stream))).collect()
    }

    fn enter(&self) -> Result<(), String> {
        self.spend(1)?;
        if self.depth.get() >= DEPTH_MAX {
            return Err("a variable refers to itself, or nests too deep".to_owned());
        }
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    fn spend(&self, steps: usize) -> Result<(), String> {
        self.steps.set(self.steps.get().saturating_sub(steps));
        if self.steps.get() == 0 { Err("the variables take too much work".to_owned()) } else { Ok(()) }
    }

    /// A text with its variables resolved. A text that is one variable becomes whatever that stands for.
    fn fill(&self, text: &str, mark: Mark) -> Tree {
        let mut out = String::new();
        let mut rest = text;
        while let Some((start, end)) = syntax::next_variable(rest) {
            let value = self.variable(&rest[start + 2..end - 1], mark);
            if start == 0 && end == text.len() {
                return value;
            }
            out.push_str(&rest[..start]);
            rest = &rest[end..];
            match (value.scalar(), value.why_unknown()) {
                (Some(part), _) if out.len() + part.len() <= TEXT_MAX => out.push_str(&part),
                (_, Some(_)) => return value,
                _ => return Tree::unknown(mark, "a variable within a string must stand for a short string"),
            }
        }
        out.push_str(rest);
        match self.spend(out.len() / 16) {
            Ok(()) => Tree::text(mark, out),
            Err(why) => Tree::unknown(mark, why),
        }
    }

    /// What stands for the content of `${..}`.
    fn variable(&self, content: &str, mark: Mark) -> Tree {
        if let Err(why) = self.enter() {
            return Tree::unknown(mark, why);
        }
        let result = self.first(content, mark).unwrap_or_else(|why| Tree::unknown(mark, why));
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// The first alternative that is something. Variables inside addresses are resolved before.
    fn first(&self, content: &str, mark: Mark) -> Result<Tree, String> {
        let alternatives = syntax::alternatives(content);
        for alternative in &alternatives {
            let whole = syntax::next_variable(alternative) == Some((0, alternative.len()));
            let inner = if alternative.contains("${") {
                self.fill(alternative, mark)
            } else {
                Tree::text(mark, *alternative)
            };
            if whole {
                match inner.value {
                    Value::Null | Value::Unknown(_) if alternatives.len() > 1 => continue,
                    _ => return Ok(inner),
                }
            }
            let inner = inner
                .scalar()
                .ok_or_else(|| inner.why_unknown().unwrap_or("an address must be a string").to_owned())?;
            if let Some(value) = self.alternative(&inner, mark)? {
                return Ok(value);
            }
        }
        let first = alternatives.first().copied().unwrap_or_default();
        Err(match first.split_once(':') {
            Some(("opt" | "env" | "param", name)) => {
                format!("${{{first}}} is not given; give --parameter {name}=VALUE")
            }
            _ => format!("${{{first}}} is not in the file"),
        })
    }

    fn alternative(&self, text: &str, mark: Mark) -> Answer {
        if let Some(literal) = syntax::literal(text) {
            return Ok(Some(Tree::new(mark, literal)));
        }
        let (source, argument, address) = syntax::source(text);
        let scalar = |text: Option<String>| text.map(|text| Tree::text(mark, text));
        match source {
            "self" => Ok(self.own(address, mark)),
            "opt" | "env" => Ok(scalar(self.parameter(source, address))),
            "param" => Ok(scalar(self.parameter(source, address)).or_else(|| self.declared(address))),
            "sls" if address == "stage" => Ok(scalar(Some(self.stage()))),
            "file" => self.file(argument.unwrap_or_default(), address, mark),
            "aws" if address == "region" => Ok(scalar(self.region())),
            "aws" if address == "accountId" => Ok(scalar(Some("000000000000".to_owned()))),
            "strToBool" => {
                Ok(truth(argument.unwrap_or_default()).map(|flag| Tree::new(mark, Value::Bool(flag))))
            }
            _ => Err(format!("${{{source}:..}} is resolved at deployment")),
        }
    }

    /// A value that was given, with or without its source before it.
    fn parameter(&self, source: &str, name: &str) -> Option<String> {
        self.given.get(&format!("{source}:{name}")).or_else(|| self.given.get(name)).cloned()
    }

    /// `${self:a.b}`: a value of the file itself.
    fn own(&self, path: &str, mark: Mark) -> Option<Tree> {
        if let Some(found) = self.walked(path) {
            return Some(at(self.tree(&found), mark));
        }
        let default = match path {
            "provider.stage" => "dev",
            "provider.region" => "us-east-1",
            _ => return None,
        };
        Some(Tree::text(mark, default))
    }

    /// The value below a path of the file. What is a variable on the way is resolved there.
    fn walked(&self, path: &str) -> Option<Tree> {
        let mut node = Cow::Borrowed(self.root);
        for name in path.split('.') {
            let is_variable = node.as_text().is_some_and(|text| syntax::next_variable(text).is_some());
            if is_variable {
                node = Cow::Owned(self.tree(&node));
            }
            node = match node {
                Cow::Borrowed(node) => Cow::Borrowed(below(node, name)?),
                Cow::Owned(node) if node.why_unknown().is_some() => return Some(node),
                Cow::Owned(node) => Cow::Owned(below(&node, name)?.clone()),
            };
        }
        self.spend(node.weight()).ok()?;
        Some(node.into_owned())
    }

    /// A parameter that the file declares for the stage, or for all.
    fn declared(&self, name: &str) -> Option<Tree> {
        let stage = self.stage();
        let of = |stage: &str| {
            let old = self.root.at(&["params", stage, name]);
            old.or_else(|| self.root.at(&["stages", stage, "params", name]))
        };
        of(&stage).or_else(|| of("default")).map(|node| self.tree(node))
    }

    /// The stage: what was given, else what the provider says, else `dev`.
    fn stage(&self) -> String {
        let declared = || self.root.at(&["provider", "stage"]).and_then(|node| self.tree(node).scalar());
        self.parameter("opt", "stage").or_else(declared).unwrap_or_else(|| "dev".to_owned())
    }

    fn region(&self) -> Option<String> {
        let declared = || self.root.at(&["provider", "region"]).and_then(|node| self.tree(node).scalar());
        self.parameter("opt", "region").or_else(declared)
    }

    /// The name of the stack: the service and its stage.
    fn stack(&self) -> Option<String> {
        let service = self.root.get("service")?;
        let name = self.tree(service.get("name").unwrap_or(service)).scalar()?;
        Some(format!("{name}-{}", self.stage()))
    }

    /// `${file(path):a.b}`: another file, or a value of it.
    fn file(&self, path: &str, address: &str, mark: Mark) -> Answer {
        let path = path.trim();
        self.used.borrow_mut().insert(path.to_owned());
        let tree = (self.open)(path)?;
        self.spend(tree.weight())?;
        let found = if address.is_empty() { Some(&tree) } else { below(&tree, address) };
        Ok(found.map(|node| at(self.tree(&placed(node, mark)), mark)))
    }
}

/// The value below a path with dots; a number is the place in a list.
fn below<'t>(tree: &'t Tree, path: &str) -> Option<&'t Tree> {
    path.split('.').try_fold(tree, |node, name| match &node.value {
        Value::List(elements) => elements.get(name.parse::<usize>().ok()?),
        _ => node.get(name),
    })
}

/// A value that is told to be at the place of its use, as a mistake in it shows there.
fn at(tree: Tree, mark: Mark) -> Tree {
    match tree.value {
        Value::Map(_) | Value::List(_) => tree,
        value => Tree::new(mark, value),
    }
}

/// A tree of another file: all of it is told to be where it is used, as its lines are not of this file.
fn placed(tree: &Tree, mark: Mark) -> Tree {
    let value = match &tree.value {
        Value::List(elements) => Value::List(elements.iter().map(|element| placed(element, mark)).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(name, node)| (name.clone(), placed(node, mark))).collect())
        }
        value => value.clone(),
    };
    Tree::new(mark, value)
}

fn truth(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

//! Terraform's own language, as far as it can be read without running Terraform: literals, defaults of variables, `*.tfvars`, locals,
//! templates, and references between resources of one folder.
//!
//! Loops, dynamic blocks, modules and data sources end the reading with the command that writes them out: a guess would be worse.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use hcl_edit::Span;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Block, BlockLabel, Body, Structure};

use super::{PLAN, Resource, is_wanted};
use crate::catalogue::Table;
use crate::read::Input;
use crate::read::iac::paths;
use crate::read::iac::tree::{Tree, Value};
use crate::read::node::Mark;

mod expression;
mod json;

/// Most bytes of a file: positions and tree of a larger one take too much memory.
const BYTES_MAX: usize = 8 << 20;
/// Values that one folder may take.
const STEPS_MAX: usize = 500_000;

/// Arguments that say nothing of a model, and are not looked at.
const IGNORED: [&str; 10] = [
    "tags",
    "tags_all",
    "lifecycle",
    "timeouts",
    "provider",
    "depends_on",
    "provisioner",
    "connection",
    "import_table",
    "role_arn",
];

/// The tables of all files; those of one folder are one module.
pub(in crate::read::iac) fn tables(inputs: &mut [Input<'_>], given: &BTreeMap<String, String>) -> Vec<Table> {
    let files: Vec<Option<File>> =
        inputs.iter_mut().enumerate().map(|(at, input)| parse(at, input)).collect();
    let folders: Vec<String> =
        inputs.iter().map(|input| paths::folder(&input.file.path).to_owned()).collect();
    let mut resources = Vec::new();
    for (at, folder) in folders.iter().enumerate() {
        if folders[..at].contains(folder) {
            continue;
        }
        let within = files.iter().zip(&folders).filter(|(_, other)| *other == folder);
        let module = Module::new(within.filter_map(|(file, _)| file.as_ref()), given);
        resources.extend(module.resources());
        for (input, mark, message) in module.stops.into_inner() {
            let log = &mut inputs[input].log;
            let place = log.place(mark);
            if !log.problems.iter().any(|problem| problem.place == place) {
                log.error(mark, message);
            }
        }
    }
    super::tables(&resources, inputs)
}

/// A parsed file.
struct File {
    input: usize,
    /// Where each line starts.
    lines: Vec<usize>,
    /// Where each line comes from, of a file in JSON.
    marks: Option<Vec<Mark>>,
    /// Whether it gives values to variables, as `*.tfvars` do: assignments alone.
    is_values: bool,
    body: Body,
}

fn parse(at: usize, input: &mut Input<'_>) -> Option<File> {
    let text = input.text;
    if text.len() > BYTES_MAX {
        input.log.error(Mark::default(), format!("the file is larger than {} MiB", BYTES_MAX >> 20));
        return None;
    }
    let rewritten = is_json(input).then(|| json::rewritten(&input.root));
    let text = rewritten.as_ref().map_or(text, |rewritten| &rewritten.text);
    let marks = rewritten.as_ref().map(|rewritten| rewritten.marks.clone());
    match hcl_edit::parser::parse_body(text) {
        Ok(body) => {
            let is_values = marks.is_none() && body.iter().all(Structure::is_attribute);
            let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
            Some(File { input: at, lines, marks, is_values, body })
        }
        Err(error) => {
            let mark = Mark { line: error.location().line(), column: error.location().column() };
            let mark = marks.map_or(mark, |marks| place(&marks, mark.line));
            input.log.error(mark, format!("this is not Terraform's language: {}", error.message()));
            None
        }
    }
}

/// Whether a file is in JSON: only then is there a tree.
fn is_json(input: &Input<'_>) -> bool {
    !input.root.entries().is_empty()
}

/// Where a line, from 1, comes from.
fn place(marks: &[Mark], line: usize) -> Mark {
    line.checked_sub(1).and_then(|line| marks.get(line)).copied().unwrap_or_default()
}

impl File {
    fn mark(&self, spanned: &impl Span) -> Mark {
        let Some(span) = spanned.span() else { return Mark::default() };
        let line = self.lines.partition_point(|start| *start <= span.start);
        if let Some(marks) = &self.marks {
            return place(marks, line);
        }
        Mark { line, column: span.start - self.lines[line - 1] + 1 }
    }
}

/// The files of one folder.
struct Module<'f> {
    given: &'f BTreeMap<String, String>,
    variables: BTreeMap<&'f str, (&'f File, &'f Block)>,
    values: BTreeMap<&'f str, (&'f File, &'f Expression)>,
    locals: BTreeMap<&'f str, (&'f File, &'f Expression)>,
    resources: Vec<(&'f File, &'f Block)>,
    providers: Vec<(&'f File, &'f Block)>,
    steps: Cell<usize>,
    depth: Cell<usize>,
    /// What only Terraform can write out.
    stops: RefCell<Vec<(usize, Mark, String)>>,
}

impl<'f> Module<'f> {
    fn new(files: impl Iterator<Item = &'f File>, given: &'f BTreeMap<String, String>) -> Module<'f> {
        let mut module = Module {
            given,
            variables: BTreeMap::new(),
            values: BTreeMap::new(),
            locals: BTreeMap::new(),
            resources: Vec::new(),
            providers: Vec::new(),
            steps: Cell::new(STEPS_MAX),
            depth: Cell::new(0),
            stops: RefCell::new(Vec::new()),
        };
        for file in files {
            if file.is_values {
                let values = file.body.attributes();
                module.values.extend(values.map(|value| (value.key.as_str(), (file, &value.value))));
            }
            for block in file.body.blocks() {
                module.block(file, block);
            }
        }
        module
    }

    fn block(&mut self, file: &'f File, block: &'f Block) {
        let label = block.labels.first().map(BlockLabel::as_str);
        match (block.ident.as_str(), label) {
            ("variable", Some(name)) => {
                self.variables.insert(name, (file, block));
            }
            ("locals", _) => {
                let locals = block.body.attributes();
                self.locals.extend(locals.map(|local| (local.key.as_str(), (file, &local.value))));
            }
            ("module", Some(name)) => {
                let message = format!("module {name} is not written out here: {PLAN}");
                self.stops.borrow_mut().push((file.input, file.mark(block), message));
            }
            ("resource", Some(kind)) if is_wanted(kind) => self.resources.push((file, block)),
            ("provider", Some("aws")) => self.providers.push((file, block)),
            _ => {}
        }
    }

    /// The resources that say something of tables.
    fn resources(&self) -> Vec<Resource> {
        self.resources.iter().filter_map(|(file, block)| self.resource(file, block)).collect()
    }

    fn resource(&self, file: &'f File, block: &'f Block) -> Option<Resource> {
        let [kind, name] = block.labels.as_slice() else { return None };
        let (kind, name) = (kind.as_str(), name.as_str());
        if !self.is_made(file, block) {
            return None;
        }
        let mut values = self.body(file, &block.body);
        values.mark = file.mark(block);
        Some(Resource {
            input: file.input,
            address: format!("{kind}.{name}"),
            kind: kind.to_owned(),
            name: name.to_owned(),
            values,
            references: references(&block.body),
            region: self.region(block),
        })
    }

    /// Whether there is one of a resource: loops are for Terraform, and so is a count that is not 0 or 1.
    fn is_made(&self, file: &File, block: &Block) -> bool {
        if let Some(each) = block.body.get_attribute("for_each") {
            self.stop(file, each, "for_each");
            return false;
        }
        let Some(count) = block.body.get_attribute("count") else { return true };
        match self.evaluate(file, &count.value).scalar().as_deref() {
            Some("0") => false,
            Some("1") => true,
            _ => {
                self.stop(file, count, "count");
                false
            }
        }
    }

    fn stop(&self, file: &File, at: &impl Span, what: &str) {
        let message = format!("{what} is not written out here: {PLAN}");
        self.stops.borrow_mut().push((file.input, file.mark(at), message));
    }

    /// The arguments and blocks of a body.
    fn body(&self, file: &File, body: &Body) -> Tree {
        let mut entries: Vec<(String, Tree)> = Vec::new();
        for structure in body {
            match structure {
                Structure::Attribute(attribute) if IGNORED.contains(&attribute.key.as_str()) => {}
                Structure::Attribute(attribute) => {
                    entries.push((attribute.key.to_string(), self.evaluate(file, &attribute.value)));
                }
                Structure::Block(block) if IGNORED.contains(&block.ident.as_str()) => {}
                Structure::Block(block) if block.ident.as_str() == "dynamic" => {
                    self.stop(file, block, "a dynamic block");
                }
                Structure::Block(block) => {
                    let mut values = self.body(file, &block.body);
                    values.mark = file.mark(block);
                    append(&mut entries, block.ident.as_str(), values);
                }
            }
        }
        Tree::new(Mark::default(), Value::Map(entries))
    }

    /// The region of the provider that a resource names, or of the one that has no other name.
    fn region(&self, block: &Block) -> Option<String> {
        let alias = block.body.get_attribute("provider").and_then(|provider| match &provider.value {
            Expression::Traversal(traversal) => {
                traversal.operators.first().and_then(|operator| match operator.value() {
                    hcl_edit::expr::TraversalOperator::GetAttr(name) => Some(name.to_string()),
                    _ => None,
                })
            }
            _ => None,
        });
        let (file, provider) = self.providers.iter().find(|(file, provider)| {
            let name = provider.body.get_attribute("alias");
            name.and_then(|name| self.evaluate(file, &name.value).scalar()) == alias
        })?;
        self.evaluate(file, &provider.body.get_attribute("region")?.value).scalar()
    }
}

/// Adds a block to those of its name.
fn append(entries: &mut Vec<(String, Tree)>, name: &str, values: Tree) {
    if let Some((_, Tree { value: Value::List(blocks), .. })) =
        entries.iter_mut().find(|(known, _)| known == name)
    {
        blocks.push(values);
        return;
    }
    entries.push((name.to_owned(), Tree::new(values.mark, Value::List(vec![values]))));
}

/// The resources that arguments refer to.
fn references(body: &Body) -> Vec<(String, String)> {
    let attributes = body.attributes();
    let pairs = attributes.filter_map(|attribute| {
        let path = expression::path(expression::reference(&attribute.value)?)?;
        let [kind, name, ..] = path.as_slice() else { return None };
        Some((attribute.key.to_string(), format!("{kind}.{name}")))
    });
    pairs.collect()
}

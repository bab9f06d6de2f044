//! Files of several formats, read into one [`Catalogue`].
//!
//! 1. Each file becomes a tree whose nodes know their places ([`node`]), and its format is told by content ([`detect`]).
//! 2. Tables and entities of all files are read and merged ([`merge`]): by name, then by the name in a template.
//! 3. Patterns of our own form are lowered to requests, which needs the types of keys from any of the files ([`own`]).
//! 4. Patterns are merged by id.
//!
//! What is wrong is told with file, line and column, all of it at once; what can be gone on from is a note.

pub mod code_generator;
pub mod command;
pub mod cost_tool;
pub mod create_table;
pub mod detect;
pub mod fields;
pub mod iac;
pub mod log;
pub mod merge;
pub mod node;
pub mod onetable;
pub mod own;
pub mod shape_m;
pub mod shape_s;
pub mod value;
pub mod workbench;

use std::collections::BTreeMap;

pub use self::detect::Format;
pub use self::log::{Log, Problem};
pub use self::node::{Mark, Node};
use crate::catalogue::Catalogue;

/// A file, or an answer that is read as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// What messages call it.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// How to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Values of parameters and variables of templates.
    pub parameters: BTreeMap<String, String>,
    /// The format of every file; told by content where this is `None`.
    pub format: Option<Format>,
    /// Files that others include, which are no models themselves: see [`iac::includes`].
    pub included: Vec<SourceFile>,
}

/// A file on its way.
#[derive(Debug)]
pub struct Input<'f> {
    /// What was given.
    pub file: &'f SourceFile,
    /// Its text.
    pub text: &'f str,
    /// Its tree; nothing where the format is Terraform's language.
    pub root: Node,
    /// Its format.
    pub format: Format,
    /// What there is to say about it.
    pub log: Log,
}

/// Reads files into one catalogue.
///
/// # Errors
/// All that is wrong in them, each with its place.
pub fn read(files: &[SourceFile], options: &ReadOptions) -> Result<Catalogue, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut inputs = Vec::new();
    for file in files {
        match input(file, options) {
            Ok(input) => inputs.push(input),
            Err(more) => problems.extend(more),
        }
    }
    let mut catalogue = catalogue(&mut inputs, options);
    for input in &mut inputs {
        problems.append(&mut input.log.problems);
        catalogue.notes.append(&mut input.log.notes);
    }
    if problems.is_empty() { Ok(catalogue) } else { Err(problems) }
}

/// The files, relative to this one, and the addresses of servers that a file of our own form names in `sources`.
pub fn sources(file: &SourceFile) -> Vec<String> {
    let root = std::str::from_utf8(&file.bytes).ok().and_then(|text| Node::parse(text).ok());
    let Some(root) = root.filter(|root| root.get("hashrange").is_some()) else { return Vec::new() };
    let sources = root.get("sources").and_then(|node| fields::texts(node, &mut Log::new("")));
    sources.unwrap_or_default()
}

/// The format of a file, told by its content; `None` where it is no model.
pub fn format_of(file: &SourceFile) -> Option<Format> {
    parse(file, &ReadOptions::default()).ok().map(|(_, _, format)| format)
}

fn input<'f>(file: &'f SourceFile, options: &ReadOptions) -> Result<Input<'f>, Vec<Problem>> {
    let mut log = Log::new(&file.path);
    match parse(file, options) {
        Ok((text, root, format)) => Ok(Input { file, text, root, format, log }),
        Err(faults) => {
            for fault in faults {
                log.error(fault.mark, fault.message);
            }
            Err(log.problems)
        }
    }
}

fn parse<'f>(
    file: &'f SourceFile,
    options: &ReadOptions,
) -> Result<(&'f str, Node, Format), Vec<node::Fault>> {
    let fault = |message: String| vec![node::Fault { mark: Mark::default(), message }];
    let text =
        std::str::from_utf8(&file.bytes).map_err(|error| fault(format!("this is no UTF-8 text: {error}")))?;
    let told = options.format == Some(Format::TerraformHcl) && !text.trim_start().starts_with('{');
    let hcl = told || options.format.is_none() && detect::is_hcl(text);
    if hcl {
        return Ok((text, Node::text_at(Mark::default(), ""), Format::TerraformHcl));
    }
    let (root, cuts) = Node::parse_all(text).map_err(|fault| vec![fault])?;
    let format = match options.format {
        Some(format) => format,
        None => detect::detect(&root).map_err(fault)?,
    };
    // In our own form, what is cut off is nothing that could be meant, and would only be told as fields that nobody wrote.
    if format == Format::Hashrange && !cuts.is_empty() { Err(cuts) } else { Ok((text, root, format)) }
}

/// Reads tables and entities of all, merges them, then reads the patterns of our own form.
fn catalogue(inputs: &mut [Input<'_>], options: &ReadOptions) -> Catalogue {
    // Files of one format may refer to each other: they go together, in the order in which they were given.
    let mut parts = Vec::new();
    for format in Format::ALL.into_iter().filter(|format| format.is_infrastructure()) {
        let mut group: Vec<&mut Input<'_>> =
            inputs.iter_mut().filter(|input| input.format == format).collect();
        if !group.is_empty() {
            let path = group.iter().map(|input| input.file.path.as_str()).collect::<Vec<_>>().join(", ");
            parts.push(merge::Part { path, catalogue: infrastructure(format, &mut group, options) });
        }
    }
    for input in inputs.iter_mut().filter(|input| !input.format.is_infrastructure()) {
        let catalogue = match input.format {
            Format::Hashrange => own::read(&input.root, &mut input.log),
            Format::ShapeM => shape_m::read(&input.root, &mut input.log),
            Format::ShapeS => shape_s::read(&input.root, &mut input.log),
            Format::Workbench => workbench::read(&input.root, &mut input.log),
            Format::OneTable => onetable::read(&input.root, &mut input.log),
            Format::CostTool => cost_tool::read(&input.root, &mut input.log),
            Format::CodeGenerator => code_generator::read(&input.root, &mut input.log),
            // Values of entities that other files declare come last; infrastructure was read before.
            _ => continue,
        };
        parts.push(merge::Part { path: input.file.path.clone(), catalogue });
    }
    let mut whole = merge::merge(parts);
    for input in inputs.iter_mut().filter(|input| input.format == Format::Hashrange) {
        own::patterns(&input.root, &mut whole, &mut input.log);
        own::comments::check(input.text, &input.root, &mut input.log);
    }
    for input in inputs.iter_mut().filter(|input| input.format == Format::UsageData) {
        code_generator::usage(&input.root, &mut whole, &mut input.log);
    }
    // Our own form can state all of this; only now is it known that it has patterns.
    let own = inputs.iter().any(|input| {
        input.format == Format::Hashrange
            && input.root.get("patterns").is_some_and(|node| !node.items().is_empty())
    });
    whole.states.requests |= own;
    whole.states.rates |= own;
    whole
}

/// The group has to be a slice of inputs for its reader; they are lent to it and put back.
fn infrastructure(format: Format, group: &mut [&mut Input<'_>], options: &ReadOptions) -> Catalogue {
    let mut lent: Vec<Input<'_>> = group
        .iter_mut()
        .map(|input| Input {
            file: input.file,
            text: input.text,
            root: std::mem::replace(&mut input.root, Node::text_at(Mark::default(), "")),
            format,
            log: std::mem::take(&mut input.log),
        })
        .collect();
    let catalogue = iac::read(format, &mut lent, options);
    for (input, lent) in group.iter_mut().zip(lent) {
        input.log = lent.log;
    }
    catalogue
}

#[cfg(test)]
mod tests;

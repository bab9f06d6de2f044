//! What `terraform show -json` prints: a plan or a state, in which loops and modules are written out.

use std::collections::BTreeMap;

use super::{Resource, is_wanted};
use crate::read::Log;
use crate::read::iac::tree::{Tree, Value};

/// The resources of a plan or a state.
pub(in crate::read::iac) fn resources(root: &Tree, input: usize, log: &mut Log) -> Vec<Resource> {
    let version = root.get("format_version").and_then(Tree::scalar).unwrap_or_default();
    if version.split('.').next() != Some("1") {
        log.error(root.mark, "format_version must be 1.x, as terraform 1.0 and later print it");
        return Vec::new();
    }
    let state = root.get("planned_values").or_else(|| root.get("values"));
    let Some(module) = state.and_then(|state| state.get("root_module")) else {
        log.note(root.mark, "the file has no planned values: it holds no resources");
        return Vec::new();
    };
    let mut reading =
        Reading { input, unknown: unknown(root), written: written(root), resources: Vec::new() };
    reading.module(module);
    reading.resources
}

/// The parts of an answer that belong to one address.
struct Reading<'t> {
    input: usize,
    /// What each address will only know after the deployment.
    unknown: BTreeMap<&'t str, &'t Tree>,
    /// How each address without indexes is written.
    written: BTreeMap<String, Written<'t>>,
    resources: Vec<Resource>,
}

/// A resource as the configuration writes it.
struct Written<'t> {
    module: String,
    expressions: &'t Tree,
    region: Option<String>,
}

/// `after_unknown` by address.
fn unknown(root: &Tree) -> BTreeMap<&str, &Tree> {
    let changes = root.get("resource_changes").map_or(&[][..], Tree::elements);
    let pairs = changes.iter().filter_map(|change| {
        Some((change.get("address")?.as_text()?, change.at(&["change", "after_unknown"])?))
    });
    pairs.collect()
}

fn written(root: &Tree) -> BTreeMap<String, Written<'_>> {
    let mut written = BTreeMap::new();
    if let Some(configuration) = root.get("configuration")
        && let Some(module) = configuration.get("root_module")
    {
        write_down(module, "", configuration.get("provider_config"), &mut written);
    }
    written
}

/// Collects the resources of a module and of those that it calls. The tree's depth is bounded, and so is this.
fn write_down<'t>(
    module: &'t Tree,
    prefix: &str,
    providers: Option<&'t Tree>,
    written: &mut BTreeMap<String, Written<'t>>,
) {
    for resource in module.get("resources").map_or(&[][..], Tree::elements) {
        let address = resource.get("address").and_then(Tree::as_text);
        let (Some(address), Some(expressions)) = (address, resource.get("expressions")) else { continue };
        let provider = resource.get("provider_config_key").and_then(Tree::as_text);
        let region = provider
            .and_then(|key| providers?.at(&[key, "expressions", "region", "constant_value"])?.scalar());
        let entry = Written { module: prefix.to_owned(), expressions, region };
        written.insert(format!("{prefix}{address}"), entry);
    }
    for (name, call) in module.get("module_calls").map_or(&[][..], Tree::entries) {
        if let Some(called) = call.get("module") {
            write_down(called, &format!("{prefix}module.{name}."), providers, written);
        }
    }
}

impl Reading<'_> {
    /// Takes the resources of a module and of its children.
    fn module(&mut self, module: &Tree) {
        for resource in module.get("resources").map_or(&[][..], Tree::elements) {
            self.resources.extend(self.resource(resource));
        }
        for child in module.get("child_modules").map_or(&[][..], Tree::elements) {
            self.module(child);
        }
    }

    fn resource(&self, resource: &Tree) -> Option<Resource> {
        let text = |name: &str| resource.get(name).and_then(Tree::as_text);
        let (kind, address) = (text("type")?, text("address")?);
        if text("mode") != Some("managed") || !is_wanted(kind) {
            return None;
        }
        let written = self.written.get(&without_indexes(address));
        let expressions = written.map(|written| written.expressions);
        let mut values = resource.get("values")?.clone();
        values.mark = resource.mark;
        if let Some(unknown) = self.unknown.get(address) {
            overlay(&mut values, unknown, expressions);
        }
        Some(Resource {
            input: self.input,
            address: address.to_owned(),
            kind: kind.to_owned(),
            name: text("name").unwrap_or(address).to_owned(),
            values,
            references: written.map(references).unwrap_or_default(),
            region: written.and_then(|written| written.region.clone()),
        })
    }
}

/// The resources that arguments refer to, as addresses from the root.
fn references(written: &Written<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (argument, expression) in written.expressions.entries() {
        for reference in expression.get("references").map_or(&[][..], Tree::elements) {
            let Some(text) = reference.as_text() else { continue };
            let address: Vec<&str> = text.split('.').take(2).collect();
            out.push((
                argument.clone(),
                without_indexes(&format!("{}{}", written.module, address.join("."))),
            ));
        }
    }
    out
}

/// Marks what is only known after the deployment. An argument that the configuration does not write has a default of the provider, and
/// is as if absent.
fn overlay(values: &mut Tree, unknown: &Tree, expressions: Option<&Tree>) {
    for (name, flag) in unknown.entries() {
        if expressions.is_some_and(|expressions| expressions.get(name).is_none()) {
            continue;
        }
        let Value::Map(entries) = &mut values.value else { return };
        match entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => *value = covered(value, flag),
            None if flag.value == Value::Bool(true) => entries.push((name.clone(), unknown_at(values.mark))),
            None => {}
        }
    }
}

/// A value under its mark: `true` covers all of it.
fn covered(value: &Tree, flag: &Tree) -> Tree {
    let below = match (&value.value, &flag.value) {
        (_, Value::Bool(true)) => return unknown_at(value.mark),
        (Value::List(elements), Value::List(flags)) => {
            let pairs = elements.iter().enumerate();
            Value::List(
                pairs
                    .map(|(at, element)| {
                        flags.get(at).map_or_else(|| element.clone(), |flag| covered(element, flag))
                    })
                    .collect(),
            )
        }
        (Value::Map(entries), Value::Map(flags)) => {
            let mut all: Vec<(String, Tree)> = entries
                .iter()
                .map(|(name, value)| {
                    let flag = flags.iter().find(|(flagged, _)| flagged == name);
                    (name.clone(), flag.map_or_else(|| value.clone(), |(_, flag)| covered(value, flag)))
                })
                .collect();
            for (name, flag) in flags {
                if flag.value == Value::Bool(true) && !entries.iter().any(|(known, _)| known == name) {
                    all.push((name.clone(), unknown_at(value.mark)));
                }
            }
            Value::Map(all)
        }
        _ => return value.clone(),
    };
    Tree::new(value.mark, below)
}

fn unknown_at(mark: crate::read::Mark) -> Tree {
    Tree::unknown(mark, "it is known after the deployment")
}

/// An address without what `count` and `for_each` add to it.
pub(super) fn without_indexes(address: &str) -> String {
    let (mut out, mut level, mut quoted) = (String::new(), 0_usize, false);
    for c in address.chars() {
        match c {
            '"' if level > 0 => quoted = !quoted,
            '[' if !quoted => level += 1,
            ']' if !quoted => level = level.saturating_sub(1),
            c if level == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

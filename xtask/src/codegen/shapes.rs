//! Structures and enums of the `api` crate.

use std::fmt::Write as _;

use super::model::{Member, Model, Shape, ShapeKind, is_image};
use super::names::{braced, rust_type, snake, variant};

/// `structures.rs`: one struct for each structure of the model.
pub(crate) fn structures(model: &Model) -> String {
    let mut out =
        String::from("//! The structures of the service model.\n\nuse std::collections::BTreeMap;\n\n");
    out += "use hashrange_item::{AttributeValue, Attributes, Image, NewItem};\n\n";
    _ = writeln!(out, "use super::enums::{};", braced(used_enums(model)));
    out += "use crate::Timestamp;\nuse crate::images::Same;\n\n";
    for (name, members) in model.structures() {
        structure(&mut out, model, name, members);
    }
    for operation in model.operations.iter().filter(|o| o.output.is_none()) {
        structure(&mut out, model, &format!("{}Output", operation.name), &[]);
    }
    out
}

/// The closed sets that structures have members of.
fn used_enums(model: &Model) -> impl Iterator<Item = &str> {
    let used = |set: &str| {
        model.structures().any(|(_, members)| members.iter().any(|m| model.leads_to(&m.shape, set)))
    };
    model.enums().map(|(name, _)| name).filter(move |name| used(name))
}

fn structure(out: &mut String, model: &Model, name: &str, members: &[Member]) {
    let braces = if members.is_empty() { "{}" } else { "{" };
    let images = members.iter().any(|m| holds_image(model, &m.shape));
    let equality = if images { "" } else { ", PartialEq" };
    _ = writeln!(out, "/// Shape `{name}` of the service model.\n#[derive(Clone, Debug, Default{equality})]");
    _ = writeln!(out, "pub struct {name} {braces}");
    for member in members {
        field(out, model, member);
    }
    out.push_str(if members.is_empty() { "\n" } else { "}\n\n" });
    if images {
        equality_of_images(out, model, name, members);
    }
}

/// Whether the shape is an image or a collection of images.
fn holds_image(model: &Model, shape: &str) -> bool {
    match &model.shape(shape).kind {
        _ if is_image(shape) => true,
        ShapeKind::List(element) => holds_image(model, element),
        ShapeKind::Map { value, .. } => holds_image(model, value),
        _ => false,
    }
}

/// Images have no equality of their own, as a row is equal to a tree of the same attributes.
fn equality_of_images(out: &mut String, model: &Model, name: &str, members: &[Member]) {
    let compare = |member: &Member| {
        let field = snake(&member.name);
        let images = holds_image(model, &member.shape);
        if images {
            format!("self.{field}.same(&other.{field})")
        } else {
            format!("self.{field} == other.{field}")
        }
    };
    let compared: Vec<String> = members.iter().map(compare).collect();
    _ = writeln!(out, "impl PartialEq for {name} {{\n    fn eq(&self, other: &Self) -> bool {{");
    _ = writeln!(out, "        {}\n    }}\n}}\n", compared.join(" && "));
}

fn field(out: &mut String, model: &Model, member: &Member) {
    let kind = rust_type(model, &member.shape);
    let kind = if member.required { kind } else { format!("Option<{kind}>") };
    _ = writeln!(out, "    /// {}", describe(model, member));
    _ = writeln!(out, "    pub {}: {kind},", snake(&member.name));
}

/// One factual line: the wire name, and what the model demands of the value.
fn describe(model: &Model, member: &Member) -> String {
    let shape = model.shape(&member.shape);
    let mut line = format!("`{}`", member.name);
    line += if member.required { ", required" } else { ", optional" };
    line += &bounds(shape);
    line + "."
}

fn bounds(shape: &Shape) -> String {
    let range = match (shape.min, shape.max) {
        (Some(min), Some(max)) => format!("; {min} to {max}"),
        (Some(min), None) => format!("; at least {min}"),
        (None, Some(max)) => format!("; at most {max}"),
        (None, None) => String::new(),
    };
    match &shape.pattern {
        Some(pattern) => format!("{range}; matches `{pattern}`"),
        None => range,
    }
}

/// `enums.rs`: one enum for each closed set of strings.
pub(crate) fn enums(model: &Model) -> String {
    let mut out = String::from("//! The closed sets of strings of the service model.\n\nuse std::fmt;\n\n");
    for (name, values) in model.enums() {
        enumeration(&mut out, name, values);
    }
    out
}

fn enumeration(out: &mut String, name: &str, values: &[String]) {
    _ = writeln!(out, "/// Shape `{name}` of the service model.");
    _ = writeln!(
        out,
        "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub enum {name} {{"
    );
    for (at, value) in values.iter().enumerate() {
        let default = if at == 0 { "#[default]\n    " } else { "" };
        _ = writeln!(out, "    /// `{value}`\n    {default}{},", variant(value));
    }
    _ = writeln!(out, "}}\n\nimpl {name} {{\n    /// Every value, in the order of the model.");
    let all: Vec<String> = values.iter().map(|v| format!("Self::{}", variant(v))).collect();
    _ = writeln!(out, "    pub const ALL: &'static [Self] = &[{}];\n", all.join(", "));
    _ = writeln!(
        out,
        "    /// The value's name on the wire.\n    pub fn as_str(self) -> &'static str {{\n        match self {{"
    );
    for value in values {
        _ = writeln!(out, "            Self::{} => \"{value}\",", variant(value));
    }
    _ = writeln!(
        out,
        "        }}\n    }}\n\n    /// The value of that name on the wire; names are case-sensitive."
    );
    _ = writeln!(
        out,
        "    #[expect(clippy::should_implement_trait, reason = \"an unknown name is data here, not an error\")]"
    );
    _ = writeln!(out, "    pub fn from_str(name: &str) -> Option<Self> {{\n        match name {{");
    for value in values {
        _ = writeln!(out, "            \"{value}\" => Some(Self::{}),", variant(value));
    }
    _ = writeln!(out, "            _ => None,\n        }}\n    }}\n}}\n");
    _ = writeln!(
        out,
        "impl fmt::Display for {name} {{\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{"
    );
    _ = writeln!(out, "        f.write_str(self.as_str())\n    }}\n}}\n");
}

//! The modelled constraints of every request, as code that walks it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::model::{Member, Model, Shape, ShapeKind, is_attributes, is_value};
use super::names::{braced, snake};

/// Members that AWS checks first, in its own order; the rest follow in the order of the model. From recorded answers
/// that list several members (UpdateItem, PutItem: October 2026).
const ORDER: [(&str, &[&str]); 4] = [
    ("UpdateItemInput", &WRITE_ORDER),
    ("DeleteItemInput", &WRITE_ORDER),
    ("ProvisionedThroughput", &["WriteCapacityUnits", "ReadCapacityUnits"]),
    ("PutItemInput", &["ReturnConsumedCapacity", "ReturnItemCollectionMetrics", "ReturnValues", "TableName"]),
];
const WRITE_ORDER: [&str; 6] = [
    "ReturnConsumedCapacity",
    "TableName",
    "ReturnItemCollectionMetrics",
    "ReturnValues",
    "ConditionalOperator",
    "Key",
];

/// Closed sets that AWS prints in an order other than the model's. From recorded answers.
const PRINTED: [(&str, &str); 6] = [
    ("ScalarAttributeType", "B, N, S"),
    ("Select", "SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES"),
    ("ReturnValue", "ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW"),
    ("ProjectionType", "ALL, INCLUDE, KEYS_ONLY"),
    ("ConditionalOperator", "OR, AND"),
    (
        "ComparisonOperator",
        "IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS",
    ),
];

/// Shapes whose constraints AWS checks with texts of its own; the engine does.
const ELSEWHERE: [&str; 3] = ["TagKeyString", "TagValueString", "TagKeyList"];

/// Operations on items: their table names may have one character, those of the others need three.
const ITEM_OPERATIONS: [&str; 13] = [
    "BatchGetItemInput",
    "ConditionCheck",
    "Delete",
    "DeleteItemInput",
    "Get",
    "GetItemInput",
    "Put",
    "PutItemInput",
    "QueryInput",
    "ScanInput",
    "SearchVectorsInput",
    "Update",
    "UpdateItemInput",
];

/// Lists of key elements that AWS caps at two, which the model leaves open.
const TWO_KEYS: [&str; 2] = ["CreateTableInput", "LocalSecondaryIndex"];

/// `constraints.rs`: `Constrained` for every structure that a request can hold.
pub(crate) fn constraints(model: &Model) -> String {
    let mut out = String::from("//! The modelled constraints of every request.\n\n");
    _ = writeln!(
        out,
        "use super::operations::Request;\nuse super::structures::{};",
        braced(constrained(model).into_iter())
    );
    out += "use crate::constraint::{Constrained, Pattern, Range, Text, Walk};\n\n";
    for name in constrained(model) {
        structure(&mut out, model, name);
    }
    _ = writeln!(
        out,
        "/// Checks the request's input.\npub(crate) fn check<'a>(request: &'a Request, walk: &mut Walk<'a>) {{\n    match request {{"
    );
    for operation in &model.operations {
        _ = writeln!(out, "        Request::{}(input) => input.check(walk),", operation.name);
    }
    out + "    }\n}\n"
}

/// Request structures, whether or not they have something to check: a caller need not know.
fn constrained(model: &Model) -> BTreeSet<&str> {
    model.request_structures()
}

fn structure(out: &mut String, model: &Model, name: &str) {
    let mut checks = String::new();
    for member in ordered(name, model.members(name)) {
        check(&mut checks, model, name, member);
    }
    let walk = if checks.is_empty() { "_" } else { "walk" };
    _ = writeln!(
        out,
        "impl Constrained for {name} {{\n    fn check<'a>(&'a self, {walk}: &mut Walk<'a>) {{\n{checks}    }}\n{}}}\n",
        shown(name)
    );
}

/// Key elements are the one structure whose echo clients were seen to get in full.
fn shown(name: &str) -> &'static str {
    match name {
        "KeySchemaElement" => {
            "\n    fn shown(&self) -> String {\n        crate::constraint::key_schema_element(self)\n    }\n"
        }
        _ => "",
    }
}

fn ordered<'a>(name: &str, members: &'a [Member]) -> Vec<&'a Member> {
    let first = ORDER.iter().find(|(structure, _)| *structure == name).map_or(&[][..], |(_, first)| first);
    let rank = |m: &&Member| first.iter().position(|f| *f == m.name).unwrap_or(first.len());
    let mut members: Vec<&Member> = members.iter().collect();
    members.sort_by_key(rank);
    members
}

fn check(out: &mut String, model: &Model, owner: &str, member: &Member) {
    let inner = inner(model, owner, member);
    let required = member.required.then(|| format!("walk.required({:?})", member.name));
    _ = match (required, inner) {
        (None, None) => return,
        (Some(required), None) => writeln!(out, "        {required};"),
        (Some(required), Some(inner)) if inner.starts_with("walk.choice") => {
            writeln!(out, "        if {required} {{ {inner} }}")
        }
        (Some(required), Some(inner)) => {
            let field = snake(&member.name);
            writeln!(out, "        if {required} {{ let value = &self.{field}; {inner} }}")
        }
        (None, Some(inner)) if inner.starts_with("walk.choice") => writeln!(out, "        {inner}"),
        (None, Some(inner)) => {
            writeln!(out, "        if let Some(value) = &self.{} {{ {inner} }}", snake(&member.name))
        }
    };
}

/// The check of a value that is there, as a statement over `value`.
fn inner(model: &Model, owner: &str, member: &Member) -> Option<String> {
    if ELSEWHERE.contains(&member.shape.as_str()) {
        return None;
    }
    let (name, shape) = (&member.name, model.shape(&member.shape));
    if is_value(&member.shape) || is_attributes(&member.shape) {
        return None;
    }
    match &shape.kind {
        ShapeKind::Structure(_) => Some(format!("walk.inside({name:?}, value);")),
        ShapeKind::String if !shape.values.is_empty() => {
            Some(format!("walk.choice({name:?}, {:?});", printed(&member.shape, shape)))
        }
        ShapeKind::String => {
            Some(format!("walk.text({name:?}, value, &{});", text_rule(owner, member, shape)?))
        }
        ShapeKind::Integer => Some(format!("walk.number({name:?}, i64::from(*value), {});", range(shape)?)),
        ShapeKind::Long => Some(format!("walk.number({name:?}, *value, {});", range(shape)?)),
        ShapeKind::List(element) => list(model, owner, name, shape, element),
        ShapeKind::Map { key, value } => map(model, name, shape, key, value),
        _ => None,
    }
}

/// Lists: their length, then their elements.
fn list(model: &Model, owner: &str, name: &str, shape: &Shape, element: &str) -> Option<String> {
    let capped = (name == "KeySchema" && TWO_KEYS.contains(&owner)).then_some(2);
    let length = length(shape.min, shape.max.or(capped));
    let size = length.as_ref().map(|range| format!("walk.length({name:?}, value, {range});"));
    let inner = model.shape(element);
    let each = match &inner.kind {
        _ if is_value(element) || is_attributes(element) => None,
        ShapeKind::Structure(_) => Some(format!("walk.each({name:?}, value);")),
        ShapeKind::String if !inner.values.is_empty() => None,
        ShapeKind::String => model_rule(inner).map(|rule| format!("walk.texts({name:?}, value, &{rule});")),
        _ => None,
    };
    join(size, each)
}

/// Maps: their size, their keys where the model bounds them, then their values.
fn map(model: &Model, name: &str, shape: &Shape, key: &str, value: &str) -> Option<String> {
    // An empty RequestItems gets words of its own, which are the engine's to give.
    let min = shape.min.filter(|_| name != "RequestItems");
    let size = length(min, shape.max).map(|range| format!("walk.size({name:?}, value, {range});"));
    let keys = (key == "TableArn").then(|| {
        let rule = "Text { min: Some(3), max: Some(255), pattern: Some(Pattern::Name), arn: true }";
        format!("walk.keys({name:?}, value, &{rule});")
    });
    let inner = model.shape(value);
    let values = match &inner.kind {
        _ if is_value(value) || is_attributes(value) => None,
        ShapeKind::Structure(_) => Some(format!("walk.entries({name:?}, value);")),
        ShapeKind::List(element) if matches!(model.shape(element).kind, ShapeKind::Structure(_)) => {
            let range =
                length(inner.min, inner.max).unwrap_or_else(|| "Range { min: None, max: None }".to_owned());
            Some(format!("walk.lists({name:?}, value, {range});"))
        }
        ShapeKind::String => model_rule(inner).map(|rule| format!("walk.values({name:?}, value, &{rule});")),
        _ => None,
    };
    join(join(size, keys), values)
}

fn join(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first} {second}")),
        (first, second) => first.or(second),
    }
}

/// The rule of a string member. A table name may be an ARN, and AWS bounds the name itself beyond the model.
fn text_rule(owner: &str, member: &Member, shape: &Shape) -> Option<String> {
    if member.shape != "TableArn" || member.name != "TableName" {
        return model_rule(shape);
    }
    let min = if ITEM_OPERATIONS.contains(&owner) { 1 } else { 3 };
    Some(format!("Text {{ min: Some({min}), max: Some(255), pattern: Some(Pattern::Name), arn: true }}"))
}

fn model_rule(shape: &Shape) -> Option<String> {
    let pattern = shape.pattern.as_deref().map(pattern);
    let (min, max) = (shape.min.filter(|min| *min > 0), shape.max);
    if min.is_none() && max.is_none() && pattern.is_none() {
        return None;
    }
    Some(format!("Text {{ min: {min:?}, max: {max:?}, pattern: {}, arn: false }}", option(pattern)))
}

fn option(text: Option<String>) -> String {
    text.map_or_else(|| "None".to_owned(), |text| format!("Some({text})"))
}

/// The predicate of a pattern; a new pattern in the model needs one in `constraint::pattern`.
fn pattern(pattern: &str) -> String {
    let name = match pattern {
        "[a-zA-Z0-9_.-]+" => "Name",
        r"\p{Print}+" => "Printable",
        r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*" => "RoleArn",
        "([0-9a-f]{16})+" => "Token",
        r"^[^\$]+$" => "NoDollar",
        r"[,;:|\t ]" => "CsvDelimiter",
        r"[\x20-\x21\x23-\x2B\x2D-\x7E]*" => "CsvHeader",
        r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$" => "Bucket",
        "[0-9]{12}" => "Account",
        other => panic!("add a predicate for this pattern to crates/api/src/constraint/pattern.rs: {other}"),
    };
    format!("Pattern::{name}")
}

fn range(shape: &Shape) -> Option<String> {
    length(shape.min, shape.max)
}

fn length(min: Option<i64>, max: Option<i64>) -> Option<String> {
    (min.is_some() || max.is_some()).then(|| format!("Range {{ min: {min:?}, max: {max:?} }}"))
}

/// A closed set as AWS prints it.
fn printed(name: &str, shape: &Shape) -> String {
    let known = PRINTED.iter().find(|(shape, _)| *shape == name).map(|(_, printed)| (*printed).to_owned());
    known.unwrap_or_else(|| shape.values.join(", "))
}

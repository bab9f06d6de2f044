//! From the form of a request to a request with gaps.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Shape;
use super::text::{self, Clause, Piece};
use crate::catalogue::Parameter;

/// A request with gaps, and where gaps get their values.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) request: Map<String, Value>,
    pub(super) parameters: BTreeMap<String, Parameter>,
    names: Map<String, Value>,
    values: Map<String, Value>,
}

/// A part of a key with its gap.
pub(super) struct Gap {
    /// The gap's name.
    pub(super) name: String,
    /// The text with the gap in it: `USER#{user}`.
    pub(super) template: String,
}

/// The gap of a key value: named by its prefix where there is one, by its attribute otherwise.
pub(super) fn gap(attribute: &str, prefix: Option<&str>) -> Gap {
    let source = prefix.unwrap_or(attribute);
    let mut name: String =
        source.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>().to_lowercase();
    if name.is_empty() {
        "value".clone_into(&mut name);
    }
    let template = format!("{}{{{name}}}", prefix.unwrap_or_default());
    Gap { name, template }
}

/// A key value as the type says it.
fn typed(kind: &str, text: &str) -> Value {
    json!({ kind: text })
}

impl Draft {
    /// The request of a form.
    pub(super) fn of(shape: &Shape) -> Draft {
        let mut draft = Draft::default();
        match shape.operation() {
            "BatchGetItem" => draft.batch_get(shape),
            "BatchWriteItem" => draft.batch_write(shape),
            "TransactGetItems" | "TransactWriteItems" => draft.transaction(shape),
            _ => draft.single(shape),
        }
        draft
    }

    fn set(&mut self, name: &str, value: Value) {
        self.request.insert(name.to_owned(), value);
    }

    /// A request by itself: names and values stand beside its expressions.
    fn single(&mut self, shape: &Shape) {
        self.set("TableName", json!(shape.table().unwrap_or_default()));
        if let Some(index) = shape.index() {
            self.set("IndexName", json!(index));
        }
        match shape.operation() {
            "Query" => {
                let condition = self.key_condition(shape);
                self.set("KeyConditionExpression", json!(condition));
            }
            "PutItem" => {
                let item = self.key(shape);
                self.set("Item", item);
            }
            "Scan" => {}
            _ => {
                let key = self.key(shape);
                self.set("Key", key);
            }
        }
        self.expressions(shape);
        self.switches(shape);
        for (name, map) in [
            ("ExpressionAttributeNames", std::mem::take(&mut self.names)),
            ("ExpressionAttributeValues", std::mem::take(&mut self.values)),
        ] {
            if !map.is_empty() {
                self.set(name, Value::Object(map));
            }
        }
    }

    fn expressions(&mut self, shape: &Shape) {
        let fields = [
            ("filter", "FilterExpression"),
            ("condition", "ConditionExpression"),
            ("projection", "ProjectionExpression"),
        ];
        for (field, parameter) in fields {
            if let Some(text) = shape.field(field) {
                let expression = self.expression(&text::pieces(text));
                self.set(parameter, json!(expression));
            }
        }
        if let Some(text) = shape.field("update").filter(|text| !text.is_empty()) {
            let update = self.update(text);
            self.set("UpdateExpression", json!(update));
        }
    }

    fn switches(&mut self, shape: &Shape) {
        if shape.field("consistent").is_some() {
            self.set("ConsistentRead", json!(true));
        }
        if shape.field("descending").is_some() {
            self.set("ScanIndexForward", json!(false));
        }
        if let Some(select) = shape.field("select") {
            self.set("Select", json!(select));
        }
        if let Some(returns) = shape.field("returns") {
            self.set("ReturnValues", json!(returns));
        }
    }

    fn fill(&mut self, gap: &Gap, kind: &str) -> Value {
        let format = if kind == "N" { "int(1,1000)" } else { "uuid" };
        self.parameters.entry(gap.name.clone()).or_insert_with(|| Parameter::New(format.to_owned()));
        typed(kind, &gap.template)
    }

    /// A primary key.
    fn key(&mut self, shape: &Shape) -> Value {
        let clauses = text::clauses(shape.field("key").unwrap_or_default());
        let pairs = clauses.into_iter().map(|clause| {
            let (kind, prefix) = clause.values.first().copied().unwrap_or(("S", None));
            let gap = gap(&clause.attribute, prefix);
            let value = self.fill(&gap, kind);
            (clause.attribute, value)
        });
        Value::Object(pairs.collect())
    }

    fn key_condition(&mut self, shape: &Shape) -> String {
        let clauses = text::clauses(shape.field("key").unwrap_or_default());
        clauses.iter().map(|clause| self.clause(clause)).collect::<Vec<_>>().join(" AND ")
    }

    fn clause(&mut self, clause: &Clause<'_>) -> String {
        let name = self.placeholder(&clause.attribute);
        let is_prefix = clause.operator == "begins_with";
        let values: Vec<String> = clause
            .values
            .iter()
            .map(|(kind, prefix)| {
                let value = match prefix {
                    Some(prefix) if is_prefix => typed(kind, prefix),
                    _ => self.fill(&gap(&clause.attribute, *prefix), kind),
                };
                self.value(value)
            })
            .collect();
        match (clause.operator, &values[..]) {
            ("begins_with", [value]) => format!("begins_with({name}, {value})"),
            ("between", [low, high]) => format!("{name} BETWEEN {low} AND {high}"),
            (operator, values) => format!("{name} {operator} {}", values.concat()),
        }
    }

    /// `#name` of an attribute.
    fn placeholder(&mut self, attribute: &str) -> String {
        if let Some((known, _)) = self.names.iter().find(|(_, name)| *name == attribute) {
            return known.clone();
        }
        let placeholder = format!("#n{}", self.names.len() + 1);
        self.names.insert(placeholder.clone(), json!(attribute));
        placeholder
    }

    fn value(&mut self, value: Value) -> String {
        let placeholder = format!(":v{}", self.values.len() + 1);
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// An expression of a recorded text. What is below a top-level attribute is not recorded: it is called `nested`.
    fn expression(&mut self, pieces: &[Piece<'_>]) -> String {
        let mut expression = String::new();
        let mut last_name = String::from("value");
        for piece in pieces {
            match piece {
                Piece::Word(word) => match word.strip_prefix('?') {
                    Some(rest) => expression.extend(["nested", rest]),
                    None => expression.push_str(&lists(word)),
                },
                Piece::Name(name) => {
                    last_name.clone_from(name);
                    expression.push_str(&self.placeholder(name));
                }
                Piece::Value { kind, .. } => {
                    let of_type =
                        expression.rfind("attribute_type(").is_some_and(|at| !expression[at..].contains(')'));
                    let value = if of_type { json!({ "S": kind }) } else { self.literal(kind, &last_name) };
                    expression.push_str(&self.value(value));
                }
            }
        }
        expression
    }

    /// A value of that type: nothing is known of it.
    fn literal(&mut self, kind: &str, attribute: &str) -> Value {
        let gap = gap(attribute, None);
        match kind {
            "S" | "N" => {
                let format = if kind == "N" { "int(1,1000)" } else { "word" };
                self.parameters.entry(gap.name.clone()).or_insert_with(|| Parameter::New(format.to_owned()));
                typed(kind, &gap.template)
            }
            "BOOL" | "NULL" => json!({ kind: true }),
            "L" => json!({ "L": [] }),
            "M" => json!({ "M": {} }),
            "NS" => json!({ "NS": ["1"] }),
            "B" => json!({ "B": "eA==" }),
            "BS" => json!({ "BS": ["eA=="] }),
            other => json!({ other: ["x"] }),
        }
    }

    fn update(&mut self, text: &str) -> String {
        let mut clauses: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (verb, pieces) in text::actions(text) {
            let action = self.expression(&pieces);
            match (verb, action.split_once(' ')) {
                // Only AttributeUpdates append with ADD; an expression says it with list_append.
                ("APPEND", Some((target, value))) => {
                    clauses
                        .entry("SET")
                        .or_default()
                        .push(format!("{target} = list_append({target}, {value})"));
                }
                _ => clauses.entry(verb).or_default().push(action),
            }
        }
        let clauses = clauses.into_iter().map(|(verb, actions)| format!("{verb} {}", actions.join(", ")));
        clauses.collect::<Vec<_>>().join(" ")
    }

    fn batch_get(&mut self, shape: &Shape) {
        let mut tables: Map<String, Value> = Map::new();
        for part in &shape.requests {
            let key = self.key(&part.shape);
            let table =
                tables.entry(part.shape.table().unwrap_or_default()).or_insert_with(|| json!({ "Keys": [] }));
            push(&mut table["Keys"], key);
        }
        self.set("RequestItems", Value::Object(tables));
    }

    fn batch_write(&mut self, shape: &Shape) {
        let mut tables: Map<String, Value> = Map::new();
        for part in &shape.requests {
            let key = self.key(&part.shape);
            let write = match part.shape.operation() {
                "PutItem" => json!({ "PutRequest": { "Item": key } }),
                _ => json!({ "DeleteRequest": { "Key": key } }),
            };
            push(tables.entry(part.shape.table().unwrap_or_default()).or_insert_with(|| json!([])), write);
        }
        self.set("RequestItems", Value::Object(tables));
    }

    fn transaction(&mut self, shape: &Shape) {
        let mut actions = Vec::new();
        for part in &shape.requests {
            let mut one = Draft::default();
            one.single(&part.shape);
            self.parameters.append(&mut one.parameters);
            let verb = match part.shape.operation() {
                "GetItem" => "Get",
                "PutItem" => "Put",
                "UpdateItem" => "Update",
                "DeleteItem" => "Delete",
                _ => "ConditionCheck",
            };
            actions.push(json!({ verb: one.request }));
        }
        self.set("TransactItems", json!(actions));
    }
}

/// A list of a size class becomes one of its members: its brackets and its class go.
fn lists(word: &str) -> String {
    let mut text = word.to_owned();
    for class in ["1", "2-10", "11-25", "26-100", "101+"] {
        text = text.replace(&format!("({class} of "), "(");
    }
    text
}

fn push(list: &mut Value, value: Value) {
    if let Value::Array(list) = list {
        list.push(value);
    }
}

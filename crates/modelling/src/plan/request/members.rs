//! The members of a request.

use serde_json::{Map, Value};

use super::values::scalar;
use super::{Action, Fault, KeyPart, Verb, expressions};
use crate::catalogue::{Catalogue, Pattern};

/// Reads the parts of one request.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) pattern: &'a Pattern,
    pub(super) faults: Vec<Fault>,
    /// Whether values are bound themselves: the request has no gaps.
    pub(super) is_exact: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(catalogue: &'a Catalogue, pattern: &'a Pattern, is_exact: bool) -> Reader<'a> {
        Reader { catalogue, pattern, faults: Vec::new(), is_exact }
    }

    pub(super) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// One part, from the members that all operations share.
    pub(super) fn item(&mut self, verb: Verb, body: &Map<String, Value>) -> Action {
        let text = |member: &str| body.get(member).and_then(Value::as_str).map(str::to_owned);
        let table = text("TableName").or_else(|| self.pattern.table.clone());
        let mut action = Action {
            verb,
            table: self.table_name(&table.unwrap_or_default()),
            index: text("IndexName"),
            key: body.get("Key").map(key).unwrap_or_default(),
            item: body.get("Item").and_then(Value::as_object).cloned(),
            select: text("Select"),
            limit: body.get("Limit").and_then(number),
            forward: body.get("ScanIndexForward").and_then(Value::as_bool),
            strong: body.get("ConsistentRead").and_then(Value::as_bool),
            reads: 1,
            top_k: body.get("TopK").and_then(number),
            ..Action::default()
        };
        expressions::read(body, self.is_exact, &mut action, &mut self.faults);
        action
    }

    /// A name, or the last part of an ARN.
    fn table_name(&self, name: &str) -> String {
        let name = name.split_once(":table/").map_or(name, |(_, name)| name);
        let known = self.catalogue.tables.as_slice();
        match known {
            [only] if name.is_empty() => only.name.clone(),
            _ => name.to_owned(),
        }
    }

    /// The parts of a batch.
    pub(super) fn batch(&mut self, body: &Map<String, Value>) -> Vec<Action> {
        let mut actions = Vec::new();
        let tables = body.get("RequestItems").and_then(Value::as_object);
        for (table, content) in tables.into_iter().flatten() {
            match content {
                Value::Object(gets) => {
                    let keys = gets.get("Keys").and_then(Value::as_array);
                    for key in keys.into_iter().flatten() {
                        let mut one = gets.clone();
                        one.insert("TableName".to_owned(), Value::String(table.clone()));
                        one.insert("Key".to_owned(), key.clone());
                        actions.push(self.item(Verb::Get, &one));
                    }
                }
                Value::Array(writes) => {
                    actions.extend(writes.iter().filter_map(|write| self.batch_write(table, write)));
                }
                _ => {}
            }
        }
        actions
    }

    fn batch_write(&mut self, table: &str, write: &Value) -> Option<Action> {
        let (verb, inner) = match (write.get("PutRequest"), write.get("DeleteRequest")) {
            (Some(put), _) => (Verb::Put, put),
            (_, Some(delete)) => (Verb::Delete, delete),
            _ => return None,
        };
        let mut body = inner.as_object()?.clone();
        body.insert("TableName".to_owned(), Value::String(table.to_owned()));
        Some(self.item(verb, &body))
    }

    /// The parts of a transaction.
    pub(super) fn transaction(&mut self, body: &Map<String, Value>) -> Vec<Action> {
        let verbs = [
            ("Get", Verb::Get),
            ("Put", Verb::Put),
            ("Update", Verb::Update),
            ("Delete", Verb::Delete),
            ("ConditionCheck", Verb::Check),
        ];
        let list = body.get("TransactItems").and_then(Value::as_array);
        let parts = list.into_iter().flatten().filter_map(|part| {
            let (word, inner) = part.as_object()?.iter().next()?;
            let (_, verb) = verbs.iter().find(|(name, _)| name == word)?;
            Some((*verb, inner.as_object()?))
        });
        parts.map(|(verb, inner)| self.item(verb, inner)).collect()
    }
}

/// The attributes of a key.
pub(super) fn key(json: &Value) -> Vec<KeyPart> {
    let map = json.as_object();
    let part = |(attribute, value): (&String, &Value)| {
        let (kind, text) = scalar(value).map_or((None, String::new()), |(kind, text)| (Some(kind), text));
        KeyPart { attribute: attribute.clone(), kind, text }
    };
    map.into_iter().flatten().map(part).collect()
}

fn number(json: &Value) -> Option<f64> {
    json.as_f64().or_else(|| json.as_str()?.parse().ok())
}

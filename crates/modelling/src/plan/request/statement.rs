//! PartiQL: a statement becomes the same parts as the request that does the same.

use hashrange_item::{KeyAttribute, KeyKind};
use hashrange_language::Condition;
use hashrange_language::partiql::{self, Access, Bound, KeyProblem, Select, Statement};
use serde_json::{Map, Value};

use super::expressions::{set_clauses, words};
use super::members::Reader;
use super::values::StandIns;
use super::{Action, Fault, KeyPart, Verb};
use crate::catalogue::{KeyType, Table};

impl Reader<'_> {
    /// The parts of a batch or a transaction of statements.
    pub(super) fn statements(&mut self, body: &Map<String, Value>) -> Vec<Action> {
        let list =
            body.get("Statements").or_else(|| body.get("TransactStatements")).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|one| self.statement(one.as_object()?)).collect()
    }

    /// One statement; `None`, and a fault, where it cannot be read.
    pub(super) fn statement(&mut self, body: &Map<String, Value>) -> Option<Action> {
        let text = body.get("Statement")?.as_str()?;
        let mut stand_ins = StandIns::new(self.is_exact);
        let parameters = body.get("Parameters").and_then(Value::as_array);
        let parameters: Vec<_> =
            parameters.into_iter().flatten().filter_map(|json| stand_ins.put(json)).collect();
        let bound = Statement::parse(text).and_then(|statement| statement.bind(&parameters));
        let bound = match bound {
            Ok(bound) => bound,
            Err(error) => {
                self.faults.push(Fault::Expression(format!("Statement: {}", words(&format!("{error:?}")))));
                return None;
            }
        };
        let mut action = self.action(bound, &stand_ins)?;
        action.strong = body.get("ConsistentRead").and_then(Value::as_bool);
        action.limit = body.get("Limit").and_then(Value::as_f64);
        Some(action)
    }

    fn action(&mut self, bound: Bound, stand_ins: &StandIns) -> Option<Action> {
        let name = bound.table().to_owned();
        let table = self.catalogue.table(&name);
        let start = |verb| Action { verb, table: name.clone(), reads: 1, ..Action::default() };
        match bound {
            Bound::Select(select) => self.select(start(Verb::Scan), select, table, stand_ins),
            Bound::Exists(select) => {
                Some(self.keyed(start(Verb::Check), select.condition, table?, stand_ins))
            }
            Bound::Insert { item, .. } => {
                let mut body = Vec::new();
                hashrange_item::json::write_attributes(&item, &mut body);
                let mut json: Map<String, Value> = serde_json::from_slice(&body).ok()?;
                for (name, value) in item.iter() {
                    let (kind, text) = stand_ins.text(value);
                    if let Some(kind) = kind.filter(|_| !text.is_empty()) {
                        json.insert(name.to_owned(), serde_json::json!({ kind.name(): text }));
                    }
                }
                // INSERT refuses to replace an item.
                let hash = table.and_then(|table| table.keys.hash.first());
                let condition = hash.map(|name| Condition::attribute_not_exists(name));
                Some(Action { item: Some(json), condition, ..start(Verb::Put) })
            }
            Bound::Update { update, condition, .. } => {
                let action = self.keyed(start(Verb::Update), condition, table?, stand_ins);
                // UPDATE refuses to create an item.
                let hash = table.and_then(|table| table.keys.hash.first());
                let exists = hash.map(|name| Condition::attribute_exists(name));
                let condition = exists.map(|exists| exists.and(action.condition.clone()));
                Some(Action { update: Some(update), condition, ..action })
            }
            Bound::Delete { condition, .. } => {
                Some(self.keyed(start(Verb::Delete), condition, table?, stand_ins))
            }
        }
    }

    fn keyed(
        &mut self,
        mut action: Action,
        condition: Option<Condition>,
        table: &Table,
        stand_ins: &StandIns,
    ) -> Action {
        let keys: Vec<KeyAttribute> =
            table.keys.attributes().map(|name| key_attribute(table, name)).collect();
        match partiql::item_key(condition, &keys.iter().collect::<Vec<_>>()) {
            Ok((key, rest)) => {
                let part = |(attribute, value): (&str, _)| {
                    let (kind, text) = stand_ins.text(value);
                    KeyPart { attribute: attribute.to_owned(), kind, text }
                };
                action.key = key.iter().map(part).collect();
                action.condition = rest;
            }
            Err(problem) => self.faults.push(key_fault(&problem)),
        }
        action
    }

    fn select(
        &mut self,
        mut action: Action,
        select: Select,
        table: Option<&Table>,
        stand_ins: &StandIns,
    ) -> Option<Action> {
        let index = select.index.as_ref().and_then(|name| table?.index(name));
        let keys = index.map_or(table.map(|table| &table.keys), |index| Some(&index.keys));
        action.index = select.index;
        action.wanted = (!select.columns.is_empty()).then_some(select.columns);
        action.selection.clone_from(&select.condition);
        action.forward = select.order.first().map(|order| !order.descending);
        let (Some(table), Some(keys)) = (table, keys) else {
            action.filter = select.condition;
            return Some(action);
        };
        let hash = key_attribute(table, keys.hash.first()?);
        let range = keys.range.first().map(|name| key_attribute(table, name));
        match partiql::reads(select.condition, &hash, range.as_ref()) {
            Ok(Access::Scan(filter)) => action.filter = filter,
            Ok(Access::Reads(reads)) => {
                action.verb = Verb::Query;
                action.reads = reads.len();
                let first = reads.into_iter().next()?;
                set_clauses(&mut action, &first.key, stand_ins);
                action.filter = first.filter;
            }
            Err(problem) => self.faults.push(key_fault(&problem)),
        }
        Some(action)
    }
}

fn key_fault(problem: &KeyProblem) -> Fault {
    Fault::Expression(format!("Statement: {}", words(&format!("{problem:?}"))))
}

fn key_attribute(table: &Table, name: &str) -> KeyAttribute {
    let kind = match table.definitions.get(name) {
        Some(KeyType::N) => KeyKind::N,
        Some(KeyType::B) => KeyKind::B,
        _ => KeyKind::S,
    };
    KeyAttribute { name: name.to_owned(), kind }
}

//! Requests raised to the short forms of our own form: the first of several ways of writing a pattern that is read back as it was.

use hashrange_api::Operation;
use serde_json::{Map, Value};

use super::own::{Entries, pattern_head, pattern_tail};
use super::text::{Y, document};
use crate::catalogue::{Catalogue, Parameter, Pattern};
use crate::read::log::Log;
use crate::read::node::Node;
use crate::read::own::{lower, pattern as reader};
use crate::read::value::is_number;

/// The pattern, as short as says all.
pub(super) fn pattern(pattern: &Pattern, catalogue: &Catalogue) -> Y {
    let ways = [(true, false, false), (true, true, false), (true, true, true), (false, false, true)];
    let mut last = Y::Tall(Vec::new());
    for (short, typed, parameters) in ways {
        let Some(written) = write(pattern, catalogue, short, typed, parameters) else { continue };
        last = Y::Tall(written.0);
        if reads_back(&last, pattern, catalogue) {
            break;
        }
    }
    // The last way, the whole request with all parameters, always says all.
    last
}

fn reads_back(written: &Y, pattern: &Pattern, catalogue: &Catalogue) -> bool {
    let Y::Tall(entries) = written else { return false };
    let Ok(node) = Node::parse(&document(entries)) else { return false };
    let mut log = Log::new("");
    let read = reader::read(&node, &without(catalogue, &pattern.id), &mut log);
    log.problems.is_empty() && read.as_ref() == Some(pattern)
}

/// What the reader of a pattern looks at: tables and entities.
fn without(catalogue: &Catalogue, _id: &str) -> Catalogue {
    Catalogue {
        tables: catalogue.tables.clone(),
        entities: catalogue.entities.clone(),
        ..Catalogue::default()
    }
}

fn write(
    pattern: &Pattern,
    catalogue: &Catalogue,
    short: bool,
    typed: bool,
    parameters: bool,
) -> Option<Entries> {
    let mut fields = pattern_head(pattern);
    let mut examined = pattern.items.map(Y::number);
    if let Some(request) = &pattern.request {
        if short {
            let operation = pattern.operation?;
            let raised = Raise { catalogue, pattern, typed }.request(operation, request)?;
            if raised.iter().any(|(key, _)| key == "items") {
                if examined.is_some() {
                    return None;
                }
                examined = None;
            }
            drop_told(&mut fields, pattern, catalogue, operation);
            fields.0.extend(raised);
        } else {
            fields.put("request", Some(Y::json(&Value::Object(request.clone()))));
        }
    } else {
        // A scan needs no more than its name, so it must be told that there is more to it.
        let unstated = pattern.operation == Some(Operation::Scan);
        fields.put("request", unstated.then(|| Y::text(reader::NOT_STATED)));
        fields.put("consistent", pattern.strong.map(|strong| Y::Plain(strong.to_string())));
    }
    fields.put("items", examined);
    if parameters && !pattern.parameters.is_empty() {
        let given = pattern.parameters.iter().map(|(name, one)| (name.clone(), parameter(one)));
        fields.put("parameters", Some(Y::Map(given.collect())));
    }
    pattern_tail(&mut fields, pattern);
    Some(fields)
}

/// Leaves out the table where there is only one, and the operation that a statement tells.
fn drop_told(fields: &mut Entries, pattern: &Pattern, catalogue: &Catalogue, operation: Operation) {
    let only =
        catalogue.tables.len() == 1 && pattern.table.as_deref() == Some(catalogue.tables[0].name.as_str());
    let single = pattern.request.as_ref().is_some_and(|request| request.contains_key("TableName"));
    fields.0.retain(|(key, _)| match key.as_str() {
        "table" => !(only && single),
        "operation" => operation != Operation::ExecuteStatement,
        _ => true,
    });
}

fn parameter(parameter: &Parameter) -> Y {
    match parameter {
        Parameter::From { entity, attribute } => Y::text(format!("{entity}.{attribute}")),
        Parameter::Value(value) => Y::Map(vec![("value".to_owned(), Y::json(value))]),
        Parameter::New(format) => Y::Map(vec![("new".to_owned(), Y::text(format))]),
    }
}

type Raised = Vec<(String, Y)>;

/// The key condition of a query by attribute: a value is `=`, a map of one operator any other.
pub(super) fn key_clauses(pattern: &Pattern, catalogue: &Catalogue) -> Option<Raised> {
    match (Raise { catalogue, pattern, typed: false }).key_condition(pattern.request.as_ref()?)? {
        Y::Map(clauses) => Some(clauses),
        _ => None,
    }
}

struct Raise<'c> {
    catalogue: &'c Catalogue,
    pattern: &'c Pattern,
    /// Whether values keep their types where a scalar may be taken for another.
    typed: bool,
}

impl Raise<'_> {
    fn request(&self, operation: Operation, request: &Map<String, Value>) -> Option<Raised> {
        let mut fields = Entries::default();
        match operation {
            Operation::GetItem | Operation::DeleteItem => {
                fields.put("key", Some(self.map(request.get("Key")?)?));
            }
            Operation::PutItem => fields.put("item", Some(self.item(request.get("Item")?)?)),
            Operation::UpdateItem => {
                fields.put("key", Some(self.map(request.get("Key")?)?));
                fields.put("update", Some(text(request, "UpdateExpression")?));
            }
            Operation::Query => fields.put("key", Some(self.key_condition(request)?)),
            Operation::Scan => {}
            Operation::BatchGetItem => fields.put("keys", Some(self.batch_keys(request)?)),
            Operation::TransactGetItems => fields.put("keys", Some(self.gets(request)?)),
            Operation::BatchWriteItem => fields.put("items", Some(self.batch_writes(request)?)),
            Operation::TransactWriteItems => fields.put("actions", Some(self.actions(request)?)),
            Operation::ExecuteStatement => self.statement(&mut fields, request)?,
            _ => return None,
        }
        self.options(&mut fields, operation, request);
        Some(fields.0)
    }

    /// Conditions, filters, projections and the small options.
    fn options(&self, fields: &mut Entries, operation: Operation, request: &Map<String, Value>) {
        fields.put("condition", text(request, "ConditionExpression"));
        fields.put("filter", text(request, "FilterExpression"));
        self.placeholders(fields, request);
        fields.put("project", Self::projection(operation, request));
        fields.put("select", text(request, "Select"));
        fields.put("limit", request.get("Limit").map(Y::json));
        let forward = request.get("ScanIndexForward").and_then(Value::as_bool);
        fields.put("order", forward.map(|forward| Y::text(if forward { "asc" } else { "desc" })));
        fields.put("segments", request.get("TotalSegments").map(Y::json));
        fields.put("token", text(request, "ClientRequestToken"));
        fields.put("consistent", Self::consistent(request));
    }

    fn consistent(request: &Map<String, Value>) -> Option<Y> {
        let batch =
            request.get("RequestItems").and_then(Value::as_object).and_then(|tables| tables.values().next());
        request.get("ConsistentRead").or_else(|| batch?.get("ConsistentRead")).map(Y::json)
    }

    /// Placeholders of texts that are written as they are; those that their names tell are left out.
    fn placeholders(&self, fields: &mut Entries, request: &Map<String, Value>) {
        let texts: String = ["UpdateExpression", "ConditionExpression", "FilterExpression"]
            .into_iter()
            .filter_map(|member| request.get(member)?.as_str())
            .fold(String::new(), |all, text| all + " " + text);
        let used = |name: &str| contains_word(&texts, name);
        let values =
            request.get("ExpressionAttributeValues").and_then(Value::as_object).into_iter().flatten();
        let values: Raised = values
            .filter(|(name, value)| used(name) && !is_own_gap(name, value))
            .map(|(name, value)| (name.clone(), self.value(value)))
            .collect();
        fields.put("values", (!values.is_empty()).then_some(Y::Map(values)));
        let names = request.get("ExpressionAttributeNames").and_then(Value::as_object).into_iter().flatten();
        let names: Raised = names
            .filter(|(name, value)| used(name) && value.as_str() != name.strip_prefix('#'))
            .map(|(name, value)| (name.clone(), Y::json(value)))
            .collect();
        fields.put("names", (!names.is_empty()).then_some(Y::Map(names)));
    }

    fn projection(operation: Operation, request: &Map<String, Value>) -> Option<Y> {
        let inner = match operation {
            Operation::BatchGetItem => {
                request.get("RequestItems")?.as_object()?.values().next()?.as_object()?
            }
            Operation::TransactGetItems => request.get("TransactItems")?.get(0)?.get("Get")?.as_object()?,
            _ => request,
        };
        let text = inner.get("ProjectionExpression")?.as_str()?;
        let names = inner.get("ExpressionAttributeNames");
        let path = |path: &str| {
            let words = path.trim().split('.').map(|word| {
                let end = word.find('[').unwrap_or(word.len());
                let name = names.and_then(|names| names.get(&word[..end])).and_then(Value::as_str);
                format!("{}{}", name.unwrap_or(&word[..end]), &word[end..])
            });
            Y::text(words.collect::<Vec<_>>().join("."))
        };
        Some(Y::List(text.split(',').map(path).collect()))
    }

    fn item(&self, item: &Value) -> Option<Y> {
        let scope = lower::Scope {
            catalogue: self.catalogue,
            table: self.pattern.table.clone().unwrap_or_default(),
            parameters: self.pattern.parameters.clone(),
        };
        let same = |entity: &&crate::catalogue::Entity| {
            Some(&lower::entity_item(&scope, entity)) == item.as_object()
        };
        match self.catalogue.entities.iter().find(same) {
            Some(entity) => Some(Y::Map(vec![("entity".to_owned(), Y::text(&entity.name))])),
            None => self.map(item),
        }
    }

    fn map(&self, map: &Value) -> Option<Y> {
        let entries = map.as_object()?.iter();
        Some(Y::Map(entries.map(|(name, value)| (name.clone(), self.value(value))).collect()))
    }

    /// A value in DynamoDB's JSON, as plainly as it is read back.
    fn value(&self, value: &Value) -> Y {
        let content = value.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next());
        match content {
            Some((kind, Value::String(text))) if kind == "S" => Y::text(text),
            Some((kind, Value::String(text))) if kind == "N" && is_number(text) => Y::Plain(text.clone()),
            Some((kind, Value::String(text))) if !self.typed && kind == "N" => Y::text(text),
            Some((kind, Value::Bool(truth))) if kind == "BOOL" => Y::Plain(truth.to_string()),
            Some((kind, Value::Bool(true))) if kind == "NULL" => Y::Plain("null".to_owned()),
            _ => Y::json(value),
        }
    }

    fn key_condition(&self, request: &Map<String, Value>) -> Option<Y> {
        let text = request.get("KeyConditionExpression")?.as_str()?;
        let names = request.get("ExpressionAttributeNames");
        let values = request.get("ExpressionAttributeValues")?;
        let name = |word: &str| {
            names.and_then(|names| names.get(word)).and_then(Value::as_str).unwrap_or(word).to_owned()
        };
        let value = |word: &str| values.get(word).map(|value| self.value(value));
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
            .filter(|word| !word.is_empty())
            .collect();
        let mut clauses = Vec::new();
        let mut rest = words.as_slice();
        while !rest.is_empty() {
            let (clause, tail) = match rest {
                ["begins_with", path, operand, tail @ ..] => {
                    ((name(path), one("begins_with", value(operand)?)), tail)
                }
                [path, "BETWEEN", low, "AND", high, tail @ ..] => {
                    ((name(path), one("between", Y::List(vec![value(low)?, value(high)?]))), tail)
                }
                [path, "=", operand, tail @ ..] => ((name(path), value(operand)?), tail),
                [path, operator @ ("<" | "<=" | ">" | ">="), operand, tail @ ..] => {
                    ((name(path), one(operator, value(operand)?)), tail)
                }
                _ => return None,
            };
            clauses.push(clause);
            rest = match tail {
                [] => tail,
                ["AND", tail @ ..] => tail,
                _ => return None,
            };
        }
        Some(Y::Map(clauses))
    }

    fn batch_keys(&self, request: &Map<String, Value>) -> Option<Y> {
        let mut keys = Vec::new();
        for (table, entry) in request.get("RequestItems")?.as_object()? {
            for key in entry.get("Keys")?.as_array()? {
                keys.push(self.tabled(table, self.map(key)?));
            }
        }
        Some(Y::List(keys))
    }

    fn tabled(&self, table: &str, key: Y) -> Y {
        if lower::table_of(self.catalogue, self.pattern).as_deref() == Some(table) {
            return key;
        }
        Y::Map(vec![("table".to_owned(), Y::text(table)), ("key".to_owned(), key)])
    }

    fn gets(&self, request: &Map<String, Value>) -> Option<Y> {
        let gets = request.get("TransactItems")?.as_array()?.iter().map(|get| {
            let get = get.get("Get")?;
            Some(self.tabled(get.get("TableName")?.as_str()?, self.map(get.get("Key")?)?))
        });
        gets.collect::<Option<Vec<Y>>>().map(Y::List)
    }

    fn batch_writes(&self, request: &Map<String, Value>) -> Option<Y> {
        let mut writes = Vec::new();
        for (table, list) in request.get("RequestItems")?.as_object()? {
            for write in list.as_array()? {
                let mut fields = Entries::default();
                match (write.get("PutRequest"), write.get("DeleteRequest")) {
                    (Some(put), None) => fields.put("put", Some(self.item(put.get("Item")?)?)),
                    (None, Some(delete)) => fields.put("delete", Some(self.map(delete.get("Key")?)?)),
                    _ => return None,
                }
                self.table(&mut fields, table);
                writes.push(Y::Map(fields.0));
            }
        }
        Some(Y::List(writes))
    }

    fn table(&self, fields: &mut Entries, table: &str) {
        let told = lower::table_of(self.catalogue, self.pattern).as_deref() == Some(table);
        fields.put("table", (!told).then(|| Y::text(table)));
    }

    fn actions(&self, request: &Map<String, Value>) -> Option<Y> {
        let actions = request.get("TransactItems")?.as_array()?.iter().map(|action| self.action(action));
        actions.collect::<Option<Vec<Y>>>().map(Y::List)
    }

    fn action(&self, action: &Value) -> Option<Y> {
        let (kind, body) = action.as_object()?.iter().next()?;
        let body = body.as_object()?;
        let mut fields = Entries::default();
        match kind.as_str() {
            "Put" => fields.put("put", Some(self.item(body.get("Item")?)?)),
            "Delete" => fields.put("delete", Some(self.map(body.get("Key")?)?)),
            "ConditionCheck" => fields.put("check", Some(self.map(body.get("Key")?)?)),
            "Update" => {
                let mut update = Entries::default();
                update.put("key", Some(self.map(body.get("Key")?)?));
                update.put("expression", Some(text(body, "UpdateExpression")?));
                fields.put("update", Some(Y::Map(update.0)));
            }
            _ => return None,
        }
        self.table(&mut fields, body.get("TableName")?.as_str()?);
        fields.put("condition", text(body, "ConditionExpression"));
        self.placeholders(&mut fields, body);
        Some(Y::Map(fields.0))
    }

    fn statement(&self, fields: &mut Entries, request: &Map<String, Value>) -> Option<()> {
        let statement = request.get("Statement")?.as_str()?;
        fields.put("statement", Some(Y::text(statement.replace("{{", "{").replace("}}", "}"))));
        if let Some(values) = request.get("Parameters").and_then(Value::as_array) {
            fields.put(
                "parameters_list",
                Some(Y::List(values.iter().map(|value| self.value(value)).collect())),
            );
        }
        Some(())
    }
}

fn one(key: &str, value: Y) -> Y {
    Y::Map(vec![(key.to_owned(), value)])
}

fn text(request: &Map<String, Value>, member: &str) -> Option<Y> {
    request.get(member).and_then(Value::as_str).map(Y::text)
}

/// Whether `:min` is the gap `{min}`, which the reader fills in.
fn is_own_gap(name: &str, value: &Value) -> bool {
    let gap = format!("{{{}}}", name.trim_start_matches(':'));
    let content = value.as_object().filter(|map| map.len() == 1).and_then(|map| map.values().next());
    content.and_then(Value::as_str) == Some(gap.as_str())
}

/// Whether a placeholder is in a text, and not only the beginning of a longer one.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let next = text[at + word.len()..].chars().next();
        !next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_')
    })
}

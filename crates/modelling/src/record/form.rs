//! The form of a pattern, in which a recorded one and a declared one can be compared.

use std::collections::{BTreeMap, BTreeSet};

use hashrange_api::Operation;
use hashrange_item::{AttributeValue, Attributes, Number};
use hashrange_language::{Binder, ExpressionKind};
use serde_json::{Map, Value};

use super::{Shape, text};
use crate::catalogue::{Catalogue, Pattern};
use crate::template::Template;

/// What a pattern touches and how, without values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    operation: String,
    table: String,
    index: Option<String>,
    clauses: Vec<Clause>,
    descending: bool,
    filter: BTreeSet<String>,
    written: BTreeSet<String>,
    conditional: bool,
    requests: Vec<Form>,
}

/// A comparison of a key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    attribute: String,
    operator: String,
    prefix: Option<String>,
}

impl Form {
    /// Of what was recorded.
    pub(super) fn of_shape(shape: &Shape) -> Form {
        let clauses = text::clauses(shape.field("key").unwrap_or_default());
        let clauses = clauses.into_iter().map(|clause| Clause {
            prefix: clause.values.first().and_then(|(_, prefix)| prefix.map(str::to_owned)),
            operator: clause.operator.to_owned(),
            attribute: clause.attribute,
        });
        Form {
            operation: shape.operation().to_owned(),
            table: shape.table().unwrap_or_default(),
            index: shape.index(),
            clauses: clauses.collect(),
            descending: shape.field("descending").is_some(),
            filter: shape.field("filter").map(text::names).into_iter().flatten().collect(),
            written: shape.field("update").map(text::written).into_iter().flatten().collect(),
            conditional: shape.field("condition").is_some(),
            requests: shape.requests.iter().map(|part| Form::of_shape(&part.shape)).collect(),
        }
    }

    /// Of what is declared; `None` where the pattern states no request that can be compared.
    pub(super) fn of_pattern(catalogue: &Catalogue, pattern: &Pattern) -> Option<Form> {
        let operation = pattern.operation?;
        let request = pattern.request.as_ref()?;
        let mut form = match operation {
            Operation::BatchGetItem => batch(operation, gets(catalogue, request)?),
            Operation::BatchWriteItem => batch(operation, writes(catalogue, request)?),
            Operation::TransactGetItems | Operation::TransactWriteItems => {
                batch(operation, actions(catalogue, request)?)
            }
            Operation::ExecuteStatement => return None,
            _ => single(catalogue, operation.name(), request)?,
        };
        if form.table.is_empty() {
            form.table = pattern.table.clone().unwrap_or_default();
        }
        Some(form)
    }

    /// How well a declared form explains this recorded one; `None` where it does not.
    pub(super) fn fit(&self, declared: &Form) -> Option<u32> {
        let same = self.operation == declared.operation
            && self.table == declared.table
            && self.index == declared.index
            && self.clauses.len() == declared.clauses.len();
        if !same {
            return None;
        }
        let mut fit = 1;
        for (seen, said) in self.clauses.iter().zip(&declared.clauses) {
            fit += seen.fit(said)?;
        }
        if !self.written.is_empty() && self.written.is_disjoint(&declared.written) {
            return None;
        }
        fit += 4 * u32::from(self.written == declared.written);
        fit += 2 * u32::from(self.filter == declared.filter);
        fit += u32::from(self.descending == declared.descending);
        fit += u32::from(self.conditional == declared.conditional);
        Some(fit + fit_requests(&self.requests, &declared.requests)?)
    }

    /// The index that is read, with its table.
    pub(super) fn read_index(&self) -> Option<(&str, &str)> {
        Some((self.table.as_str(), self.index.as_deref()?))
    }
}

impl Clause {
    /// A prefix that is not known, because it was seen too rarely to be told, fits every other.
    fn fit(&self, declared: &Clause) -> Option<u32> {
        if self.attribute != declared.attribute || self.operator != declared.operator {
            return None;
        }
        match (&self.prefix, &declared.prefix) {
            (Some(seen), Some(said)) if seen == said => Some(3),
            (Some(_), Some(_)) => None,
            _ => Some(0),
        }
    }
}

/// Every recorded request is one of the declared ones, and every declared one was seen.
fn fit_requests(seen: &[Form], declared: &[Form]) -> Option<u32> {
    let best = |one: &Form, of: &[Form]| of.iter().filter_map(|other| one.fit(other)).max();
    let mut fit = 0;
    for one in seen {
        fit += best(one, declared)?;
    }
    let all_seen = declared.iter().all(|said| seen.iter().any(|one| one.fit(said).is_some()));
    all_seen.then_some(fit)
}

fn batch(operation: Operation, requests: Vec<Form>) -> Form {
    let table = requests.first().map(|form| form.table.clone()).unwrap_or_default();
    Form { operation: operation.name().to_owned(), table, requests, ..Form::default() }
}

/// The prefix of a template, where a recording could tell it: capitals before a delimiter.
fn prefix(text: &str) -> Option<String> {
    let template = Template::parse(text).ok()?;
    let literal = template.prefix();
    let end = literal.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))?;
    let is_type = (2..=31).contains(&end) && literal.starts_with(|c: char| c.is_ascii_uppercase());
    let delimiter = literal[end..].starts_with(['#', '|', ':', '/']);
    (is_type && delimiter).then(|| literal[..=end].to_owned())
}

/// The text of a value in DynamoDB's JSON.
fn text_of(value: &Value) -> Option<&str> {
    value.as_object()?.get("S")?.as_str()
}

fn key(catalogue: &Catalogue, table: &str, key: &Value) -> Option<Vec<Clause>> {
    let map = key.as_object()?;
    let names: Vec<String> = match catalogue.table(table) {
        Some(table) => table.keys.attributes().map(str::to_owned).collect(),
        None => map.keys().cloned().collect(),
    };
    let clauses = names.into_iter().map(|attribute| {
        let prefix = map.get(&attribute).and_then(text_of).and_then(prefix);
        Clause { attribute, operator: "=".to_owned(), prefix }
    });
    Some(clauses.collect())
}

/// A request by itself.
fn single(catalogue: &Catalogue, operation: &str, request: &Map<String, Value>) -> Option<Form> {
    let table = request.get("TableName").and_then(Value::as_str).unwrap_or_default().to_owned();
    let values = values(request);
    let names = names(request);
    let mut binder = Binder::new(names.as_ref(), values.as_ref());
    let text = |name: &str| request.get(name).and_then(Value::as_str);
    let mut form = Form {
        operation: operation.to_owned(),
        index: text("IndexName").map(str::to_owned),
        descending: request.get("ScanIndexForward") == Some(&Value::Bool(false)),
        conditional: text("ConditionExpression").is_some(),
        ..Form::default()
    };
    form.clauses = match operation {
        "Query" => {
            query_key(catalogue, &table, form.index.as_deref(), &mut binder, text("KeyConditionExpression")?)?
        }
        "Scan" => Vec::new(),
        "PutItem" => key(catalogue, &table, request.get("Item")?)?,
        _ => key(catalogue, &table, request.get("Key")?)?,
    };
    if let Some(filter) = text("FilterExpression") {
        let filter = binder.condition(ExpressionKind::Filter, filter).ok()?;
        form.filter = filter.top_level_attributes().into_iter().map(str::to_owned).collect();
    }
    if let Some(update) = text("UpdateExpression") {
        let update = binder.update(update).ok()?;
        form.written = update.changed_attributes().into_iter().map(str::to_owned).collect();
    }
    form.table = table;
    Some(form)
}

fn query_key(
    catalogue: &Catalogue,
    table: &str,
    index: Option<&str>,
    binder: &mut Binder<'_>,
    text: &str,
) -> Option<Vec<Clause>> {
    let condition = binder.key_condition(text).ok()?;
    let table = catalogue.table(table);
    let keys = table.and_then(|table| match index {
        Some(index) => table.index(index).map(|index| &index.keys),
        None => Some(&table.keys),
    });
    let order = |name: &str| keys.and_then(|keys| keys.attributes().position(|attribute| attribute == name));
    let mut clauses: Vec<Clause> = condition
        .clauses()
        .iter()
        .map(|clause| {
            let value = clause.operator.values().next();
            let text = value.and_then(|value| match value {
                AttributeValue::S(text) => Some(text.as_str()),
                _ => None,
            });
            Clause {
                attribute: clause.attribute.clone(),
                operator: clause.word().to_owned(),
                prefix: text.and_then(prefix),
            }
        })
        .collect();
    clauses.sort_by_key(|clause| order(&clause.attribute));
    Some(clauses)
}

fn names(request: &Map<String, Value>) -> Option<BTreeMap<String, String>> {
    let names = request.get("ExpressionAttributeNames")?.as_object()?;
    let names = names.iter().filter_map(|(name, of)| Some((name.clone(), of.as_str()?.to_owned())));
    Some(names.collect())
}

/// Values of the right type; a text keeps its gaps, everything else stands for itself.
fn values(request: &Map<String, Value>) -> Option<Attributes> {
    let values = request.get("ExpressionAttributeValues")?.as_object()?;
    let pairs = values.iter().filter_map(|(name, value)| {
        let (kind, value) = value.as_object()?.iter().next()?;
        let value = match (kind.as_str(), value) {
            ("S", Value::String(text)) => AttributeValue::from(text.as_str()),
            ("BOOL", _) => AttributeValue::Bool(true),
            ("NULL", _) => AttributeValue::Null,
            ("L", _) => AttributeValue::L(Vec::new()),
            ("M", _) => AttributeValue::M(Attributes::new()),
            _ => AttributeValue::N(Number::from_i64(1)),
        };
        Some((name.clone(), value))
    });
    Some(Attributes::from_pairs(pairs.collect()))
}

fn gets(catalogue: &Catalogue, request: &Map<String, Value>) -> Option<Vec<Form>> {
    let mut forms = Vec::new();
    for (table, wanted) in request.get("RequestItems")?.as_object()? {
        for key_of in wanted.get("Keys")?.as_array()? {
            let clauses = key(catalogue, table, key_of)?;
            let operation = "GetItem".to_owned();
            forms.push(Form { operation, table: table.clone(), clauses, ..Form::default() });
        }
    }
    Some(forms)
}

fn writes(catalogue: &Catalogue, request: &Map<String, Value>) -> Option<Vec<Form>> {
    let mut forms = Vec::new();
    for (table, writes) in request.get("RequestItems")?.as_object()? {
        for write in writes.as_array()? {
            let put = write.get("PutRequest").and_then(|put| put.get("Item"));
            let delete = write.get("DeleteRequest").and_then(|delete| delete.get("Key"));
            let operation = if put.is_some() { "PutItem" } else { "DeleteItem" }.to_owned();
            let clauses = key(catalogue, table, put.or(delete)?)?;
            forms.push(Form { operation, table: table.clone(), clauses, ..Form::default() });
        }
    }
    Some(forms)
}

fn actions(catalogue: &Catalogue, request: &Map<String, Value>) -> Option<Vec<Form>> {
    let actions = request.get("TransactItems")?.as_array()?.iter().map(|action| {
        let (verb, request) = action.as_object()?.iter().next()?;
        let operation = match verb.as_str() {
            "Get" => "GetItem",
            "Put" => "PutItem",
            "Update" => "UpdateItem",
            "Delete" => "DeleteItem",
            other => other,
        };
        single(catalogue, operation, request.as_object()?)
    });
    actions.collect()
}

//! Puts back what a write pattern changed.

use hashrange_api::Operation;
use serde_json::{Map, Value, json};

use super::load::ask;
use crate::catalogue::{Catalogue, Pattern};
use crate::plan::request::{Action, Request, Verb, request};
use crate::target::Target;

/// An item that a request may change: its table and key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Touched {
    table: String,
    key: Map<String, Value>,
    /// The request makes a new item: one that is there must go first.
    creates: bool,
}

/// An item as it was.
pub(super) struct Before {
    touched: Touched,
    item: Option<Value>,
}

/// The items that a request writes.
pub(super) fn touched(catalogue: &Catalogue, pattern: &Pattern, filled: &Map<String, Value>) -> Vec<Touched> {
    let concrete = Pattern { request: Some(filled.clone()), ..pattern.clone() };
    let mut found: Vec<Touched> = Vec::new();
    for action in request(catalogue, &concrete).iter().flat_map(Request::writes) {
        let key = key(catalogue, action);
        let touched = Touched { table: action.table.clone(), key, creates: creates(pattern, action) };
        if !touched.key.is_empty() && !found.contains(&touched) {
            found.push(touched);
        }
    }
    found
}

/// Whether a part of a request makes a new item: a put that does not ask for one that is there, unless the pattern says that it
/// never creates, or must be refused.
fn creates(pattern: &Pattern, action: &Action) -> bool {
    let condition = action.condition.as_ref().map(ToString::to_string);
    action.verb == Verb::Put
        && condition.is_none_or(|condition| condition.contains("attribute_not_exists"))
        && pattern.create_share.is_none_or(|share| share > 0.0)
        && pattern.expect.error.is_none()
}

fn key(catalogue: &Catalogue, action: &Action) -> Map<String, Value> {
    let Some(table) = catalogue.table(&action.table) else { return Map::new() };
    let kind_of = |name: &str| match table.definitions.get(name) {
        Some(crate::catalogue::KeyType::N) => "N",
        Some(crate::catalogue::KeyType::B) => "B",
        _ => "S",
    };
    let names = table.keys.attributes();
    let value = |name: &str| {
        if let Some(item) = &action.item {
            return item.get(name).cloned();
        }
        let part = action.key.iter().find(|part| part.attribute == name)?;
        Some(json!({ kind_of(name): part.text }))
    };
    names.filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

/// Looks at the items, and takes away those that the request is to make.
///
/// # Errors
/// Where the database cannot be asked.
pub(super) async fn look(touched: &[Touched], target: &dyn Target) -> Result<Vec<Before>, String> {
    let mut before = Vec::with_capacity(touched.len());
    for one in touched {
        let get = json!({"TableName": one.table, "Key": one.key, "ConsistentRead": true});
        // A key that the table does not take is the pattern's own fault, which its run will tell.
        let Ok(mut answer) = ask(target, Operation::GetItem, get).await else { continue };
        let item = answer.get_mut("Item").map(Value::take);
        if one.creates && item.is_some() {
            ask(target, Operation::DeleteItem, json!({"TableName": one.table, "Key": one.key})).await?;
        }
        before.push(Before { touched: one.clone(), item });
    }
    Ok(before)
}

/// Puts the items back as they were.
///
/// # Errors
/// Where the database cannot be asked, or refuses.
pub(super) async fn put_back(before: Vec<Before>, target: &dyn Target) -> Result<(), String> {
    for Before { touched, item } in before {
        let restored = match item {
            Some(item) => {
                ask(target, Operation::PutItem, json!({"TableName": touched.table, "Item": item})).await
            }
            None => {
                ask(target, Operation::DeleteItem, json!({"TableName": touched.table, "Key": touched.key}))
                    .await
            }
        };
        restored.map_err(|problem| format!("cannot put back an item of {}: {problem}", touched.table))?;
    }
    Ok(())
}

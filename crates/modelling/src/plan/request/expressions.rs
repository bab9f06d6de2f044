//! Expressions and legacy parameters of one part of a request.

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes};
use hashrange_language::legacy::{self, ComparisonOperator, ConditionalOperator};
use hashrange_language::{Binder, Error, ExpressionKind, KeyCondition, KeyOperator, Problem};
use serde_json::{Map, Value};

use super::values::{StandIns, value};
use super::{Action, Fault};
use crate::plan::SortBound;

/// Reads the expressions of `body` into `action`; values are bound themselves where it is exact.
pub(super) fn read(body: &Map<String, Value>, is_exact: bool, action: &mut Action, faults: &mut Vec<Fault>) {
    let mut stand_ins = StandIns::new(is_exact);
    let names = names(body);
    let values = bound_values(body, &mut stand_ins);
    let mut binder = Binder::new(names.as_ref(), values.as_ref());
    let text = |member: &str| body.get(member).and_then(Value::as_str);
    let mut note = |error: Error| faults.push(fault(&error));
    if let Some(text) = text("KeyConditionExpression") {
        match binder.key_condition(text) {
            Ok(condition) => set_clauses(action, &condition, &stand_ins),
            Err(error) => note(error),
        }
        action.selection = binder.condition(ExpressionKind::Filter, text).ok();
    }
    if let Some(text) = text("FilterExpression") {
        action.filter = binder.condition(ExpressionKind::Filter, text).map_err(&mut note).ok();
    }
    if let Some(text) = text("ConditionExpression") {
        action.condition = binder.condition(ExpressionKind::Condition, text).map_err(&mut note).ok();
    }
    if let Some(text) = text("UpdateExpression") {
        action.update = binder.update(text).map_err(&mut note).ok();
    }
    if let Some(text) = text("ProjectionExpression") {
        let projection = binder.projection(text).map_err(&mut note).ok();
        action.wanted = projection.map(|p| p.top_level_attributes().into_iter().map(str::to_owned).collect());
    }
    legacy_parameters(body, action, &mut stand_ins);
}

/// Clauses with the texts of their operands.
pub(super) fn set_clauses(action: &mut Action, condition: &KeyCondition, stand_ins: &StandIns) {
    for clause in condition.clauses() {
        let operands: Vec<_> = clause.operator.values().map(|value| stand_ins.text(value)).collect();
        action.clause_kinds.push(operands.first().and_then(|(kind, _)| *kind));
        action.clauses.push(SortBound {
            attribute: clause.attribute.clone(),
            operator: operator(&clause.operator),
            operands: operands.into_iter().map(|(_, text)| text).collect(),
        });
    }
}

fn operator(operator: &KeyOperator) -> &'static str {
    match operator {
        KeyOperator::Equal(_) => "=",
        KeyOperator::Less(_) => "<",
        KeyOperator::LessOrEqual(_) => "<=",
        KeyOperator::Greater(_) => ">",
        KeyOperator::GreaterOrEqual(_) => ">=",
        KeyOperator::Between(..) => "between",
        KeyOperator::BeginsWith(_) => "begins_with",
    }
}

fn fault(error: &Error) -> Fault {
    let expression = error.kind.map_or_else(|| "the placeholders".to_owned(), |kind| kind.to_string());
    match &error.problem {
        Problem::ReservedWord(word) => Fault::ReservedWord { expression, word: word.clone() },
        other => Fault::Expression(format!("{expression}: {}", words(&format!("{other:?}")))),
    }
}

/// `UndefinedName { name: "#x" }` as people read it.
pub(super) fn words(debug: &str) -> String {
    let mut text = String::new();
    for letter in debug.chars() {
        match letter {
            '{' | '}' => {}
            _ if letter.is_uppercase() && text.chars().last().is_none_or(char::is_lowercase) => {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.extend(letter.to_lowercase());
            }
            _ => text.push(letter),
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn names(body: &Map<String, Value>) -> Option<BTreeMap<String, String>> {
    let map = body.get("ExpressionAttributeNames")?.as_object()?;
    Some(map.iter().filter_map(|(key, name)| Some((key.clone(), name.as_str()?.to_owned()))).collect())
}

/// The values, with stand-ins put in the order in which the expressions use them.
fn bound_values(body: &Map<String, Value>, stand_ins: &mut StandIns) -> Option<Attributes> {
    let map = body.get("ExpressionAttributeValues")?.as_object()?;
    let texts = ["KeyConditionExpression", "FilterExpression", "ConditionExpression", "UpdateExpression"];
    let texts: Vec<&str> = texts.iter().filter_map(|member| body.get(*member)?.as_str()).collect();
    let all = texts.join(" ");
    let place = |name: &str| {
        let uses = all.match_indices(name);
        let whole = |at: usize| {
            let after = all[at + name.len()..].chars().next();
            after.is_none_or(|letter| !(letter.is_alphanumeric() || letter == '_'))
        };
        uses.map(|(at, _)| at).find(|at| whole(*at)).unwrap_or(usize::MAX)
    };
    let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
    pairs.sort_by_key(|(name, _)| place(name));
    let put = |(name, json): (&String, &Value)| {
        // A type that is asked for is a word of the language, whatever its place.
        let value = if names_type(&all, name) { value(json, 0)? } else { stand_ins.put(json)? };
        Some((name.clone(), value))
    };
    let values = pairs.into_iter().filter_map(put);
    Some(Attributes::from_pairs(values.collect()))
}

/// Whether a placeholder is the type in `attribute_type(path, :type)`.
fn names_type(expressions: &str, name: &str) -> bool {
    let calls = expressions.split("attribute_type").skip(1);
    let types = calls.filter_map(|rest| rest.split_once('(')?.1.split_once(')')?.0.rsplit_once(','));
    types.into_iter().any(|(_, kind)| kind.trim() == name)
}

fn legacy_parameters(body: &Map<String, Value>, action: &mut Action, stand_ins: &mut StandIns) {
    if let Some(map) = body.get("KeyConditions").and_then(Value::as_object) {
        let comparisons = comparisons(map, stand_ins);
        action.selection = legacy::query_filter(&comparisons, ConditionalOperator::And).ok();
        if let Ok(condition) = legacy::key_conditions(&comparisons) {
            set_clauses(action, &condition, stand_ins);
        }
    }
    let joined = match body.get("ConditionalOperator").and_then(Value::as_str) {
        Some("OR") => ConditionalOperator::Or,
        _ => ConditionalOperator::And,
    };
    for member in ["QueryFilter", "ScanFilter"] {
        if let Some(map) = body.get(member).and_then(Value::as_object) {
            action.filter = legacy::query_filter(&comparisons(map, stand_ins), joined).ok();
        }
    }
    if let Some(map) = body.get("Expected").and_then(Value::as_object) {
        action.condition = legacy::expected(&expectations(map), joined).ok();
    }
    if let Some(map) = body.get("AttributeUpdates").and_then(Value::as_object) {
        action.update = legacy::attribute_updates(&attribute_updates(map)).ok();
    }
    if let Some(list) = body.get("AttributesToGet").and_then(Value::as_array) {
        action.wanted = Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    }
}

fn comparisons(map: &Map<String, Value>, stand_ins: &mut StandIns) -> BTreeMap<String, legacy::Comparison> {
    let mut found = BTreeMap::new();
    for (name, json) in map {
        let word = json.get("ComparisonOperator").and_then(Value::as_str).unwrap_or("EQ");
        let Some(operator) = ComparisonOperator::from_name(word) else { continue };
        let list = json.get("AttributeValueList").and_then(Value::as_array);
        let values = list.into_iter().flatten().filter_map(|json| stand_ins.put(json)).collect();
        found.insert(name.clone(), legacy::Comparison { operator, values });
    }
    found
}

fn expectations(map: &Map<String, Value>) -> BTreeMap<String, legacy::Expectation> {
    let one = |json: &Value| legacy::Expectation {
        value: json.get("Value").and_then(|json| value(json, 0)),
        exists: json.get("Exists").and_then(Value::as_bool),
        comparison_operator: json
            .get("ComparisonOperator")
            .and_then(Value::as_str)
            .and_then(ComparisonOperator::from_name),
        attribute_value_list: json.get("AttributeValueList").and_then(Value::as_array).map(|list| all(list)),
    };
    map.iter().map(|(name, json)| (name.clone(), one(json))).collect()
}

fn all(list: &[Value]) -> Vec<AttributeValue> {
    list.iter().filter_map(|json| value(json, 0)).collect()
}

fn attribute_updates(map: &Map<String, Value>) -> BTreeMap<String, legacy::AttributeUpdate> {
    let one = |json: &Value| legacy::AttributeUpdate {
        value: json.get("Value").and_then(|json| value(json, 0)),
        action: match json.get("Action").and_then(Value::as_str) {
            Some("ADD") => Some(legacy::UpdateAction::Add),
            Some("DELETE") => Some(legacy::UpdateAction::Delete),
            Some(_) => Some(legacy::UpdateAction::Put),
            None => None,
        },
    };
    map.iter().map(|(name, json)| (name.clone(), one(json))).collect()
}

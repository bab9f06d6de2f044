//! What answers say.

use hashrange_api::Operation;
use serde_json::{Map, Value};

use super::Run;
use crate::plan::{Arm, PlanClass};
use crate::target::Reply;

/// What one answer says.
#[derive(Debug, Default)]
pub(super) struct Answer {
    items: Vec<Value>,
    returned: u64,
    examined: u64,
    arms: Vec<Arm>,
    /// The members of the request for the next page.
    pub(super) next: Option<Map<String, Value>>,
}

impl Answer {
    /// Reads the answer of an operation; `writes` says which units it reports.
    pub(super) fn of(operation: Operation, mut body: Value, writes: bool) -> Answer {
        let arms = arms(body.get("ConsumedCapacity"), writes);
        let next = next(operation, &mut body);
        let items = items(operation, &mut body);
        let counted = |name: &str| body.get(name).and_then(Value::as_u64);
        let returned = counted("Count").unwrap_or(items.len() as u64);
        let examined = counted("ScannedCount").unwrap_or(returned);
        Answer { items, returned, examined, arms, next }
    }
}

fn items(operation: Operation, body: &mut Value) -> Vec<Value> {
    let list = |value: Option<&mut Value>| match value.map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    match operation {
        Operation::GetItem => body.get_mut("Item").map(Value::take).into_iter().collect(),
        Operation::BatchGetItem => {
            let tables = body.get_mut("Responses").and_then(Value::as_object_mut);
            tables.into_iter().flat_map(Map::values_mut).flat_map(|items| list(Some(items))).collect()
        }
        Operation::TransactGetItems | Operation::BatchExecuteStatement | Operation::ExecuteTransaction => {
            let responses = list(body.get_mut("Responses"));
            responses
                .into_iter()
                .filter_map(|mut response| response.get_mut("Item").map(Value::take))
                .collect()
        }
        _ => list(body.get_mut("Items")),
    }
}

/// What to ask for next: the rest of a read, or of a batch.
fn next(operation: Operation, body: &mut Value) -> Option<Map<String, Value>> {
    let (from, to) = match operation {
        Operation::Query | Operation::Scan => ("LastEvaluatedKey", "ExclusiveStartKey"),
        Operation::ExecuteStatement => ("NextToken", "NextToken"),
        Operation::BatchGetItem => ("UnprocessedKeys", "RequestItems"),
        Operation::BatchWriteItem => ("UnprocessedItems", "RequestItems"),
        _ => return None,
    };
    let left = body.get_mut(from).map(Value::take)?;
    let is_empty = left.is_null() || left.as_object().is_some_and(Map::is_empty);
    (!is_empty).then(|| Map::from_iter([(to.to_owned(), left)]))
}

fn arms(reports: Option<&Value>, writes: bool) -> Vec<Arm> {
    let reports: Vec<&Value> = match reports {
        Some(Value::Array(reports)) => reports.iter().collect(),
        Some(report) => vec![report],
        None => Vec::new(),
    };
    let mut arms = Vec::new();
    for report in reports {
        let table = report.get("TableName").and_then(Value::as_str).unwrap_or_default();
        let name = table.rsplit('/').next().unwrap_or(table);
        let indexes: Vec<(&String, &Value)> = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"]
            .into_iter()
            .filter_map(|kind| report.get(kind)?.as_object())
            .flatten()
            .collect();
        // A database that tells no details tells a sum.
        let own = report.get("Table").or((indexes.is_empty()).then_some(report));
        arms.extend(own.map(|own| arm(name, None, own, writes)));
        arms.extend(indexes.into_iter().map(|(index, own)| arm(name, Some(index), own, writes)));
    }
    arms.retain(|arm| arm.read > 0.0 || arm.write > 0.0);
    arms
}

fn arm(table: &str, index: Option<&str>, report: &Value, writes: bool) -> Arm {
    let units = |name: &str| report.get(name).and_then(Value::as_f64);
    let all = units("CapacityUnits").unwrap_or_default();
    let (read, write) = match (units("ReadCapacityUnits"), units("WriteCapacityUnits")) {
        (None, None) if writes => (0.0, all),
        (None, None) => (all, 0.0),
        (read, write) => (read.unwrap_or_default(), write.unwrap_or_default()),
    };
    Arm { table: table.to_owned(), index: index.map(str::to_owned), read, write }
}

/// Adds an answer to a run.
pub(super) fn add(run: &mut Run, answer: Answer) {
    run.returned += answer.returned;
    run.examined += answer.examined;
    run.returned_bytes += answer.items.iter().map(item_bytes).sum::<u64>();
    run.items.extend(answer.items);
    for arm in answer.arms {
        let same = |known: &&mut Arm| known.table == arm.table && known.index == arm.index;
        match run.arms.iter_mut().find(same) {
            Some(known) => {
                known.read += arm.read;
                known.write += arm.write;
            }
            None => run.arms.push(arm),
        }
    }
}

/// The error of a reply: its code and its text.
pub(super) fn error(reply: &Reply) -> (String, String) {
    let code = reply.error_code().unwrap_or("an error without a name").to_owned();
    let message = ["message", "Message"].into_iter().find_map(|name| reply.body.get(name)?.as_str());
    (code, message.unwrap_or_default().to_owned())
}

/// Bytes of an item in DynamoDB's JSON, by the size rules: names and values, three for a list or map and one for each member.
pub(super) fn item_bytes(item: &Value) -> u64 {
    let attributes = item.as_object().into_iter().flatten();
    attributes.map(|(name, value)| name.len() as u64 + value_bytes(value)).sum()
}

fn value_bytes(value: &Value) -> u64 {
    let Some((kind, content)) = value.as_object().and_then(|map| map.iter().next()) else { return 0 };
    let text = |value: &Value| value.as_str().map_or(0, |text| text.len() as u64);
    let binary = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count() as u64;
        (text.len() as u64 / 4 * 3).saturating_sub(padding)
    };
    let number = |value: &Value| {
        let parsed = value.as_str().and_then(|text| hashrange_item::Number::parse(text).ok());
        parsed.map_or(0, |number| number.size() as u64)
    };
    let members = |size: &dyn Fn(&Value) -> u64| content.as_array().into_iter().flatten().map(size).sum();
    match kind.as_str() {
        "S" => text(content),
        "N" => number(content),
        "B" => binary(content),
        "SS" => members(&text),
        "NS" => members(&number),
        "BS" => members(&binary),
        "L" => 3 + members(&|value| 1 + value_bytes(value)),
        "M" => 3 + content.as_object().map_or(0, |map| map.len() as u64) + item_bytes(content),
        _ => 1,
    }
}

/// The class of a plan in the engine's words; `arms` say how much a write touched.
pub(super) fn class(plan: &str, arms: &[Arm]) -> Option<PlanClass> {
    let bare = without_texts(plan);
    let by_index = bare.contains(" by local index ") || bare.contains(" by global index ");
    let reads = bare.matches("RangeRead on ").count();
    let first = bare.split([' ', ':']).next().unwrap_or_default();
    Some(match first {
        "KeyLookup" => PlanClass::Get,
        "KeyLookups" | "TransactGet" => PlanClass::BatchGet,
        "Statements" if bare.contains("KeyLookup") => PlanClass::BatchGet,
        "RangeRead" if reads > 1 => PlanClass::Scatter(u32::try_from(reads).unwrap_or(u32::MAX)),
        "RangeRead" => {
            let bounded = bare.split(" where ").nth(1).and_then(|rest| rest.split(['(', ',']).next());
            let bounded = bounded.is_some_and(|conditions| conditions.contains(" AND "));
            match (by_index, bounded) {
                (true, true) => PlanClass::IndexRange,
                (true, false) => PlanClass::IndexCollection,
                (false, true) => PlanClass::Range,
                (false, false) => PlanClass::Collection,
            }
        }
        "SweepSegment" if by_index => PlanClass::IndexScan,
        "SweepSegment" => PlanClass::Scan,
        "WriteSet" | "WriteSets" | "TransactWrite" | "Statements" => {
            PlanClass::Write(u32::try_from(arms.len().max(1)).unwrap_or(u32::MAX))
        }
        _ => return None,
    })
}

/// The text without what stands between quotation marks, which may be anything.
fn without_texts(plan: &str) -> String {
    let mut bare = String::with_capacity(plan.len());
    let (mut inside, mut escaped) = (false, false);
    for character in plan.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            other if !inside => bare.push(other),
            _ => {}
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plans_in_the_engines_words_have_a_class() {
        let of = |plan: &str| class(plan, &[]).map(|class| class.to_string());
        let is = |plan: &str, expected: &str| assert_eq!(of(plan).as_deref(), Some(expected), "{plan}");
        is("KeyLookup on shop (strongly consistent)", "get");
        is("RangeRead on shop where pk = \"a AND b\" ascending (eventually consistent)", "collection");
        is("RangeRead on shop where pk = \"a\" AND begins_with(sk, \"b\") descending (eventually)", "range");
        is(
            "RangeRead on shop by global index ByG where g = \"a\" ascending (eventually consistent)",
            "index-collection",
        );
        is("SweepSegment 0 of 1 on shop (eventually consistent)", "scan");
        is("RangeRead on s where a = 1 ascending () + RangeRead on s where a = 2 ascending ()", "scatter(2)");
        assert_eq!(of("TableOperation"), None);
    }

    #[test]
    fn items_weigh_what_the_size_rules_say() {
        assert_eq!(item_bytes(&json!({"a": {"S": "bcd"}, "n": {"N": "1"}})), 7);
        assert_eq!(item_bytes(&json!({"l": {"L": [{"BOOL": true}]}, "b": {"B": "AAE="}})), 9);
    }

    #[test]
    fn capacity_is_told_apart_by_table_and_index() {
        let report = json!({"TableName": "t", "CapacityUnits": 3.0, "Table": {"CapacityUnits": 1.0},
            "GlobalSecondaryIndexes": {"g": {"CapacityUnits": 2.0}}});
        let arms = arms(Some(&report), true);
        assert_eq!(arms.iter().map(|arm| arm.write).collect::<Vec<_>>(), [1.0, 2.0]);
        assert_eq!(arms[1].index.as_deref(), Some("g"));
    }
}

//! What an answer says was consumed.

use serde_json::Value;

/// Units on a table or index.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Consumed {
    pub(super) table: String,
    pub(super) index: Option<String>,
    pub(super) read: f64,
    pub(super) write: f64,
}

/// The units of an answer by table and index; `writes` says which units they are where the answer does not.
pub(super) fn consumed(body: &Value, writes: bool) -> Vec<Consumed> {
    let reports = match body.get("ConsumedCapacity") {
        Some(Value::Array(reports)) => reports.iter().collect(),
        Some(report) => vec![report],
        None => Vec::new(),
    };
    reports.into_iter().flat_map(|report| arms(report, writes)).collect()
}

fn arms(report: &Value, writes: bool) -> Vec<Consumed> {
    let table = report.get("TableName").and_then(Value::as_str).unwrap_or_default();
    let table = table.rsplit('/').next().unwrap_or(table);
    let of = |index: Option<&str>, report: &Value| {
        let units = |name: &str| report.get(name).and_then(Value::as_f64);
        let all = units("CapacityUnits").unwrap_or_default();
        let (read, write) = match (units("ReadCapacityUnits"), units("WriteCapacityUnits")) {
            (None, None) if writes => (0.0, all),
            (None, None) => (all, 0.0),
            (read, write) => (read.unwrap_or_default(), write.unwrap_or_default()),
        };
        Consumed { table: table.to_owned(), index: index.map(str::to_owned), read, write }
    };
    let indexes = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"];
    let indexes = indexes.into_iter().filter_map(|name| report.get(name)?.as_object()).flatten();
    let mut arms: Vec<Consumed> = indexes.map(|(name, report)| of(Some(name), report)).collect();
    // A database that tells no details tells a sum.
    let own = report.get("Table").or(arms.is_empty().then_some(report));
    arms.extend(own.map(|own| of(None, own)));
    arms.retain(|arm| arm.read > 0.0 || arm.write > 0.0);
    arms
}

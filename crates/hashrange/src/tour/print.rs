//! How a step of the tour looks.

use serde_json::{Map, Value};

use super::Pattern;

/// Columns of the text.
const WIDTH: usize = 110;
/// Members of a table's description that say something here; the rest differs from run to run.
const SHOWN_OF_A_TABLE: [&str; 4] = ["TableName", "TableStatus", "ItemCount", "TableSizeBytes"];

/// One step: name, reason, request, plan, result and consumed capacity.
pub(super) fn step(number: usize, pattern: &Pattern, plan: Option<&str>, answer: &Value) -> String {
    let request: Value = serde_json::from_str(pattern.request).expect("requests of the tour are JSON");
    let mut answer = answer.clone();
    let capacity = answer.as_object_mut().and_then(|answer| answer.remove("ConsumedCapacity"));
    let capacity =
        capacity.map_or_else(String::new, |capacity| format!("\nConsumed: {}\n", consumed(&capacity)));
    let plan = plan.map_or_else(String::new, |plan| format!("\nPlan: {plan}\n"));
    format!(
        "\n## {number}. {}\n\n{}\n\naws dynamodb {}\n{}\n{plan}\n{}\n{}\n{capacity}",
        pattern.name,
        pattern.why,
        cli_name(pattern.operation.name()),
        indented(&request),
        if answer.get("__type").is_some() { "Refused:" } else { "Result:" },
        indented(&shown(answer)),
    )
}

/// `GetItem` as the AWS CLI spells it: `get-item`.
fn cli_name(operation: &str) -> String {
    let mut name = String::new();
    for letter in operation.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// The answer without what differs from run to run.
fn shown(mut answer: Value) -> Value {
    for table in ["Table", "TableDescription"] {
        if let Some(Value::Object(description)) = answer.get_mut(table) {
            description.retain(|name, _| SHOWN_OF_A_TABLE.contains(&name.as_str()));
        }
    }
    answer
}

/// `2 units (table 1, GSI1 1)`.
fn consumed(capacity: &Value) -> String {
    // A batch reports a list, one entry for each table; the tour has one table.
    let capacity = capacity.get(0).unwrap_or(capacity);
    let indexes = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"];
    let indexes = indexes.iter().filter_map(|kind| capacity[kind].as_object()).flatten();
    let mut parts = vec![format!("table {}", units(&capacity["Table"]))];
    parts.extend(indexes.map(|(name, index)| format!("{name} {}", units(index))));
    let total = units(capacity);
    let unit = if total == "1" { "unit" } else { "units" };
    format!("{total} {unit} ({})", parts.join(", "))
}

fn units(capacity: &Value) -> String {
    capacity["CapacityUnits"].as_f64().map_or_else(|| "0".to_owned(), |units| units.to_string())
}

fn indented(value: &Value) -> String {
    format!("  {}", layout(value, 2))
}

/// JSON that fits on a line stays on it; what does not is broken at its outermost brackets.
fn layout(value: &Value, indent: usize) -> String {
    let line = flat(value);
    if indent + line.chars().count() <= WIDTH {
        return line;
    }
    let inner = indent + 2;
    match value {
        Value::Object(members) => {
            let part = |(name, value)| format!("{}: {}", flat(&Value::from(name)), layout(value, inner));
            broken('{', members.iter().map(|(name, value)| part((name.as_str(), value))), '}', indent)
        }
        Value::Array(elements) => {
            broken('[', elements.iter().map(|element| layout(element, inner)), ']', indent)
        }
        _ => line,
    }
}

fn broken(open: char, parts: impl Iterator<Item = String>, close: char, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let parts: Vec<String> = parts.map(|part| format!("{margin}  {part}")).collect();
    format!("{open}\n{}\n{margin}{close}", parts.join(",\n"))
}

/// One line, with a space after each colon and comma.
fn flat(value: &Value) -> String {
    let member =
        |(name, value): (&String, &Value)| format!("{}: {}", Value::from(name.as_str()), flat(value));
    match value {
        Value::Object(members) => format!("{{{}}}", joined(members, member)),
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(flat).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

fn joined(members: &Map<String, Value>, text: impl Fn((&String, &Value)) -> String) -> String {
    members.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_are_spelled_as_the_cli_spells_them() {
        assert_eq!(cli_name("GetItem"), "get-item");
        assert_eq!(cli_name("DescribeTimeToLive"), "describe-time-to-live");
    }

    #[test]
    fn capacity_is_told_by_table_and_index() {
        let capacity = json!({
            "CapacityUnits": 2.5, "Table": {"CapacityUnits": 0.5},
            "GlobalSecondaryIndexes": {"GSI1": {"CapacityUnits": 2.0}}
        });
        assert_eq!(consumed(&capacity), "2.5 units (table 0.5, GSI1 2)");
    }

    #[test]
    fn long_values_are_broken_at_their_outermost_brackets() {
        let long = "x".repeat(WIDTH);
        assert_eq!(flat(&json!({"a": [1, "b"]})), r#"{"a": [1, "b"]}"#);
        assert_eq!(
            layout(&json!({"a": [1, 2], "b": long}), 0),
            format!("{{\n  \"a\": [1, 2],\n  \"b\": \"{long}\"\n}}")
        );
    }
}

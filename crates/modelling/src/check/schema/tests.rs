//! What the API refuses: the fault, and the sights that are none.

use crate::check::cases::expect;

fn table(fields: &str) -> String {
    format!("tables: {{T: {{key: {{hash: a, range: b}}, {fields}}}}}\n")
}

#[test]
fn keys_have_their_declared_types() {
    let rule = "key-type-mismatch";
    expect(rule, &table("types: {a: S, b: N}, items: [{a: x, b: 1}]"), &[]);
    expect(rule, &table("types: {a: S, b: N}, items: [{a: {S: x}, b: {S: \"1\"}}]"), &["error table T"]);
    let query = |value: &str| {
        format!(
            "{}patterns:\n  - {{id: P1, name: Q, operation: Query, key: {{a: x, b: {{\">\": {value}}}}}}}\n",
            table("types: {a: S, b: N}")
        )
    };
    expect(rule, &query("5"), &[]);
    let request = format!(
        "{}patterns:\n  - {{id: P1, name: G, operation: GetItem, request: {{TableName: T, Key: {{a: {{S: x}}, b: {{S: \"5\"}}}}}}}}\n",
        table("types: {a: S, b: N}")
    );
    expect(rule, &request, &["error pattern P1"]);
    let entity = format!(
        "{}entities: {{E: {{attributes: {{a: uuid, b: {{type: S}}}}}}}}\n",
        table("types: {a: S, b: N}")
    );
    expect(rule, &entity, &["error table T"]);
}

#[test]
fn keys_have_a_longest_size() {
    let rule = "key-size";
    let long = |a: usize, b: usize| {
        table(&format!("items: [{{a: \"{}\", b: \"{}\"}}]", "x".repeat(a), "y".repeat(b)))
    };
    expect(rule, &long(10, 10), &[]);
    expect(rule, &long(2_049, 10), &["error table T"]);
    expect(rule, &long(10, 1_025), &["error table T"]);
    expect(rule, &long(300, 10), &["note table T"]);
}

#[test]
fn definitions_are_those_of_the_keys() {
    let rule = "definitions-mismatch";
    expect(rule, &table("types: {a: S, b: S}"), &[]);
    expect(rule, &table("types: {a: S, b: S, email: S}"), &["error table T"]);
    expect(rule, &table("class: standard"), &[]);
}

#[test]
fn lists_of_projections_have_limits() {
    let rule = "include-limits";
    let listed = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("n{at}")).collect();
        table(&format!(
            "types: {{a: S, b: S, c: S}}, indexes: {{I: {{key: {{hash: c}}, projection: [{}]}}}}",
            names.join(", ")
        ))
    };
    expect(rule, &listed(3), &[]);
    expect(rule, &listed(0), &["error index T.I"]);
    expect(rule, &listed(101), &["error table T"]);
}

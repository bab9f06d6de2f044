//! Smaller checks: the fault, and the sights that are none.

use crate::check::cases::expect;

fn orders(entity: &str, patterns: &str) -> String {
    format!(
        "tables: {{T: {{key: {{hash: PK, range: SK}}}}}}
entities: {{Order: {{key: {{PK: \"USER#{{u}}\", SK: \"{{at}}\"}}, attributes: {{u: uuid, at: iso-time}}{entity}}}}}
patterns:
{patterns}"
    )
}

const PUT: &str = "  - {id: P1, name: Put, operation: PutItem, item: {entity: Order}}\n";
const READ: &str = "  - {id: P2, name: Read, operation: Query, key: {PK: \"USER#{u}\"}}\n";

#[test]
fn entities_are_written_read_and_removed() {
    let rule = "orphan-entity";
    expect(rule, &orders("", &format!("{PUT}{READ}")), &["note entity Order"]);
    expect(rule, &orders(", retention_days: 30", &format!("{PUT}{READ}")), &[]);
    expect(rule, &orders("", PUT), &["warn entity Order"]);
    expect(rule, &orders("", READ), &["note entity Order"]);
    expect(rule, &orders(", reference: true", READ), &[]);
}

#[test]
fn one_attribute_has_one_type() {
    let rule = "mixed-types";
    let table = |one: &str, other: &str| {
        format!("tables: {{T: {{key: {{hash: a}}, items: [{{a: x, v: {one}}}, {{a: y, v: {other}}}]}}}}\n")
    };
    expect(rule, &table("1", "\"1\""), &["warn table T"]);
    expect(rule, &table("1", "2"), &[]);
    expect(rule, &table("1", "null"), &[]);
}

#[test]
fn keys_differ_by_more_than_capitals() {
    let rule = "case-mixed-key";
    let table = |one: &str, other: &str| {
        format!("tables: {{T: {{key: {{hash: a}}, items: [{{a: {one}}}, {{a: {other}}}]}}}}\n")
    };
    expect(rule, &table("Ada", "ada"), &["warn table T"]);
    expect(rule, &table("ada", "eva"), &[]);
}

#[test]
fn projections_name_what_items_have_and_no_keys() {
    let table = |list: &str| {
        format!(
            "tables: {{T: {{key: {{hash: a}}, types: {{a: S, b: S}}, indexes: {{I: {{key: {{hash: b}}, projection: [{list}]}}}}, items: [{{a: x, b: y, total: 1}}]}}}}\n"
        )
    };
    expect("projection-attribute-unknown", &table("total"), &[]);
    expect("projection-attribute-unknown", &table("totl"), &["warn index T.I"]);
    expect("include-lists-key", &table("total"), &[]);
    expect("include-lists-key", &table("a, total"), &["note index T.I"]);
}

#[test]
fn long_names_cost_where_they_cross_a_step() {
    let rule = "long-names";
    let put = |bytes: u32| {
        format!(
            "tables: {{T: {{key: {{hash: a}}}}}}
entities: {{E: {{attributes: {{a: uuid, customerShippingAddressLineOne: text(10), customerShippingAddressLineTwo: text(10), customerBillingAddressLineOne: text(10), customerBillingAddressLineTwo: text(10), customerLoyaltyProgrammeMembershipLevel: word}}, bytes: {bytes}}}}}
patterns:
  - {{id: P1, name: Put, operation: PutItem, item: {{entity: E}}, rate: {{avg: 50}}}}
"
        )
    };
    expect(rule, &put(600), &[]);
    // 158 bytes of names in 1,025: a step of 1 KB for 50 writes per second is 82 USD per month.
    expect(rule, &put(1_025), &["note entity E"]);
}

#[test]
fn tables_of_production_are_protected_and_used() {
    let table = |fields: &str, pattern: &str| {
        format!(
            "tables: {{T: {{key: {{hash: PK, range: SK}}{fields}}}, Other: {{key: {{hash: a}}}}}}\npatterns:\n{pattern}"
        )
    };
    let get = "  - {id: P1, name: G, operation: GetItem, table: T, key: {PK: x, SK: y}}\n";
    expect("protections", &table(", production: true", get), &["note table T"]);
    expect("protections", &table(", production: true, protection: true, recovery: true", get), &[]);
    expect("protections", &table("", get), &[]);
    expect("table-unused", &table("", get), &["note table Other"]);
    expect("ttl-replicated-cost", &table(", ttl: e, replicas: [eu-west-1]", get), &["note table T"]);
    expect("ttl-replicated-cost", &table(", ttl: e", get), &[]);
}

use serde_json::{Value, json};

use super::*;
use crate::catalogue::{Entity, IndexKind};
use crate::testing::{catalogue, entity, index, need, pattern, shop, table};

fn plan_of(operation: Operation, request: Value) -> PatternPlan {
    plan(&shop(), &pattern("P", operation, request))
}

#[expect(clippy::needless_pass_by_value, reason = "tests write values in place")]
fn query(condition: &str, values: Value) -> Value {
    json!({"TableName": "Shop", "KeyConditionExpression": condition, "ExpressionAttributeValues": values})
}

fn arms(plan: &PatternPlan) -> String {
    let text = |arm: &Arm| {
        let units = if arm.write > 0.0 { arm.write } else { arm.read };
        format!("{} {units}", arm.name())
    };
    plan.arms.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[test]
fn requests_are_planned_by_their_keys() {
    let user = json!({":u": {"S": "USER#{userId}"}, ":a": {"S": "ORDER#{from}"}, ":b": {"S": "ORDER#{a}"}});
    let key = json!({"PK": {"S": "USER#{userId}"}, "SK": {"S": "PROFILE"}});
    let cases = [
        (Operation::GetItem, json!({"TableName": "Shop", "Key": key}), "get"),
        (Operation::BatchGetItem, json!({"RequestItems": {"Shop": {"Keys": [key, key]}}}), "batch-get"),
        (Operation::Query, query("PK = :u", user.clone()), "collection"),
        (Operation::Query, query("PK = :u AND begins_with(SK, :a)", user.clone()), "range"),
        // The upper bound sorts before the lower one while its gap is empty: that is no fault.
        (Operation::Query, query("PK = :u AND SK BETWEEN :a AND :b", user.clone()), "range"),
        (Operation::Query, query("SK = :a", user.clone()), "unservable"),
        (Operation::Query, query("PK > :u", user), "unservable"),
        (Operation::Scan, json!({"TableName": "Shop"}), "scan"),
        (Operation::Scan, json!({"TableName": "Shop", "IndexName": "ByEmail"}), "index-scan"),
        (Operation::Scan, json!({"TableName": "Shop", "IndexName": "ByMail"}), "unservable"),
    ];
    for (operation, request, expected) in cases {
        assert_eq!(plan_of(operation, request.clone()).class.to_string(), expected, "{request}");
    }
}

#[test]
fn legacy_parameters_are_planned_as_expressions_are() {
    let legacy = json!({"TableName": "Shop", "IndexName": "ByStatus", "KeyConditions": {
        "GSI2PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "STATUS#{status}"}]},
        "GSI2SK": {"ComparisonOperator": "GT", "AttributeValueList": [{"S": "{since}"}]}},
        "QueryFilter": {"total": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "{min}"}]}},
        "ScanIndexForward": false});
    let plan = plan_of(Operation::Query, legacy);
    assert_eq!(plan.class, PlanClass::IndexRange);
    assert_eq!(plan.hash, [("GSI2PK".to_owned(), "STATUS#{status}".to_owned())]);
    assert_eq!((plan.sort[0].operator, plan.sort[0].operands[0].as_str()), (">", "{since}"));
    assert_eq!(plan.filter, ["total"]);
    assert_eq!(plan.forward, Some(false));
}

#[test]
fn statements_are_planned_by_their_where_clause() {
    let statement =
        |text: &str| json!({"Statement": text, "Parameters": [{"S": "USER#{userId}"}, {"S": "ORDER#"}]});
    for (text, class) in [
        ("SELECT * FROM \"Shop\" WHERE PK = ? AND begins_with(SK, ?)", "range"),
        ("SELECT * FROM \"Shop\" WHERE PK = ? AND SK = ?", "get"),
        ("SELECT * FROM \"Shop\" WHERE PK IN [?, ?]", "scatter(2)"),
        ("SELECT * FROM \"Shop\" WHERE total > 5", "scan"),
        ("SELECT * FROM \"Shop\".\"ByEmail\" WHERE GSI1PK = ?", "index-collection"),
        // No entity has such a key: each index may be touched.
        ("DELETE FROM \"Shop\" WHERE PK = ? AND SK = ?", "write(3 arms)"),
        ("SELECT FROM", "unservable"),
    ] {
        let plan = plan_of(Operation::ExecuteStatement, statement(text));
        assert_eq!(plan.class.to_string(), class, "{text}: {:?}", plan.remedy);
    }
}

#[test]
fn a_query_counts_the_entities_that_its_sort_condition_reaches() {
    let values = json!({":u": {"S": "USER#{userId}"}, ":o": {"S": "ORDER#"}});
    let orders = plan_of(Operation::Query, query("PK = :u AND begins_with(SK, :o)", values.clone()));
    assert_eq!(orders.items, Some(20.0));
    let values = json!({":u": {"S": "USER#{userId}"}});
    let both = plan_of(Operation::Query, query("PK = :u", values.clone()));
    assert_eq!(both.items, Some(21.0));
    let mut limited = query("PK = :u", values);
    limited["Limit"] = json!(5);
    assert_eq!(plan_of(Operation::Query, limited).items, Some(5.0));
}

/// The worked example of the cost rules: 1,400 byte orders, a sparse index of open orders, stock of 200 bytes.
fn bookshop() -> crate::Catalogue {
    let mut open = index("OpenOrders", "openAt placed", "all");
    open.entry_bytes = Some(300.0);
    let mut order: Entity = entity(
        "Order",
        "Orders",
        &[("pk", "READER#{reader}"), ("sk", "ORDER#{placed}#{id}")],
        &[("openAt", "word"), ("placed", "iso-time")],
    );
    order.bytes = Some(1400.0);
    let mut stock =
        entity("Stock", "Orders", &[("pk", "BOOK#{isbn}"), ("sk", "STOCK")], &[("left", "int(0,99)")]);
    stock.bytes = Some(200.0);
    let mut all = catalogue(vec![table("Orders", "pk sk", vec![open])]);
    all.entities = vec![order, stock];
    all
}

#[test]
fn the_worked_example_costs_what_the_guide_computes() {
    let shop = bookshop();
    let key = json!({"pk": {"S": "READER#{r}"}, "sk": {"S": "ORDER#{t}#{id}"}});
    let item = json!({"pk": {"S": "READER#{r}"}, "sk": {"S": "ORDER#{t}#{id}"}, "openAt": {"S": "LEEDS"},
        "placed": {"S": "{t}"}});
    let stock = json!({"pk": {"S": "BOOK#{isbn}"}, "sk": {"S": "STOCK"}});
    let place = json!({"TransactItems": [{"Put": {"TableName": "Orders", "Item": item}},
        {"Update": {"TableName": "Orders", "Key": stock, "UpdateExpression": "SET #l = #l - :one",
            "ExpressionAttributeNames": {"#l": "left"}, "ExpressionAttributeValues": {":one": {"N": "1"}}}}]});
    let placed = plan(&shop, &pattern("P1", Operation::TransactWriteItems, place));
    assert_eq!(arms(&placed), "Orders 6, Orders.OpenOrders 1");
    let ship = json!({"TableName": "Orders", "Key": key, "UpdateExpression": "REMOVE openAt"});
    let shipped = plan(&shop, &pattern("P4", Operation::UpdateItem, ship));
    assert_eq!(arms(&shipped), "Orders 2, Orders.OpenOrders 1");
    let get = json!({"TableName": "Orders", "Key": key});
    assert_eq!(arms(&plan(&shop, &pattern("P2", Operation::GetItem, get))), "Orders 0.5");
    let list = json!({"TableName": "Orders", "KeyConditionExpression": "pk = :p AND begins_with(sk, :o)",
        "ExpressionAttributeValues": {":p": {"S": "READER#{r}"}, ":o": {"S": "ORDER#"}}, "Limit": 20});
    assert_eq!(arms(&plan(&shop, &pattern("P3", Operation::Query, list))), "Orders 3.5");
}

#[test]
fn updates_charge_an_index_by_what_they_write() {
    let key = json!({"PK": {"S": "USER#{u}"}, "SK": {"S": "ORDER#{t}#{o}"}});
    for (update, expected) in [
        ("SET note = :v", "Shop 1"),
        ("SET total = :v", "Shop 1, Shop.ByStatus 1"),
        ("SET GSI2PK = :v", "Shop 1, Shop.ByStatus 2"),
        ("REMOVE GSI2PK", "Shop 1, Shop.ByStatus 1"),
        ("SET GSI2PK = if_not_exists(GSI2PK, :v)", "Shop 1"),
    ] {
        let mut request = json!({"TableName": "Shop", "Key": key, "UpdateExpression": update});
        if update.contains(":v") {
            request["ExpressionAttributeValues"] = json!({":v": {"S": "x"}});
        }
        assert_eq!(arms(&plan_of(Operation::UpdateItem, request)), expected, "{update}");
    }
}

#[test]
fn a_local_index_fetches_whole_items_for_what_it_lacks() {
    let mut shop = shop();
    let mut local = index("ByTotal", "PK total", "keys");
    local.kind = IndexKind::Local;
    shop.tables[0].indexes.push(local);
    shop.entities[1].bytes = Some(5000.0);
    let mut request = query("PK = :u", json!({":u": {"S": "USER#{userId}"}}));
    request["IndexName"] = json!("ByTotal");
    let narrow = plan(&shop, &pattern("P", Operation::Query, request.clone()));
    assert_eq!(arms(&narrow), "Shop.ByTotal 0.5");
    request["ProjectionExpression"] = json!("note");
    let wide = plan(&shop, &pattern("P", Operation::Query, request));
    assert_eq!(arms(&wide), "Shop 20, Shop.ByTotal 0.5");
}

#[test]
fn needs_are_served_by_the_cheapest_key_that_fits() {
    let shop = shop();
    for (equal, range, class, index) in [
        (&["userId"][..], None, "get", None),
        (&["userId"], Some("placedAt"), "range", None),
        (&["email"], None, "index-collection", Some("ByEmail")),
        (&["status"], Some("placedAt"), "index-collection", Some("ByStatus")),
        (&["userId"], Some("total"), "unservable", None),
        (&["total"], None, "unservable", None),
    ] {
        let mut pattern = need("P", equal, range);
        pattern.entities = if equal == ["email"] { vec![("User".to_owned(), 1.0)] } else { Vec::new() };
        let plan = plan(&shop, &pattern);
        assert_eq!(
            (plan.class.to_string().as_str(), plan.index.as_deref()),
            (class, index),
            "{equal:?} {range:?}"
        );
    }
}

#[test]
fn what_nothing_serves_names_the_index_to_add_and_its_price() {
    let mut shop = shop();
    let item = json!({"PK": {"S": "USER#{u}"}, "SK": {"S": "ORDER#{t}#{o}"}});
    let mut write = pattern("W", Operation::PutItem, json!({"TableName": "Shop", "Item": item}));
    write.avg_rps = Some(40.0);
    shop.patterns = vec![write];
    let remedy = plan(&shop, &need("P", &["total"], Some("placedAt"))).remedy.unwrap();
    assert!(remedy.contains("{hash: total, range: placedAt}"), "{remedy}");
    assert!(remedy.contains("costs 1 more write units"), "{remedy}");
    assert!(remedy.contains("40 per second"), "{remedy}");
}

#[test]
fn a_scan_names_the_index_that_its_filter_asks_for() {
    let request = json!({"TableName": "Shop", "FilterExpression": "#s = :s AND placedAt > :t",
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "pending"}, ":t": {"S": "{since}"}}});
    let remedy = plan_of(Operation::Scan, request).remedy.unwrap();
    assert!(remedy.contains("{hash: status, range: placedAt}"), "{remedy}");
}

#[test]
fn what_a_format_cannot_state_leaves_arms_empty() {
    let mut bare = catalogue(vec![table("T", "pk", vec![index("I", "a", "all")])]);
    bare.patterns = vec![pattern("P", Operation::PutItem, json!({}))];
    bare.patterns[0].request = None;
    let plan = plan(&bare, &bare.patterns[0]);
    assert_eq!((plan.class.to_string().as_str(), plan.arms.len()), ("write(2 arms)", 0));
}

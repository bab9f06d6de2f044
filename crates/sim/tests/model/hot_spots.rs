//! Rules that the random runs seldom meet, or that were once broken: each by itself, with its numbers written out.

use hashrange_api::{
    ConsumedCapacity, GetItemInput, PutItemInput, QueryInput, QueryOutput, ReturnConsumedCapacity,
    ReturnValue, Select, UpdateItemInput, UpdateItemOutput,
};

use hashrange_sim::oracle::schema::{Attr, IndexSpec, Projection, TableSpec};
use hashrange_sim::oracle::table::Charge;
use hashrange_sim::oracle::value::{Item, Kind, Value, from_attributes, to_attributes};
use hashrange_sim::oracle::write::item_of;

use crate::database::{Database, check_consumed};

const CAPACITY: Option<ReturnConsumedCapacity> = Some(ReturnConsumedCapacity::Indexes);

fn attr(name: &str, kind: Kind) -> Attr {
    Attr { name: name.to_owned(), kind }
}

/// A table with pk and sk, a local index on `local` and a sparse global one on `global`, both KEYS_ONLY.
fn create(database: &Database) {
    let index = |name: &str, local: bool, hash: &str, range: &str| IndexSpec {
        name: name.to_owned(),
        local,
        hash: vec![attr(hash, Kind::S)],
        range: vec![attr(range, Kind::N)],
        projection: Projection::KeysOnly,
    };
    let spec = TableSpec {
        name: "table".to_owned(),
        hash: attr("pk", Kind::S),
        range: Some(attr("sk", Kind::N)),
        indexes: vec![index("by-local", true, "pk", "local"), index("by-global", false, "global", "sk")],
        heavy: false,
    };
    database.call(spec.create()).expect("the table can be created");
}

fn key(sort: i64) -> Item {
    Item::from([("pk".to_owned(), Value::S("a".to_owned())), ("sk".to_owned(), Value::N(sort * 1000))])
}

fn put(database: &Database, sort: i64, more: &[(&str, Value)]) {
    let mut item = key(sort);
    item.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    let input = PutItemInput {
        table_name: "table".to_owned(),
        item: to_attributes(&item).into(),
        ..PutItemInput::default()
    };
    database.call(input).expect("the item can be put");
}

/// An update in which `#g` is the global index's key: its name is a reserved word.
fn update(database: &Database, expression: &str, value: Option<Value>) -> UpdateItemOutput {
    let names = [("#g".to_owned(), "global".to_owned())].into();
    let values = value.map(|value| Item::from([(":v".to_owned(), value)]));
    let input = UpdateItemInput {
        table_name: "table".to_owned(),
        key: to_attributes(&key(1)),
        update_expression: Some(expression.to_owned()),
        expression_attribute_names: expression.contains("#g").then_some(names),
        expression_attribute_values: values.as_ref().map(to_attributes),
        return_values: Some(ReturnValue::AllNew),
        return_consumed_capacity: CAPACITY,
        ..UpdateItemInput::default()
    };
    database.call(input).expect("the update can be carried out")
}

fn get(database: &Database) -> Option<Item> {
    let input = GetItemInput {
        table_name: "table".to_owned(),
        key: to_attributes(&key(1)),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    database.call(input).expect("the item can be read").item.as_ref().map(item_of)
}

fn query(database: &Database, more: QueryInput) -> QueryOutput {
    let values = Item::from([(":pk".to_owned(), Value::S("a".to_owned()))]);
    let input = QueryInput {
        table_name: "table".to_owned(),
        key_condition_expression: Some("pk = :pk".to_owned()),
        expression_attribute_values: Some(to_attributes(&values)),
        return_consumed_capacity: CAPACITY,
        ..more
    };
    database.call(input).expect("the table can be queried")
}

/// Half units on the table, on its local and on its global index; zero is no arm.
fn consumed(got: Option<&ConsumedCapacity>, table: u64, local: u64, global: u64) {
    let arm = |name: &str, units: u64| (units > 0).then(|| (name.to_owned(), units)).into_iter().collect();
    let charge = Charge { table, locals: arm("by-local", local), globals: arm("by-global", global) };
    check_consumed(got, "table", &charge).expect("the capacity is right");
}

#[test]
fn an_update_that_only_clears_does_not_make_an_item() {
    let database = Database::in_memory(1);
    create(&database);
    let set = Value::Ss(["a".to_owned()].into());
    for (expression, value) in [("REMOVE x1", None), ("REMOVE x1.y1", None), ("DELETE x1 :v", Some(set))] {
        let output = update(&database, expression, value);
        assert!(output.attributes.is_none(), "{expression}");
        consumed(output.consumed_capacity.as_ref(), 2, 0, 0);
        assert_eq!(get(&database), None, "{expression}");
    }
    assert!(update(&database, "SET x1 = :v", Some(Value::Null)).attributes.is_some());
}

#[test]
fn a_removal_beyond_the_end_of_a_list_spares_what_the_same_update_appends() {
    let database = Database::in_memory(2);
    create(&database);
    put(&database, 1, &[("li", Value::L(vec![Value::N(0)]))]);
    update(&database, "REMOVE li[1] SET li[3] = :v", Some(Value::N(1000)));
    let list = get(&database).expect("the item is there").remove("li");
    assert_eq!(list, Some(Value::L(vec![Value::N(0), Value::N(1000)])));
}

#[test]
fn a_page_ends_with_the_item_that_crosses_a_megabyte_even_if_it_is_the_last() {
    let database = Database::in_memory(3);
    create(&database);
    let filler = Value::S("x".repeat(350_000));
    for sort in 1..=3 {
        put(&database, sort, &[("filler", filler.clone())]);
    }
    let page = query(&database, QueryInput { select: Some(Select::Count), ..QueryInput::default() });
    assert_eq!((page.count, page.scanned_count), (Some(3), Some(3)));
    assert_eq!(page.last_evaluated_key.as_ref().map(from_attributes), Some(key(3)));
    // Three times 6 + 350,000 + 5 bytes are 257 blocks of 4 KB.
    consumed(page.consumed_capacity.as_ref(), 257, 0, 0);
    let rest = query(
        &database,
        QueryInput { exclusive_start_key: page.last_evaluated_key, ..QueryInput::default() },
    );
    assert_eq!((rest.count, rest.last_evaluated_key), (Some(0), None));
    consumed(rest.consumed_capacity.as_ref(), 1, 0, 0);
}

#[test]
fn a_local_index_that_fetches_items_rounds_each_of_them_by_itself() {
    for (bytes, consistent, table, local) in [(1, false, 3, 1), (9000, false, 9, 1), (9000, true, 18, 2)] {
        let database = Database::in_memory(4);
        create(&database);
        for sort in 1..=3 {
            put(&database, sort, &[("local", Value::N(0)), ("filler", Value::S("x".repeat(bytes)))]);
        }
        let more = QueryInput {
            index_name: Some("by-local".to_owned()),
            select: Some(Select::AllAttributes),
            consistent_read: Some(consistent),
            ..QueryInput::default()
        };
        let page = query(&database, more);
        assert!(page.items.iter().flatten().all(|image| item_of(image).contains_key("filler")));
        consumed(page.consumed_capacity.as_ref(), table, local, 0);
    }
}

#[test]
fn an_item_enters_leaves_and_moves_in_a_sparse_index_at_its_price() {
    let database = Database::in_memory(5);
    create(&database);
    put(&database, 1, &[]);
    let text = |text: &str| Some(Value::S(text.to_owned()));
    for (expression, value, global) in [
        ("SET x1 = :v", text("a"), 0),
        ("SET #g = :v", text("one"), 2),
        ("SET #g = :v", text("one"), 0),
        ("SET x1 = :v", text("b"), 0),
        ("SET #g = :v", text("two"), 4),
        ("REMOVE #g", None, 2),
    ] {
        let output = update(&database, expression, value);
        consumed(output.consumed_capacity.as_ref(), 2, 0, global);
    }
}

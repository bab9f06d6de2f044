//! Recorded answers to requests that break modelled constraints.

use std::collections::BTreeMap;

use super::{Gap, GapKind, Missing, Step};
use crate::{
    CreateTableInput, DeleteItemInput, DescribeTableInput, Error, ErrorCode, GetItemInput,
    GlobalSecondaryIndex, KeySchemaElement, KeyType, KeysAndAttributes, ListTablesInput, LocalSecondaryIndex,
    PutItemInput, QueryInput, Request, ScanInput, Tag, TagResourceInput, UpdateItemInput,
};

fn absent(path: &[Step]) -> Gap {
    Gap { path: path.to_vec(), kind: GapKind::Absent }
}

fn unknown(path: &[Step], value: &str) -> Gap {
    Gap { path: path.to_vec(), kind: GapKind::Unknown(value.to_owned()) }
}

fn missing(gaps: impl IntoIterator<Item = Gap>) -> Missing {
    let mut missing = Missing::none();
    gaps.into_iter().for_each(|gap| missing.add(gap));
    missing
}

fn error(request: impl Into<Request>, missing: &Missing) -> Error {
    request.into().validate(missing).expect_err("a constraint is violated")
}

fn text(request: impl Into<Request>, gaps: impl IntoIterator<Item = Gap>) -> String {
    let error = error(request, &missing(gaps));
    assert_eq!(error.code, ErrorCode::ValidationException);
    error.message.unwrap_or_default()
}

fn put(table: &str) -> PutItemInput {
    PutItemInput { table_name: table.to_owned(), ..PutItemInput::default() }
}

fn update(table: &str) -> UpdateItemInput {
    UpdateItemInput { table_name: table.to_owned(), ..UpdateItemInput::default() }
}

const MEMBER: fn(&'static str) -> [Step; 1] = |name| [Step::Member(name)];

#[test]
fn requests_within_their_constraints_are_valid() {
    let request = Request::from(put("Orders")).validate(&Missing::none()).unwrap();
    assert_eq!(request.operation(), crate::Operation::PutItem);
    assert_eq!(request.into_parts().0, Request::from(put("Orders")));
    Request::from(put("a")).validate(&Missing::none()).unwrap();
}

#[test]
fn a_missing_table_name_is_null_on_item_operations_and_a_required_parameter_on_table_operations() {
    assert_eq!(
        text(put(""), [absent(&MEMBER("TableName"))]),
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null"
    );
    assert_eq!(
        text(CreateTableInput::default(), [absent(&MEMBER("TableName"))]),
        "The parameter 'TableName' is required but was not present in the request"
    );
    assert_eq!(
        text(DescribeTableInput::default(), [absent(&MEMBER("TableName"))]),
        "The parameter 'TableName' is required but was not present in the request"
    );
}

#[test]
fn a_bad_table_name_is_reported_alone() {
    let alone = "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1";
    assert_eq!(text(put(""), [unknown(&MEMBER("ReturnValues"), "INVALID")]), alone);
    assert_eq!(text(update(""), []), alone);
    assert_eq!(text(DeleteItemInput::default(), []), alone);
    let long = "a".repeat(256);
    assert_eq!(
        text(put(&long), []),
        format!(
            "1 validation error detected: Value '{long}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255"
        )
    );
    assert_eq!(
        text(put("bad table!@#"), []),
        "1 validation error detected: Value 'bad table!@#' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    );
    let short = CreateTableInput {
        table_name: "ab".to_owned(),
        key_schema: Some(vec![]),
        ..CreateTableInput::default()
    };
    assert_eq!(
        text(short, []),
        "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"
    );
}

#[test]
fn an_arn_stands_in_for_a_table_name() {
    let arn = format!("arn:aws:dynamodb:us-east-1:000000000000:table/{}", "t".repeat(255));
    Request::from(put(&arn)).validate(&Missing::none()).unwrap();
    assert!(
        text(put(&format!("arn:{}", "x".repeat(1021))), [])
            .ends_with("Member must have length less than or equal to 1024")
    );
}

#[test]
fn bad_closed_sets_are_listed_by_put_and_delete_and_one_by_update() {
    let capacity = || unknown(&MEMBER("ReturnConsumedCapacity"), "INVALID");
    let values = || unknown(&MEMBER("ReturnValues"), "INVALID");
    let metrics = || unknown(&MEMBER("ReturnItemCollectionMetrics"), "INVALID");
    let first = "Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]";
    let second = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]";
    assert_eq!(
        text(put("Orders"), [capacity(), metrics(), values()]),
        format!(
            "3 validation errors detected: {first}; {second}; ReturnItemCollectionMetrics can only be SIZE or NONE"
        )
    );
    let delete = DeleteItemInput { table_name: "Orders".to_owned(), ..DeleteItemInput::default() };
    assert_eq!(
        text(delete, [capacity(), values()]),
        format!("2 validation errors detected: {first}; {second}")
    );
    assert_eq!(
        text(update("Orders"), [capacity(), values()]),
        format!("1 validation error detected: {second}")
    );
    assert_eq!(text(update("Orders"), [capacity()]), format!("1 validation error detected: {first}"));
}

#[test]
fn a_missing_key_brings_the_older_layer_back() {
    let key = || absent(&MEMBER("Key"));
    let no_key = "Value null at 'key' failed to satisfy constraint: Member must not be null";
    let empty = "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1";
    assert_eq!(text(update(""), [key()]), format!("2 validation errors detected: {empty}; {no_key}"));
    assert_eq!(
        text(
            update(""),
            [
                key(),
                unknown(&MEMBER("ReturnValues"), "INVALID"),
                unknown(&MEMBER("ReturnConsumedCapacity"), "INVALID")
            ]
        ),
        format!(
            "4 validation errors detected: \
             Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; \
             {empty}; \
             Value 'INVALID' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; \
             {no_key}"
        )
    );
    assert_eq!(
        text(update("Orders"), [key(), unknown(&MEMBER("ConditionalOperator"), "XOR")]),
        format!(
            "2 validation errors detected: \
             Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value set: [OR, AND]; {no_key}"
        )
    );
}

#[test]
fn limit_zero_has_two_forms() {
    let query = QueryInput { table_name: "t".to_owned(), limit: Some(0), ..QueryInput::default() };
    assert_eq!(
        text(query, []),
        "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"
    );
    let scan = ScanInput { table_name: "t".to_owned(), limit: Some(0), ..ScanInput::default() };
    assert_eq!(
        text(scan, []),
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"
    );
    assert_eq!(
        text(ListTablesInput { limit: Some(101), ..ListTablesInput::default() }, []),
        "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100"
    );
}

#[test]
fn query_gives_a_bad_conditional_operator_bare_and_alone() {
    let query = QueryInput { table_name: "t".to_owned(), ..QueryInput::default() };
    let gaps = [unknown(&MEMBER("ConditionalOperator"), "XOR"), unknown(&MEMBER("Select"), "BOGUS")];
    assert_eq!(
        text(query, gaps),
        "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
    );
}

fn element(name: &str, key_type: KeyType) -> KeySchemaElement {
    KeySchemaElement { attribute_name: name.to_owned(), key_type }
}

#[test]
fn three_key_elements_are_echoed() {
    let key_schema =
        vec![element("pk", KeyType::Hash), element("sk", KeyType::Range), element("extra", KeyType::Range)];
    let input = CreateTableInput {
        table_name: "Orders".to_owned(),
        key_schema: Some(key_schema),
        ..CreateTableInput::default()
    };
    assert_eq!(
        text(input, []),
        "1 validation error detected: Value '[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, keyType=RANGE), KeySchemaElement(attributeName=extra, keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2"
    );
}

#[test]
fn index_names_are_checked_global_indexes_first() {
    let keys = || vec![element("pk", KeyType::Hash)];
    let local = LocalSecondaryIndex {
        index_name: "l1".to_owned(),
        key_schema: keys(),
        ..LocalSecondaryIndex::default()
    };
    let global = GlobalSecondaryIndex {
        index_name: "g1".to_owned(),
        key_schema: keys(),
        ..GlobalSecondaryIndex::default()
    };
    let input = CreateTableInput {
        table_name: "Orders".to_owned(),
        local_secondary_indexes: Some(vec![local]),
        global_secondary_indexes: Some(vec![global]),
        ..CreateTableInput::default()
    };
    let short = |name: &str, member: &str| {
        format!(
            "Value '{name}' at '{member}.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3"
        )
    };
    assert_eq!(
        text(input, []),
        format!(
            "2 validation errors detected: {}; {}",
            short("g1", "globalSecondaryIndexes"),
            short("l1", "localSecondaryIndexes")
        )
    );
}

#[test]
fn unknown_values_deep_in_a_request_are_named_by_their_path() {
    let path = [Step::Member("KeySchema"), Step::Element(0), Step::Member("KeyType")];
    let input = CreateTableInput {
        table_name: "Orders".to_owned(),
        key_schema: Some(vec![element("pk", KeyType::Hash)]),
        ..CreateTableInput::default()
    };
    assert_eq!(
        text(input, [unknown(&path, "INVALID")]),
        "1 validation error detected: Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]"
    );
}

#[test]
fn elements_and_entries_are_reported_at_their_collection() {
    assert_eq!(
        text(defining(&[""]), []),
        "1 validation error detected: Value '' at 'attributeDefinitions.1.member.attributeName' failed to satisfy constraint: Member must have length greater than or equal to 1"
    );
    let keys = KeysAndAttributes {
        keys: vec![hashrange_item::Attributes::new(); 101],
        ..KeysAndAttributes::default()
    };
    let batch = crate::BatchGetItemInput {
        request_items: BTreeMap::from([("tab".to_owned(), keys)]),
        ..Default::default()
    };
    assert_eq!(
        text(batch, []),
        "1 validation error detected: Value at 'RequestItems.tab.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100"
    );
}

#[test]
fn at_most_ten_violations_are_listed() {
    let text = text(defining(&[""; 12]), []);
    assert!(text.starts_with("10 validation errors detected: "));
    assert_eq!(text.matches("failed to satisfy").count(), 10);
}

#[test]
fn lengths_are_counted_in_utf16_code_units() {
    Request::from(defining(&[&"é".repeat(255)])).validate(&Missing::none()).unwrap();
    assert!(text(defining(&[&"😀".repeat(128)]), []).ends_with("less than or equal to 255"));
}

#[test]
fn tags_are_left_to_the_engine_which_has_texts_of_their_own() {
    let tags = vec![Tag { key: String::new(), value: "x".repeat(300) }];
    let tag = TagResourceInput { resource_arn: "arn".to_owned(), tags };
    Request::from(tag).validate(&Missing::none()).unwrap();
}

fn defining(names: &[&str]) -> crate::UpdateTableInput {
    let definitions = names.iter().map(|name| crate::AttributeDefinition {
        attribute_name: (*name).to_owned(),
        attribute_type: crate::ScalarAttributeType::S,
    });
    crate::UpdateTableInput {
        table_name: "tab".to_owned(),
        attribute_definitions: Some(definitions.collect()),
        ..Default::default()
    }
}

#[test]
fn gets_stop_at_the_first_violation() {
    let get = GetItemInput {
        table_name: "t".to_owned(),
        attributes_to_get: Some(vec![]),
        ..GetItemInput::default()
    };
    assert_eq!(
        text(get, []),
        "1 validation error detected: Value at 'AttributesToGet' failed to satisfy constraint: Member must have length greater than or equal to 1"
    );
}

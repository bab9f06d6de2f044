//! Bodies of answers and errors.

use std::collections::BTreeMap;

use hashrange_api::{
    CancellationReason, Capacity, ConsumedCapacity, Details, Error, ErrorCode, GetItemOutput,
    ListTablesOutput, Operation, Response, ScanOutput, TableDescription, TableStatus, TagResourceOutput,
    ThrottlingReason, Timestamp,
};
use hashrange_item::{AttributeValue, Attributes, Image, NewItem, Number, Row};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::json::{decode, encode_error, encode_response};

fn body(response: impl Into<Response>) -> String {
    let mut out = Vec::new();
    encode_response(&response.into(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn attributes() -> Attributes {
    let number = AttributeValue::N(Number::parse("1.5").unwrap());
    Attributes::from_pairs(vec![
        ("n".to_owned(), number),
        ("pk".to_owned(), AttributeValue::S("a\"b".to_owned())),
    ])
}

#[test]
fn an_item_is_written_alike_from_row_and_tree() {
    let answer = |item: Image| body(GetItemOutput { item: Some(item), ..GetItemOutput::default() });
    let expected = r#"{"Item":{"n":{"N":"1.5"},"pk":{"S":"a\"b"}}}"#;
    assert_eq!(answer(Image::from(Row::encode(&attributes()))), expected);
    assert_eq!(answer(Image::from(attributes())), expected);
    assert_eq!(body(GetItemOutput::default()), "{}");
}

#[test]
fn capacity_units_have_a_fraction_and_counts_have_none() {
    let capacity = Capacity { capacity_units: Some(0.5), ..Capacity::default() };
    let consumed = ConsumedCapacity {
        table_name: Some("t".to_owned()),
        capacity_units: Some(1.0),
        table: Some(capacity.clone()),
        global_secondary_indexes: Some(BTreeMap::from([("i".to_owned(), capacity)])),
        ..ConsumedCapacity::default()
    };
    let output = ScanOutput {
        consumed_capacity: Some(consumed),
        count: Some(1),
        items: Some(vec![Image::from(attributes())]),
        ..ScanOutput::default()
    };
    assert_eq!(
        body(output),
        r#"{"ConsumedCapacity":{"CapacityUnits":1.0,"GlobalSecondaryIndexes":{"i":{"CapacityUnits":0.5}},"Table":{"CapacityUnits":0.5},"TableName":"t"},"Count":1,"Items":[{"n":{"N":"1.5"},"pk":{"S":"a\"b"}}]}"#
    );
}

#[test]
fn tables_are_described_with_times_in_seconds() {
    let table = TableDescription {
        table_name: Some("t".to_owned()),
        table_status: Some(TableStatus::Active),
        creation_date_time: Some(Timestamp::from_ms(1_700_000_000_125)),
        item_count: Some(0),
        deletion_protection_enabled: Some(false),
        ..TableDescription::default()
    };
    let output = hashrange_api::DescribeTableOutput { table: Some(table) };
    assert_eq!(
        body(output),
        r#"{"Table":{"CreationDateTime":1700000000.125,"DeletionProtectionEnabled":false,"ItemCount":0,"TableName":"t","TableStatus":"ACTIVE"}}"#
    );
    assert_eq!(
        body(ListTablesOutput { table_names: Some(vec![]), ..ListTablesOutput::default() }),
        r#"{"TableNames":[]}"#
    );
}

#[test]
fn operations_without_output_answer_with_an_empty_body() {
    assert_eq!(body(TagResourceOutput {}), "");
}

#[test]
fn errors_carry_name_space_and_message_as_their_code_spells_it() {
    let text = |error: Error| String::from_utf8(encode_error(&error)).unwrap();
    assert_eq!(
        text(Error::unknown_operation()),
        r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#
    );
    assert_eq!(crc32fast_of(&text(Error::unknown_operation())), 1_368_724_161);
    assert_eq!(
        text(Error::validation("a \"b\"")),
        r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"a \"b\""}"#
    );
    assert_eq!(
        text(Error::serialization("x")),
        r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"x"}"#
    );
    assert_eq!(
        text(Error::resource_not_found("x")),
        r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"x"}"#
    );
}

/// CRC-32 (IEEE), bit by bit, to pin a body whose checksum is on record.
fn crc32fast_of(text: &str) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !text.bytes().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
}

#[test]
fn errors_carry_their_details() {
    let value = |error: Error| serde_json::from_slice::<Value>(&encode_error(&error)).unwrap();
    let failed =
        Error::new(ErrorCode::ConditionalCheckFailedException, "no").with(Details::Item(attributes().into()));
    assert_eq!(value(failed)["Item"], json!({"n": {"N": "1.5"}, "pk": {"S": "a\"b"}}));
    let reason = CancellationReason { code: Some("None".to_owned()), ..CancellationReason::default() };
    let cancelled = Error::new(ErrorCode::TransactionCanceledException, "no")
        .with(Details::CancellationReasons(vec![reason]));
    let cancelled = value(cancelled);
    assert_eq!(
        (&cancelled["Message"], &cancelled["CancellationReasons"]),
        (&json!("no"), &json!([{"Code": "None"}]))
    );
    let reasons = || {
        let reason = ThrottlingReason { reason: Some("r".to_owned()), resource: Some("a".to_owned()) };
        Details::ThrottlingReasons(vec![reason])
    };
    let throttled = value(Error::new(ErrorCode::ThrottlingException, "no").with(reasons()));
    assert_eq!(throttled["throttlingReasons"], json!([{"reason": "r", "resource": "a"}]));
    let exceeded = value(Error::new(ErrorCode::ProvisionedThroughputExceededException, "no").with(reasons()));
    assert_eq!(exceeded["ThrottlingReasons"], json!([{"reason": "r", "resource": "a"}]));
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        any::<String>().prop_map(AttributeValue::S),
        any::<i64>().prop_map(|n| AttributeValue::N(Number::from_i64(n))),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(AttributeValue::L),
            prop::collection::vec(("[a-zé\"\\\\]{1,5}", inner), 0..5)
                .prop_map(|pairs| AttributeValue::M(Attributes::from_pairs(pairs))),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_json_and_decodes_to_the_same_item(value in value(), stored in any::<bool>()) {
        let item = Attributes::from_pairs(vec![("a".to_owned(), value)]);
        let image = if stored { Image::from(Row::encode(&item)) } else { Image::from(item.clone()) };
        let answer = body(GetItemOutput { item: Some(image), ..GetItemOutput::default() });
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let request = serde_json::to_vec(&json!({"TableName": "t", "Item": answer["Item"]})).unwrap();
        match decode(Operation::PutItem, &request).unwrap().into_parts().0 {
            hashrange_api::Request::PutItem(input) => prop_assert_eq!(input.item, NewItem::from(item)),
            other => panic!("another operation: {other:?}"),
        }
    }
}

//! Whole requests: what they decode to, and what is refused in which order.

use hashrange_api::{ErrorCode, Operation, Request, ReturnValue};
use hashrange_item::{AttributeValue, Attributes, Number, NumberSet, StringSet};
use proptest::prelude::*;

use crate::json::{decode, decode_shape};

fn refused(operation: Operation, body: &str) -> String {
    let error = decode(operation, body.as_bytes()).expect_err(body);
    assert_eq!(error.code, ErrorCode::ValidationException, "{body}: {error}");
    error.message.unwrap_or_default()
}

fn put(item: &str) -> String {
    format!("{{\"TableName\":\"t\",\"Item\":{item}}}")
}

fn item(body: &str) -> Attributes {
    match decode(Operation::PutItem, body.as_bytes())
        .unwrap_or_else(|error| panic!("{body}: {error}"))
        .into_parts()
        .0
    {
        Request::PutItem(input) => input.item.row().decode().unwrap(),
        other => panic!("another operation: {other:?}"),
    }
}

#[test]
fn a_put_decodes_to_its_typed_request() {
    let body = r##"{"TableName":"Orders","Item":{"pk":{"S":"a"},"n":{"N":"1.50"},"b":{"B":"AAE="},"t":{"BOOL":true},
        "z":{"NULL":true},"ss":{"SS":["b","a"]},"ns":{"NS":["2","1"]},"l":{"L":[{"N":"1"},{"L":[]}]},"m":{"M":{"x":{"S":""}}}},
        "ReturnValues":"ALL_OLD","ConditionExpression":"attribute_not_exists(#p)","ExpressionAttributeNames":{"#p":"pk"},
        "ExpressionAttributeValues":{":v":{"N":"7"}}}"##;
    let request = decode(Operation::PutItem, body.as_bytes()).unwrap().into_parts().0;
    let Request::PutItem(input) = request else { panic!("a put") };
    let number = |text: &str| Number::parse(text).unwrap();
    let item = input.item.row().decode().unwrap();
    assert_eq!(input.table_name, "Orders");
    assert_eq!(input.return_values, Some(ReturnValue::AllOld));
    assert_eq!(input.condition_expression.as_deref(), Some("attribute_not_exists(#p)"));
    assert_eq!(input.expression_attribute_names.unwrap()["#p"], "pk");
    assert_eq!(input.expression_attribute_values.unwrap().get(":v"), Some(&AttributeValue::N(number("7"))));
    assert_eq!(item.get("n"), Some(&AttributeValue::N(number("1.5"))));
    assert_eq!(item.get("b"), Some(&AttributeValue::B(vec![0, 1])));
    assert_eq!(item.get("t"), Some(&AttributeValue::Bool(true)));
    assert_eq!(item.get("z"), Some(&AttributeValue::Null));
    let ss = StringSet::new(vec!["a".to_owned(), "b".to_owned()]).unwrap();
    assert_eq!(item.get("ss"), Some(&AttributeValue::Ss(ss)));
    let ns = NumberSet::new(vec![number("1"), number("2")]).unwrap();
    assert_eq!(item.get("ns"), Some(&AttributeValue::Ns(ns)));
    assert_eq!(
        item.get("l"),
        Some(&AttributeValue::L(vec![AttributeValue::N(number("1")), AttributeValue::L(vec![])]))
    );
    let map = Attributes::from_pairs(vec![("x".to_owned(), AttributeValue::S(String::new()))]);
    assert_eq!(item.get("m"), Some(&AttributeValue::M(map)));
}

#[test]
fn the_last_of_two_members_of_one_name_counts() {
    let twice = r#"{"TableName":5.5e1,"TableName":"t","Item":{}}"#;
    assert!(decode(Operation::PutItem, twice.as_bytes()).is_err(), "each is checked");
    let body = r#"{"Item":{"a":{"N":"x"}},"TableName":"u","TableName":"t","Item":{"a":{"S":"1","S":"2"}},"ReturnValues":"BAD","ReturnValues":"NONE"}"#;
    assert_eq!(item(body).get("a"), Some(&AttributeValue::S("2".to_owned())));
    let nested = r#"{"TableName":"tab","AttributeDefinitions":[],"KeySchema":[{"KeyType":"BAD"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}"#;
    decode(Operation::CreateTable, nested.as_bytes()).unwrap();
    assert_eq!(
        item(&put(r#"{"a":{"S":"1"},"a":{"S":"2"}}"#)).get("a"),
        Some(&AttributeValue::S("2".to_owned()))
    );
}

#[test]
fn constraints_come_before_bad_values_and_wrong_types_before_both() {
    let all = r#"{"TableName":"","Item":{"a":{"N":"x"}},"ReturnValues":5}"#;
    let error = decode(Operation::PutItem, all.as_bytes()).unwrap_err();
    assert_eq!(error.code, ErrorCode::SerializationException);
    assert_eq!(
        refused(Operation::PutItem, r#"{"TableName":"","Item":{"a":{"N":"x"}}}"#),
        "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
    );
    assert_eq!(
        refused(Operation::PutItem, &put(r#"{"a":{"N":"x"}}"#)),
        "1 validation error detected: The parameter cannot be converted to a numeric value: x"
    );
}

#[test]
fn missing_and_unknown_members_are_reported_with_their_paths() {
    assert_eq!(
        refused(Operation::PutItem, "{}"),
        "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null; \
         Value null at 'item' failed to satisfy constraint: Member must not be null"
    );
    let create = |rest: &str| {
        format!(
            "{{\"TableName\":\"Orders\",\"AttributeDefinitions\":[{{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}}],{rest}}}"
        )
    };
    assert_eq!(
        refused(
            Operation::CreateTable,
            &create(r#""KeySchema":[{"AttributeName":"pk","KeyType":"INVALID"}]"#)
        ),
        "1 validation error detected: Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]"
    );
    assert_eq!(
        refused(
            Operation::UpdateItem,
            r#"{"TableName":"t","Key":{},"Expected":{"foo":{"ComparisonOperator":"LIKE"}}}"#
        ),
        "1 validation error detected: Value 'LIKE' at 'expected.foo.member.comparisonOperator' failed to satisfy constraint: \
         Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"
    );
}

const OVERFLOW: &str =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
const NOT_NUMERIC: &str = "The parameter cannot be converted to a numeric value";

#[test]
fn bad_numbers_are_enveloped_on_single_writes_and_bare_on_reads() {
    let numbers = [
        ("abc", format!("{NOT_NUMERIC}: abc")),
        ("", format!("{NOT_NUMERIC}: ")),
        ("1e126", OVERFLOW.to_owned()),
    ];
    for (number, text) in numbers {
        let enveloped = format!("1 validation error detected: {text}");
        let value = format!("{{\"N\":\"{number}\"}}");
        let set = put(&format!("{{\"a\":{{\"NS\":[\"1\",\"{number}\"]}}}}"));
        assert_eq!(refused(Operation::PutItem, &set), enveloped);
        let nested = put(&format!("{{\"a\":{{\"M\":{{\"x\":{{\"L\":[{value}]}}}}}}}}"));
        assert_eq!(refused(Operation::PutItem, &nested), enveloped);
        let key = format!("{{\"TableName\":\"t\",\"Key\":{{\"a\":{value}}}}}");
        assert_eq!(refused(Operation::DeleteItem, &key), enveloped);
        assert_eq!(refused(Operation::UpdateItem, &key), enveloped);
        assert_eq!(refused(Operation::GetItem, &key), text);
        let values =
            format!("{{\"TableName\":\"t\",\"Key\":{{}},\"ExpressionAttributeValues\":{{\":v\":{value}}}}}");
        assert_eq!(refused(Operation::UpdateItem, &values), enveloped);
        assert_eq!(refused(Operation::Query, &values), text);
    }
}

#[test]
fn the_older_layer_wraps_values_of_expressions_and_keeps_older_wording() {
    let scan =
        |value: &str| format!("{{\"TableName\":\"t\",\"ExpressionAttributeValues\":{{\":v\":{value}}}}}");
    assert_eq!(
        refused(Operation::Scan, &scan(r#"{"N":""}"#)),
        format!("ExpressionAttributeValues contains invalid value: {NOT_NUMERIC} for key :v")
    );
    assert_eq!(
        refused(Operation::Scan, &scan(r#"{"NS":["2","1","2"]}"#)),
        "ExpressionAttributeValues contains invalid value: Input collection contains duplicates for key :v"
    );
    let batch = r#"{"RequestItems":{"tab":[{"PutRequest":{"Item":{"a":{"SS":["b","a","b"]}}}}]}}"#;
    assert_eq!(
        refused(Operation::BatchWriteItem, batch),
        "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates."
    );
}

#[test]
fn bad_sets_and_shapes_have_their_texts() {
    let invalid = |text: &str| {
        format!("1 validation error detected: One or more parameter values were invalid: {text}")
    };
    let cases = [
        (r#"{"SS":[]}"#, invalid("An string set  may not be empty")),
        (r#"{"NS":[]}"#, invalid("An number set  may not be empty")),
        (r#"{"BS":[]}"#, invalid("Binary sets should not be empty")),
        (r#"{"SS":["b","a","b"]}"#, invalid(r#"Input collection ["a", "b", "b"] contains duplicates."#)),
        (r#"{"BS":["/w==","AA==","AA=="]}"#, invalid(r#"Input collection ["AA==","/w==","AA=="]of type BS contains duplicates."#)),
        (r#"{"NS":["2","1","2"]}"#, invalid("Input collection contains duplicates.")),
        (r#"{"NULL":false}"#, invalid("Null attribute value types must have the value of true")),
        ("{}", "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes".to_owned()),
        (
            r#"{"S":"a","N":"1"}"#,
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
                .to_owned(),
        ),
    ];
    for (value, text) in cases {
        assert_eq!(refused(Operation::PutItem, &put(&format!("{{\"a\":{value}}}"))), text, "{value}");
    }
}

fn nested(maps: usize) -> String {
    "{\"M\":{\"n\":".repeat(maps) + "{\"S\":\"leaf\"}" + &"}}".repeat(maps)
}

#[test]
fn thirty_one_maps_are_accepted_and_one_more_is_refused() {
    let value = |maps| put(&format!("{{\"a\":{}}}", nested(maps)));
    item(&value(31));
    let too_deep = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";
    assert_eq!(refused(Operation::PutItem, &value(32)), too_deep);
    assert_eq!(refused(Operation::PutItem, &value(400)), too_deep);
    let values = |maps| {
        format!(
            "{{\"TableName\":\"t\",\"Key\":{{}},\"ExpressionAttributeValues\":{{\":v\":{}}}}}",
            nested(maps)
        )
    };
    assert_eq!(
        refused(Operation::UpdateItem, &values(32)),
        format!("1 validation error detected: {too_deep}")
    );
}

#[test]
fn a_nested_body_of_sixteen_megabytes_is_a_clean_error() {
    let body = put(&format!("{{\"a\":{}", "{\"M\":{\"n\":".repeat(1_600_000)));
    let error = decode(Operation::PutItem, body.as_bytes()).unwrap_err();
    assert_eq!((error.code, error.message), (ErrorCode::SerializationException, None));
    let flat = put(&format!("{{\"a\":{{\"L\":[{}]}}}}", vec!["{}"; 1_000_000].join(",")));
    assert!(refused(Operation::PutItem, &flat).starts_with("Supplied AttributeValue is empty"));
}

#[test]
fn a_request_in_every_operations_shape_decodes_from_an_empty_object() {
    for operation in Operation::ALL {
        let decoded = decode_shape(operation, b"{}").unwrap();
        assert_eq!(decoded.request.operation(), operation);
        assert_eq!(decoded.bad_value, None);
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(operation in prop::sample::select(&Operation::ALL[..]), body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(operation, &body);
    }

    #[test]
    fn damaged_requests_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut body = br#"{"TableName":"Orders","Item":{"pk":{"S":"a"},"ns":{"NS":["2","1"]},"m":{"M":{"x":{"L":[{"B":"AA=="}]}}}},"Expected":{"a":{"Exists":false}}}"#.to_vec();
        let at = at.index(body.len());
        body[at] = byte;
        let _ = decode(Operation::PutItem, &body);
    }
}

//! Wrong types, in AWS's words.

use hashrange_api::{ErrorCode, Operation};

use crate::json::decode_shape;

fn refused(operation: Operation, body: &str) -> Option<String> {
    let error = decode_shape(operation, body.as_bytes()).expect_err(body);
    assert_eq!(error.code, ErrorCode::SerializationException, "{body}");
    error.message
}

fn accepted(operation: Operation, body: &str) {
    decode_shape(operation, body.as_bytes()).unwrap_or_else(|error| panic!("{body}: {error}"));
}

#[test]
fn scalars_of_the_wrong_type_name_their_token_and_the_java_type() {
    let cases = [
        ("IndexName", "5", "NUMBER_VALUE cannot be converted to String"),
        ("IndexName", "-2147483648", "NUMBER_VALUE cannot be converted to String"),
        ("IndexName", "34.56", "DECIMAL_VALUE cannot be converted to String"),
        ("IndexName", "1e3", "DECIMAL_VALUE cannot be converted to String"),
        ("IndexName", "true", "TRUE_VALUE cannot be converted to String"),
        ("IndexName", "false", "FALSE_VALUE cannot be converted to String"),
        ("IndexName", "[]", "Unrecognized collection type class java.lang.String"),
        ("IndexName", "{}", "Start of structure or map found where not expected"),
        ("Select", "5", "NUMBER_VALUE cannot be converted to String"),
        ("Limit", "\"5\"", "STRING_VALUE cannot be converted to Integer"),
        ("Limit", "false", "FALSE_VALUE cannot be converted to Integer"),
        ("Limit", "[]", "Unrecognized collection type class java.lang.Integer"),
        ("ConsistentRead", "\"abc\"", "Unexpected token received from parser"),
        ("ConsistentRead", "0", "NUMBER_VALUE cannot be converted to Boolean"),
        ("ConsistentRead", "34.56", "DECIMAL_VALUE cannot be converted to Boolean"),
        ("AttributesToGet", "\"a\"", "Unexpected field type"),
        ("AttributesToGet", "{}", "Start of structure or map found where not expected"),
        ("AttributesToGet", "[5]", "NUMBER_VALUE cannot be converted to String"),
        ("ExpressionAttributeNames", "5", "Unexpected field type"),
        (
            "ExpressionAttributeNames",
            "[]",
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>",
        ),
        ("ExclusiveStartKey", "true", "Unexpected field type"),
        (
            "ExclusiveStartKey",
            "[]",
            "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
    ];
    for (member, value, text) in cases {
        let body = format!("{{\"TableName\":\"t\",\"{member}\":{value}}}");
        assert_eq!(refused(Operation::Scan, &body).as_deref(), Some(text), "{body}");
    }
}

#[test]
fn structures_of_the_wrong_type_name_their_place() {
    let cases = [
        ("\"ProvisionedThroughput\":\"a\"", "Unexpected field type"),
        (
            "\"ProvisionedThroughput\":[]",
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.ProvisionedThroughput",
        ),
        ("\"GlobalSecondaryIndexUpdates\":[\"a\"]", "Unexpected value type in payload"),
        (
            "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":\"5\"}",
            "STRING_VALUE cannot be converted to Long",
        ),
        (
            "\"GlobalSecondaryIndexUpdates\":[{\"Delete\":{\"IndexName\":5}}]",
            "NUMBER_VALUE cannot be converted to String",
        ),
    ];
    for (member, text) in cases {
        let body = format!("{{\"TableName\":\"t\",{member}}}");
        assert_eq!(refused(Operation::UpdateTable, &body).as_deref(), Some(text), "{body}");
    }
}

#[test]
fn attribute_values_of_the_wrong_type_are_told_apart() {
    let cases = [
        ("5", "Unexpected value type in payload"),
        ("[]", "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"),
        ("{\"S\":5}", "NUMBER_VALUE cannot be converted to String"),
        ("{\"N\":123}", "NUMBER_VALUE cannot be converted to String"),
        ("{\"B\":5}", "only base-64-encoded strings are convertible to bytes"),
        ("{\"B\":[]}", "Unrecognized collection type class java.nio.ByteBuffer"),
        ("{\"B\":\"23456\"}", "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
        ("{\"B\":\"=+/=\"}", "Invalid last non-pad Base64 character dectected"),
        ("{\"BS\":[true]}", "only base-64-encoded strings are convertible to bytes"),
        ("{\"SS\":\"a\"}", "Unexpected field type"),
        ("{\"L\":[5]}", "Unexpected value type in payload"),
        ("{\"M\":{\"a\":5}}", "Unexpected value type in payload"),
        ("{\"M\":5}", "Unexpected field type"),
        ("{\"BOOL\":1}", "NUMBER_VALUE cannot be converted to Boolean"),
    ];
    for (value, text) in cases {
        let body = format!("{{\"TableName\":\"t\",\"Item\":{{\"a\":{value}}}}}");
        assert_eq!(refused(Operation::PutItem, &body).as_deref(), Some(text), "{body}");
    }
}

#[test]
fn the_first_wrong_type_in_the_body_wins() {
    let two = |first: &str, second: &str| format!("{{\"TableName\":\"t\",{first},{second}}}");
    let (limit, index) = ("\"Limit\":\"5\"", "\"IndexName\":5");
    assert_eq!(
        refused(Operation::Scan, &two(limit, index)).as_deref(),
        Some("STRING_VALUE cannot be converted to Integer")
    );
    assert_eq!(
        refused(Operation::Scan, &two(index, limit)).as_deref(),
        Some("NUMBER_VALUE cannot be converted to String")
    );
}

#[test]
fn bodies_that_are_no_objects_or_no_json_have_no_message() {
    for body in ["", "{", "{\"TableName\":}", "{}{}", "{\"TableName\":\"t\"} x"] {
        assert_eq!(refused(Operation::DescribeTable, body), None, "{body}");
    }
}

#[test]
fn lenient_conversions_are_those_of_aws() {
    for body in [
        r#"{"TableName":"t","Limit":5.5}"#,
        r#"{"TableName":"t","Limit":99999999999}"#,
        r#"{"TableName":"t","ConsistentRead":"TRUE"}"#,
        r#"{"TableName":"t","IndexName":null,"Limit":null,"Unknown":{"a":[1,{"b":null}]}}"#,
        r#"{"TableName":"t","AttributesToGet":[null]}"#,
    ] {
        accepted(Operation::Scan, body);
    }
    accepted(Operation::ListBackups, r#"{"TimeRangeLowerBound":1577836800}"#);
    let text = refused(Operation::ListBackups, r#"{"TimeRangeLowerBound":"2020-01-01T00:00:00Z"}"#);
    assert_eq!(text.as_deref(), Some("STRING_VALUE cannot be converted to Date"));
}

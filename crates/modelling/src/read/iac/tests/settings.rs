//! Settings beside keys and billing, from every form of infrastructure; and Terraform's language in JSON.

use std::fmt::Write as _;

use expect_test::expect;

use super::{file, options, shown};
use crate::catalogue::Catalogue;
use crate::read::read;

/// The settings of each table and of its indexes that have some, then the notes.
fn settings(text: &str) -> String {
    let catalogue = read(&[file("f", text)], &options(&[]));
    let catalogue: Catalogue = catalogue.unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut out = String::new();
    for table in &catalogue.tables {
        let policy = table.policy.as_ref().map(ToString::to_string);
        let line = format!(
            "{}: warm {:?}, most {:?}, {:?}, {:?}, {:?}, policy {policy:?}",
            table.name, table.warm, table.on_demand_max, table.encryption, table.insights, table.kinesis
        );
        writeln!(out, "{line}").expect("a string takes all");
        for index in table.indexes.iter().filter(|index| index.warm.is_stated() || index.insights.is_some()) {
            let line = format!(
                "  {}: warm {:?}, most {:?}, {:?}",
                index.name, index.warm, index.on_demand_max, index.insights
            );
            writeln!(out, "{line}").expect("a string takes all");
        }
    }
    for note in &catalogue.notes {
        writeln!(out, "note {}: {}", note.place, note.message).expect("a string takes all");
    }
    out.replace("Units { read: None, write: None }", "-").replace("Units {", "{")
}

#[test]
fn a_running_table_tells_its_settings() {
    let table = r#"{"TableName": "orders", "TableStatus": "ACTIVE", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"},
        "OnDemandThroughput": {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": -1},
        "SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": "arn:aws:kms:eu-west-1:111122223333:key/1"}}"#;
    let beside = r#""KinesisDataStreamDestinations": [{"StreamArn": "old", "DestinationStatus": "DISABLED"},
        {"StreamArn": "arn:stream", "DestinationStatus": "ACTIVE", "ApproximateCreationDateTimePrecision": "MILLISECOND"}],
        "ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": "THROTTLED_KEYS", "Policy": "{\"Version\": \"2012-10-17\"}""#;
    expect![[r#"
        orders: warm { read: Some(12000.0), write: Some(4000.0) }, most { read: Some(100.0), write: None }, Some(Key(Some("arn:aws:kms:eu-west-1:111122223333:key/1"))), Some(Throttled), Some(Kinesis { stream: Some("arn:stream"), precision: Some("MILLISECOND") }), policy Some("{\"Version\":\"2012-10-17\"}")
    "#]].assert_eq(&settings(&format!("{{\"Table\": {table}, {beside}}}")));
    let bare = r#"{"Table": {"TableName": "bare", "TableStatus": "ACTIVE", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}}"#;
    expect![[r#"
        bare: warm -, most -, Some(Owned), None, None, policy None
    "#]]
    .assert_eq(&settings(bare));
}

#[test]
fn settings_that_only_the_deployment_knows_are_noted() {
    let template = r#"
Resources:
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      BillingMode: PAY_PER_REQUEST
      WarmThroughput: !ImportValue warm
      OnDemandThroughput: {MaxReadRequestUnits: !ImportValue most}
      SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn}
      KinesisStreamSpecification: {StreamArn: !GetAtt Stream.Arn}
      ContributorInsightsSpecification: !ImportValue insights
      ResourcePolicy: {PolicyDocument: {Statement: [{Principal: {AWS: !GetAtt Role.Arn}}]}}
  Key: {Type: AWS::KMS::Key}
"#;
    expect![[r#"
        T: warm -, most -, Some(Key(None)), None, Some(Kinesis { stream: None, precision: None }), policy Some("{\"Statement\":[{\"Principal\":{\"AWS\":null}}]}")
        note f:11:60: KMSMasterKeyId is not known: attribute Arn of Key is known at deployment
        note f:13:41: contributor insights are not known: Fn::ImportValue is answered at deployment
        note f:12:47: StreamArn is not known: attribute Arn of Stream is known at deployment
        note f:14:40: a part of the resource policy is not known, and is null: attribute Arn of Role is known at deployment
        note f:9:23: throughput is not known: Fn::ImportValue is answered at deployment
        note f:10:49: MaxReadRequestUnits is not known: Fn::ImportValue is answered at deployment
    "#]].assert_eq(&settings(template));
}

#[test]
fn a_state_tells_settings_of_tables_and_of_the_resources_beside_them() {
    let state = r#"{"format_version": "1.0", "values": {"root_module": {"resources": [
      {"address": "aws_dynamodb_table.t", "mode": "managed", "type": "aws_dynamodb_table", "name": "t", "values": {
        "name": "t", "hash_key": "pk", "billing_mode": "PAY_PER_REQUEST", "attribute": [{"name": "pk", "type": "S"}, {"name": "x", "type": "S"}],
        "global_secondary_index": [{"name": "I", "hash_key": "x", "projection_type": "ALL", "warm_throughput": [{"read_units_per_second": 12000, "write_units_per_second": 4000}]}],
        "on_demand_throughput": [{"max_read_request_units": 50, "max_write_request_units": -1}],
        "server_side_encryption": [{"enabled": true, "kms_key_arn": ""}]}},
      {"address": "aws_dynamodb_contributor_insights.i", "mode": "managed", "type": "aws_dynamodb_contributor_insights", "name": "i", "values": {"table_name": "t", "index_name": "I"}},
      {"address": "aws_dynamodb_contributor_insights.none", "mode": "managed", "type": "aws_dynamodb_contributor_insights", "name": "none", "values": {"table_name": "t", "index_name": "J"}},
      {"address": "aws_dynamodb_kinesis_streaming_destination.k", "mode": "managed", "type": "aws_dynamodb_kinesis_streaming_destination", "name": "k", "values": {"table_name": "t", "stream_arn": "arn:a"}},
      {"address": "aws_dynamodb_kinesis_streaming_destination.l", "mode": "managed", "type": "aws_dynamodb_kinesis_streaming_destination", "name": "l", "values": {"table_name": "t", "stream_arn": "arn:b"}},
      {"address": "aws_dynamodb_resource_policy.p", "mode": "managed", "type": "aws_dynamodb_resource_policy", "name": "p", "values": {"resource_arn": "arn:aws:dynamodb:eu-west-1:1:table/t", "policy": "{\"Version\":\"2012-10-17\"}"}},
      {"address": "aws_dynamodb_resource_policy.s", "mode": "managed", "type": "aws_dynamodb_resource_policy", "name": "s", "values": {"resource_arn": "arn:aws:dynamodb:eu-west-1:1:table/t/stream/1", "policy": "{}"}}
    ]}}}"#;
    expect![[r#"
        t: warm -, most { read: Some(50.0), write: None }, Some(Managed), Some(Off), Some(Kinesis { stream: Some("arn:a"), precision: None }), policy Some("{\"Version\":\"2012-10-17\"}")
          I: warm { read: Some(12000.0), write: Some(4000.0) }, most -, Some(All)
        note f:8:185: insights of an index that is not in the file, left out
        note f:10:7: a second Kinesis stream of t, left out
        note f:12:7: the policy of the stream of t is not read
    "#]].assert_eq(&settings(state));
}

#[test]
fn terraform_in_json_is_terraform() {
    let text = r#"{
  "//": "a comment",
  "variable": {"stage": {"default": "test"}},
  "locals": {"key": "pk"},
  "terraform": {"required_version": ">= 1.5"},
  "resource": {
    "aws_dynamodb_table": {
      "orders": {
        "name": "${var.stage}-orders",
        "billing_mode": "PAY_PER_REQUEST",
        "hash_key": "${local.key}",
        "attribute": {"name": "pk", "type": "S"},
        "ttl": {"enabled": true, "attribute_name": "until"},
        "tags": {"a": "${unknown.thing}"}
      }
    },
    "aws_dynamodb_vector_index": {
      "like": {
        "table_name": "${aws_dynamodb_table.orders.name}", "index_name": "Like", "dimensions": 4, "distance_function": "COSINE",
        "vector_attribute": {"attribute_name": "v"}, "projection": {"projection_type": "ALL"}
      }
    },
    "aws_s3_bucket": {"b": [{"bucket": "x"}]}
  }
}"#;
    expect![[r#"
        test-orders (orders); pk | ; pk:S; on demand; ttl=until
          Vector Like;  | ; all; {"VectorAttribute":{"AttributeName":"v"},"DistanceFunction":"COSINE","Dimensions":4}
    "#]].assert_eq(&shown(text, &[]));
    // Places are those of the file.
    let broken = text.replace("\"type\": \"S\"", "\"type\": \"X\"");
    expect![[r#"
        problem f:12:45: the type of a key attribute must be S, N or B
    "#]]
    .assert_eq(&shown(&broken, &[]));
    let looped = text.replace("\"tags\":", "\"for_each\": {\"a\": 1}, \"tags\":");
    expect![[r#"
        problem f:14:21: for_each is not written out here: run "terraform plan -out p && terraform show -json p > plan.json" and read plan.json instead
    "#]].assert_eq(&shown(&looped, &[]));
    let open = text.replace("\"billing_mode\":", "\"other\": \"${\", \"billing_mode\":");
    expect![[r#"
        problem f:10:40: this is not Terraform's language: expected `}`
    "#]]
    .assert_eq(&shown(&open, &[]));
}

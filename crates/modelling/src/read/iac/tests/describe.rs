//! Answers of DescribeTable.

use expect_test::expect;

use super::shown;

const TABLE: &str = r#"{"TableName": "orders", "TableStatus": "ACTIVE", "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders",
 "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
 "ItemCount": 1000, "TableSizeBytes": 350000, "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
 "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
 "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
 "Replicas": [{"RegionName": "us-east-1"}, {"RegionName": "eu-west-1"}],
 "GlobalSecondaryIndexes": [
  {"IndexName": "I", "IndexStatus": "ACTIVE", "KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"},
   "ItemCount": 10, "IndexSizeBytes": 500, "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}},
  {"IndexName": "Leaving", "IndexStatus": "DELETING", "KeySchema": [{"AttributeName": "y", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}],
 "DeletionProtectionEnabled": true}"#;

#[test]
fn an_answer_gives_schema_and_mean_sizes() {
    expect![[r#"
        orders (-); pk | ; pk:S; on demand; stream=NEW_IMAGE; recovery?; protection; replicas=eu-west-1 Some(Eventual); 1000 x 350 B
          Global I; x | ; all; 10 x 50 B
    "#]].assert_eq(&shown(&format!("{{\"Table\": {TABLE}}}"), &[]));
}

#[test]
fn a_list_of_answers_is_read_and_absent_summaries_have_defaults() {
    let old = r#"{"Table": {"TableName": "old", "TableStatus": "ACTIVE", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "ItemCount": 0, "TableSizeBytes": 0,
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}}"#;
    expect![[r#"
        old (-); pk | ; pk:S; provisioned 5r 6w; recovery?
        orders (-); pk | ; pk:S; on demand; stream=NEW_IMAGE; recovery?; protection; replicas=eu-west-1 Some(Eventual); 1000 x 350 B
          Global I; x | ; all; 10 x 50 B
    "#]].assert_eq(&shown(&format!("[{old}, {{\"Table\": {TABLE}}}]"), &[]));
}

#[test]
fn answers_about_expiry_and_recovery_stand_beside_that_of_the_table() {
    let more = r#""TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"},
        "ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED"}}"#;
    let text = shown(&format!("[{{\"Table\": {TABLE}, {more}}}]"), &[]);
    assert!(text.contains("ttl=until") && text.contains("; recovery;"), "{text}");
}

//! Answers of DescribeTable, from files and from a running database.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use expect_test::expect;
use hashrange_api::Operation;
use serde_json::{Value, json};

use super::{show, shown};
use crate::read::iac::from_target;
use crate::target::{Answer, Call, Reply, Target};

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

/// Answers each operation with a prepared body, else refuses it.
#[derive(Debug)]
struct Prepared(BTreeMap<&'static str, Vec<Value>>);

impl Target for Prepared {
    fn call(&self, call: Call) -> Answer<'_> {
        let bodies = self.0.get(call.operation.name()).cloned().unwrap_or_default();
        let start = call.body.get("ExclusiveStartTableName").is_some();
        let reply = match bodies.get(usize::from(start)) {
            Some(body) => Reply { status: 200, body: body.clone(), plan: None },
            None => Reply {
                status: 400,
                body: json!({ "__type": "com.amazonaws.dynamodb.v20120810#UnknownOperationException", "message": "no" }),
                plan: None,
            },
        };
        Box::pin(std::future::ready(Ok(reply)))
    }
}

/// The output of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("prepared answers are there at once"),
    }
}

#[test]
fn a_running_database_is_asked_page_by_page() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let mut answers = BTreeMap::from([
        (
            Operation::ListTables.name(),
            vec![
                json!({ "TableNames": ["orders"], "LastEvaluatedTableName": "orders" }),
                json!({ "TableNames": ["orders"] }),
            ],
        ),
        (Operation::DescribeTable.name(), vec![json!({ "Table": table })]),
        (
            Operation::DescribeTimeToLive.name(),
            vec![
                json!({ "TimeToLiveDescription": { "TimeToLiveStatus": "ENABLED", "AttributeName": "until" } }),
            ],
        ),
    ]);
    let read = |answers: &BTreeMap<&'static str, Vec<Value>>| {
        ready(from_target(&Prepared(answers.clone()), "http://127.0.0.1:8000", None)).unwrap()
    };
    let catalogue = read(&answers);
    assert_eq!(catalogue.tables.len(), 2);
    assert_eq!(catalogue.tables[0].recovery, None, "a database that does not answer leaves recovery open");
    let status = json!({ "PointInTimeRecoveryDescription": { "PointInTimeRecoveryStatus": "ENABLED" } });
    answers.insert(
        Operation::DescribeContinuousBackups.name(),
        vec![json!({ "ContinuousBackupsDescription": status })],
    );
    let text = show(&read(&answers));
    assert!(text.contains("ttl=until") && text.contains("; recovery;"), "{text}");
}

#[test]
fn a_refusal_names_the_operation_and_the_error() {
    let problems = ready(from_target(&Prepared(BTreeMap::new()), "http://127.0.0.1:8000", None)).unwrap_err();
    expect!["http://127.0.0.1:8000: ListTables was refused with UnknownOperationException: no"]
        .assert_eq(&problems[0].to_string());
}

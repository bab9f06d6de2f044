//! Budgets of batches while another writer makes their items larger.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hashrange::Database;
use hashrange::api::{Operation, Response};
use hashrange_service::Budget;
use hashrange_wire::json;
use serde_json::{Value, json};

/// Rounds; a batch meets the other writer in a good part of them. Where the two run in step with each other, it takes more
/// until both outcomes have been seen.
const ROUNDS: usize = 150;
const ROUNDS_MAX: usize = 20_000;

async fn run(database: &Database, operation: Operation, body: Value) -> Response {
    let request = json::decode(operation, body.to_string().as_bytes()).expect("a request");
    database.run(request).await.expect("the table is there")
}

async fn a_table() -> (tempfile::TempDir, Database) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(folder.path()).await.expect("an empty folder");
    let table = json!({
        "TableName": "table",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    run(&database, Operation::CreateTable, table).await;
    (folder, database)
}

/// Puts one item again and again, of 1 unit and of 4.
async fn grow_and_shrink(database: Database, ended: Arc<AtomicBool>) {
    let mut size = 10;
    while !ended.load(Ordering::Relaxed) {
        size = if size == 10 { 3_500 } else { 10 };
        let item = json!({"pk": {"S": "a"}, "text": {"S": "x".repeat(size)}});
        run(&database, Operation::PutItem, json!({"TableName": "table", "Item": item})).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
#[expect(clippy::disallowed_methods, reason = "a race of real threads is what is tested")]
async fn a_batch_never_costs_more_than_its_budget_whatever_others_write() {
    let (_folder, database) = a_table().await;
    let ended = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn(grow_and_shrink(database.clone(), Arc::clone(&ended)));
    let budget = Budget::parse("wcu=3").expect("a budget");
    let (mut whole, mut refused) = (0, 0);
    for round in 0..ROUNDS_MAX {
        if round >= ROUNDS && whole > 0 && refused > 0 {
            break;
        }
        let puts = ["a", "b", "c"].map(|key| json!({"PutRequest": {"Item": {"pk": {"S": key}}}}));
        let body = json!({"RequestItems": {"table": puts}, "ReturnConsumedCapacity": "TOTAL"});
        let request =
            json::decode(Operation::BatchWriteItem, body.to_string().as_bytes()).expect("a request");
        match database.run_within(request, &budget).await {
            Ok((Response::BatchWriteItem(output), _)) => {
                let reports = output.consumed_capacity.unwrap_or_default();
                let units: f64 = reports.iter().filter_map(|report| report.capacity_units).sum();
                let left: usize = output.unprocessed_items.iter().flatten().map(|(_, left)| left.len()).sum();
                assert!(units <= 3.0, "{units} units");
                assert!(left <= 1, "only the item that the other writer changes may be left");
                whole += usize::from(left == 0);
            }
            Err(error) => {
                assert_eq!(error.code.name(), "BudgetExceededException", "{error}");
                refused += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    ended.store(true, Ordering::Relaxed);
    writer.await.expect("the writer does not panic");
    assert!(whole > 0 && refused > 0, "{whole} batches went through, {refused} were refused");
}

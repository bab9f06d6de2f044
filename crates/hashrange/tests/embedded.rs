//! The embedded database: the same folder as the server's, its own region, typed errors.

use hashrange::Database;
use hashrange::api::{
    AttributeDefinition, BillingMode, CreateTableInput, ErrorCode, GetItemInput, KeySchemaElement, KeyType,
    ListTablesInput, ProvisionedThroughput, PutItemInput, ScalarAttributeType, TransactWriteItem,
    TransactWriteItemsInput, Update,
};
use hashrange::item::{AttributeValue, Attributes, Item, Number};

fn table(name: &str) -> CreateTableInput {
    CreateTableInput {
        table_name: name.to_owned(),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: "pk".to_owned(),
            attribute_type: ScalarAttributeType::S,
        }]),
        key_schema: Some(vec![KeySchemaElement { attribute_name: "pk".to_owned(), key_type: KeyType::Hash }]),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..Default::default()
    }
}

fn item() -> Item {
    Attributes::from([("pk", "a".into()), ("text", "hello".into())])
}

async fn put(database: &Database) {
    let input = PutItemInput { table_name: "table".to_owned(), item: item().into(), ..Default::default() };
    database.put_item(input).await.expect("the table is there");
}

async fn get(database: &Database) -> Option<Item> {
    let key = Attributes::from([("pk", "a".into())]);
    let input = GetItemInput {
        table_name: "table".to_owned(),
        key,
        consistent_read: Some(true),
        ..Default::default()
    };
    let output = database.get_item(input).await.expect("the table is there");
    output.item.map(|item| item.to_item().expect("the row is whole"))
}

#[tokio::test]
async fn what_was_put_is_there_when_the_folder_is_opened_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(folder.path()).await.expect("an empty folder");
    database.create_table(table("table")).await.expect("a new table");
    put(&database).await;
    database.close().await;
    drop(database);

    let database = Database::open(folder.path()).await.expect("our own folder");
    assert_eq!(get(&database).await, Some(item()));
}

#[tokio::test]
async fn a_database_that_throttles_serves_what_is_provisioned() {
    let database = Database::builder().throttle(true).in_memory().await.expect("memory");
    let mut table = table("table");
    table.billing_mode = Some(BillingMode::Provisioned);
    table.provisioned_throughput =
        Some(ProvisionedThroughput { read_capacity_units: 1, write_capacity_units: 1 });
    database.create_table(table).await.expect("a new table");
    let large = Attributes::from([("pk", "a".into()), ("text", "x".repeat(400_000).as_str().into())]);
    let large = PutItemInput { table_name: "table".to_owned(), item: large.into(), ..Default::default() };
    database.put_item(large.clone()).await.expect("a second's worth is left");
    let error = database.put_item(large).await.expect_err("minutes' worth are owed");
    assert_eq!(error.code, ErrorCode::ProvisionedThroughputExceededException);
}

/// Adds to a number of the item, in a transaction with a token.
fn addition(amount: i64) -> TransactWriteItemsInput {
    let amount = AttributeValue::N(Number::from_i64(amount));
    let update = Update {
        table_name: "table".to_owned(),
        key: Attributes::from([("pk", "a".into())]),
        update_expression: "ADD visits :amount".to_owned(),
        expression_attribute_values: Some(Attributes::from([(":amount", amount)])),
        ..Default::default()
    };
    TransactWriteItemsInput {
        client_request_token: Some("token".to_owned()),
        transact_items: vec![TransactWriteItem { update: Some(update), ..Default::default() }],
        ..Default::default()
    }
}

#[tokio::test]
async fn a_transaction_with_a_token_is_done_once_though_the_folder_is_opened_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(folder.path()).await.expect("an empty folder");
    database.create_table(table("table")).await.expect("a new table");
    database.transact_write_items(addition(1)).await.expect("a transaction");
    database.close().await;
    drop(database);

    let database = Database::open(folder.path()).await.expect("our own folder");
    database.transact_write_items(addition(1)).await.expect("the same transaction");
    let error = database.transact_write_items(addition(2)).await.expect_err("another transaction");
    assert_eq!(error.code, ErrorCode::IdempotentParameterMismatchException);
    let item = get(&database).await.expect("the transaction made it");
    assert_eq!(item.get("visits"), Some(&AttributeValue::N(Number::from_i64(1))));
}

#[tokio::test]
async fn an_open_folder_cannot_be_opened_a_second_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let _first = Database::open(folder.path()).await.expect("an empty folder");
    let second = Database::open(folder.path()).await.expect_err("the folder is open");
    assert!(second.to_string().contains("is open in another process"), "{second}");
}

#[tokio::test]
async fn each_region_has_its_own_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(folder.path()).await.expect("an empty folder");
    let created = database
        .create_table(table("table"))
        .await
        .expect("a new table")
        .table_description
        .expect("described");
    assert_eq!(created.table_arn.as_deref(), Some("arn:aws:dynamodb:us-east-1:000000000000:table/table"));
    database.close().await;
    drop(database);

    let elsewhere =
        Database::builder().region("eu-west-1").open(folder.path()).await.expect("our own folder");
    let listed = elsewhere.list_tables(ListTablesInput::default()).await.expect("a list");
    assert_eq!(listed.table_names, Some(vec![]));
}

#[tokio::test]
async fn errors_are_those_of_aws() {
    let database = Database::in_memory().await.expect("nothing can fail");
    let input = PutItemInput { table_name: "missing".to_owned(), item: item().into(), ..Default::default() };
    let error = database.put_item(input).await.expect_err("no such table");
    assert_eq!(error.code, ErrorCode::ResourceNotFoundException);
    let error = database.create_table(table("table!")).await.expect_err("a bad name");
    assert_eq!(error.code, ErrorCode::ValidationException);
}

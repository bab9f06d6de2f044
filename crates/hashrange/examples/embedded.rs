//! A database inside a program: `cargo run --package hashrange --example embedded [FOLDER]`.
//!
//! With a folder the items are there again at the next run; without one everything stays in memory.

use hashrange::Database;
use hashrange::api::{
    AttributeDefinition, BillingMode, CreateTableInput, ErrorCode, GetItemInput, KeySchemaElement, KeyType,
    PutItemInput, ReturnValue, ScalarAttributeType, UpdateItemInput,
};
use hashrange::item::{Attributes, Number};

const TABLE: &str = "visits";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let database = match std::env::args().nth(1) {
        Some(folder) => Database::open(folder).await?,
        None => Database::in_memory().await?,
    };
    create_table(&database).await?;
    println!("this page was visited {} times", count_visit(&database, "/index.html").await?);

    let item = Attributes::from([("page", "/index.html".into())]);
    let only_new = PutItemInput {
        table_name: TABLE.to_owned(),
        item: item.into(),
        condition_expression: Some("attribute_not_exists(page)".to_owned()),
        ..Default::default()
    };
    let refused = database.put_item(only_new).await.expect_err("the page is there");
    println!("a second insert is refused: {refused}");

    let key = Attributes::from([("page", "/index.html".into())]);
    let get =
        GetItemInput { table_name: TABLE.to_owned(), key, consistent_read: Some(true), ..Default::default() };
    if let Some(item) = database.get_item(get).await?.item {
        println!("the item is now {:?}", item.to_item()?);
    }
    database.close().await;
    Ok(())
}

/// Creates the table at the first run; at a later one it is there already.
async fn create_table(database: &Database) -> Result<(), hashrange::api::Error> {
    let input = CreateTableInput {
        table_name: TABLE.to_owned(),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: "page".to_owned(),
            attribute_type: ScalarAttributeType::S,
        }]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: "page".to_owned(),
            key_type: KeyType::Hash,
        }]),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..Default::default()
    };
    match database.create_table(input).await {
        Err(error) if error.code == ErrorCode::ResourceInUseException => Ok(()),
        other => other.map(drop),
    }
}

/// Adds one visit, and tells how many there are.
async fn count_visit(database: &Database, page: &str) -> Result<String, Box<dyn std::error::Error>> {
    let input = UpdateItemInput {
        table_name: TABLE.to_owned(),
        key: Attributes::from([("page", page.into())]),
        update_expression: Some("ADD visits :one".to_owned()),
        expression_attribute_values: Some(Attributes::from([(":one", Number::from_i64(1).into())])),
        return_values: Some(ReturnValue::UpdatedNew),
        ..Default::default()
    };
    let new = database.update_item(input).await?.attributes.ok_or("UPDATED_NEW brings attributes")?;
    let visits = new.to_item()?.get("visits").cloned();
    match visits {
        Some(hashrange::item::AttributeValue::N(visits)) => Ok(visits.to_string()),
        other => Err(format!("visits is no number: {other:?}").into()),
    }
}

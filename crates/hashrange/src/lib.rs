//! Hashrange inside a program: the same database as the server's, without HTTP.
//!
//! [`Database::open`] opens a folder, [`Database::in_memory`] makes a database that lives as long as the value. The
//! methods take and give the typed requests of [`api`], with the values of [`item`]; they answer what the server
//! would, errors included. A folder can later be served by `hashrange serve --data`, and the other way round.
//!
//! ```
//! use hashrange::Database;
//! use hashrange::api::{
//!     AttributeDefinition, BillingMode, CreateTableInput, GetItemInput, KeySchemaElement, KeyType, PutItemInput,
//!     ScalarAttributeType,
//! };
//! use hashrange::item::Attributes;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let database = Database::in_memory().await?;
//! database
//!     .create_table(CreateTableInput {
//!         table_name: "music".to_owned(),
//!         attribute_definitions: Some(vec![AttributeDefinition {
//!             attribute_name: "artist".to_owned(),
//!             attribute_type: ScalarAttributeType::S,
//!         }]),
//!         key_schema: Some(vec![KeySchemaElement {
//!             attribute_name: "artist".to_owned(),
//!             key_type: KeyType::Hash,
//!         }]),
//!         billing_mode: Some(BillingMode::PayPerRequest),
//!         ..Default::default()
//!     })
//!     .await?;
//! let item = Attributes::from([("artist", "Nina Simone".into()), ("song", "Sinnerman".into())]);
//! let put = PutItemInput {
//!     table_name: "music".to_owned(),
//!     item: item.clone().into(),
//!     ..Default::default()
//! };
//! database.put_item(put).await?;
//!
//! let key = Attributes::from([("artist", "Nina Simone".into())]);
//! let get = GetItemInput { table_name: "music".to_owned(), key, ..Default::default() };
//! let found = database.get_item(get).await?.item.expect("it was put");
//! assert_eq!(found.to_item()?, item);
//! database.close().await;
//! # Ok(())
//! # }
//! ```

mod database;
mod measure;
#[path = "model_api.rs"]
pub mod model;

pub use database::{Builder, Database, OpenError};
pub use hashrange_api as api;
pub use hashrange_item as item;
pub use hashrange_service::{Budget, Explanation};

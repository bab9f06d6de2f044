//! The AWS SDK for Rust against the real server binary, over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod orders;
mod transactions;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::config::interceptors::BeforeSerializationInterceptorContextRef;
use aws_sdk_dynamodb::config::interceptors::BeforeTransmitInterceptorContextRef;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, ConfigBag, Credentials, Intercept, Region, RuntimeComponents,
};
use aws_sdk_dynamodb::error::{BoxError, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BatchStatementErrorCodeEnum, BatchStatementRequest, BillingMode,
    GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType, ReturnConsumedCapacity,
    ReturnValue, ReturnValuesOnConditionCheckFailure, ScalarAttributeType, TableStatus, Tag,
    TimeToLiveSpecification, TimeToLiveStatus,
};
use aws_sdk_dynamodb::{Client, Config};
use hashrange_conformance::Server;

const TABLE: &str = "shop";
const PATIENCE: Duration = Duration::from_mins(1);

/// Counts calls and the HTTP requests made for them, which differ only where the SDK tried again.
#[derive(Clone, Debug, Default)]
struct Counter {
    calls: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl Intercept for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

impl Counter {
    fn assert_no_retries(&self) {
        let (calls, requests) = (self.calls.load(Ordering::Relaxed), self.requests.load(Ordering::Relaxed));
        assert!(calls > 0);
        assert_eq!(requests, calls, "the SDK tried again");
    }
}

fn client_for(server: &Server, key: &str, region: &str) -> (Client, Counter) {
    let counter = Counter::default();
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region.to_owned()))
        .credentials_provider(Credentials::new(key, "secret", None, None, "test"))
        .endpoint_url(server.url())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .interceptor(counter.clone())
        .build();
    (Client::from_conf(config), counter)
}

fn client(server: &Server) -> (Client, Counter) {
    client_for(server, "AKIDEXAMPLE", "eu-west-2")
}

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn n(number: &str) -> AttributeValue {
    AttributeValue::N(number.to_owned())
}

fn attribute(name: &str) -> AttributeDefinition {
    let builder = AttributeDefinition::builder().attribute_name(name);
    builder.attribute_type(ScalarAttributeType::S).build().unwrap()
}

fn key_element(name: &str, role: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder().attribute_name(name).key_type(role).build().unwrap()
}

/// Creates the table of these tests, keys `pk` and `sk` and an index `by-email`, and waits until it is active.
async fn create_table(client: &Client, name: &str) {
    let index = GlobalSecondaryIndex::builder()
        .index_name("by-email")
        .key_schema(key_element("email", KeyType::Hash))
        .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
        .build()
        .unwrap();
    let created = client
        .create_table()
        .table_name(name)
        .attribute_definitions(attribute("pk"))
        .attribute_definitions(attribute("sk"))
        .attribute_definitions(attribute("email"))
        .key_schema(key_element("pk", KeyType::Hash))
        .key_schema(key_element("sk", KeyType::Range))
        .global_secondary_indexes(index)
        .billing_mode(BillingMode::PayPerRequest)
        .tags(Tag::builder().key("stage").value("test").build().unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(created.table_description().unwrap().table_name(), Some(name));
    client.wait_until_table_exists().table_name(name).wait(PATIENCE).await.unwrap();
}

fn order_key() -> HashMap<String, AttributeValue> {
    HashMap::from([("pk".to_owned(), s("USER#1")), ("sk".to_owned(), s("ORDER#1"))])
}

/// One value of every type.
fn order() -> HashMap<String, AttributeValue> {
    let line = HashMap::from([
        ("sku".to_owned(), s("book")),
        ("price".to_owned(), n("12.5")),
        ("gift".to_owned(), AttributeValue::Bool(false)),
    ]);
    let mut item = order_key();
    item.extend([
        ("email".to_owned(), s("ada@example.com")),
        ("note".to_owned(), s("")),
        ("total".to_owned(), n("12.5")),
        ("exact".to_owned(), n("12345678901234567890123456789012345678")),
        ("paid".to_owned(), AttributeValue::Bool(true)),
        ("coupon".to_owned(), AttributeValue::Null(true)),
        ("seal".to_owned(), AttributeValue::B(Blob::new([0, 1, 255]))),
        ("basket".to_owned(), AttributeValue::L(vec![AttributeValue::M(line), s("extra")])),
        ("tags".to_owned(), AttributeValue::Ss(vec!["new".to_owned(), "web".to_owned()])),
        ("ratings".to_owned(), AttributeValue::Ns(vec!["4".to_owned(), "5".to_owned()])),
        ("scans".to_owned(), AttributeValue::Bs(vec![Blob::new("a"), Blob::new("b")])),
        ("views".to_owned(), n("1")),
    ]);
    item
}

async fn put_order(client: &Client) {
    client.put_item().table_name(TABLE).set_item(Some(order())).send().await.unwrap();
}

#[tokio::test]
async fn an_item_comes_back_as_it_was_put() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    put_order(&client).await;
    let request = client.get_item().table_name(TABLE).set_key(Some(order_key())).consistent_read(true);
    let got = request.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.unwrap();
    assert_eq!(got.item(), Some(&order()));
    assert_eq!(got.consumed_capacity().unwrap().capacity_units(), Some(1.0));

    let missing = client.get_item().table_name(TABLE).key("pk", s("USER#2")).key("sk", s("ORDER#1"));
    assert_eq!(missing.send().await.unwrap().item(), None);
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_conditional_put_that_fails_shows_the_item_in_its_way() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    put_order(&client).await;
    let error = client
        .put_item()
        .table_name(TABLE)
        .set_item(Some(order_key()))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert_eq!(error.message(), Some("The conditional request failed"));
    assert!(error.is_conditional_check_failed_exception(), "{error:?}");
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(failed) = error
    else {
        unreachable!("asserted above")
    };
    assert_eq!(failed.item(), Some(&order()));
    counter.assert_no_retries();
}

#[tokio::test]
async fn an_update_uses_all_four_clauses() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    put_order(&client).await;
    let updated = client
        .update_item()
        .table_name(TABLE)
        .set_key(Some(order_key()))
        .update_expression(
            "SET #t = #t + :more, basket[0].price = :price, shipped = if_not_exists(shipped, :no) \
             REMOVE coupon, basket[1] ADD #v :one, ratings :five DELETE tags :web",
        )
        .condition_expression("paid = :yes AND size(basket) = :two")
        .expression_attribute_names("#t", "total")
        .expression_attribute_names("#v", "views")
        .expression_attribute_values(":more", n("0.25"))
        .expression_attribute_values(":price", n("12.75"))
        .expression_attribute_values(":no", AttributeValue::Bool(false))
        .expression_attribute_values(":yes", AttributeValue::Bool(true))
        .expression_attribute_values(":one", n("1"))
        .expression_attribute_values(":two", n("2"))
        .expression_attribute_values(":five", AttributeValue::Ns(vec!["3".to_owned()]))
        .expression_attribute_values(":web", AttributeValue::Ss(vec!["web".to_owned()]))
        .return_values(ReturnValue::AllNew)
        .send()
        .await
        .unwrap();
    let item = updated.attributes().unwrap();
    assert_eq!(item["total"], n("12.75"));
    assert_eq!(item["views"], n("2"));
    assert_eq!(item["shipped"], AttributeValue::Bool(false));
    assert_eq!(item["tags"], AttributeValue::Ss(vec!["new".to_owned()]));
    assert!(!item.contains_key("coupon"));
    let basket = item["basket"].as_l().unwrap();
    assert_eq!((basket.len(), &basket[0].as_m().unwrap()["price"]), (1, &n("12.75")));
    let mut ratings = item["ratings"].as_ns().unwrap().clone();
    ratings.sort();
    assert_eq!(ratings, ["3", "4", "5"]);
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_projection_gives_only_what_it_names() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    put_order(&client).await;
    let got = client
        .get_item()
        .table_name(TABLE)
        .set_key(Some(order_key()))
        .projection_expression("#t, basket[0].sku, nothing")
        .expression_attribute_names("#t", "total")
        .send()
        .await
        .unwrap();
    let line = AttributeValue::M(HashMap::from([("sku".to_owned(), s("book"))]));
    let expected = HashMap::from([
        ("total".to_owned(), n("12.5")),
        ("basket".to_owned(), AttributeValue::L(vec![line])),
    ]);
    assert_eq!(got.item(), Some(&expected));
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_deleted_item_is_shown_once_and_then_gone() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    put_order(&client).await;
    let delete = || client.delete_item().table_name(TABLE).set_key(Some(order_key()));

    let refused = delete().condition_expression("attribute_exists(refunded)").send().await.unwrap_err();
    assert!(refused.into_service_error().is_conditional_check_failed_exception());
    let deleted = delete().return_values(ReturnValue::AllOld).send().await.unwrap();
    assert_eq!(deleted.attributes(), Some(&order()));
    let again = delete().return_values(ReturnValue::AllOld).send().await.unwrap();
    assert_eq!(again.attributes(), None);
    let get = client.get_item().table_name(TABLE).set_key(Some(order_key())).consistent_read(true);
    assert_eq!(get.send().await.unwrap().item(), None);
    counter.assert_no_retries();
}

#[tokio::test]
async fn statements_read_write_and_fail_as_the_types_of_the_sdk() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    put_order(&client).await;
    let select = format!("SELECT * FROM \"{TABLE}\" WHERE pk = ? AND sk = ?");
    let keys = [order_key()["pk"].clone(), order_key()["sk"].clone()];
    let read = client.execute_statement().statement(&select).set_parameters(Some(keys.to_vec()));
    assert_eq!(read.send().await.unwrap().items(), [order()]);

    let insert = format!("INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'sk': ?}}");
    let insert = client.execute_statement().statement(insert).set_parameters(Some(keys.to_vec()));
    let error = insert.send().await.unwrap_err().into_service_error();
    assert!(error.is_duplicate_item_exception(), "{error:?}");

    let update = format!("UPDATE \"{TABLE}\" SET visits = 1 WHERE pk = 'nobody' AND sk = 'x'");
    let update = BatchStatementRequest::builder().statement(update).build().unwrap();
    let delete = format!("DELETE FROM \"{TABLE}\" WHERE pk = ? AND sk = ? RETURNING ALL OLD *");
    let delete = BatchStatementRequest::builder().statement(delete).set_parameters(Some(keys.to_vec()));
    let batch = client.batch_execute_statement().statements(update).statements(delete.build().unwrap());
    let answers = batch.send().await.unwrap();
    let [failed, deleted] = answers.responses() else { panic!("an answer to each: {answers:?}") };
    let failed = failed.error().unwrap();
    assert_eq!(failed.code(), Some(&BatchStatementErrorCodeEnum::ConditionalCheckFailed));
    assert_eq!(deleted.item(), Some(&order()));
    counter.assert_no_retries();
}

#[tokio::test]
async fn errors_are_the_types_of_the_sdk() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;

    let error = client.get_item().table_name("nothing").key("pk", s("x")).send().await.unwrap_err();
    let error = error.into_service_error();
    assert!(error.is_resource_not_found_exception(), "{error:?}");
    assert_eq!(error.message(), Some("Requested resource not found"));

    let again = client
        .create_table()
        .table_name(TABLE)
        .attribute_definitions(attribute("pk"))
        .key_schema(key_element("pk", KeyType::Hash))
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await
        .unwrap_err();
    assert!(again.into_service_error().is_resource_in_use_exception());

    let half_key = client.get_item().table_name(TABLE).key("pk", s("USER#1")).send().await.unwrap_err();
    assert_eq!(status_of(&half_key), 400);
    let half_key = half_key.into_service_error();
    assert_eq!(half_key.code(), Some("ValidationException"));
    assert_eq!(half_key.message(), Some("The provided key element does not match the schema"));
    assert!(half_key.meta().extra("aws_request_id").is_some_and(|id| id.len() == 52), "{half_key:?}");
    counter.assert_no_retries();
}

fn status_of<E>(error: &SdkError<E>) -> u16 {
    error.raw_response().unwrap().status().as_u16()
}

#[tokio::test]
async fn tables_are_listed_in_pages_and_described() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    for name in ["alpha", "beta", "gamma"] {
        create_table(&client, name).await;
    }
    let mut names = Vec::new();
    let mut pages = client.list_tables().into_paginator().page_size(2).send();
    let mut count = 0;
    while let Some(page) = pages.next().await {
        names.extend(page.unwrap().table_names().iter().cloned());
        count += 1;
    }
    assert_eq!((names.join(" "), count), ("alpha beta gamma".to_owned(), 2));

    let described = client.describe_table().table_name("beta").send().await.unwrap();
    let table = described.table().unwrap();
    assert_eq!(table.table_status(), Some(&TableStatus::Active));
    assert_eq!(table.table_arn(), Some("arn:aws:dynamodb:eu-west-2:000000000000:table/beta"));
    assert_eq!(table.global_secondary_indexes()[0].index_name(), Some("by-email"));
    assert_eq!(table.key_schema(), [key_element("pk", KeyType::Hash), key_element("sk", KeyType::Range)]);
    counter.assert_no_retries();
}

#[tokio::test]
async fn tags_and_time_to_live_are_kept() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    let described = client.describe_table().table_name(TABLE).send().await.unwrap();
    let arn = described.table().unwrap().table_arn().unwrap();

    let tag = Tag::builder().key("team").value("shop").build().unwrap();
    client.tag_resource().resource_arn(arn).tags(tag).send().await.unwrap();
    client.untag_resource().resource_arn(arn).tag_keys("stage").send().await.unwrap();
    let tags = client.list_tags_of_resource().resource_arn(arn).send().await.unwrap();
    let tags: Vec<_> = tags.tags().iter().map(|tag| (tag.key(), tag.value())).collect();
    assert_eq!(tags, [("team", "shop")]);

    let on = TimeToLiveSpecification::builder().attribute_name("until").enabled(true).build().unwrap();
    client.update_time_to_live().table_name(TABLE).time_to_live_specification(on).send().await.unwrap();
    let expiry = client.describe_time_to_live().table_name(TABLE).send().await.unwrap();
    let expiry = expiry.time_to_live_description().unwrap();
    assert_eq!(expiry.attribute_name(), Some("until"));
    let states = [TimeToLiveStatus::Enabled, TimeToLiveStatus::Enabling];
    assert!(states.contains(expiry.time_to_live_status().unwrap()), "{expiry:?}");
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_protected_table_is_deleted_only_after_its_protection() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_table(&client, TABLE).await;
    let protect = |on: bool| client.update_table().table_name(TABLE).deletion_protection_enabled(on).send();

    protect(true).await.unwrap();
    client.wait_until_table_exists().table_name(TABLE).wait(PATIENCE).await.unwrap();
    let refused = client.delete_table().table_name(TABLE).send().await.unwrap_err().into_service_error();
    assert_eq!(refused.code(), Some("ValidationException"));
    protect(false).await.unwrap();
    client.wait_until_table_exists().table_name(TABLE).wait(PATIENCE).await.unwrap();
    client.delete_table().table_name(TABLE).send().await.unwrap();
    client.wait_until_table_not_exists().table_name(TABLE).wait(PATIENCE).await.unwrap();
    let gone = client.describe_table().table_name(TABLE).send().await.unwrap_err();
    assert!(gone.into_service_error().is_resource_not_found_exception());
    counter.assert_no_retries();
}

#[tokio::test]
async fn regions_and_accounts_do_not_see_each_other() {
    let server = Server::in_memory();
    let (london, _) = client_for(&server, "AKIDEXAMPLE", "eu-west-2");
    let (ireland, _) = client_for(&server, "AKIDEXAMPLE", "eu-west-1");
    let (other, _) = client_for(&server, "123456789012", "eu-west-2");
    create_table(&london, TABLE).await;
    for elsewhere in [&ireland, &other] {
        assert!(elsewhere.list_tables().send().await.unwrap().table_names().is_empty());
    }
    create_table(&other, TABLE).await;
    let described = other.describe_table().table_name(TABLE).send().await.unwrap();
    let arn = described.table().unwrap().table_arn();
    assert_eq!(arn, Some("arn:aws:dynamodb:eu-west-2:123456789012:table/shop"));
}

#[tokio::test]
async fn limits_and_endpoints_are_told() {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    let limits = client.describe_limits().send().await.unwrap();
    assert!(limits.account_max_read_capacity_units().is_some_and(|units| units > 0), "{limits:?}");
    let endpoints = client.describe_endpoints().send().await.unwrap();
    assert_eq!(endpoints.endpoints().len(), 1);
    counter.assert_no_retries();
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::on_disk(folder.path());
    let (before, _) = client(&server);
    create_table(&before, TABLE).await;
    put_order(&before).await;
    server.kill();

    let server = Server::on_disk(folder.path());
    let (after, counter) = client(&server);
    let got = after.get_item().table_name(TABLE).set_key(Some(order_key())).consistent_read(true);
    assert_eq!(got.send().await.unwrap().item(), Some(&order()));
    counter.assert_no_retries();
}

//! Collections, indexes and batches, through the paginators of the SDK.

use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::scan::ScanOutput;
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, IndexStatus, KeysAndAttributes,
    LocalSecondaryIndex, PutRequest, Select, TableDescription, WriteRequest,
};

use super::*;

type Item = HashMap<String, AttributeValue>;

const ORDERS: &str = "orders";
const BATCH_MAX: usize = 25;
/// The places of the second customer's orders among all orders.
const OF_ONE: std::ops::Range<usize> = 30..60;

/// One order of a customer. A third is open, the amounts of a customer are 0 to 29, one customer has cities.
fn order(customer: usize, number: usize) -> Item {
    let status = if number.is_multiple_of(3) { "open" } else { "shipped" };
    let mut item = HashMap::from([
        ("pk".to_owned(), s(&format!("customer#{customer}"))),
        ("sk".to_owned(), s(&format!("order#{number:02}"))),
        ("status".to_owned(), s(status)),
        ("placed".to_owned(), s(&format!("{number:02}#{customer}"))),
        ("amount".to_owned(), n(&(number * 7 % 30).to_string())),
        ("note".to_owned(), s(&format!("note {customer}/{number}"))),
    ]);
    if customer == 0 && number.is_multiple_of(2) {
        item.insert("city".to_owned(), s("Oslo"));
    }
    item
}

/// 30 orders of each of four customers, in the order of their keys.
fn all_orders() -> Vec<Item> {
    (0..120).map(|place| order(place / 30, place % 30)).collect()
}

fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    item[name].as_s().unwrap()
}

fn amount(item: &Item) -> u32 {
    item["amount"].as_n().unwrap().parse().unwrap()
}

fn reversed(items: &[Item]) -> Vec<Item> {
    items.iter().rev().cloned().collect()
}

fn in_key_order(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_by_key(|item| format!("{}{}", text(item, "pk"), text(item, "sk")));
    items
}

/// These attributes of each item.
fn only(items: &[Item], names: &[&str]) -> Vec<Item> {
    let kept = |item: &Item| names.iter().map(|name| ((*name).to_owned(), item[*name].clone())).collect();
    items.iter().map(kept).collect()
}

fn key_schema(hash: &str, range: &str) -> Vec<KeySchemaElement> {
    vec![key_element(hash, KeyType::Hash), key_element(range, KeyType::Range)]
}

fn projection(kind: ProjectionType) -> Projection {
    Projection::builder().projection_type(kind).build()
}

async fn create_orders(client: &Client) {
    let by_amount = LocalSecondaryIndex::builder()
        .index_name("by-amount")
        .set_key_schema(Some(key_schema("pk", "amount")))
        .projection(projection(ProjectionType::KeysOnly));
    let by_status = GlobalSecondaryIndex::builder()
        .index_name("by-status")
        .set_key_schema(Some(key_schema("status", "placed")))
        .projection(projection(ProjectionType::All));
    let amounts = AttributeDefinition::builder().attribute_name("amount");
    let mut request = client
        .create_table()
        .table_name(ORDERS)
        .attribute_definitions(amounts.attribute_type(ScalarAttributeType::N).build().unwrap())
        .set_key_schema(Some(key_schema("pk", "sk")))
        .local_secondary_indexes(by_amount.build().unwrap())
        .global_secondary_indexes(by_status.build().unwrap())
        .billing_mode(BillingMode::PayPerRequest);
    for name in ["pk", "sk", "status", "placed"] {
        request = request.attribute_definitions(attribute(name));
    }
    request.send().await.unwrap();
    client.wait_until_table_exists().table_name(ORDERS).wait(PATIENCE).await.unwrap();
}

async fn write_in_batches(client: &Client) {
    for batch in all_orders().chunks(BATCH_MAX) {
        let put = |item: &Item| PutRequest::builder().set_item(Some(item.clone())).build().unwrap();
        let puts = batch.iter().map(|item| WriteRequest::builder().put_request(put(item)).build()).collect();
        let written = client.batch_write_item().request_items(ORDERS, puts).send().await.unwrap();
        assert_eq!(written.unprocessed_items(), Some(&HashMap::new()));
    }
}

/// A server with the orders in it, and its client.
async fn shop() -> (Server, Client, Counter) {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    create_orders(&client).await;
    write_in_batches(&client).await;
    (server, client, counter)
}

fn of_one(client: &Client) -> QueryFluentBuilder {
    let query = client.query().table_name(ORDERS).key_condition_expression("pk = :pk");
    query.expression_attribute_values(":pk", s("customer#1"))
}

fn open(client: &Client) -> QueryFluentBuilder {
    let query = client.query().table_name(ORDERS).index_name("by-status");
    let query = query.key_condition_expression("#s = :s").expression_attribute_names("#s", "status");
    query.expression_attribute_values(":s", s("open"))
}

async fn pages(query: QueryFluentBuilder, size: i32) -> Vec<QueryOutput> {
    let pages = query.into_paginator().page_size(size).send();
    pages.collect::<Result<Vec<_>, _>>().await.unwrap()
}

async fn items(query: QueryFluentBuilder, size: i32) -> Vec<Item> {
    let items = query.into_paginator().page_size(size).items().send();
    items.collect::<Result<Vec<_>, _>>().await.unwrap()
}

fn counts(pages: &[QueryOutput]) -> Vec<i32> {
    pages.iter().map(QueryOutput::count).collect()
}

/// Items counted and items examined, in all pages.
fn totals(pages: &[QueryOutput]) -> (i32, i32) {
    (counts(pages).iter().sum(), pages.iter().map(QueryOutput::scanned_count).sum())
}

#[tokio::test]
async fn a_collection_is_read_in_pages_in_both_directions() {
    let (_server, client, counter) = shop().await;
    let expected = &all_orders()[OF_ONE];
    assert_eq!(counts(&pages(of_one(&client), 7).await), [7, 7, 7, 7, 2]);
    assert_eq!(items(of_one(&client), 7).await, expected);
    assert_eq!(items(of_one(&client).scan_index_forward(false), 7).await, reversed(expected));
    counter.assert_no_retries();
}

#[tokio::test]
async fn conditions_on_the_sort_key_bound_what_is_read() {
    let (_server, client, counter) = shop().await;
    let expected = &all_orders()[OF_ONE];
    let teens = of_one(&client)
        .key_condition_expression("pk = :pk AND begins_with(sk, :prefix)")
        .expression_attribute_values(":prefix", s("order#1"));
    assert_eq!(items(teens, 4).await, expected[10..20]);
    let between = of_one(&client)
        .key_condition_expression("pk = :pk AND sk BETWEEN :from AND :to")
        .expression_attribute_values(":from", s("order#05"))
        .expression_attribute_values(":to", s("order#14"))
        .scan_index_forward(false);
    let pages = pages(between, 4).await;
    assert_eq!(totals(&pages), (10, 10));
    let found: Vec<_> = pages.iter().flat_map(|page| page.items().to_vec()).collect();
    assert_eq!(found, reversed(&expected[5..15]));
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_filter_and_a_count_examine_every_item() {
    let (_server, client, counter) = shop().await;
    let expensive =
        of_one(&client).filter_expression("amount >= :least").expression_attribute_values(":least", n("20"));
    let expected: Vec<_> = all_orders()[OF_ONE].iter().filter(|item| amount(item) >= 20).cloned().collect();
    assert_eq!(items(expensive.clone(), 7).await, expected);
    assert_eq!(totals(&pages(expensive.clone(), 7).await), (10, 30));

    let counted = pages(expensive.select(Select::Count), 7).await;
    assert_eq!(totals(&counted), (10, 30));
    assert!(counted.iter().all(|page| page.items.is_none()));
    counter.assert_no_retries();
}

/// The open orders as the global index has them.
fn by_placed() -> Vec<Item> {
    let mut open: Vec<_> = all_orders().into_iter().filter(|item| text(item, "status") == "open").collect();
    open.sort_by_key(|item| text(item, "placed").to_owned());
    open
}

#[tokio::test]
async fn a_global_index_is_read_in_pages_in_both_directions() {
    let (_server, client, counter) = shop().await;
    let expected = by_placed();
    let whole = pages(open(&client), 9).await;
    assert_eq!(counts(&whole), [9, 9, 9, 9, 4]);
    let last = only(&expected[8..9], &["pk", "sk", "status", "placed"]);
    assert_eq!(whole[0].last_evaluated_key(), Some(&last[0]));
    assert_eq!(items(open(&client), 9).await, expected);
    assert_eq!(items(open(&client).scan_index_forward(false), 9).await, reversed(&expected));
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_global_index_takes_conditions_filters_and_counts() {
    let (_server, client, counter) = shop().await;
    let expected = by_placed();
    let first_ten = open(&client)
        .key_condition_expression("#s = :s AND begins_with(placed, :prefix)")
        .expression_attribute_values(":prefix", s("0"));
    assert_eq!(items(first_ten, 5).await, expected[..16]);
    let between = open(&client)
        .key_condition_expression("#s = :s AND placed BETWEEN :from AND :to")
        .expression_attribute_values(":from", s("06"))
        .expression_attribute_values(":to", s("15"));
    assert_eq!(items(between, 5).await, expected[8..20]);
    let of_last = open(&client)
        .filter_expression("pk = :pk")
        .expression_attribute_values(":pk", s("customer#3"))
        .select(Select::Count);
    assert_eq!(totals(&pages(of_last, 9).await), (10, 40));
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_scan_in_pages_and_its_segments_give_every_item_once() {
    let (_server, client, counter) = shop().await;
    let whole = client.scan().table_name(ORDERS).into_paginator().page_size(25).send();
    let whole = whole.collect::<Result<Vec<_>, _>>().await.unwrap();
    assert_eq!(whole.iter().map(ScanOutput::count).collect::<Vec<_>>(), [25, 25, 25, 25, 20]);
    let found = whole.iter().flat_map(|page| page.items().to_vec()).collect();
    assert_eq!(in_key_order(found), all_orders());

    let segment = |number: i32| {
        let scan = client.scan().table_name(ORDERS).segment(number).total_segments(3);
        let items = scan.into_paginator().page_size(10).items().send();
        async { items.collect::<Result<Vec<_>, _>>().await.unwrap() }
    };
    let (first, second, third) = tokio::join!(segment(0), segment(1), segment(2));
    // Disjoint, for together they are as many as there are.
    assert_eq!(in_key_order([first, second, third].concat()), all_orders());
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_batch_of_keys_gives_the_items_that_there_are() {
    let (_server, client, counter) = shop().await;
    let expected: Vec<_> = all_orders().into_iter().step_by(3).collect();
    let missing: Vec<_> = (0..5).map(|number| order(9, number)).collect();
    let keys = [only(&missing, &["pk", "sk"]), only(&expected, &["pk", "sk"])].concat();
    let keys = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().unwrap();
    let got = client.batch_get_item().request_items(ORDERS, keys).send().await.unwrap();
    assert_eq!(in_key_order(got.responses().unwrap()[ORDERS].clone()), expected);
    assert_eq!(got.unprocessed_keys(), Some(&HashMap::new()));
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_local_index_fetches_from_its_table_what_it_does_not_project() {
    let (_server, client, counter) = shop().await;
    let mut by_amount = all_orders()[OF_ONE].to_vec();
    by_amount.sort_by_key(amount);
    let local = of_one(&client).index_name("by-amount").consistent_read(true);
    assert_eq!(items(local.clone(), 8).await, only(&by_amount, &["pk", "sk", "amount"]));

    let whole = local.select(Select::AllAttributes);
    assert_eq!(items(whole.clone(), 8).await, by_amount);
    let pages = pages(whole.return_consumed_capacity(ReturnConsumedCapacity::Total), 8).await;
    let units: Vec<_> = pages.iter().filter_map(|page| page.consumed_capacity()?.capacity_units()).collect();
    // The entries of a page are one unit, and each item that is fetched for its note is one more.
    assert_eq!(units, [9.0, 9.0, 9.0, 7.0]);
    counter.assert_no_retries();
}

#[tokio::test]
async fn an_index_that_is_added_later_holds_the_items_that_were_there() {
    let (_server, client, counter) = shop().await;
    let create = CreateGlobalSecondaryIndexAction::builder()
        .index_name("by-city")
        .set_key_schema(Some(key_schema("city", "placed")))
        .projection(
            Projection::builder()
                .projection_type(ProjectionType::Include)
                .non_key_attributes("amount")
                .build(),
        )
        .build()
        .unwrap();
    let update = GlobalSecondaryIndexUpdate::builder().create(create).build();
    let request = client.update_table().table_name(ORDERS).global_secondary_index_updates(update);
    let request = request.attribute_definitions(attribute("city")).attribute_definitions(attribute("placed"));
    let updated = request.send().await.unwrap();
    assert_eq!(index_status(updated.table_description().unwrap(), "by-city"), IndexStatus::Creating);
    until_active(&client, "by-city").await;

    let in_oslo = client
        .query()
        .table_name(ORDERS)
        .index_name("by-city")
        .key_condition_expression("city = :city")
        .expression_attribute_values(":city", s("Oslo"));
    let cities: Vec<_> = all_orders().into_iter().filter(|item| item.contains_key("city")).collect();
    assert_eq!(cities.len(), 15);
    assert_eq!(items(in_oslo, 4).await, only(&cities, &["pk", "sk", "city", "placed", "amount"]));
    counter.assert_no_retries();
}

fn index_status(table: &TableDescription, name: &str) -> IndexStatus {
    let mut indexes = table.global_secondary_indexes().iter();
    let index = indexes.find(|index| index.index_name() == Some(name)).unwrap();
    index.index_status().unwrap().clone()
}

async fn until_active(client: &Client, index: &str) {
    // Each question takes its time; so many take longer than the index of some orders ever does.
    for _ in 0..10_000 {
        let described = client.describe_table().table_name(ORDERS).send().await.unwrap();
        if index_status(described.table().unwrap(), index) == IndexStatus::Active {
            return;
        }
    }
    panic!("{index} does not become active");
}

#[tokio::test]
async fn queries_that_an_index_cannot_answer_are_refused() {
    let (_server, client, counter) = shop().await;
    let refusals = [
        (
            open(&client).consistent_read(true),
            "Consistent reads are not supported on global secondary indexes",
        ),
        (open(&client).index_name("by-nothing"), "The table does not have the specified index: by-nothing"),
    ];
    for (query, message) in refusals {
        let error = query.into_paginator().send().next().await.unwrap().unwrap_err();
        assert_eq!(status_of(&error), 400);
        let error = error.into_service_error();
        assert_eq!((error.code(), error.message()), (Some("ValidationException"), Some(message)));
    }
    counter.assert_no_retries();
}

//! Transactions: what they write and read, what they cost, their tokens, and why they are cancelled.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::operation::execute_transaction::ExecuteTransactionError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeValue, BillingMode, CancellationReason, ConditionCheck, ConsumedCapacity, Delete, Get, KeyType,
    ParameterizedStatement, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
    TransactGetItem, TransactWriteItem, Update,
};
use hashrange_conformance::Server;

use crate::{Counter, PATIENCE, attribute, client, key_element, n, s};

const ACCOUNTS: &str = "accounts";
const NOT_THERE: &str = "attribute_not_exists(pk)";

type Item = HashMap<String, AttributeValue>;

fn account(name: &str, balance: &str) -> Item {
    HashMap::from([("pk".to_owned(), s(name)), ("balance".to_owned(), n(balance))])
}

fn put(item: Item) -> TransactWriteItem {
    let put = Put::builder().table_name(ACCOUNTS).set_item(Some(item)).build().unwrap();
    TransactWriteItem::builder().put(put).build()
}

/// A server whose table holds Ann's 100 and Bob's 50.
async fn bank() -> (Server, Client, Counter) {
    let server = Server::in_memory();
    let (client, counter) = client(&server);
    let create = client
        .create_table()
        .table_name(ACCOUNTS)
        .attribute_definitions(attribute("pk"))
        .key_schema(key_element("pk", KeyType::Hash))
        .billing_mode(BillingMode::PayPerRequest);
    create.send().await.unwrap();
    client.wait_until_table_exists().table_name(ACCOUNTS).wait(PATIENCE).await.unwrap();
    let write = client.transact_write_items();
    let write = write.transact_items(put(account("ann", "100"))).transact_items(put(account("bob", "50")));
    write.transact_items(put(account("pending", "0"))).send().await.unwrap();
    (server, client, counter)
}

/// From Ann to Bob, once; one action of each kind, and two updates.
fn transfer(client: &Client, amount: &str) -> TransactWriteItemsFluentBuilder {
    let update = |name: &str, expression: &str| {
        let update = Update::builder().table_name(ACCOUNTS).key("pk", s(name)).update_expression(expression);
        update.expression_attribute_values(":amount", n(amount))
    };
    let from_ann = update("ann", "SET balance = balance - :amount")
        .condition_expression("balance >= :amount")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .unwrap();
    let to_bob = update("bob", "SET balance = balance + :amount").build().unwrap();
    let record = Put::builder().table_name(ACCOUNTS).item("pk", s("transfer")).item("amount", n(amount));
    let record = record.condition_expression(NOT_THERE).build().unwrap();
    let not_frozen = ConditionCheck::builder().table_name(ACCOUNTS).key("pk", s("frozen"));
    let not_frozen = not_frozen.condition_expression(NOT_THERE).build().unwrap();
    let pending = Delete::builder().table_name(ACCOUNTS).key("pk", s("pending")).build().unwrap();
    let item = TransactWriteItem::builder;
    client
        .transact_write_items()
        .transact_items(item().update(from_ann).build())
        .transact_items(item().update(to_bob).build())
        .transact_items(item().put(record).build())
        .transact_items(item().condition_check(not_frozen).build())
        .transact_items(item().delete(pending).build())
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
}

/// What a transfer touches, read in one transaction: the two accounts, its record, and what it deletes.
async fn read(client: &Client) -> Vec<Option<Item>> {
    let get = |name: &str| {
        let get = Get::builder().table_name(ACCOUNTS).key("pk", s(name)).build().unwrap();
        TransactGetItem::builder().get(get).build()
    };
    let gets = ["ann", "bob", "transfer", "pending"].map(get).to_vec();
    let read = client.transact_get_items().set_transact_items(Some(gets)).send().await.unwrap();
    read.responses().iter().map(|response| response.item().cloned()).collect()
}

fn after_a_transfer_of_30() -> Vec<Option<Item>> {
    let record = HashMap::from([("pk".to_owned(), s("transfer")), ("amount".to_owned(), n("30"))]);
    vec![Some(account("ann", "70")), Some(account("bob", "80")), Some(record), None]
}

#[tokio::test]
async fn a_transaction_of_every_kind_of_action_is_done_and_billed_twofold() {
    let (_server, client, counter) = bank().await;
    let done = transfer(&client, "30").send().await.unwrap();
    let units = ConsumedCapacity::builder().table_name(ACCOUNTS).capacity_units(10.0);
    assert_eq!(done.consumed_capacity(), [units.write_capacity_units(10.0).build()]);
    assert_eq!(read(&client).await, after_a_transfer_of_30());
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_transaction_is_read_with_projections_and_at_twice_the_units() {
    let (_server, client, counter) = bank().await;
    let get = || Get::builder().table_name(ACCOUNTS);
    let balance = get().key("pk", s("ann")).projection_expression("#b");
    let balance = balance.expression_attribute_names("#b", "balance").build().unwrap();
    let missing = get().key("pk", s("nobody")).build().unwrap();
    let answer = client
        .transact_get_items()
        .transact_items(TransactGetItem::builder().get(balance).build())
        .transact_items(TransactGetItem::builder().get(missing).build())
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    let expected = HashMap::from([("balance".to_owned(), n("100"))]);
    let found: Vec<_> = answer.responses().iter().map(|response| response.item()).collect();
    assert_eq!(found, [Some(&expected), None]);
    let units = ConsumedCapacity::builder().table_name(ACCOUNTS).capacity_units(4.0);
    assert_eq!(answer.consumed_capacity(), [units.read_capacity_units(4.0).build()]);
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_transaction_that_comes_again_with_its_token_is_not_done_again() {
    let (_server, client, counter) = bank().await;
    let send = |amount| transfer(&client, amount).client_request_token("token").send();
    send("30").await.unwrap();
    let again = send("30").await.unwrap();
    let units = ConsumedCapacity::builder().table_name(ACCOUNTS).capacity_units(10.0);
    assert_eq!(again.consumed_capacity(), [units.read_capacity_units(10.0).build()]);
    assert_eq!(read(&client).await, after_a_transfer_of_30());

    let other = send("40").await.unwrap_err().into_service_error();
    assert!(other.is_idempotent_parameter_mismatch_exception(), "{other:?}");
    assert_eq!(read(&client).await, after_a_transfer_of_30());
    counter.assert_no_retries();
}

#[tokio::test]
async fn a_cancelled_transaction_tells_the_reason_of_each_action() {
    let (_server, client, counter) = bank().await;
    transfer(&client, "30").send().await.unwrap();
    let failed = transfer(&client, "1000").send().await.unwrap_err().into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = failed else {
        panic!("not cancelled: {failed}")
    };
    let message = "Transaction cancelled, please refer cancellation reasons for specific reasons \
                   [ConditionalCheckFailed, None, ConditionalCheckFailed, None, None]";
    assert_eq!(cancelled.message(), Some(message));
    let none = CancellationReason::builder().code("None").build();
    let failed = CancellationReason::builder().code("ConditionalCheckFailed");
    let failed = failed.message("The conditional request failed");
    let poor = failed.clone().set_item(Some(account("ann", "70"))).build();
    let expected = [poor, none.clone(), failed.build(), none.clone(), none];
    assert_eq!(cancelled.cancellation_reasons(), expected);
    assert_eq!(read(&client).await, after_a_transfer_of_30());
    counter.assert_no_retries();
}

fn statement(text: &str, parameters: impl IntoIterator<Item = AttributeValue>) -> ParameterizedStatement {
    let text = text.replace("TABLE", ACCOUNTS);
    let parameters = Some(parameters.into_iter().collect());
    ParameterizedStatement::builder()
        .statement(text)
        .set_parameters(parameters)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .unwrap()
}

fn insertion(name: &str) -> ParameterizedStatement {
    statement("INSERT INTO TABLE VALUE {'pk': ?, 'balance': ?}", [s(name), n("1")])
}

fn payment(amount: &str, least: &str) -> ParameterizedStatement {
    let text = "UPDATE TABLE SET balance = balance + ? WHERE pk = 'ann' AND balance >= ?";
    statement(text, [n(amount), n(least)])
}

#[tokio::test]
async fn a_transaction_of_statements_is_done_or_tells_the_reason_of_each_statement() {
    let (_server, client, counter) = bank().await;
    let run = |statements| client.execute_transaction().set_transact_statements(Some(statements)).send();
    run(vec![insertion("fay"), payment("2", "100")]).await.unwrap();
    let select = |name| statement("SELECT pk, balance FROM TABLE WHERE pk = ?", [s(name)]);
    let found = run(["ann", "fay", "gil"].map(select).to_vec()).await.unwrap();
    let found: Vec<_> = found.responses().iter().map(|response| response.item().cloned()).collect();
    assert_eq!(found, [Some(account("ann", "102")), Some(account("fay", "1")), None]);

    let failed = run(vec![insertion("fay"), payment("1", "1000"), insertion("gil")]).await.unwrap_err();
    let failed = failed.into_service_error();
    let ExecuteTransactionError::TransactionCanceledException(cancelled) = failed else {
        panic!("not cancelled: {failed}")
    };
    let message = "Transaction cancelled, please refer cancellation reasons for specific reasons \
                   [DuplicateItem, ConditionalCheckFailed, None]";
    assert_eq!(cancelled.message(), Some(message));
    let reason = |code: &str| CancellationReason::builder().code(code);
    let there = reason("DuplicateItem").message("Duplicate primary key exists in table");
    let poor = reason("ConditionalCheckFailed").message("The conditional request failed");
    let poor = poor.set_item(Some(account("ann", "102")));
    assert_eq!(cancelled.cancellation_reasons(), [there.build(), poor.build(), reason("None").build()]);
    assert_eq!(run(vec![select("gil")]).await.unwrap().responses()[0].item(), None);
    counter.assert_no_retries();
}

//! Transactions that meet each other, and single writes, while they are under way. The store below is slow, so that a
//! commit takes time.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hashrange_api::{
    AttributeDefinition, BatchWriteItemInput, BillingMode, Call, CreateTableInput, Delete, Details, Error,
    ErrorCode, Get, GetItemInput, KeySchemaElement, KeyType, Missing, Put, PutItemInput, PutRequest,
    ScalarAttributeType, TransactGetItem, TransactGetItemsInput, TransactWriteItem, TransactWriteItemsInput,
    WriteRequest,
};
use hashrange_env::{Env, Simulation};
use hashrange_item::{AttributeValue, Attributes};
use hashrange_store::{Address, Chances, Fault, Faulty, Freshness, Memory, RowKey, Space, Store};

use crate::{Engine, Options, Scope, TokenSweep};

/// An engine over a store whose commits can be held up.
struct Slow {
    engine: Engine,
    store: Arc<Faulty>,
    env: Env,
    simulation: Simulation,
}

fn scope() -> Scope {
    Scope { account: "000000000000".to_owned(), region: "us-east-1".to_owned() }
}

fn item(key: &str) -> Attributes {
    Attributes::from([("pk", AttributeValue::S(key.to_owned()))])
}

fn put(key: &str) -> TransactWriteItem {
    let put = Put { table_name: "tab".to_owned(), item: item(key).into(), ..Put::default() };
    TransactWriteItem { put: Some(put), ..TransactWriteItem::default() }
}

fn puts(keys: &[&str]) -> TransactWriteItemsInput {
    let transact_items = keys.iter().map(|key| put(key)).collect();
    TransactWriteItemsInput { transact_items, ..TransactWriteItemsInput::default() }
}

fn gets(keys: &[&str]) -> TransactGetItemsInput {
    let get = |key: &&str| Get { table_name: "tab".to_owned(), key: item(key), ..Get::default() };
    let transact_items = keys.iter().map(|key| TransactGetItem { get: get(key) }).collect();
    TransactGetItemsInput { transact_items, ..TransactGetItemsInput::default() }
}

fn single(key: &str) -> PutItemInput {
    PutItemInput { table_name: "tab".to_owned(), item: item(key).into(), ..PutItemInput::default() }
}

impl Slow {
    fn new() -> Slow {
        let (env, simulation) = Simulation::new(1);
        let memory = Arc::new(Memory::with_clock(env.clock.clone()));
        let store = Arc::new(Faulty::new(memory, env.clone(), Chances::default()));
        let same: Arc<dyn Store> = Arc::<Faulty>::clone(&store);
        let engine = simulation.block_on(Engine::open(same, env.clone(), Options::default())).unwrap();
        let slow = Slow { engine, store, env, simulation };
        let table = CreateTableInput {
            table_name: "tab".to_owned(),
            billing_mode: Some(BillingMode::PayPerRequest),
            attribute_definitions: Some(vec![AttributeDefinition {
                attribute_name: "pk".to_owned(),
                attribute_type: ScalarAttributeType::S,
            }]),
            key_schema: Some(vec![KeySchemaElement {
                attribute_name: "pk".to_owned(),
                key_type: KeyType::Hash,
            }]),
            ..CreateTableInput::default()
        };
        slow.call(table).unwrap();
        slow
    }

    async fn ask<C: Call>(&self, input: C) -> Result<C::Output, Error> {
        let valid = input.into().validate(&Missing::none())?;
        let plan = self.engine.plan(&scope(), Engine::check(valid)?)?;
        let response = self.engine.run(&scope(), plan).await?;
        Ok(C::output(response).expect("an operation answers its own output"))
    }

    fn call<C: Call>(&self, input: C) -> Result<C::Output, Error> {
        self.simulation.block_on(self.ask(input))
    }

    /// Begins `first`, whose commit takes a second, does `meanwhile`, and waits for the end of the first.
    fn during<C: Call, T>(&self, first: C, meanwhile: impl FnOnce() -> T) -> (Result<C::Output, Error>, T) {
        self.store.script([Some(Fault::Delay(Duration::from_secs(1)))]);
        let mut first = pin!(self.ask(first));
        assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let result = meanwhile();
        (self.simulation.block_on(first), result)
    }
}

/// The codes of the reasons.
fn reasons(error: Error) -> Vec<String> {
    assert_eq!(error.code, ErrorCode::TransactionCanceledException, "{error}");
    let Details::CancellationReasons(reasons) = error.details else { panic!("no reasons") };
    reasons.into_iter().map(|reason| reason.code.unwrap()).collect()
}

#[test]
fn a_transaction_that_meets_another_is_cancelled_at_the_items_that_it_shares() {
    let slow = Slow::new();
    let (first, second) = slow.during(puts(&["a", "b"]), || slow.call(puts(&["c", "b", "a"])));
    first.unwrap();
    let error = second.unwrap_err();
    assert_eq!(
        error.message.as_deref(),
        Some(
            "Transaction cancelled, please refer cancellation reasons for specific reasons \
             [None, TransactionConflict, TransactionConflict]"
        )
    );
    assert_eq!(reasons(error), ["None", "TransactionConflict", "TransactionConflict"]);
    slow.call(puts(&["c", "b", "a"])).unwrap();
}

#[test]
fn a_single_write_that_meets_a_transaction_is_told_so() {
    let slow = Slow::new();
    let (first, errors) = slow.during(puts(&["a", "b"]), || {
        slow.call(single("c")).unwrap();
        [slow.call(single("a")).unwrap_err(), slow.call(single("b")).unwrap_err()]
    });
    first.unwrap();
    for error in errors {
        assert_eq!(error.to_string(), "TransactionConflictException: Transaction is ongoing for the item");
    }
    slow.call(single("a")).unwrap();
}

#[test]
fn reads_in_a_transaction_are_cancelled_by_writes_in_one_and_single_reads_are_not() {
    let slow = Slow::new();
    let (first, (error, other)) = slow.during(puts(&["a", "b"]), || {
        let key = GetItemInput { table_name: "tab".to_owned(), key: item("a"), ..GetItemInput::default() };
        slow.call(key).unwrap();
        (slow.call(gets(&["c", "a"])).unwrap_err(), slow.call(gets(&["c", "d"])))
    });
    first.unwrap();
    assert_eq!(reasons(error), ["None", "TransactionConflict"]);
    other.unwrap();
    let answer = slow.call(gets(&["c", "a"])).unwrap();
    assert_eq!(answer.responses.unwrap().len(), 2);
}

#[test]
fn a_batch_leaves_the_items_of_a_transaction_unprocessed() {
    let slow = Slow::new();
    let writes = ["a", "c"].map(|key| WriteRequest {
        put_request: Some(PutRequest { item: item(key).into() }),
        delete_request: None,
    });
    let batch = || {
        let request_items = [("tab".to_owned(), writes.to_vec())].into();
        slow.call(BatchWriteItemInput { request_items, ..BatchWriteItemInput::default() })
    };
    let (first, answer) = slow.during(puts(&["a", "b"]), batch);
    first.unwrap();
    assert_eq!(answer.unwrap().unprocessed_items.unwrap()["tab"], writes[..1]);
    assert!(batch().unwrap().unprocessed_items.unwrap().is_empty());
}

#[test]
fn a_token_under_way_is_in_progress_and_another_request_with_it_is_a_mistake() {
    let slow = Slow::new();
    let with_token = |keys: &[&str]| TransactWriteItemsInput {
        client_request_token: Some("token".to_owned()),
        ..puts(keys)
    };
    let (first, (same, other)) =
        slow.during(with_token(&["a"]), || (slow.call(with_token(&["a"])), slow.call(with_token(&["b"]))));
    first.unwrap();
    assert_eq!(same.unwrap_err().code, ErrorCode::TransactionInProgressException);
    assert_eq!(other.unwrap_err().code, ErrorCode::IdempotentParameterMismatchException);
    slow.call(with_token(&["a"])).unwrap();
}

#[test]
fn a_transaction_that_is_given_up_lets_go_of_its_items() {
    let slow = Slow::new();
    slow.store.script([Some(Fault::Delay(Duration::from_secs(1)))]);
    {
        let mut first = pin!(slow.ask(puts(&["a"])));
        assert!(matches!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
    }
    slow.call(single("a")).unwrap();
    slow.call(puts(&["a"])).unwrap();
}

#[test]
fn tokens_past_their_time_are_removed_and_the_others_kept() {
    let slow = Slow::new();
    let used = |token: &str| {
        let delete = Delete { table_name: "tab".to_owned(), key: item(token), ..Delete::default() };
        slow.call(TransactWriteItemsInput {
            client_request_token: Some(token.to_owned()),
            transact_items: vec![TransactWriteItem { delete: Some(delete), ..TransactWriteItem::default() }],
            ..TransactWriteItemsInput::default()
        })
        .unwrap();
    };
    let present = |token: &str| {
        let partition = format!("000000000000|us-east-1|TransactWriteItems|{token}").into();
        let row = RowKey { kind: 0, sort: bytes::Bytes::new() };
        let at = Address { space: Space::TOKENS, partition, row };
        slow.simulation.block_on(slow.store.get(&at, Freshness::Strong)).unwrap().row.is_some()
    };
    used("early");
    slow.simulation.block_on(slow.env.tasks.sleep(Duration::from_mins(9)));
    used("late");
    slow.simulation.block_on(slow.env.tasks.sleep(Duration::from_mins(1)));
    let swept = slow.simulation.block_on(slow.engine.forget_tokens(TokenSweep::default())).unwrap();
    assert_eq!((swept.done, swept.kept), (true, 1));
    assert_eq!((present("early"), present("late")), (false, true));
}

//! The bank's questions as requests, and answers as what they tell.

use hashrange_api::{
    AttributeDefinition, BillingMode, ConditionCheck, CreateTableInput, Delete, DeleteItemInput, Details,
    Error, ErrorCode, Get, GetItemInput, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    LocalSecondaryIndex, Projection, ProjectionType, Put, PutItemInput, Request, Response, ReturnValue,
    ReturnValuesOnConditionCheckFailure, ScalarAttributeType, TransactGetItem, TransactGetItemsInput,
    TransactWriteItem, TransactWriteItemsInput, Update, UpdateItemInput,
};
use hashrange_item::{AttributeValue, Attributes, Image};

use super::model::{Account, Action, Ask, Change, Condition, Told};

const ALL_OLD: Option<ReturnValuesOnConditionCheckFailure> =
    Some(ReturnValuesOnConditionCheckFailure::AllOld);

/// Where accounts lie.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How many there are.
    pub accounts: usize,
    /// How many tables they lie in.
    pub tables: usize,
    /// How many partitions of each table.
    pub partitions: usize,
    /// Whether the tables have a global and a local index.
    pub indexes: bool,
}

/// The name of the update that adds money and sets the mark.
const ADD: &str = "ADD funds :more SET mark = :mark";

impl Condition {
    /// The condition as a request writes it.
    pub fn text(self) -> Option<&'static str> {
        match self {
            Condition::Always => None,
            Condition::Absent => Some("attribute_not_exists(pk)"),
            Condition::Covers(_) => Some("funds >= :least"),
            Condition::Is(_) => Some("funds = :funds AND mark = :known"),
        }
    }
}

impl Action {
    /// The update as a request writes it, where it is one.
    pub fn update(&self) -> Option<&'static str> {
        matches!(self.change, Change::Add(_)).then_some(ADD)
    }

    /// The values of its expressions: numbers by their placeholders.
    pub fn values(&self) -> Vec<(&'static str, i64)> {
        let mut values = match self.condition {
            Condition::Always | Condition::Absent => Vec::new(),
            Condition::Covers(funds) => vec![(":least", funds)],
            Condition::Is(account) => vec![(":funds", account.funds), (":known", number(account.mark))],
        };
        if let Change::Add(more) = self.change {
            values.extend([(":more", more), (":mark", number(self.mark))]);
        }
        values
    }

    /// The attributes that it puts besides the key, where it puts an item.
    pub fn image(&self) -> Option<[(&'static str, i64); 2]> {
        match self.change {
            Change::Put(funds) => Some([("funds", funds), ("mark", number(self.mark))]),
            _ => None,
        }
    }
}

fn number(mark: u64) -> i64 {
    i64::try_from(mark).expect("marks are counted")
}

/// A token as it is sent.
pub fn token_text(token: u64) -> String {
    format!("token-{token}")
}

fn attributes(numbers: &[(&'static str, i64)]) -> impl Iterator<Item = (String, AttributeValue)> {
    numbers.iter().map(|(name, number)| ((*name).to_owned(), AttributeValue::N((*number).into())))
}

fn values_of(action: &Action) -> Option<Attributes> {
    let values = action.values();
    (!values.is_empty()).then(|| attributes(&values).collect())
}

impl Layout {
    /// The name of a table.
    pub fn table(&self, number: usize) -> String {
        format!("bank-{number}")
    }

    /// Table, partition key and sort key of an account.
    pub fn place(&self, account: usize) -> (String, String, String) {
        let partition = account / self.tables % self.partitions;
        (self.table(account % self.tables), format!("branch-{partition}"), format!("account-{account}"))
    }

    fn key(&self, account: usize) -> (String, Attributes) {
        let (table, pk, sk) = self.place(account);
        (table, Attributes::from([("pk", AttributeValue::S(pk)), ("sk", AttributeValue::S(sk))]))
    }

    fn item(&self, action: &Action) -> (String, Attributes) {
        let (table, key) = self.key(action.account);
        let image = action.image().expect("it puts an item");
        (table, key.into_iter().chain(attributes(&image)).collect())
    }

    /// The request that makes a table.
    pub fn create(&self, number: usize) -> CreateTableInput {
        let defined = |name: &str, attribute_type| AttributeDefinition {
            attribute_name: name.to_owned(),
            attribute_type,
        };
        let element = |name: &str, key_type| KeySchemaElement { attribute_name: name.to_owned(), key_type };
        let all = Projection { projection_type: Some(ProjectionType::All), ..Projection::default() };
        let mut attributes =
            vec![defined("pk", ScalarAttributeType::S), defined("sk", ScalarAttributeType::S)];
        let mut create = CreateTableInput {
            table_name: self.table(number),
            billing_mode: Some(BillingMode::PayPerRequest),
            key_schema: Some(vec![element("pk", KeyType::Hash), element("sk", KeyType::Range)]),
            ..CreateTableInput::default()
        };
        if self.indexes {
            attributes.push(defined("funds", ScalarAttributeType::N));
            create.global_secondary_indexes = Some(vec![GlobalSecondaryIndex {
                index_name: "by-funds".to_owned(),
                key_schema: vec![element("funds", KeyType::Hash)],
                projection: all.clone(),
                ..GlobalSecondaryIndex::default()
            }]);
            create.local_secondary_indexes = Some(vec![LocalSecondaryIndex {
                index_name: "within-branch".to_owned(),
                key_schema: vec![element("pk", KeyType::Hash), element("funds", KeyType::Range)],
                projection: all,
            }]);
        }
        create.attribute_definitions = Some(attributes);
        create
    }

    /// The request that asks it.
    pub fn request(&self, ask: &Ask) -> Request {
        match ask {
            Ask::Transact { token, actions } => TransactWriteItemsInput {
                client_request_token: token.map(token_text),
                transact_items: actions.iter().map(|action| self.action(action)).collect(),
                ..TransactWriteItemsInput::default()
            }
            .into(),
            Ask::Snapshot(accounts) => {
                let transact_items = accounts.iter().map(|account| self.get(*account)).collect();
                TransactGetItemsInput { transact_items, ..TransactGetItemsInput::default() }.into()
            }
            Ask::Write(action) => self.single(action),
            Ask::Read(account) => {
                let (table_name, key) = self.key(*account);
                GetItemInput { table_name, key, consistent_read: Some(true), ..GetItemInput::default() }
                    .into()
            }
        }
    }

    fn get(&self, account: usize) -> TransactGetItem {
        let (table_name, key) = self.key(account);
        let get = Get { table_name, key, expression_attribute_names: None, projection_expression: None };
        TransactGetItem { get }
    }

    fn action(&self, action: &Action) -> TransactWriteItem {
        let condition_expression = action.condition.text().map(str::to_owned);
        let expression_attribute_values = values_of(action);
        let (table_name, key) = self.key(action.account);
        let return_values_on_condition_check_failure = ALL_OLD;
        let expression_attribute_names = None;
        let mut item = TransactWriteItem { condition_check: None, delete: None, put: None, update: None };
        match action.change {
            Change::Check => {
                item.condition_check = Some(ConditionCheck {
                    condition_expression: condition_expression.expect("a check has a condition"),
                    expression_attribute_names,
                    expression_attribute_values,
                    key,
                    return_values_on_condition_check_failure,
                    table_name,
                });
            }
            Change::Add(_) => {
                item.update = Some(Update {
                    condition_expression,
                    expression_attribute_names,
                    expression_attribute_values,
                    key,
                    return_values_on_condition_check_failure,
                    table_name,
                    update_expression: ADD.to_owned(),
                });
            }
            Change::Put(_) => {
                item.put = Some(Put {
                    condition_expression,
                    expression_attribute_names,
                    expression_attribute_values,
                    item: self.item(action).1.into(),
                    return_values_on_condition_check_failure,
                    table_name,
                });
            }
            Change::Delete => {
                item.delete = Some(Delete {
                    condition_expression,
                    expression_attribute_names,
                    expression_attribute_values,
                    key,
                    return_values_on_condition_check_failure,
                    table_name,
                });
            }
        }
        item
    }

    fn single(&self, action: &Action) -> Request {
        let condition_expression = action.condition.text().map(str::to_owned);
        let expression_attribute_values = values_of(action);
        let return_values_on_condition_check_failure = ALL_OLD;
        match action.change {
            Change::Put(_) => {
                let (table_name, item) = self.item(action);
                PutItemInput {
                    table_name,
                    item: item.into(),
                    condition_expression,
                    expression_attribute_values,
                    return_values_on_condition_check_failure,
                    ..PutItemInput::default()
                }
                .into()
            }
            Change::Delete => {
                let (table_name, key) = self.key(action.account);
                DeleteItemInput {
                    table_name,
                    key,
                    condition_expression,
                    expression_attribute_values,
                    return_values_on_condition_check_failure,
                    ..DeleteItemInput::default()
                }
                .into()
            }
            Change::Add(_) | Change::Check => {
                let (table_name, key) = self.key(action.account);
                UpdateItemInput {
                    table_name,
                    key,
                    update_expression: Some(ADD.to_owned()),
                    condition_expression,
                    expression_attribute_values,
                    return_values: Some(ReturnValue::AllNew),
                    return_values_on_condition_check_failure,
                    ..UpdateItemInput::default()
                }
                .into()
            }
        }
    }
}

/// What an answer tells; `None` where nobody knows what became of the call.
///
/// # Errors
/// An answer that no rule allows.
pub fn told(answer: Result<Response, Error>) -> Result<Option<Told>, String> {
    let told = match answer {
        Ok(Response::PutItem(_) | Response::DeleteItem(_) | Response::TransactWriteItems(_)) => {
            Told::Done(None)
        }
        Ok(Response::UpdateItem(output)) => Told::Done(account(output.attributes.as_ref())),
        Ok(Response::GetItem(output)) => Told::Saw(vec![account(output.item.as_ref())]),
        Ok(Response::TransactGetItems(output)) => {
            let responses = output.responses.unwrap_or_default();
            Told::Saw(responses.iter().map(|response| account(response.item.as_ref())).collect())
        }
        Err(error) if error.code.status() >= 500 => return Ok(None),
        Err(error) => return refusal(&error).map(Some).ok_or_else(|| format!("answered {error:?}")),
        Ok(response) => return Err(format!("answered {response:?}")),
    };
    Ok(Some(told))
}

fn refusal(error: &Error) -> Option<Told> {
    let (mut conditions, mut conflicts) = (Vec::new(), Vec::new());
    match (error.code, &error.details) {
        (ErrorCode::TransactionInProgressException, _) => return Some(Told::InProgress),
        (ErrorCode::TransactionConflictException, _) => conflicts.push(0),
        (ErrorCode::ConditionalCheckFailedException, Details::Item(item)) => {
            conditions.push((0, account(Some(item))));
        }
        (ErrorCode::ConditionalCheckFailedException, _) => conditions.push((0, None)),
        (ErrorCode::TransactionCanceledException, Details::CancellationReasons(reasons)) => {
            for (at, reason) in reasons.iter().enumerate() {
                match reason.code.as_deref() {
                    Some("None") => {}
                    Some("ConditionalCheckFailed") => conditions.push((at, account(reason.item.as_ref()))),
                    Some("TransactionConflict") => conflicts.push(at),
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    (!conditions.is_empty() || !conflicts.is_empty()).then_some(Told::Refused { conditions, conflicts })
}

/// The account of an item.
fn account(image: Option<&Image>) -> Option<Account> {
    let item = image?.to_item().expect("a row that decodes");
    let number = |name: &str| match item.get(name) {
        Some(AttributeValue::N(number)) => number.to_string().parse().expect("an integer"),
        other => panic!("{name} of an account is {other:?}"),
    };
    let (funds, mark): (i64, i64) = (number("funds"), number("mark"));
    Some(Account { funds, mark: mark.unsigned_abs() })
}

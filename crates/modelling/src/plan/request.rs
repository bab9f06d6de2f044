//! What a pattern's request asks for, whatever words it uses: expressions, legacy parameters or PartiQL.
//!
//! Requests of patterns have gaps (`USER#{userId}`), so they are read as far as gaps allow: expressions are bound to stand-ins for the
//! values, and the texts of the values are kept beside.

mod expressions;
mod members;
mod statement;
mod values;

use hashrange_api::Operation;
use hashrange_item::Kind;
use hashrange_language::{Condition, Update};
use serde_json::{Map, Value};

use super::SortBound;
use crate::catalogue::{Catalogue, Pattern};

/// What one part of a request does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verb {
    /// Reads one item by its key.
    #[default]
    Get,
    /// Writes a whole item.
    Put,
    /// Changes an item.
    Update,
    /// Removes an item.
    Delete,
    /// Checks an item inside a transaction.
    Check,
    /// Reads a collection.
    Query,
    /// Reads everything.
    Scan,
    /// Searches by nearness.
    Search,
}

impl Verb {
    /// Whether it may change an item.
    pub fn writes(self) -> bool {
        matches!(self, Verb::Put | Verb::Update | Verb::Delete)
    }
}

/// A key attribute with its value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// The attribute.
    pub attribute: String,
    /// The type that the request gives it.
    pub kind: Option<Kind>,
    /// The value, with its gaps.
    pub text: String,
}

/// One part of a request: a request of one item or collection has one, batches and transactions have several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Action {
    /// What it does.
    pub verb: Verb,
    /// The table.
    pub table: String,
    /// The index.
    pub index: Option<String>,
    /// The key of the item; of a put, empty.
    pub key: Vec<KeyPart>,
    /// The item of a put, in DynamoDB's JSON.
    pub item: Option<Map<String, Value>>,
    /// The clauses of a key condition, in the order they are written.
    pub clauses: Vec<SortBound>,
    /// The types of the operands of `clauses`.
    pub clause_kinds: Vec<Option<Kind>>,
    /// What a read of a collection selects by its key, as a condition; of a statement, with its filter.
    pub selection: Option<Condition>,
    /// What is tested after the read.
    pub filter: Option<Condition>,
    /// What must hold for a write.
    pub condition: Option<Condition>,
    /// What an update changes.
    pub update: Option<Update>,
    /// The top-level attributes that a projection names; `None` is all.
    pub wanted: Option<Vec<String>>,
    /// `Select`.
    pub select: Option<String>,
    /// `Limit`.
    pub limit: Option<f64>,
    /// `ScanIndexForward`, or the order of a statement.
    pub forward: Option<bool>,
    /// Whether it reads strongly.
    pub strong: Option<bool>,
    /// How many collections it reads: a statement with OR or IN over keys.
    pub reads: usize,
    /// `TopK` of a search.
    pub top_k: Option<f64>,
}

/// Why a part of a request would be refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A reserved word bare in an expression.
    ReservedWord {
        /// The expression.
        expression: String,
        /// The word.
        word: String,
    },
    /// Anything else that is wrong with an expression or a statement.
    Expression(String),
}

/// A request, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Its parts.
    pub actions: Vec<Action>,
    /// Whether they are one transaction.
    pub transaction: bool,
    /// Whether it is a batch.
    pub batch: bool,
    /// Whether it has a `ClientRequestToken`.
    pub token: bool,
    /// What would be refused.
    pub faults: Vec<Fault>,
    /// The names of all its members, at the top: `Limit`, `page`.
    pub members: Vec<String>,
}

impl Request {
    /// Its parts that may change an item.
    pub fn writes(&self) -> impl Iterator<Item = &Action> {
        self.actions.iter().filter(|action| action.verb.writes())
    }
}

/// The attributes of a key in DynamoDB's JSON, with their gaps.
pub fn key(json: &Value) -> Vec<KeyPart> {
    members::key(json)
}

/// Reads the request of a pattern; `None` where the pattern states none.
pub fn request(catalogue: &Catalogue, pattern: &Pattern) -> Option<Request> {
    read(catalogue, pattern, pattern.request.as_ref()?, false)
}

/// Reads a request of a pattern whose gaps are filled, with its values: its conditions can be evaluated.
pub fn exact(catalogue: &Catalogue, pattern: &Pattern, filled: &Map<String, Value>) -> Option<Request> {
    read(catalogue, pattern, filled, true)
}

fn read(
    catalogue: &Catalogue,
    pattern: &Pattern,
    body: &Map<String, Value>,
    is_exact: bool,
) -> Option<Request> {
    let operation = pattern.operation?;
    let mut read = members::Reader::new(catalogue, pattern, is_exact);
    let mut request = Request {
        members: body.keys().cloned().collect(),
        token: body.contains_key("ClientRequestToken"),
        ..Request::default()
    };
    match operation {
        Operation::GetItem => request.actions.push(read.item(Verb::Get, body)),
        Operation::PutItem => request.actions.push(read.item(Verb::Put, body)),
        Operation::UpdateItem => request.actions.push(read.item(Verb::Update, body)),
        Operation::DeleteItem => request.actions.push(read.item(Verb::Delete, body)),
        Operation::Query => request.actions.push(read.item(Verb::Query, body)),
        Operation::Scan => request.actions.push(read.item(Verb::Scan, body)),
        Operation::BatchGetItem | Operation::BatchWriteItem => {
            request.batch = true;
            request.actions = read.batch(body);
        }
        Operation::TransactGetItems | Operation::TransactWriteItems => {
            request.transaction = true;
            request.actions = read.transaction(body);
        }
        Operation::ExecuteStatement => request.actions.extend(read.statement(body)),
        Operation::BatchExecuteStatement | Operation::ExecuteTransaction => {
            request.transaction = operation == Operation::ExecuteTransaction;
            request.batch = !request.transaction;
            request.actions = read.statements(body);
        }
        _ if operation.name() == "SearchVectors" => request.actions.push(read.item(Verb::Search, body)),
        _ => {}
    }
    request.faults = read.into_faults();
    Some(request)
}

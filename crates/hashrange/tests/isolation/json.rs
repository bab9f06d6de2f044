//! The bank's questions and answers as DynamoDB JSON.

use hashrange_sim::bank::{Account, Action, Ask, Change, Layout, Told, token_text};
use serde_json::{Map, Value as Json, json};

use crate::http::Answer;

/// The request that makes a table.
pub(crate) fn create(layout: &Layout, number: usize) -> Json {
    json!({
        "TableName": layout.table(number),
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            { "AttributeName": "pk", "AttributeType": "S" }, { "AttributeName": "sk", "AttributeType": "S" },
        ],
        "KeySchema": [
            { "AttributeName": "pk", "KeyType": "HASH" }, { "AttributeName": "sk", "KeyType": "RANGE" },
        ],
    })
}

/// Operation and body.
pub(crate) fn request(layout: &Layout, ask: &Ask) -> (&'static str, Json) {
    match ask {
        Ask::Transact { token, actions } => {
            let items: Vec<Json> = actions.iter().map(|action| in_transaction(layout, action)).collect();
            let mut body = json!({ "TransactItems": items });
            if let Some(token) = token {
                body["ClientRequestToken"] = token_text(*token).into();
            }
            ("TransactWriteItems", body)
        }
        Ask::Snapshot(accounts) => {
            let gets: Vec<Json> =
                accounts.iter().map(|account| json!({ "Get": at(layout, *account) })).collect();
            ("TransactGetItems", json!({ "TransactItems": gets }))
        }
        Ask::Write(action) => {
            let mut body = write(layout, action);
            match action.change {
                Change::Put(_) => ("PutItem", body),
                Change::Delete => ("DeleteItem", body),
                Change::Add(_) | Change::Check => {
                    body["ReturnValues"] = "ALL_NEW".into();
                    ("UpdateItem", body)
                }
            }
        }
        Ask::Read(account) => {
            let mut body = at(layout, *account);
            body["ConsistentRead"] = true.into();
            ("GetItem", body)
        }
    }
}

fn in_transaction(layout: &Layout, action: &Action) -> Json {
    let kind = match action.change {
        Change::Check => "ConditionCheck",
        Change::Add(_) => "Update",
        Change::Put(_) => "Put",
        Change::Delete => "Delete",
    };
    json!({ kind: write(layout, action) })
}

/// Table and key.
fn at(layout: &Layout, account: usize) -> Json {
    let (table, pk, sk) = layout.place(account);
    json!({ "TableName": table, "Key": { "pk": { "S": pk }, "sk": { "S": sk } } })
}

/// Everything that single writes and actions have in common.
fn write(layout: &Layout, action: &Action) -> Json {
    let mut body = at(layout, action.account);
    if let Some(image) = action.image() {
        let mut item = body["Key"].take();
        for (name, number) in image {
            item[name] = number_json(number);
        }
        body["Item"] = item;
        body.as_object_mut().expect("an object").remove("Key");
    }
    if let Some(condition) = action.condition.text() {
        body["ConditionExpression"] = condition.into();
    }
    if let Some(update) = action.update() {
        body["UpdateExpression"] = update.into();
    }
    let values: Map<String, Json> =
        action.values().into_iter().map(|(name, number)| (name.to_owned(), number_json(number))).collect();
    if !values.is_empty() {
        body["ExpressionAttributeValues"] = Json::Object(values);
    }
    body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD".into();
    body
}

fn number_json(number: i64) -> Json {
    json!({ "N": number.to_string() })
}

/// What an answer tells.
///
/// # Panics
/// When no rule allows the answer.
pub(crate) fn told(ask: &Ask, answer: &Answer) -> Told {
    let body = &answer.body;
    if answer.status != 200 {
        return refusal(body).unwrap_or_else(|| panic!("{ask:?} was answered {answer:?}"));
    }
    match ask {
        Ask::Transact { .. } => Told::Done(None),
        Ask::Write(_) => Told::Done(account(&body["Attributes"])),
        Ask::Read(_) => Told::Saw(vec![account(&body["Item"])]),
        Ask::Snapshot(_) => {
            let responses = body["Responses"].as_array().expect("a list");
            Told::Saw(responses.iter().map(|response| account(&response["Item"])).collect())
        }
    }
}

fn refusal(body: &Json) -> Option<Told> {
    let (mut conditions, mut conflicts) = (Vec::new(), Vec::new());
    match body["__type"].as_str()?.rsplit('#').next()? {
        "TransactionInProgressException" => return Some(Told::InProgress),
        "TransactionConflictException" => conflicts.push(0),
        "ConditionalCheckFailedException" => conditions.push((0, account(&body["Item"]))),
        "TransactionCanceledException" => {
            for (at, reason) in body["CancellationReasons"].as_array()?.iter().enumerate() {
                match reason["Code"].as_str()? {
                    "None" => {}
                    "ConditionalCheckFailed" => conditions.push((at, account(&reason["Item"]))),
                    "TransactionConflict" => conflicts.push(at),
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    (!conditions.is_empty() || !conflicts.is_empty()).then_some(Told::Refused { conditions, conflicts })
}

/// The account of an item, where there is one.
fn account(item: &Json) -> Option<Account> {
    let number = |name: &str| item[name]["N"].as_str().and_then(|text| text.parse::<i64>().ok());
    item.as_object()?;
    let (funds, mark) = (number("funds").expect("funds"), number("mark").expect("a mark"));
    Some(Account { funds, mark: mark.unsigned_abs() })
}

//! The tables of a running database.

use hashrange_api::Operation;
use serde_json::{Value as Json, json};

use crate::catalogue::{Catalogue, Table};
use crate::read::log::{Log, Problem};
use crate::target::{Call, Target};

use super::context::Context;
use super::describe::{self, NOWHERE};
use super::states;
use super::tree::Tree;

/// Most tables that are asked for.
const TABLES_MAX: usize = 2_500;

/// Reads the tables of a database, all of them or the named ones.
///
/// Time to live and recovery stay unknown where the database does not answer about them.
///
/// # Errors
/// The database cannot be asked, refuses, or has no such table.
pub async fn from_target(
    target: &dyn Target,
    place: &str,
    tables: Option<&[String]>,
) -> Result<Catalogue, Vec<Problem>> {
    let mut log = Log::new(place);
    let names = match tables {
        Some(names) => names.to_vec(),
        None => names(target, &mut log).await,
    };
    let mut catalogue = Catalogue { states: states(), ..Catalogue::default() };
    for name in names {
        if let Some(table) = table(target, &name, &mut log).await {
            catalogue.tables.push(table);
        }
    }
    catalogue.notes = log.notes;
    if log.problems.is_empty() { Ok(catalogue) } else { Err(log.problems) }
}

/// The names of all tables, page by page.
async fn names(target: &dyn Target, log: &mut Log) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut body = json!({});
    while let Some(page) = ask(target, Operation::ListTables, body, log).await {
        let found = page.get("TableNames").and_then(Json::as_array).into_iter().flatten();
        names.extend(found.filter_map(Json::as_str).map(str::to_owned));
        if names.len() > TABLES_MAX {
            log.note(NOWHERE, format!("there are more than {TABLES_MAX} tables; the first ones are read"));
            break;
        }
        let Some(last) = page.get("LastEvaluatedTableName").and_then(Json::as_str) else { break };
        body = json!({ "ExclusiveStartTableName": last });
    }
    names.truncate(TABLES_MAX);
    names
}

async fn table(target: &dyn Target, name: &str, log: &mut Log) -> Option<Table> {
    let body = json!({ "TableName": name });
    let mut answer = ask(target, Operation::DescribeTable, body.clone(), log).await?;
    for (operation, member) in [
        (Operation::DescribeTimeToLive, "TimeToLiveDescription"),
        (Operation::DescribeContinuousBackups, "ContinuousBackupsDescription"),
    ] {
        if let Some(mut more) = maybe(target, operation, &body).await
            && let Some(description) = more.get_mut(member)
        {
            answer[member] = description.take();
        }
    }
    describe::table(&Tree::from_json(&answer), &mut Context { log })
}

/// An answer, or a problem.
async fn ask(target: &dyn Target, operation: Operation, body: Json, log: &mut Log) -> Option<Json> {
    let reply = match target.call(Call { operation, body, explain: false }).await {
        Ok(reply) => reply,
        Err(why) => {
            log.error(NOWHERE, why);
            return None;
        }
    };
    if reply.is_success() && reply.body.is_object() {
        return Some(reply.body);
    }
    let error = reply.error_code().unwrap_or("an error").to_owned();
    let message = reply.body.get("message").or_else(|| reply.body.get("Message")).and_then(Json::as_str);
    log.error(
        NOWHERE,
        format!("{} was refused with {error}: {}", operation.name(), message.unwrap_or_default()),
    );
    None
}

/// An answer, where the database gives one.
async fn maybe(target: &dyn Target, operation: Operation, body: &Json) -> Option<Json> {
    let reply = target.call(Call { operation, body: body.clone(), explain: false }).await.ok()?;
    reply.is_success().then_some(reply.body)
}

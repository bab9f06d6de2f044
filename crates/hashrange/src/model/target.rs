//! Where `hashrange model` runs patterns: the engine in this process, or a server.

use std::time::Duration;

use hashrange::model::Embedded;
use hashrange_api::Operation;
use hashrange_env::Env;
use hashrange_modelling::target::{Answer, Call, Reply, Target};
use serde_json::{Value, json};

use crate::client::{self, Client, Server};

/// How long a server may take to make a table.
const TABLE_DEADLINE: Duration = Duration::from_mins(2);
/// Rest between two looks at a table that is being made.
const TABLE_REST: Duration = Duration::from_millis(200);

/// The database that `--endpoint` names, or a new one in memory.
///
/// # Errors
/// One line, where the endpoint is no address.
pub(crate) async fn open(server: Option<Server<'_>>, env: &Env) -> Result<Box<dyn Target>, String> {
    match server {
        Some(server) => Ok(Box::new(Endpoint::new(server, env.clone())?)),
        None => Ok(Box::new(Embedded::in_memory().await.map_err(|error| error.to_string())?)),
    }
}

/// A server, asked over HTTP.
#[derive(Debug)]
pub(crate) struct Endpoint {
    client: Client,
    env: Env,
}

impl Endpoint {
    /// A server. Nothing is sent yet.
    ///
    /// # Errors
    /// One line, where that is no such address.
    pub(crate) fn new(server: Server<'_>, env: Env) -> Result<Endpoint, String> {
        Ok(Endpoint { client: Client::new(server, env.clone())?, env })
    }

    async fn ask(&self, call: &Call) -> Result<Reply, String> {
        let headers: &[(&str, &str)] = if call.explain { &[(client::EXPLAIN, "true")] } else { &[] };
        let answer = self.client.ask(call.operation, &call.body.to_string(), headers).await?;
        let body = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        Ok(Reply { status: answer.status(), body, plan: answer.explanation.as_deref().map(plan_of) })
    }

    /// Waits until a table that was asked for can be used; a server may take its time.
    async fn until_active(&self, made: &Call) -> Result<(), String> {
        let describe = Call {
            operation: Operation::DescribeTable,
            body: json!({ "TableName": made.body["TableName"] }),
            explain: false,
        };
        let begun = self.env.clock.monotonic();
        loop {
            let reply = self.ask(&describe).await?;
            let table = &reply.body["Table"];
            let indexes = table["GlobalSecondaryIndexes"].as_array().into_iter().flatten();
            let mut states = indexes.map(|index| &index["IndexStatus"]).chain([&table["TableStatus"]]);
            if states.all(|state| state == "ACTIVE") {
                return Ok(());
            }
            if self.env.clock.monotonic().saturating_sub(begun) > TABLE_DEADLINE {
                return Err(format!("the table {} is still not active", made.body["TableName"]));
            }
            self.env.tasks.sleep(TABLE_REST).await;
        }
    }
}

impl Target for Endpoint {
    fn call(&self, call: Call) -> Answer<'_> {
        Box::pin(async move {
            let reply = self.ask(&call).await?;
            if call.operation == Operation::CreateTable && reply.is_success() {
                self.until_active(&call).await?;
            }
            Ok(reply)
        })
    }
}

/// The plan in an explanation: what stands before its expectation.
fn plan_of(explanation: &str) -> String {
    explanation.split(hashrange::Explanation::EXPECTED).next().unwrap_or(explanation).to_owned()
}

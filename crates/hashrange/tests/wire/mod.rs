//! A real server on the loopback interface in front of an engine, and one connection to it.

use std::net::SocketAddr;
use std::sync::Arc;

use hashrange::api::{Error, Operation, Response, State, Valid, state};
use hashrange_engine::{Engine, Scope};
use hashrange_env::{Env, RealRandom, TokioTasks};
use hashrange_service::{Budget, plan_within, run_within};
use hashrange_wire::{Caller, Explanation, Handler, Options, Server};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Answers from an engine, as a service does, without background jobs: scripts run those themselves.
#[derive(Debug)]
struct Behind(Arc<Engine>);

impl Handler for Behind {
    async fn call(&self, caller: &Caller, request: Valid) -> Result<Response, Error> {
        if state(request.operation()) == State::NotYet {
            return Err(Error::unknown_operation());
        }
        let plan = self.0.plan(&caller.scope, Engine::check(request)?)?;
        self.0.run(&caller.scope, plan).await
    }

    fn explain(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> Result<Explanation, Error> {
        let plan = plan_within(&self.0, &caller.scope, request, budget)?;
        Ok(Explanation { plan: plan.to_string(), expected: plan.expected(), actual: None })
    }

    async fn call_explained(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> Result<(Response, Explanation), Error> {
        run_within(&self.0, &caller.scope, request, budget).await
    }
}

/// A connection to a server of its own.
pub(crate) struct Wire {
    server: SocketAddr,
    stream: TcpStream,
}

/// What differs from the usual request of an SDK.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Method and target in place of `POST /`.
    pub(crate) line: Option<String>,
    /// Headers that are replaced or added; those without a value are left out.
    pub(crate) headers: Vec<(String, Option<String>)>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body as sent.
    pub(crate) body: Vec<u8>,
}

impl Wire {
    /// Starts a server in the current runtime and connects to it. Time is the clock of `env`; tasks are the runtime's.
    pub(crate) async fn open(engine: Arc<Engine>, env: &Env) -> Wire {
        let env = Env {
            random: Arc::new(RealRandom),
            tasks: Arc::new(TokioTasks::current()),
            clock: Arc::clone(&env.clock),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::new(Arc::new(Behind(engine)), env.clone(), Options::default());
        env.tasks.spawn("server", Box::pin(server.serve(listener, std::future::pending())));
        Wire::connect(address).await
    }

    /// Another connection to the same server.
    pub(crate) async fn another(&self) -> Wire {
        Wire::connect(self.server).await
    }

    async fn connect(server: SocketAddr) -> Wire {
        Wire { server, stream: TcpStream::connect(server).await.unwrap() }
    }

    /// Sends one request and reads its answer.
    pub(crate) async fn ask(
        &mut self,
        operation: Operation,
        scope: &Scope,
        changes: &Changes,
        body: &[u8],
    ) -> Answer {
        let mut request = head(operation, scope, changes, body.len()).into_bytes();
        request.extend_from_slice(body);
        self.stream.write_all(&request).await.unwrap();
        self.receive().await
    }

    async fn receive(&mut self) -> Answer {
        let mut received = Vec::new();
        let end = loop {
            if let Some(at) = received.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            assert_ne!(self.stream.read_buf(&mut received).await.unwrap(), 0, "closed before an answer");
        };
        let head = String::from_utf8(received.drain(..end).collect()).unwrap().to_ascii_lowercase();
        let status = head[9..12].parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let length: usize = length.parse().unwrap();
        while received.len() < length {
            assert_ne!(self.stream.read_buf(&mut received).await.unwrap(), 0, "closed inside an answer");
        }
        Answer { status, body: received }
    }
}

/// Request line and headers, to the empty line.
fn head(operation: Operation, scope: &Scope, changes: &Changes, length: usize) -> String {
    let target = format!("{}.{}", operation.target_prefix(), operation.name());
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/20260101/{}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=00",
        scope.account, scope.region
    );
    let mut headers = vec![
        ("Host".to_owned(), "localhost".to_owned()),
        ("Content-Type".to_owned(), "application/x-amz-json-1.0".to_owned()),
        ("X-Amz-Target".to_owned(), target),
        ("X-Amz-Date".to_owned(), "20260101T000000Z".to_owned()),
        ("Authorization".to_owned(), authorization),
        ("Content-Length".to_owned(), length.to_string()),
    ];
    for (name, value) in &changes.headers {
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.extend(value.as_ref().map(|value| (name.clone(), value.clone())));
    }
    let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let lines = lines.concat();
    format!("{} HTTP/1.1\r\n{lines}\r\n", changes.line.as_deref().unwrap_or("POST /"))
}

impl Answer {
    /// The body as JSON; text that is none with its status, as a string. What holds for every answer is checked.
    pub(crate) fn json(&self) -> Value {
        let Ok(body) = serde_json::from_slice::<Value>(&self.body) else {
            let text = String::from_utf8_lossy(&self.body);
            return match (self.status, text.trim_end()) {
                // TagResource and UntagResource answer without a body.
                (200, "") => Value::Object(serde_json::Map::new()),
                (status, "") => Value::String(format!("HTTP {status}")),
                (status, text) => Value::String(format!("HTTP {status}: {text}")),
            };
        };
        match body["__type"].as_str() {
            Some(kind) => assert_eq!((kind, self.status), (full_name(kind).as_str(), status_of(kind))),
            None => assert_eq!(self.status, 200, "{body}"),
        }
        body
    }
}

/// The code of an error with the name space in which AWS has it.
fn full_name(kind: &str) -> String {
    let code = kind.rsplit('#').next().unwrap_or(kind);
    let space = match code {
        "ValidationException" => "com.amazon.coral.validate",
        "BudgetExceededException" => "com.hashrange",
        "AccessDeniedException"
        | "IncompleteSignatureException"
        | "InternalFailure"
        | "InvalidSignatureException"
        | "MissingAuthenticationTokenException"
        | "SerializationException"
        | "UnknownOperationException" => "com.amazon.coral.service",
        _ => "com.amazonaws.dynamodb.v20120810",
    };
    format!("{space}#{code}")
}

/// The HTTP status with which AWS sends an error.
fn status_of(kind: &str) -> u16 {
    if kind.contains("#Internal") { 500 } else { 400 }
}

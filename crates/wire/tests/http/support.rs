//! A server with a stand-in handler, and a client that sends and reads raw bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{Error, ListTablesOutput, Request, Response, Valid};
use hashrange_env::Env;
use hashrange_wire::{Budget, Caller, Explanation, Handler, Keyring, Options, Scope, Server, Tls};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};

/// A test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const AMZ_JSON: &str = "application/x-amz-json-1.0";
pub(crate) const LIST_TABLES: &str = "DynamoDB_20120810.ListTables";
pub(crate) const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-2/dynamodb/aws4_request, \
                                 SignedHeaders=host;x-amz-date, Signature=0a1b";
pub(crate) const DATE: &str = "20260101T000000Z";

/// Answers `ListTables` with the account, region, access key and request id of the caller as table names, unless the
/// start name asks for something else.
#[derive(Debug, Default)]
pub(crate) struct StandIn {
    /// Told when a `wait` request has begun.
    pub(crate) begun: Notify,
    /// Lets one `wait` request go on.
    pub(crate) release: Notify,
}

impl Handler for StandIn {
    async fn call(&self, caller: &Caller, request: Valid) -> Result<Response, Error> {
        let Request::ListTables(input) = request.request() else { return Err(Error::unknown_operation()) };
        let wish = input.exclusive_start_table_name.as_deref().unwrap_or_default();
        match wish.split_once('.') {
            Some(("large", bytes)) => return Ok(names(vec!["x".repeat(bytes.parse().unwrap())])),
            _ if wish == "panic" => panic!("as asked"),
            _ if wish == "missing" => return Err(Error::resource_not_found("Requested resource not found")),
            _ if wish == "wait" => {
                self.begun.notify_one();
                self.release.notified().await;
            }
            _ => {}
        }
        let key = caller.access_key.as_deref().unwrap_or_default().to_owned();
        let Scope { account, region } = (*caller.scope).clone();
        Ok(names(vec![account, region, key, caller.request_id.to_string()]))
    }

    fn explain(&self, _: &Caller, request: Valid, _: Option<&Budget>) -> Result<Explanation, Error> {
        let plan = format!("plan of {}", request.operation().name());
        Ok(Explanation { plan, expected: "1 unit".to_owned(), actual: None })
    }

    async fn call_explained(
        &self,
        caller: &Caller,
        request: Valid,
        budget: Option<&Budget>,
    ) -> Result<(Response, Explanation), Error> {
        let explanation = self.explain(caller, request.clone(), budget)?;
        let response = self.call(caller, request).await?;
        Ok((response, Explanation { actual: Some("1 unit".to_owned()), ..explanation }))
    }
}

fn names(names: Vec<String>) -> Response {
    let output = ListTablesOutput { table_names: Some(names), last_evaluated_table_name: None };
    Response::ListTables(Box::new(output))
}

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stand_in: Arc<StandIn>,
    stop: Option<oneshot::Sender<()>>,
    ended: oneshot::Receiver<()>,
}

impl Running {
    pub(crate) async fn start() -> Running {
        Running::with(Options::default()).await
    }

    pub(crate) async fn with(options: Options) -> Running {
        Running::run(Env::real(), |stand_in, env| Server::new(stand_in, env, options)).await
    }

    /// A server that verifies signatures.
    pub(crate) async fn guarded(options: Options, env: Env, keyring: Arc<Keyring>) -> Running {
        Running::run(env, |stand_in, env| Server::new(stand_in, env, options).verifying(keyring)).await
    }

    /// A server that speaks TLS.
    pub(crate) async fn encrypted(options: Options, tls: Arc<Tls>) -> Running {
        Running::run(Env::real(), |stand_in, env| Server::new(stand_in, env, options).encrypted(tls)).await
    }

    async fn run(env: Env, server: impl FnOnce(Arc<StandIn>, Env) -> Server<StandIn>) -> Running {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stand_in = Arc::new(StandIn::default());
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let server = server(Arc::clone(&stand_in), env.clone());
        let task = async move {
            server.serve(listener, async { drop(stopped.await) }).await;
            let _ = end.send(());
        };
        env.tasks.spawn("server", Box::pin(task));
        Running { address, stand_in, stop: Some(stop), ended }
    }

    pub(crate) async fn connect(&self) -> Client {
        Client { stream: TcpStream::connect(self.address).await.unwrap(), received: Vec::new() }
    }

    /// Sends one request on a connection of its own.
    pub(crate) async fn ask(&self, request: impl AsRef<[u8]>) -> Answer {
        let mut client = self.connect().await;
        client.send(request).await;
        client.receive().await
    }

    /// Tells the server to stop.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until the server has stopped.
    pub(crate) async fn ended(self) {
        in_time(self.ended).await.unwrap();
    }
}

/// A connection, seen from the client.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
}

impl Client {
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        in_time(self.stream.write_all(bytes.as_ref())).await.unwrap();
    }

    /// Reads one answer and checks what holds for every answer.
    pub(crate) async fn receive(&mut self) -> Answer {
        let head_length = loop {
            if let Some(at) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(
                self.fill().await,
                "closed before an answer; got {:?}",
                String::from_utf8_lossy(&self.received)
            );
        };
        let head: Vec<u8> = self.received.drain(..head_length).collect();
        let mut answer = Answer::from_head(std::str::from_utf8(&head).unwrap());
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        while self.received.len() < length {
            assert!(self.fill().await, "closed before the end of the body");
        }
        answer.body = self.received.drain(..length).collect();
        answer.check();
        answer
    }

    /// Everything until the server closes the connection.
    pub(crate) async fn rest(&mut self) -> String {
        while self.fill().await {}
        String::from_utf8_lossy(&std::mem::take(&mut self.received)).into_owned()
    }

    /// The beginning of whatever comes.
    pub(crate) async fn rest_or_answer(&mut self) -> String {
        self.fill().await;
        String::from_utf8_lossy(&self.received).into_owned()
    }

    /// Whether the server closes the connection without sending anything more.
    pub(crate) async fn is_closed(&mut self) -> bool {
        self.received.is_empty() && !self.fill().await
    }

    async fn fill(&mut self) -> bool {
        // A reset is a close, too.
        in_time(self.stream.read_buf(&mut self.received)).await.unwrap_or(0) > 0
    }
}

/// An answer in pieces.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    fn from_head(head: &str) -> Answer {
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        Answer { status, headers: lines.map(header).collect(), body: Vec::new() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn check(&self) {
        let id = self.header("x-amzn-requestid").unwrap();
        assert!(
            id.len() == 52 && id.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()),
            "{id}"
        );
        assert_eq!(self.header("x-amz-crc32").unwrap(), crc32fast::hash(&self.body).to_string());
        assert_eq!(self.header("server"), Some("Server"));
        assert!(self.header("date").unwrap().ends_with(" GMT"));
        assert_eq!(self.header("content-length").unwrap(), self.body.len().to_string());
        let mut names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), self.headers.len(), "a header came twice: {:?}", self.headers);
    }

    /// The status and the body, for one comparison.
    pub(crate) fn seen(&self) -> (u16, &str) {
        (self.status, self.text())
    }
}

/// `POST /` with these headers, `Host` and the length of the body.
pub(crate) fn post(headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut request = b"POST / HTTP/1.1\r\nHost: localhost\r\n".to_vec();
    for (name, value) in headers {
        request.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    request.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    request.extend_from_slice(body);
    request
}

/// The headers of a good request for `target`.
pub(crate) fn headers_of(target: &str) -> Vec<(&str, &str)> {
    vec![
        ("Content-Type", AMZ_JSON),
        ("X-Amz-Target", target),
        ("Authorization", AUTHORIZATION),
        ("X-Amz-Date", DATE),
    ]
}

/// A good request with that body.
pub(crate) fn list_tables(body: impl AsRef<[u8]>) -> Vec<u8> {
    post(&headers_of(LIST_TABLES), body)
}

/// A good request that asks the stand-in for something.
pub(crate) fn wish(wish: &str) -> Vec<u8> {
    list_tables(format!("{{\"ExclusiveStartTableName\":\"{wish}\"}}"))
}

/// `future`, or a failed test.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::select! {
        value = future => value,
        () = Env::real().tasks.sleep(PATIENCE) => panic!("waited too long"),
    }
}

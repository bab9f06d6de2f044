//! A client of a running server, for the commands that look at a database.

use std::env;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use hashrange_api::Operation;
use hashrange_env::Env;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// The header that asks for a plan, and carries it back.
pub(crate) const EXPLAIN: &str = "x-hashrange-explain";

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    /// The header [`EXPLAIN`].
    pub(crate) explanation: Option<String>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The HTTP status.
    pub(crate) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Whether the operation succeeded.
    pub(crate) fn is_success(&self) -> bool {
        self.status == StatusCode::OK
    }
}

/// The region that the environment names.
pub(crate) fn region() -> String {
    let named = ["AWS_REGION", "AWS_DEFAULT_REGION"].into_iter().find_map(|name| env::var(name).ok());
    named.filter(|region| !region.is_empty()).unwrap_or_else(|| "us-east-1".to_owned())
}

/// Sends one request.
///
/// # Errors
/// One line: why the server cannot be reached, and what to do.
pub(crate) async fn ask(
    endpoint: &str,
    region: &str,
    operation: Operation,
    body: &str,
    headers: &[(&str, &str)],
) -> Result<Answer, String> {
    Client::new(endpoint, region, Env::real())?.ask(operation, body, headers).await
}

/// Requests to one server, over connections that stay open from one to the next.
#[derive(Debug)]
pub(crate) struct Client {
    endpoint: String,
    host: String,
    port: u16,
    region: String,
    env: Env,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

impl Client {
    /// A client of the server at `http://host:port`. Nothing is sent yet.
    ///
    /// # Errors
    /// One line, where that is no such address.
    pub(crate) fn new(endpoint: &str, region: &str, env: Env) -> Result<Client, String> {
        let (host, port) = host_and_port(endpoint)?;
        let (endpoint, region) = (endpoint.to_owned(), region.to_owned());
        Ok(Client { endpoint, host, port, region, env, idle: Mutex::new(Vec::new()) })
    }

    /// Sends one request, on a connection that is idle or on a new one. A connection that the server closed meanwhile is
    /// given up before anything is sent on it; what was sent is never sent again.
    ///
    /// # Errors
    /// As [`ask`].
    pub(crate) async fn ask(
        &self,
        operation: Operation,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Result<Answer, String> {
        let request = request(&self.host, self.port, &self.region, operation, body, headers)?;
        let mut sender = self.connection().await?;
        let response = sender.send_request(request).await.map_err(|error| self.unreachable(&error))?;
        let (head, body) = response.into_parts();
        let explanation = head.headers.get(EXPLAIN).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = body.collect().await.map_err(|error| self.unreachable(&error))?.to_bytes().to_vec();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        Ok(Answer { status: head.status, explanation, body })
    }

    async fn connection(&self) -> Result<SendRequest<Full<Bytes>>, String> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut sender) = idle else { break };
            if sender.ready().await.is_ok() {
                return Ok(sender);
            }
        }
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await;
        let stream = stream.map_err(|error| self.unreachable(&error))?;
        stream.set_nodelay(true).map_err(|error| self.unreachable(&error))?;
        let (sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| self.unreachable(&error))?;
        // The task ends with the connection; what went wrong on it, its requests are told.
        let served = Box::pin(async move { _ = connection.await });
        self.env.tasks.spawn("connection", served);
        Ok(sender)
    }

    fn unreachable(&self, error: &dyn std::fmt::Display) -> String {
        let endpoint = &self.endpoint;
        format!(
            "cannot reach {endpoint} ({error}); start the server with `hashrange serve`, or name it with --endpoint"
        )
    }
}

fn request(
    host: &str,
    port: u16,
    region: &str,
    operation: Operation,
    body: &str,
    headers: &[(&str, &str)],
) -> Result<Request<Full<Bytes>>, String> {
    let key = env::var("AWS_ACCESS_KEY_ID").unwrap_or_else(|_| "local".to_owned());
    let mut request = Request::post("/")
        .header(HOST, format!("{host}:{port}"))
        .header(CONTENT_TYPE, "application/x-amz-json-1.0")
        .header("x-amz-target", format!("{}.{}", operation.target_prefix(), operation.name()))
        .header("x-amz-date", "20260101T000000Z")
        .header(
            AUTHORIZATION,
            format!(
                "AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/dynamodb/aws4_request, \
                 SignedHeaders=host;x-amz-date;x-amz-target, Signature={}",
                "0".repeat(64)
            ),
        );
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request
        .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
        .map_err(|error| format!("cannot make the request: {error}; check the region and AWS_ACCESS_KEY_ID"))
}

/// The parts of `http://host:port`.
fn host_and_port(endpoint: &str) -> Result<(String, u16), String> {
    let wrong = || format!("{endpoint} is no address of a server; write http://HOST:PORT");
    let uri: Uri = endpoint.parse().map_err(|_| wrong())?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http"), Some(host)) => {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            Ok((host.to_owned(), uri.port_u16().unwrap_or(80)))
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_plain_http_address() {
        assert_eq!(host_and_port("http://127.0.0.1:8000"), Ok(("127.0.0.1".to_owned(), 8000)));
        assert_eq!(host_and_port("http://localhost/"), Ok(("localhost".to_owned(), 80)));
        assert_eq!(host_and_port("http://[::1]:9"), Ok(("::1".to_owned(), 9)));
        for wrong in ["localhost:8000", "ftp://x", "https://x", ""] {
            let text = host_and_port(wrong).expect_err("it is not http://HOST:PORT");
            assert_eq!(text, format!("{wrong} is no address of a server; write http://HOST:PORT"));
        }
    }
}

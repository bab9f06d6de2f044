//! A client of a running server, for the commands that look at a database.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use hashrange_api::Operation;
use hashrange_env::Env;
use hashrange_wire::sigv4::Signer;
use hashrange_wire::{ClientTls, signer};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
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

/// The option `--ca` of commands with `--endpoint`.
pub(crate) fn ca_option() -> clap::Arg {
    clap::Arg::new("ca")
        .long("ca")
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .help("Trust the authorities of this file (PEM) for https, such as that of serve --tls-self-signed [default: AWS_CA_BUNDLE, or whom this machine trusts]")
}

/// The file that `--ca` or the environment names.
pub(crate) fn ca(flags: &clap::ArgMatches) -> Option<PathBuf> {
    flags.get_one::<PathBuf>("ca").cloned().or_else(ca_of_environment)
}

/// The file that the environment names, as for the AWS CLI.
pub(crate) fn ca_of_environment() -> Option<PathBuf> {
    variable("AWS_CA_BUNDLE").map(PathBuf::from)
}

/// Whom to ask, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Server<'a> {
    /// `http://host:port` or `https://host:port`.
    pub(crate) endpoint: &'a str,
    pub(crate) region: &'a str,
    /// Authorities to trust, in place of those of this machine.
    pub(crate) ca: Option<&'a Path>,
}

/// Sends one request.
///
/// # Errors
/// One line: why the server cannot be reached, and what to do.
pub(crate) async fn ask(
    server: Server<'_>,
    operation: Operation,
    body: &str,
    headers: &[(&str, &str)],
) -> Result<Answer, String> {
    Client::new(server, Env::real())?.ask(operation, body, headers).await
}

/// A connection to a server, encrypted or not.
trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<C: AsyncRead + AsyncWrite + Send + Unpin> Connection for C {}

/// Requests to one server, over connections that stay open from one to the next.
#[derive(Debug)]
pub(crate) struct Client {
    endpoint: String,
    address: Address,
    region: String,
    tls: Option<ClientTls>,
    signer: Option<Signer>,
    env: Env,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

impl Client {
    /// A client of a server. Nothing is sent yet. Requests are signed with the key that the environment or the shared credentials
    /// file has; without one, with something that only a server without credentials takes.
    ///
    /// # Errors
    /// One line, where the endpoint is no such address, or a file cannot be used.
    pub(crate) fn new(server: Server<'_>, env: Env) -> Result<Client, String> {
        let address = Address::of(server.endpoint)?;
        let tls = address.is_encrypted.then(|| ClientTls::open(server.ca)).transpose()?;
        let (endpoint, region) = (server.endpoint.to_owned(), server.region.to_owned());
        Ok(Client { endpoint, address, region, tls, signer: key()?, env, idle: Mutex::new(Vec::new()) })
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
        let request = self.request(operation, body, headers)?;
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
        let Address { host, port, .. } = &self.address;
        let stream = TcpStream::connect((host.as_str(), *port)).await;
        let stream = stream.map_err(|error| self.unreachable(&error))?;
        stream.set_nodelay(true).map_err(|error| self.unreachable(&error))?;
        let stream: Box<dyn Connection> = match &self.tls {
            None => Box::new(stream),
            Some(tls) => Box::new(tls.connect(host, stream).await.map_err(|error| self.untrusted(&error))?),
        };
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

    fn untrusted(&self, error: &dyn std::fmt::Display) -> String {
        let endpoint = &self.endpoint;
        format!(
            "no encrypted connection to {endpoint} ({error}); name the file of the server's authority with --ca, or write http:// \
             where the server has no TLS"
        )
    }

    fn request(
        &self,
        operation: Operation,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Result<Request<Full<Bytes>>, String> {
        let host = self.address.header();
        let target = format!("{}.{}", operation.target_prefix(), operation.name());
        let signed = [
            (HOST.as_str(), host.as_str()),
            (CONTENT_TYPE.as_str(), "application/x-amz-json-1.0"),
            ("x-amz-target", target.as_str()),
        ];
        let signature = match &self.signer {
            Some(signer) => signer.sign(&self.region, self.env.clock.now(), &signed, body.as_bytes()),
            None => unsigned(&self.region),
        };
        let mut request = Request::post("/");
        for (name, value) in signed.iter().chain(headers) {
            request = request.header(*name, *value);
        }
        for (name, value) in &signature {
            request = request.header(*name, value);
        }
        request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).map_err(|error| {
            format!("cannot make the request: {error}; check the region and AWS_ACCESS_KEY_ID")
        })
    }
}

/// The form of a signature and nothing more. The access key says whose tables are asked for.
fn unsigned(region: &str) -> Vec<(&'static str, String)> {
    let key = variable("AWS_ACCESS_KEY_ID").unwrap_or_else(|| "local".to_owned());
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/dynamodb/aws4_request, \
         SignedHeaders=host;x-amz-date;x-amz-target, Signature={}",
        "0".repeat(64)
    );
    vec![("x-amz-date", "20260101T000000Z".to_owned()), ("authorization", authorization)]
}

/// The key to sign with: of the environment, else of the shared credentials file, as the AWS CLI looks for it.
fn key() -> Result<Option<Signer>, String> {
    let of_environment = variable("AWS_ACCESS_KEY_ID").zip(variable("AWS_SECRET_ACCESS_KEY"));
    if let Some((access_key, secret_key)) = of_environment {
        let session_token = variable("AWS_SESSION_TOKEN");
        return Ok(Some(Signer { access_key, secret_key, session_token }));
    }
    if variable("AWS_ACCESS_KEY_ID").is_some() {
        return Ok(None);
    }
    let file = variable("AWS_SHARED_CREDENTIALS_FILE").map(PathBuf::from);
    let file = file.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".aws/credentials")));
    let profile = variable("AWS_PROFILE").unwrap_or_else(|| "default".to_owned());
    file.map_or(Ok(None), |file| signer(&file, &profile))
}

/// A variable of the environment that has a value.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The parts of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Address {
    is_encrypted: bool,
    host: String,
    port: u16,
}

impl Address {
    fn of(endpoint: &str) -> Result<Address, String> {
        let wrong =
            || format!("{endpoint} is no address of a server; write http://HOST:PORT or https://HOST:PORT");
        let uri: Uri = endpoint.parse().map_err(|_| wrong())?;
        let is_encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong()),
        };
        let host = uri.host().ok_or_else(wrong)?.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = uri.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
        Ok(Address { is_encrypted, host, port })
    }

    /// What the header `host` says.
    fn header(&self) -> String {
        let Address { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_an_http_address() {
        let address =
            |endpoint: &str| Address::of(endpoint).map(|address| (address.is_encrypted, address.header()));
        assert_eq!(address("http://127.0.0.1:8000"), Ok((false, "127.0.0.1:8000".to_owned())));
        assert_eq!(address("http://localhost/"), Ok((false, "localhost:80".to_owned())));
        assert_eq!(address("http://[::1]:9"), Ok((false, "[::1]:9".to_owned())));
        assert_eq!(address("https://db.example"), Ok((true, "db.example:443".to_owned())));
        for wrong in ["localhost:8000", "ftp://x", "https://", ""] {
            let text = address(wrong).expect_err("it is no address");
            let advice = "write http://HOST:PORT or https://HOST:PORT";
            assert_eq!(text, format!("{wrong} is no address of a server; {advice}"));
        }
    }
}

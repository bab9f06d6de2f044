//! The way of one request through the checks to its answer.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use hashrange_api::{Error, Operation};
use hashrange_env::Env;
use hashrange_service::{Caller, Explanation};
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, EXPECT, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};

use super::body::{self, BodyError, BodyLimits};
use super::reply::{self, Media, Reply};
use super::{coding, request_id};
use crate::credentials::{Keyring, account_of};
use crate::server::Options;
use crate::{Handler, codec, json, sigv4};

/// Largest request line and largest header block, in bytes; more gets a plain 400.
const HEAD_PART_BYTES_MAX: usize = 16 * 1024;

/// Host named by the health page to a client that sends none (HTTP/1.0).
const DEFAULT_HOST: &str = "dynamodb.us-east-1.amazonaws.com";

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Front<H> {
    pub(crate) handler: Arc<H>,
    pub(crate) env: Env,
    pub(crate) options: Options,
    /// Who may sign; without it every well-formed signature is accepted.
    pub(crate) keyring: Option<Arc<Keyring>>,
}

impl<H: Handler> Front<H> {
    /// Answers one request, whatever it is.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<reply::Body>, Infallible> {
        let (head, body) = request.into_parts();
        let request_id = request_id::draw(&*self.env.random);
        let reply = if is_head_too_large(&head) {
            Reply::refusal(StatusCode::BAD_REQUEST)
        } else if head.method == Method::POST {
            self.post(&head, body, &request_id).await
        } else if head.method == Method::GET && head.uri.path() == "/" {
            Reply::health(host_of(&head))
        } else if head.method == Method::OPTIONS && head.headers.contains_key(ORIGIN) {
            Reply::preflight(&head.headers)
        } else {
            Reply::unknown_page()
        };
        tracing::debug!(request_id, method = %head.method, status = reply.status().as_u16(), "answered");
        Ok(reply.into_response(head, &request_id))
    }

    async fn post(&self, head: &Parts, body: Incoming, request_id: &str) -> Reply {
        let sent = match self.receive(head, body).await {
            Ok(sent) => sent,
            Err(status) => return Reply::refusal(status),
        };
        let media = Media::of(&head.headers);
        if media.is_none() && !sent.is_empty() {
            return Reply::unknown_page();
        }
        let media = media.unwrap_or(Media::Json);
        // A bug in one request must not end the process, nor the connection.
        match AssertUnwindSafe(self.operate(head, &sent, request_id)).catch_unwind().await {
            Ok(Ok((answer, explanation))) => Reply::success(media, answer).explained(explanation),
            Ok(Err(error)) => Reply::error(media, &error),
            Err(panic) => {
                tracing::error!(request_id, target = ?head.headers.get(TARGET), cause = cause_of(&*panic), "a request panicked");
                Reply::error(media, &codec::internal_error())
            }
        }
    }

    /// The body as sent, still compressed if it came so; or the status that refuses it.
    async fn receive(&self, head: &Parts, body: Incoming) -> Result<Bytes, StatusCode> {
        let limits = BodyLimits {
            max: self.options.max_body,
            timeout: self.options.body_timeout,
            client_waits: head.headers.contains_key(EXPECT),
        };
        body::read(body, limits, &self.env).await.map_err(|error| match error {
            BodyError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            BodyError::Broken => StatusCode::BAD_REQUEST,
            BodyError::Slow => StatusCode::REQUEST_TIMEOUT,
        })
    }

    /// Runs the operation that the head names on the body.
    async fn operate(
        &self,
        head: &Parts,
        sent: &Bytes,
        request_id: &str,
    ) -> Result<(Vec<u8>, Option<Explanation>), Error> {
        let expanded = self.expand(head, sent).map_err(|coding::Unreadable| codec::internal_error())?;
        let body = expanded.as_ref().unwrap_or(sent);
        let (operation, caller) = self.admit(head, sent, request_id).map_err(|error| {
            if body.is_empty() || json::is_json(body) { error } else { codec::not_json() }
        })?;
        if body.is_empty() {
            return Err(codec::not_json());
        }
        let request = codec::decode(operation, body)?;
        match head.headers.get(EXPLAIN).map(HeaderValue::as_bytes) {
            None => {
                let response = self.handler.call(&caller, request).await?;
                Ok((codec::encode_response(&response)?, None))
            }
            Some(b"plan") => Ok((b"{}".to_vec(), Some(self.handler.explain(&caller, request)?))),
            Some(_) => {
                let explained = Box::pin(self.handler.call_explained(&caller, request));
                let (response, explanation) = explained.await?;
                Ok((codec::encode_response(&response)?, Some(explanation)))
            }
        }
    }

    /// The body without framing and compression, if it came with any.
    fn expand(&self, head: &Parts, sent: &Bytes) -> Result<Option<Bytes>, coding::Unreadable> {
        let unchunked = sigv4::unchunk(head, sent).map_err(|sigv4::BadChunks| coding::Unreadable)?;
        let Some(coding) = head.headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes) else {
            return Ok(unchunked);
        };
        match unchunked {
            None => coding::expand(coding, sent, self.options.max_body),
            Some(body) => coding::expand(sigv4::inner_coding(coding), &body, self.options.max_body),
        }
        .map(Some)
    }

    /// The operation that the head names, and the caller that its signature names.
    fn admit(&self, head: &Parts, sent: &[u8], request_id: &str) -> Result<(Operation, Caller), Error> {
        let target = head.headers.get(TARGET).and_then(|target| target.to_str().ok());
        let operation = target.and_then(Operation::from_target).ok_or_else(Error::unknown_operation)?;
        let (signature, account) = if let Some(keyring) = &self.keyring {
            keyring.verify(head, sent, self.env.clock.now())?
        } else {
            let signature = sigv4::parse(head)?;
            let account = account_of(&signature.access_key).to_owned();
            (signature, account)
        };
        let caller = Caller {
            account,
            region: signature.region.into_owned(),
            access_key: Some(signature.access_key.into_owned()),
            request_id: request_id.to_owned(),
        };
        Ok((operation, caller))
    }
}

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// Asks for the plan of the request in a header of the answer: `true` runs the request, `plan` only plans it.
pub(super) const EXPLAIN: HeaderName = HeaderName::from_static("x-hashrange-explain");

/// Whether the request line or the header block, as sent, is beyond what AWS reads.
fn is_head_too_large(head: &Parts) -> bool {
    let line =
        head.method.as_str().len() + head.uri.path_and_query().map_or(0, |target| target.as_str().len());
    // Each header line has a colon, a space and two line-end bytes besides its name and value.
    let block: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    line > HEAD_PART_BYTES_MAX || block > HEAD_PART_BYTES_MAX
}

fn host_of(head: &Parts) -> &str {
    let host = head.headers.get(HOST).and_then(|host| host.to_str().ok());
    host.filter(|host| !host.is_empty()).unwrap_or(DEFAULT_HOST)
}

/// The text of a panic, where it has one.
fn cause_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&'static str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}

//! The way of one request through the checks to its answer.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use hashrange_api::{Error, Operation, Response as Answer};
use hashrange_env::Env;
use hashrange_service::{Budget, Caller, Explanation, Metrics};
use hyper::body::{Body as _, Incoming};
use hyper::header::{FORWARDED, HeaderName, HeaderValue, ORIGIN, TRANSFER_ENCODING, VIA};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};

use super::body::{self, BodyError, BodyLimits};
use super::coding::ExpandError;
use super::record::Record;
use super::reply::{self, Media, Reply};
use super::session::Session;
use super::{coding, request_id};
use crate::connection::memory::{AnswerCharge, Charge, Memory};
use crate::credentials::Keyring;
use crate::seen::Seen;
use crate::server::{Audience, Options};
use crate::{Handler, codec, json, sigv4};

/// Largest request line and largest header block, in bytes; more gets a plain 400.
const HEAD_PART_BYTES_MAX: usize = 16 * 1024;

/// Host named by the health page to a client that sends none (HTTP/1.0).
const DEFAULT_HOST: &str = "dynamodb.us-east-1.amazonaws.com";

/// Answers of at most this many bytes are not charged to the budget: it is their number that is limited.
const UNCHARGED_ANSWER_BYTES: usize = 16 * 1024;

/// Part of the budget that a request holds for its body.
type BodyCharge<'a> = Charge<&'a Memory>;

/// The body of a good answer, and what goes with it.
#[derive(Debug)]
struct Done {
    body: Vec<u8>,
    explanation: Option<Explanation>,
    charge: Option<AnswerCharge>,
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Front<H> {
    pub(crate) handler: Arc<H>,
    pub(crate) env: Env,
    pub(crate) options: Options,
    /// Who may sign; without it every well-formed signature is accepted.
    pub(crate) keyring: Option<Arc<Keyring>>,
    pub(crate) metrics: Arc<Metrics>,
    memory: Arc<Memory>,
}

impl<H: Handler> Front<H> {
    pub(crate) fn new(handler: Arc<H>, env: Env, options: Options) -> Front<H> {
        let memory = Arc::new(Memory::new(options.request_memory));
        let metrics = Arc::new(Metrics::new(&env));
        Front { handler, env, options, keyring: None, metrics, memory }
    }

    /// Counts in `metrics` from now on.
    pub(crate) fn measure(&mut self, metrics: Arc<Metrics>) {
        let memory = Arc::clone(&self.memory);
        metrics.add(memory);
        self.metrics = metrics;
    }

    /// Answers one request, whatever it is.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        session: &Session,
    ) -> Result<Response<reply::Body>, Infallible> {
        session.busy.set(true);
        let (head, body) = request.into_parts();
        let seen = Seen::of(&head);
        let request_id = request_id::draw(&*self.env.random);
        // The end of such a body is told inside it; nothing may follow it on the connection.
        let is_chunked = body.size_hint().exact().is_none();
        let mut record = Record::new();
        let asked = Asked { seen, session, request_id: &request_id };
        let mut reply = self.reply(asked, body, &mut record).await;
        let cross_origin = seen.origin.is_some();
        if is_chunked {
            reply = reply.closing();
        }
        record.end(&self.metrics, &*self.env.clock, reply.status().as_u16(), (&head.method, &request_id));
        session.busy.set(false);
        Ok(reply.into_response(head, &request_id, cross_origin))
    }

    async fn reply(&self, asked: Asked<'_>, body: Incoming, record: &mut Record) -> Reply {
        let head = asked.seen.parts;
        if is_head_too_large(&asked.seen) || (body.size_hint().exact().is_none() && !is_plainly_chunked(head))
        {
            Reply::refusal(StatusCode::BAD_REQUEST)
        } else if head.method == Method::POST {
            record.operation = operation_of(&asked.seen);
            self.post(asked, body, record).await
        } else if head.method == Method::GET && head.uri.path() == "/" {
            Reply::health(host_of(&asked.seen))
        } else if head.method == Method::GET && head.uri.path() == "/metrics" && self.shows(asked) {
            Reply::metrics(self.metrics.page())
        } else if head.method == Method::OPTIONS && asked.seen.origin.is_some() {
            Reply::preflight(&head.headers)
        } else {
            Reply::unknown_page()
        }
    }

    /// Whether the counts are for whoever sent this.
    fn shows(&self, asked: Asked<'_>) -> bool {
        match self.options.metrics {
            Audience::Nobody => false,
            Audience::Local => {
                let headers = &asked.seen.parts.headers;
                asked.session.is_local && !OF_OTHERS.iter().any(|name| headers.contains_key(name))
            }
            Audience::Everybody => true,
        }
    }

    async fn post(&self, asked: Asked<'_>, body: Incoming, record: &mut Record) -> Reply {
        let media = Media::of(asked.seen.content_type);
        let (sent, charge) = match self.receive(asked.seen, body).await {
            Ok(received) => received,
            Err(BodyError::NoMemory) => {
                let error = codec::no_memory();
                record.outcome = Some(Err(error.code));
                return Reply::error(media.unwrap_or(Media::Json), &error);
            }
            Err(error) => return Reply::refusal(status_of(error)),
        };
        if media.is_none() && !sent.is_empty() {
            return Reply::unknown_page();
        }
        let media = media.unwrap_or(Media::Json);
        record.begun = Some(self.env.clock.monotonic());
        // A bug in one request must not end the process, nor the connection.
        let operated = AssertUnwindSafe(self.operate(asked, &sent, charge, record)).catch_unwind();
        let done = operated.await.unwrap_or_else(|panic| {
            let cause = cause_of(&*panic, self.options.log_values);
            let operation = operation_of(&asked.seen).map(Operation::name);
            tracing::error!(request_id = &**asked.request_id, operation, cause, "a request panicked");
            Err(codec::internal_error())
        });
        record.outcome = Some(done.as_ref().map(|_| ()).map_err(|error| error.code));
        match done {
            Ok(done) => Reply::success(media, done.body).explained(done.explanation).charged(done.charge),
            Err(error) => {
                record.text = error.message.clone().filter(|_| self.options.log_values);
                Reply::error(media, &error)
            }
        }
    }

    /// The body as sent, still compressed if it came so.
    async fn receive(&self, seen: Seen<'_>, body: Incoming) -> Result<body::Held<'_>, BodyError> {
        let limits = BodyLimits {
            max: self.options.max_body,
            timeout: self.options.body_timeout,
            client_waits: seen.expect.is_some(),
        };
        body::read(body, limits, &self.memory, &self.env).await
    }

    /// Runs the operation that the head names on the body.
    async fn operate(
        &self,
        asked: Asked<'_>,
        sent: &Bytes,
        mut charge: BodyCharge<'_>,
        record: &mut Record,
    ) -> Result<Done, Error> {
        let expanded = self.expand(&asked.seen, sent, &mut charge).map_err(|error| match error {
            ExpandError::Unreadable => codec::internal_error(),
            ExpandError::NoMemory => codec::no_memory(),
        })?;
        let body = expanded.as_ref().unwrap_or(sent);
        let (operation, caller) = self.admit(asked, sent, record.operation).map_err(|error| {
            if body.is_empty() || json::is_json(body) { error } else { codec::not_json() }
        })?;
        record.caller(&caller);
        if body.is_empty() {
            return Err(codec::not_json());
        }
        let request = codec::decode(operation, body)?;
        record.request(request.request());
        let how = asked.seen.x_hashrange_explain.map(HeaderValue::as_bytes);
        let budget = asked.seen.x_hashrange_budget.map(budget).transpose()?;
        match how {
            None if budget.is_none() => {
                self.done(operation, &self.handler.call(&caller, request).await?, None)
            }
            Some(b"plan") => {
                let explanation = Some(self.handler.explain(&caller, request, budget.as_ref())?);
                Ok(Done { body: b"{}".to_vec(), explanation, charge: None })
            }
            _ => {
                // A future of its own on the heap: that of every request is as large as the largest it holds by value.
                let explained = Box::pin(self.handler.call_explained(&caller, request, budget.as_ref()));
                let (answer, explanation) = explained.await?;
                self.done(operation, &answer, how.is_some().then_some(explanation))
            }
        }
    }

    /// Encodes an answer. A large one must be paid for until it is sent, for a client may take its time.
    fn done(
        &self,
        operation: Operation,
        answer: &Answer,
        explanation: Option<Explanation>,
    ) -> Result<Done, Error> {
        let body = codec::encode_response(answer)?;
        let room = body.capacity();
        let charge = if room <= UNCHARGED_ANSWER_BYTES {
            None
        } else if can_be_repeated(operation) {
            Some(Charge::take(Arc::clone(&self.memory), room).map_err(|_| codec::no_memory())?)
        } else {
            Some(Charge::force(Arc::clone(&self.memory), room))
        };
        Ok(Done { body, explanation, charge })
    }

    /// The body without framing and compression, if it came with any.
    fn expand(
        &self,
        seen: &Seen<'_>,
        sent: &Bytes,
        charge: &mut BodyCharge<'_>,
    ) -> Result<Option<Bytes>, ExpandError> {
        let unchunked = sigv4::unchunk(seen, sent).map_err(|sigv4::BadChunks| ExpandError::Unreadable)?;
        if let Some(body) = &unchunked {
            charge.add(body.len())?;
        }
        let Some(coding) = seen.content_encoding.map(HeaderValue::as_bytes) else {
            return Ok(unchunked);
        };
        let max = self.options.max_body;
        match unchunked {
            None => coding::expand(coding, sent, max, charge),
            Some(body) => coding::expand(sigv4::inner_coding(coding), &body, max, charge),
        }
        .map(Some)
    }

    /// The operation, if the head names one, and the caller that its signature names.
    fn admit(
        &self,
        asked: Asked<'_>,
        sent: &[u8],
        operation: Option<Operation>,
    ) -> Result<(Operation, Caller), Error> {
        let operation = operation.ok_or_else(Error::unknown_operation)?;
        let signer = match &self.keyring {
            Some(keyring) => {
                asked.session.signer_of(keyring.verify(&asked.seen, sent, self.env.clock.now())?)
            }
            None => asked.session.signer(&asked.seen)?,
        };
        let caller = Caller {
            scope: signer.scope,
            access_key: Some(signer.access_key),
            request_id: Arc::clone(asked.request_id),
        };
        Ok((operation, caller))
    }
}

/// A request without its body.
#[derive(Clone, Copy)]
struct Asked<'a> {
    seen: Seen<'a>,
    /// The connection on which it came.
    session: &'a Session,
    request_id: &'a Arc<str>,
}

/// Asks for the plan of the request in a header of the answer: `true` runs the request, `plan` only plans it.
pub(super) const EXPLAIN: HeaderName = HeaderName::from_static("x-hashrange-explain");

/// What the request may cost, of the header `x-hashrange-budget`: `rcu=0.5; wcu=1; plan=range`.
fn budget(line: &HeaderValue) -> Result<Budget, Error> {
    Budget::parse(&String::from_utf8_lossy(line.as_bytes()))
}

/// Headers by which a request says that it comes from elsewhere: through a proxy, or from a page in a browser.
const OF_OTHERS: [HeaderName; 4] = [ORIGIN, FORWARDED, VIA, HeaderName::from_static("x-forwarded-for")];

/// The operation that a head names.
fn operation_of(seen: &Seen<'_>) -> Option<Operation> {
    let target = seen.x_amz_target.and_then(|target| target.to_str().ok());
    target.and_then(Operation::from_target)
}

/// The status for a body that was not read.
fn status_of(error: BodyError) -> StatusCode {
    match error {
        BodyError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        BodyError::Broken => StatusCode::BAD_REQUEST,
        BodyError::Slow => StatusCode::REQUEST_TIMEOUT,
        BodyError::NoMemory => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Whether a request can be sent again as if it had not been sent: it changes nothing.
fn can_be_repeated(operation: Operation) -> bool {
    use Operation as O;
    matches!(
        operation,
        O::BatchGetItem
            | O::GetItem
            | O::GetRecords
            | O::ListTables
            | O::Query
            | O::Scan
            | O::TransactGetItems
    )
}

/// Whether a body of unknown length has the one transfer coding that all readers understand.
fn is_plainly_chunked(head: &Parts) -> bool {
    let mut codings = head.headers.get_all(TRANSFER_ENCODING).iter();
    let first = codings.next().is_some_and(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    first && codings.next().is_none()
}

/// Whether the request line or the header block, as sent, is beyond what AWS reads.
fn is_head_too_large(seen: &Seen<'_>) -> bool {
    let Parts { method, uri, .. } = seen.parts;
    let line = method.as_str().len() + uri.path_and_query().map_or(0, |target| target.as_str().len());
    line > HEAD_PART_BYTES_MAX || seen.block_bytes > HEAD_PART_BYTES_MAX
}

fn host_of<'a>(seen: &Seen<'a>) -> &'a str {
    let host = seen.host.and_then(|host| host.to_str().ok());
    host.filter(|host| !host.is_empty()).unwrap_or(DEFAULT_HOST)
}

/// The text of a panic, where it has one. A text that was put together may hold values of items.
fn cause_of(panic: &(dyn std::any::Any + Send), with_values: bool) -> &str {
    let fixed = panic.downcast_ref::<&'static str>().copied();
    let composed = panic.downcast_ref::<String>().map(String::as_str).filter(|_| with_values);
    fixed.or(composed).unwrap_or("not told, for it may hold values")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_panics_that_hold_no_values_are_told_unasked() {
        let composed = Box::new("called on \"secret\"".to_owned());
        assert_eq!(cause_of(&"index out of range", false), "index out of range");
        assert_eq!(cause_of(&*composed, false), "not told, for it may hold values");
        assert_eq!(cause_of(&*composed, true), "called on \"secret\"");
    }
}

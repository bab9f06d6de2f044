//! Answers before they become HTTP responses.

use std::io::Cursor;

use hashrange_api::Error;
use hashrange_service::Explanation;
use http_body_util::Full;
use hyper::body::Buf;
use hyper::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue, SERVER,
};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use super::coding::{self, Coding};
use super::exchange::EXPLAIN;
use crate::codec;
use crate::connection::memory::AnswerCharge;

/// A body that is sent from where it was written.
pub(super) type Body = Full<Outgoing>;

/// Bytes on their way to the client, and their part of the budget until the last one is sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    bytes: Cursor<Vec<u8>>,
    _charge: Option<AnswerCharge>,
}

impl Buf for Outgoing {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
/// Headers that a script of another origin may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("x-amzn-requestid, x-amz-crc32");
/// How long a browser may remember a preflight answer: two days, in seconds.
const PREFLIGHT_AGE: HeaderValue = HeaderValue::from_static("172800");

/// The two media types of the protocol. An answer has that of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    /// `application/x-amz-json-1.0`
    AmzJson,
    /// `application/json`
    Json,
}

impl Media {
    const fn value(self) -> HeaderValue {
        match self {
            Media::AmzJson => HeaderValue::from_static("application/x-amz-json-1.0"),
            Media::Json => HeaderValue::from_static("application/json"),
        }
    }

    /// The media type of a request, whatever parameters follow it; `None` if it is missing or another one.
    pub(super) fn of(content_type: Option<&HeaderValue>) -> Option<Media> {
        let text = content_type?.to_str().ok()?;
        let base = text.split(';').next().unwrap_or_default().trim();
        if base.eq_ignore_ascii_case("application/x-amz-json-1.0") {
            Some(Media::AmzJson)
        } else if base.eq_ignore_ascii_case("application/json") {
            Some(Media::Json)
        } else {
            None
        }
    }
}

/// An answer: what differs from one to the next.
#[derive(Debug)]
pub(super) struct Reply {
    status: StatusCode,
    content_type: Option<HeaderValue>,
    body: Vec<u8>,
    /// Headers of this answer only.
    more: Vec<(HeaderName, HeaderValue)>,
    charge: Option<AnswerCharge>,
}

impl Reply {
    /// A successful answer of an operation.
    pub(super) fn success(media: Media, body: Vec<u8>) -> Reply {
        Reply {
            status: StatusCode::OK,
            content_type: Some(media.value()),
            body,
            more: Vec::new(),
            charge: None,
        }
    }

    /// The same answer with the plan of its request in a header.
    pub(super) fn explained(mut self, explanation: Option<Explanation>) -> Reply {
        let text = explanation.map(|explanation| header_text(&explanation.to_string()));
        let value = text.and_then(|text| HeaderValue::from_str(&text).ok());
        self.more.extend(value.map(|value| (EXPLAIN, value)));
        self
    }

    /// The same answer, paid for until it is sent.
    pub(super) fn charged(mut self, charge: Option<AnswerCharge>) -> Reply {
        self.charge = charge;
        self
    }

    /// The same answer as the last one of its connection.
    pub(super) fn closing(mut self) -> Reply {
        if self.more.iter().all(|(name, _)| name != CONNECTION) {
            self.more.push((CONNECTION, HeaderValue::from_static("close")));
        }
        self
    }

    /// An error of an operation.
    pub(super) fn error(media: Media, error: &Error) -> Reply {
        let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = codec::encode_error(error);
        Reply { status, content_type: Some(media.value()), body, more: Vec::new(), charge: None }
    }

    /// An answer without a body, after which the connection closes: the rest of the request was not read.
    pub(super) fn refusal(status: StatusCode) -> Reply {
        let more = vec![(CONNECTION, HeaderValue::from_static("close"))];
        Reply { status, content_type: None, body: Vec::new(), more, charge: None }
    }

    /// What AWS answers to methods, paths and content types that it does not serve.
    pub(super) fn unknown_page() -> Reply {
        let body = b"<UnknownOperationException/>\n".to_vec();
        Reply { status: StatusCode::NOT_FOUND, content_type: None, body, more: Vec::new(), charge: None }
    }

    /// The health page, which names the host that was asked.
    pub(super) fn health(host: &str) -> Reply {
        let content_type = Some(HeaderValue::from_static("text/plain"));
        let body = format!("healthy: {host} ").into_bytes();
        Reply { status: StatusCode::OK, content_type, body, more: Vec::new(), charge: None }
    }

    /// The counts of the server, in Prometheus' text format.
    pub(super) fn metrics(page: String) -> Reply {
        let content_type = Some(HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
        Reply { content_type, body: page.into_bytes(), ..Reply::health("") }
    }

    /// Lets a script of any origin send what it asked to send.
    pub(super) fn preflight(request: &HeaderMap) -> Reply {
        let mut more = vec![(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE)];
        let asked = [
            (ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_ALLOW_HEADERS),
            (ACCESS_CONTROL_REQUEST_METHOD, ACCESS_CONTROL_ALLOW_METHODS),
        ];
        for (asked, allowed) in asked {
            more.extend(request.get(asked).map(|value| (allowed, value.clone())));
        }
        Reply { status: StatusCode::OK, content_type: None, body: Vec::new(), more, charge: None }
    }

    /// The status, for the log.
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    /// The response to the request with that head.
    pub(super) fn into_response(
        self,
        request: Parts,
        request_id: &str,
        cross_origin: bool,
    ) -> Response<Body> {
        let (body, coding) = compress(self.body, &request.headers);
        // The request's own map is used again: hyper takes it back for the next request on this connection.
        let mut headers = request.headers;
        headers.clear();
        headers.insert(SERVER, HeaderValue::from_static("Server"));
        headers.insert(REQUEST_ID, HeaderValue::from_str(request_id).expect("request ids are ASCII"));
        headers.insert(CRC32, HeaderValue::from(crc32fast::hash(&body)));
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, content_type);
        }
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.token()));
        }
        if cross_origin {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        headers.extend(self.more);
        let mut response =
            Response::new(Full::new(Outgoing { bytes: Cursor::new(body), _charge: self.charge }));
        *response.status_mut() = self.status;
        *response.headers_mut() = headers;
        response
    }
}

/// A text as a header may carry it: what is not printable ASCII is escaped.
fn header_text(text: &str) -> String {
    let escape = |character: char| match character {
        ' '..='~' => character.to_string(),
        other => other.escape_default().to_string(),
    };
    text.chars().map(escape).collect()
}

/// Compresses a large body when the first `Accept-Encoding` line asks for it; later lines do not count.
fn compress(body: Vec<u8>, request: &HeaderMap) -> (Vec<u8>, Option<Coding>) {
    if body.len() <= coding::COMPRESS_ABOVE_BYTES {
        return (body, None);
    }
    let coding = request.get(ACCEPT_ENCODING).and_then(|accepted| coding::choose(accepted.as_bytes()));
    match coding.map(|coding| (coding, coding::compress(coding, &body))) {
        Some((coding, Ok(compressed))) => (compressed, Some(coding)),
        _ => (body, None),
    }
}

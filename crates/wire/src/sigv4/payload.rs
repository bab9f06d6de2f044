//! What stands for the body in a signature, and bodies in `aws-chunked` framing.
//!
//! The framing is `<length in hex>[;chunk-signature=<hex>]CRLF <data> CRLF`, again and again; a chunk of length zero
//! ends it, and lines `name:value` may follow. SDKs use it for bodies whose hash they do not know beforehand.

use bytes::Bytes;

use super::canonical::named_payload;
use super::key::{digest, hex};
use super::{Form, Parsed, SigningKey, TERMINATOR};
use crate::seen::Seen;

const UNSIGNED: &[u8] = b"UNSIGNED-PAYLOAD";
const CHUNKED: &[u8] = b"STREAMING-";
const CHUNKED_UNSIGNED: &[u8] = b"STREAMING-UNSIGNED-PAYLOAD-TRAILER";
const CHUNKED_SIGNED: &[u8] = b"STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
const CHUNKED_SIGNED_TRAILER: &[u8] = b"STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";

/// Longest line of the framing that is read, in bytes.
const LINE_BYTES_MAX: usize = 4096;

/// What the client has signed in place of the body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Payload {
    /// The hash of the body as sent, in hexadecimal digits.
    Whole([u8; 64]),
    /// A word that says that the body is not signed.
    Unsigned(&'static [u8]),
    /// A word that says that each chunk has a signature of its own, and perhaps the lines after them.
    Chunks {
        /// The word.
        word: &'static [u8],
        /// Whether the lines after the chunks are signed.
        trailer: bool,
    },
}

impl Payload {
    /// How the payload is named in the canonical request.
    pub(super) fn text(&self) -> &[u8] {
        match self {
            Payload::Whole(hash) => hash,
            Payload::Unsigned(word) | Payload::Chunks { word, .. } => word,
        }
    }

    /// The payload of a request; nothing if the client names a hash that is not the body's.
    pub(super) fn of(head: &Seen<'_>, body: &[u8], form: Form) -> Option<Payload> {
        let named = named_payload(head, form);
        match named.as_deref() {
            Some(UNSIGNED) => return Some(Payload::Unsigned(UNSIGNED)),
            Some(CHUNKED_UNSIGNED) => return Some(Payload::Unsigned(CHUNKED_UNSIGNED)),
            Some(CHUNKED_SIGNED) => return Some(Payload::Chunks { word: CHUNKED_SIGNED, trailer: false }),
            Some(CHUNKED_SIGNED_TRAILER) => {
                return Some(Payload::Chunks { word: CHUNKED_SIGNED_TRAILER, trailer: true });
            }
            _ => {}
        }
        let hash = hex(&digest(body));
        named.is_none_or(|named| *named == hash).then_some(Payload::Whole(hash))
    }
}

/// An `aws-chunked` body that is not framed as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadChunks;

/// The body inside `aws-chunked` framing, if the request says that it has one.
pub(crate) fn unchunk(head: &Seen<'_>, sent: &Bytes) -> Result<Option<Bytes>, BadChunks> {
    let named = head.x_amz_content_sha256;
    if !named.is_some_and(|named| named.as_bytes().trim_ascii().starts_with(CHUNKED)) {
        return Ok(None);
    }
    let mut data = Vec::with_capacity(sent.len());
    walk(sent, |chunk| {
        data.extend_from_slice(chunk.data);
        true
    })
    .ok_or(BadChunks)?;
    let announced = head.parts.headers.get("x-amz-decoded-content-length");
    if announced.is_some_and(|length| length.as_bytes() != data.len().to_string().as_bytes()) {
        return Err(BadChunks);
    }
    Ok(Some(Bytes::from(data)))
}

/// The content coding inside `aws-chunked`, which stands first or last in the list; `aws-chunked` alone leaves nothing.
pub(crate) fn inner_coding(content_encoding: &[u8]) -> &[u8] {
    const FRAMING: &[u8] = b"aws-chunked";
    let coding = content_encoding.trim_ascii();
    let (begins, ends) = (is_first(coding, FRAMING), is_last(coding, FRAMING));
    let inner = match (begins, ends) {
        (true, _) => &coding[FRAMING.len()..],
        (false, true) => &coding[..coding.len() - FRAMING.len()],
        (false, false) => coding,
    };
    let inner = inner.trim_ascii();
    let inner = inner.strip_prefix(b",").unwrap_or(inner);
    inner.strip_suffix(b",").unwrap_or(inner).trim_ascii()
}

fn is_first(list: &[u8], word: &[u8]) -> bool {
    let begins = list.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
    begins && list[word.len()..].trim_ascii_start().first().is_none_or(|next| *next == b',')
}

fn is_last(list: &[u8], word: &[u8]) -> bool {
    let Some(before) = list.len().checked_sub(word.len()) else { return false };
    list[before..].eq_ignore_ascii_case(word) && list[..before].trim_ascii_end().last() == Some(&b',')
}

/// One chunk, also the empty last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunk<'a> {
    data: &'a [u8],
    signature: Option<&'a [u8]>,
}

/// Shows each chunk to `visit` until it gives `false`; then, or if the framing is broken, there is no answer. The answer
/// is what follows the last chunk.
fn walk<'a>(body: &'a [u8], mut visit: impl FnMut(Chunk<'a>) -> bool) -> Option<&'a [u8]> {
    let mut rest = body;
    loop {
        let (line, after) = split_line(rest)?;
        let (length, signature) = chunk_head(line)?;
        let data = after.get(..length)?;
        rest = &after[length..];
        if !visit(Chunk { data, signature }) {
            return None;
        }
        if length == 0 {
            return Some(rest);
        }
        rest = rest.strip_prefix(b"\r\n")?;
    }
}

fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let window = &text[..text.len().min(LINE_BYTES_MAX)];
    let end = window.windows(2).position(|pair| pair == b"\r\n")?;
    Some((&text[..end], &text[end + 2..]))
}

/// Length and signature of a chunk.
fn chunk_head(line: &[u8]) -> Option<(usize, Option<&[u8]>)> {
    let mut parts = line.splitn(2, |byte| *byte == b';');
    let digits = str::from_utf8(parts.next()?).ok()?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let length = usize::from_str_radix(digits, 16).ok().filter(|_| plain)?;
    match parts.next() {
        None => Some((length, None)),
        Some(extension) => Some((length, Some(extension.strip_prefix(b"chunk-signature=")?))),
    }
}

/// Whether each chunk, and with `trailer` what follows them, is signed by `key`, in the order in which they stand.
pub(super) fn are_chunks_signed(
    body: &[u8],
    signature: &Parsed<'_>,
    key: &SigningKey,
    trailer: bool,
) -> bool {
    let chain = Chain { signature, key };
    let mut previous = signature.signature.as_bytes();
    let rest = walk(body, |chunk| {
        let Some(own) = chunk.signature else { return false };
        let before = std::mem::replace(&mut previous, own);
        chain.has_signed(b"-PAYLOAD", before, &[digest(b""), digest(chunk.data)], own)
    });
    match rest {
        Some(rest) if trailer => is_trailer_signed(rest, previous, &chain),
        Some(rest) => matches!(rest, b"\r\n" | b""),
        None => false,
    }
}

/// Lines `name:value`, then `x-amz-trailer-signature:<hex>`.
fn is_trailer_signed(lines: &[u8], previous: &[u8], chain: &Chain<'_>) -> bool {
    let mut signed = Vec::new();
    let mut rest = lines;
    while let Some((line, after)) = split_line(rest) {
        if let Some(own) = line.strip_prefix(b"x-amz-trailer-signature:") {
            let end = matches!(after, b"\r\n" | b"");
            return end && chain.has_signed(b"-TRAILER", previous, &[digest(&signed)], own);
        }
        signed.extend_from_slice(line);
        signed.push(b'\n');
        rest = after;
    }
    false
}

/// What the signatures of chunks share.
#[derive(Debug)]
struct Chain<'a> {
    signature: &'a Parsed<'a>,
    key: &'a SigningKey,
}

impl Chain<'_> {
    fn has_signed(&self, kind: &[u8], previous: &[u8], hashes: &[[u8; 32]], own: &[u8]) -> bool {
        let Parsed { algorithm, timestamp, date, region, service, .. } = self.signature;
        let mut text = algorithm.as_bytes().to_vec();
        text.extend_from_slice(kind);
        text.extend(format!("\n{timestamp}\n{date}/{region}/{service}/{TERMINATOR}\n").into_bytes());
        text.extend_from_slice(previous);
        for hash in hashes {
            text.push(b'\n');
            text.extend_from_slice(&hex(hash));
        }
        self.key.has_signed(&text, own)
    }
}

#[cfg(test)]
mod tests;

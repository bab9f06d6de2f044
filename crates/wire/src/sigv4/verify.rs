//! Whether a signature is right.

use hashrange_api::{Error, message};

use super::key::{digest, hex};
use super::payload::{Payload, are_chunks_signed};
use super::{Parsed, SigningKey, TERMINATOR, canonical, invalid};
use crate::seen::Seen;

/// Checks a signature from [`parse_at`](super::parse_at) against the request that it stood in. `body` is the body as
/// sent: still compressed, still in `aws-chunked` framing. `key` is that of the access key for the signature's scope.
///
/// # Errors
/// `InvalidSignatureException`, with one text for everything that can differ.
pub fn verify(head: &Seen<'_>, body: &[u8], signature: &Parsed<'_>, key: &SigningKey) -> Result<(), Error> {
    if is_right(head, body, signature, key) == Some(true) {
        Ok(())
    } else {
        Err(invalid(message::auth::wrong_signature()))
    }
}

fn is_right(head: &Seen<'_>, body: &[u8], signature: &Parsed<'_>, key: &SigningKey) -> Option<bool> {
    let payload = Payload::of(head, body, signature.form)?;
    let mut text = canonical::request(head, signature, payload.text())?;
    let hash = digest(&text);
    text.clear();
    push_scope(&mut text, signature);
    text.extend_from_slice(&hex(&hash));
    if !key.has_signed(&text, signature.signature.as_bytes()) {
        return Some(false);
    }
    match payload {
        Payload::Chunks { trailer, .. } => Some(are_chunks_signed(body, signature, key, trailer)),
        Payload::Whole(_) | Payload::Unsigned(_) => Some(true),
    }
}

/// The string to sign up to the hash: algorithm, time and scope, a line each.
fn push_scope(out: &mut Vec<u8>, signature: &Parsed<'_>) {
    let Parsed { algorithm, timestamp, date, region, service, .. } = signature;
    for (part, end) in [(algorithm, b'\n'), (timestamp, b'\n'), (date, b'/'), (region, b'/'), (service, b'/')]
    {
        out.extend_from_slice(part.as_bytes());
        out.push(end);
    }
    out.extend_from_slice(TERMINATOR.as_bytes());
    out.push(b'\n');
}

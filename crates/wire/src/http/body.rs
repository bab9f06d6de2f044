//! Reading a request body within its limit.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use hashrange_env::Env;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

/// First allocation for a body of several chunks; it grows with what really arrives, not with what was announced.
const FIRST_ALLOCATION_BYTES_MAX: usize = 64 * 1024;

/// How far past the limit a body is still read and thrown away, in multiples of the limit: a client that is cut off
/// while it sends sees a broken connection instead of its answer.
const DISCARD_FACTOR: usize = 4;

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// Longer than the limit.
    TooLarge,
    /// Cut short, or badly framed.
    Broken,
    /// Not complete in time.
    Slow,
}

/// How much body to take, and for how long to wait for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// Bytes.
    pub(crate) max: usize,
    /// Time for the whole body.
    pub(crate) timeout: Duration,
    /// The client waits for `100 Continue` before it sends, so an answer is seen without reading anything.
    pub(crate) client_waits: bool,
}

/// Reads the whole body. A body that came in one piece with its header is not copied.
pub(crate) async fn read(mut body: Incoming, limits: BodyLimits, env: &Env) -> Result<Bytes, BodyError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let announced = body.size_hint().exact();
    if announced.is_some_and(|length| length > limits.max as u64) {
        if !limits.client_waits {
            in_time(discard(&mut body, limits.max), limits, env).await?;
        }
        return Err(BodyError::TooLarge);
    }
    // Nearly always the body has come with the header: then no timer is made for it.
    let first = match next_chunk(&mut body).now_or_never() {
        Some(chunk) => chunk?.unwrap_or_default(),
        None => Bytes::new(),
    };
    if body.is_end_stream() && first.len() <= limits.max {
        return Ok(first);
    }
    in_time(collect(body, first, announced, limits.max), limits, env).await
}

/// Joins the first chunk, which may be empty, and the rest.
async fn collect(
    mut body: Incoming,
    first: Bytes,
    announced: Option<u64>,
    max: usize,
) -> Result<Bytes, BodyError> {
    let room = usize::try_from(announced.unwrap_or(0)).unwrap_or(usize::MAX);
    let mut whole = BytesMut::with_capacity(room.min(FIRST_ALLOCATION_BYTES_MAX).max(first.len()));
    whole.extend_from_slice(&first);
    // The read buffer of the connection can be used again.
    drop(first);
    while let Some(chunk) = next_chunk(&mut body).await? {
        if whole.len() + chunk.len() > max {
            drop(whole);
            discard(&mut body, max).await?;
            return Err(BodyError::TooLarge);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

/// Reads on without keeping anything, to the end of the body or of patience.
async fn discard(body: &mut Incoming, max: usize) -> Result<(), BodyError> {
    let mut patience = max.saturating_mul(DISCARD_FACTOR);
    while let Some(chunk) = next_chunk(body).await? {
        patience = patience.saturating_sub(chunk.len());
        if patience == 0 {
            break;
        }
    }
    Ok(())
}

/// The next piece of data; trailers count as an empty one.
async fn next_chunk(body: &mut Incoming) -> Result<Option<Bytes>, BodyError> {
    match body.frame().await {
        None => Ok(None),
        Some(frame) => Ok(Some(frame.map_err(|_| BodyError::Broken)?.into_data().unwrap_or_default())),
    }
}

/// `reading`, or [`BodyError::Slow`] when it takes longer than allowed.
async fn in_time<T>(
    reading: impl Future<Output = Result<T, BodyError>>,
    limits: BodyLimits,
    env: &Env,
) -> Result<T, BodyError> {
    tokio::select! {
        outcome = reading => outcome,
        () = env.tasks.sleep(limits.timeout) => Err(BodyError::Slow),
    }
}

//! Reading a request body within its limit.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use hashrange_env::Env;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use crate::connection::memory::{Charge, Full, Memory};

/// First allocation for a body of several chunks; it grows with what really arrives, not with what was announced.
const FIRST_ALLOCATION_BYTES_MAX: usize = 64 * 1024;

/// A body grows by this factor: few copies, and a client is charged for little more than it has sent.
const GROWTH: usize = 4;

/// How many bytes of the budget a byte of body costs. The body itself is one; what JSON makes of it is the rest: the
/// worst that a body can be, sets of short numbers, takes up this much (`tests/overload.rs` of the program measures it).
const DECODED_FACTOR: usize = 10;

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
    /// The budget for all bodies is used up.
    NoMemory,
}

impl From<Full> for BodyError {
    fn from(Full: Full) -> BodyError {
        BodyError::NoMemory
    }
}

/// A whole body, and its part of the budget.
pub(crate) type Held<'a> = (Bytes, Charge<&'a Memory>);

/// What a body of that many bytes costs.
pub(crate) fn cost(bytes: usize) -> usize {
    bytes.saturating_mul(DECODED_FACTOR)
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
pub(crate) async fn read<'a>(
    mut body: Incoming,
    limits: BodyLimits,
    memory: &'a Memory,
    env: &Env,
) -> Result<Held<'a>, BodyError> {
    if body.is_end_stream() {
        return Ok((Bytes::new(), Charge::take(memory, 0)?));
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
        let charge = Charge::take(memory, cost(first.len()))?;
        return Ok((first, charge));
    }
    in_time(collect(body, first, announced, (limits.max, memory)), limits, env).await
}

/// Joins the first chunk, which may be empty, and the rest. The rest of a body that is too large, or that there is no
/// memory for, is read and thrown away, so that the client sees its answer.
async fn collect(
    mut body: Incoming,
    first: Bytes,
    announced: Option<u64>,
    (max, memory): (usize, &Memory),
) -> Result<Held<'_>, BodyError> {
    let announced = usize::try_from(announced.unwrap_or(0)).unwrap_or(usize::MAX);
    let mut growing = Growing { bytes: BytesMut::new(), charge: Charge::take(memory, 0)?, announced, max };
    // What the first chunk stood in, the read buffer of the connection, can be used again.
    let mut chunk = Some(first);
    while let Some(piece) = chunk {
        if let Err(error) = growing.push(&piece) {
            drop(growing);
            drop(piece);
            discard(&mut body, max).await?;
            return Err(error);
        }
        drop(piece);
        chunk = next_chunk(&mut body).await?;
    }
    Ok((growing.bytes.freeze(), growing.charge))
}

/// A body that arrives, and what it costs: the room that it has, which is never much more than what has come.
#[derive(Debug)]
struct Growing<'a> {
    bytes: BytesMut,
    charge: Charge<&'a Memory>,
    announced: usize,
    max: usize,
}

impl Growing<'_> {
    fn push(&mut self, piece: &[u8]) -> Result<(), BodyError> {
        let needed = self.bytes.len() + piece.len();
        if needed > self.max {
            return Err(BodyError::TooLarge);
        }
        if needed > self.bytes.capacity() {
            let room = self.room(needed);
            // Until the bytes are copied, the old room is held too.
            let old = self.bytes.capacity();
            self.charge.set(cost(room).saturating_add(old))?;
            let mut grown = BytesMut::with_capacity(room);
            grown.extend_from_slice(&self.bytes);
            self.bytes = grown;
            self.charge.set(cost(room))?;
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    /// The next size: what was announced, but not much before it has come.
    fn room(&self, needed: usize) -> usize {
        let limit = if self.announced >= needed { self.announced } else { self.max };
        let next = self.bytes.capacity().saturating_mul(GROWTH).max(FIRST_ALLOCATION_BYTES_MAX);
        next.max(needed).min(limit)
    }
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

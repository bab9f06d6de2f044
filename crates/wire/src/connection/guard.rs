//! What stands between a socket and the HTTP parser: it refuses ambiguous requests and ends what takes too long.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hashrange_env::Env;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::framing::{Bad, Framing};
use super::watch::Watch;
use crate::server::Options;

/// What the parser gets in place of a request that is refused. No byte of a head may be zero, so it answers with 400 and
/// closes, whatever it has seen of the head before.
const NO_REQUEST: &[u8] = b"\0\r\n\r\n";

/// Whether a request of the connection is being answered. Shared between the socket's side and the service's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy(Arc<AtomicBool>);

impl Busy {
    /// Says that a request is being answered, or no more.
    pub(crate) fn set(&self, busy: bool) {
        self.0.store(busy, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A socket under guard.
#[derive(Debug)]
pub(crate) struct Guard<S> {
    socket: S,
    framing: Framing,
    busy: Busy,
    header_timeout: Duration,
    idle_timeout: Duration,
    /// Nothing came yet: the first request must be quicker than a later one.
    is_new: bool,
    /// What is left of [`NO_REQUEST`] to be given, once a request was refused; then comes the end.
    refusal: Option<&'static [u8]>,
    /// An answer has begun to be written and is not flushed.
    is_sending: bool,
    /// Since when the next request, or the rest of a head, is waited for.
    waiting_since: Option<Duration>,
    /// Since when no byte of an answer could be sent.
    blocked_since: Option<Duration>,
    reads: Watch,
    writes: Watch,
}

impl<S> Guard<S> {
    pub(crate) fn new(socket: S, options: &Options, env: &Env, busy: Busy) -> Guard<S> {
        Guard {
            socket,
            framing: Framing::new(),
            busy,
            header_timeout: options.header_timeout,
            idle_timeout: options.idle_timeout,
            is_new: true,
            refusal: None,
            is_sending: false,
            waiting_since: None,
            blocked_since: None,
            reads: Watch::new(env.clone()),
            writes: Watch::new(env.clone()),
        }
    }

    /// Nothing has come. A client may be slow only while it is not waited for: the body has a time of its own, and an
    /// answer may take as long as it takes.
    fn nothing_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.busy.is_set() || self.is_sending {
            self.waiting_since = None;
            return Poll::Pending;
        }
        let is_idle = !self.is_new && self.framing.is_between_requests();
        let limit = if is_idle { self.idle_timeout } else { self.header_timeout };
        if self.reads.is_over(cx, &mut self.waiting_since, limit) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }

    /// Shows what came to the framing, and takes back what does not belong in a request.
    fn read(&mut self, buffer: &mut ReadBuf<'_>, before: usize) {
        let came = &buffer.filled()[before..];
        self.is_new &= came.is_empty();
        // A head that arrives drop by drop has one time from its beginning on.
        if self.framing.is_between_requests() {
            self.waiting_since = None;
        }
        if let Err(Bad(at)) = self.framing.follow(came) {
            tracing::debug!("a request that readers could understand differently is refused");
            buffer.set_filled(before + at);
            self.refuse(buffer, NO_REQUEST);
        }
        if self.framing.is_between_requests() {
            self.waiting_since = None;
        }
    }

    /// Gives the parser what makes it refuse the request, or as much of it as there is room for.
    fn refuse(&mut self, buffer: &mut ReadBuf<'_>, text: &'static [u8]) {
        let (now, later) = text.split_at(text.len().min(buffer.remaining()));
        buffer.put_slice(now);
        self.refusal = Some(later);
    }

    /// Ends an answer that the client does not take.
    fn nothing_sent<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if self.writes.is_over(cx, &mut self.blocked_since, self.idle_timeout) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(text) = self.refusal {
            self.refuse(buffer, text);
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut self.socket).poll_read(cx, buffer) {
            Poll::Pending => self.nothing_read(cx),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => {
                self.read(buffer, before);
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> Guard<S> {
    fn sent<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.is_sending = true;
        if outcome.is_pending() {
            return self.nothing_sent(cx);
        }
        self.blocked_since = None;
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guard<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.sent(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.socket).poll_write_vectored(cx, pieces);
        self.sent(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.socket).poll_flush(cx) {
            Poll::Pending => self.nothing_sent(cx),
            Poll::Ready(outcome) => {
                self.is_sending = false;
                self.blocked_since = None;
                Poll::Ready(outcome)
            }
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = ready!(Pin::new(&mut self.socket).poll_shutdown(cx));
        Poll::Ready(outcome)
    }
}

//! Accepting connections, and letting them go.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hashrange_env::Env;
use hashrange_service::Service;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

use crate::Handler;
use crate::credentials::Keyring;
use crate::http::Front;

/// Read buffer of one connection, in bytes. It grows to this only for a client that fills it.
const READ_BUFFER_BYTES_MAX: usize = 128 * 1024;

/// Pause after a failed accept, so that a lack of file descriptors does not become a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Limits of the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Largest request body in bytes, as sent and after decompression. AWS's is 16 MB.
    pub max_body: usize,
    /// Longest time from accepting a connection, or from its previous answer, to the end of the next request's headers.
    /// So it also ends idle connections; it is longer than the usual pools of clients keep them.
    pub header_timeout: Duration,
    /// Longest time for a request body to arrive.
    pub body_timeout: Duration,
    /// How long a shutdown waits for requests that are being answered.
    pub drain_timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_body: 16 * 1024 * 1024,
            header_timeout: Duration::from_mins(2),
            body_timeout: Duration::from_mins(1),
            drain_timeout: Duration::from_secs(10),
        }
    }
}

/// The HTTP server in front of a [`Handler`].
#[derive(Debug)]
pub struct Server<H = Service> {
    front: Arc<Front<H>>,
}

/// What connections are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Serve.
    Serving,
    /// Answer what has begun, then close.
    Draining,
    /// Close now.
    Closed,
}

impl<H: Handler> Server<H> {
    /// A server that has not begun. `env` gives request ids, timers and tasks.
    pub fn new(handler: Arc<H>, env: Env, options: Options) -> Server<H> {
        Server { front: Arc::new(Front { handler, env, options, keyring: None }) }
    }

    /// Verifies every signature against `keyring`. Without it every well-formed signature is accepted, and only its
    /// region and access key are read.
    #[must_use]
    pub fn verifying(mut self, keyring: Arc<Keyring>) -> Server<H> {
        let front = Arc::get_mut(&mut self.front).expect("nothing shares the front before the server serves");
        front.keyring = Some(keyring);
        self
    }

    /// Serves connections until `shutdown` completes; then stops accepting, closes idle connections and waits for
    /// requests that have begun, at most [`Options::drain_timeout`].
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let (phase, _) = watch::channel(Phase::Serving);
        let (alive, mut all_gone) = mpsc::channel::<Infallible>(1);
        self.accept(listener, &phase, alive, shutdown).await;
        phase.send_replace(Phase::Draining);
        let env = &self.front.env;
        tokio::select! {
            _ = all_gone.recv() => {}
            () = env.tasks.sleep(self.front.options.drain_timeout) => {
                tracing::warn!("requests were still running at the end of the drain time; their connections are cut");
                phase.send_replace(Phase::Closed);
            }
        }
    }

    /// The accept loop. Each connection holds a clone of `alive`, so that its end can be waited for.
    async fn accept(
        &self,
        listener: TcpListener,
        phase: &watch::Sender<Phase>,
        alive: mpsc::Sender<Infallible>,
        shutdown: impl Future<Output = ()>,
    ) {
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut shutdown => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => self.open(stream, phase.subscribe(), alive.clone()),
                Err(error) if ends_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept connections; is the limit of open files too low?");
                    self.front.env.tasks.sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves one connection in a task of its own.
    fn open(&self, stream: TcpStream, phase: watch::Receiver<Phase>, alive: mpsc::Sender<Infallible>) {
        let front = Arc::clone(&self.front);
        let task = async move {
            converse(stream, &front, phase).await;
            drop(alive);
        };
        self.front.env.tasks.spawn("connection", Box::pin(task));
    }
}

/// Answers the requests of one connection, one after the other, until either side closes it.
async fn converse<H: Handler>(stream: TcpStream, front: &Front<H>, mut phase: watch::Receiver<Phase>) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let service = service_fn(|request| front.answer(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(front.options.header_timeout)
        .max_buf_size(READ_BUFFER_BYTES_MAX)
        // A client may close its side once it has sent its request; it still gets its answer.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended");
                }
                return;
            }
            changed = phase.changed() => {
                if changed.is_err() || *phase.borrow() == Phase::Closed {
                    return;
                }
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Whether an accept error concerns only the connection that was about to be accepted.
fn ends_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

//! Accepting connections, and letting them go.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hashrange_env::Env;
use hashrange_service::{Connected, Metrics, Service};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use crate::Handler;
use crate::connection::{Busy, Guard, Refusal, Refusals, Turns};
use crate::credentials::Keyring;
use crate::http::{Front, Session};
use crate::tls::{Accepted, Tls};

/// Read buffer of one connection, in bytes. It grows to this only for a client that fills it.
const READ_BUFFER_BYTES_MAX: usize = 64 * 1024;

/// Pause after a failed accept, so that a lack of file descriptors does not become a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Limits of the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Largest request body in bytes, as sent and after decompression. AWS's is 16 MB.
    pub max_body: usize,
    /// Longest time from the first byte of a request to the end of its headers, from accepting a connection to its first
    /// request, and for a TLS handshake.
    pub header_timeout: Duration,
    /// Longest time between an answer and the next request, and for which a client may take no byte of an answer.
    pub idle_timeout: Duration,
    /// Longest time for a request body to arrive.
    pub body_timeout: Duration,
    /// How long a shutdown waits for requests that are being answered.
    pub drain_timeout: Duration,
    /// Connections at the same time; more are told to try again later.
    pub max_connections: usize,
    /// Bytes that bodies (as sent, expanded, decoded) and large answers of all requests may hold together; requests
    /// beyond it are told to try again later.
    pub request_memory: usize,
    /// Who may read the counts of the server at `GET /metrics`.
    pub metrics: Audience,
    /// Whether texts that may hold values of items stand in the log: those of errors and of panics.
    pub log_values: bool,
}

/// Who may read a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Nobody.
    Nobody,
    /// Programs on this machine: not browsers on behalf of a web page, nor proxies that say so.
    Local,
    /// Everybody who can connect.
    Everybody,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_body: 16 * 1024 * 1024,
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(1),
            body_timeout: Duration::from_mins(1),
            drain_timeout: Duration::from_secs(10),
            max_connections: 4096,
            request_memory: 256 * 1024 * 1024,
            metrics: Audience::Local,
            log_values: false,
        }
    }
}

/// The HTTP server in front of a [`Handler`].
#[derive(Debug)]
pub struct Server<H = Service> {
    front: Arc<Front<H>>,
    tls: Option<Arc<Tls>>,
}

/// What the accept loop gives to a connection.
#[derive(Debug)]
struct Admission {
    phase: watch::Receiver<Phase>,
    /// Dropped at the connection's end, so that its end can be waited for.
    _alive: mpsc::Sender<Infallible>,
    /// Its place among the connections that there may be.
    _place: OwnedSemaphorePermit,
    _connected: Connected,
    /// The other end is on this machine.
    is_local: bool,
}

/// Who is let in.
#[derive(Debug)]
struct Door {
    places: Arc<Semaphore>,
    refusals: Refusals,
    /// The last connection was refused; the next one that is not ends what the log has told.
    is_full: bool,
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
        Server { front: Arc::new(Front::new(handler, env, options)), tls: None }
    }

    /// Speaks TLS, and nothing else.
    #[must_use]
    pub fn encrypted(mut self, tls: Arc<Tls>) -> Server<H> {
        self.tls = Some(tls);
        self
    }

    /// Verifies every signature against `keyring`. Without it every well-formed signature is accepted, and only its
    /// region and access key are read.
    #[must_use]
    pub fn verifying(mut self, keyring: Arc<Keyring>) -> Server<H> {
        let front = Arc::get_mut(&mut self.front).expect("nothing shares the front before the server serves");
        front.keyring = Some(keyring);
        self
    }

    /// Counts in `metrics` what it does, and shows them at `GET /metrics` to whom [`Options::metrics`] says.
    #[must_use]
    pub fn measuring(mut self, metrics: Arc<Metrics>) -> Server<H> {
        let front = Arc::get_mut(&mut self.front).expect("nothing shares the front before the server serves");
        front.measure(metrics);
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
        let mut door = Door::new(&self.front.options, self.front.env.clone());
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut shutdown => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let Some((stream, place)) = door.admit(stream, self.tls.is_some()) else {
                        self.front.metrics.turned_away();
                        continue;
                    };
                    let admission = Admission {
                        phase: phase.subscribe(),
                        _alive: alive.clone(),
                        _place: place,
                        _connected: self.front.metrics.connected(),
                        is_local: peer.ip().to_canonical().is_loopback(),
                    };
                    self.open(stream, admission);
                }
                Err(error) if ends_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept connections; is the limit of open files too low?");
                    self.front.env.tasks.sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves one connection in a task of its own.
    fn open(&self, stream: TcpStream, admission: Admission) {
        let front = Arc::clone(&self.front);
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot set TCP_NODELAY");
        }
        let task: hashrange_env::BoxFuture<'static, ()> = match self.tls.clone() {
            None => Box::pin(async move { converse(stream, &front, admission).await }),
            Some(tls) => Box::pin(async move { encrypted(stream, &tls, &front, admission).await }),
        };
        self.front.env.tasks.spawn("connection", task);
    }
}

impl Door {
    fn new(options: &Options, env: Env) -> Door {
        let places = options.max_connections.min(Semaphore::MAX_PERMITS);
        Door { places: Arc::new(Semaphore::new(places)), refusals: Refusals::new(env), is_full: false }
    }

    /// Gives the connection a place, or tells it that there is none. A client that waits for a handshake can be told
    /// nothing: it sees its connection closed, which SDKs try again as well.
    fn admit(&mut self, stream: TcpStream, is_encrypted: bool) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            self.is_full = false;
            return Some((stream, place));
        }
        if !std::mem::replace(&mut self.is_full, true) {
            tracing::warn!("there are as many connections as --max-connections allows; more are refused");
        }
        if !is_encrypted {
            self.refusals.spawn(stream, Refusal::TooMany);
        }
        None
    }
}

/// A handshake, and then the requests of the connection.
async fn encrypted<H: Handler>(stream: TcpStream, tls: &Tls, front: &Front<H>, admission: Admission) {
    match tls.accept(stream, front.options.header_timeout, &front.env).await {
        Accepted::Stream(stream) => converse(*stream, front, admission).await,
        Accepted::Refused(stream, refusal) => Refusals::new(front.env.clone()).spawn(stream, refusal),
        Accepted::Gone => {}
    }
}

/// Answers the requests of one connection, one after the other, until either side closes it.
async fn converse<H: Handler, S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    front: &Front<H>,
    mut admission: Admission,
) {
    let busy = Busy::default();
    let guard = Guard::new(stream, &front.options, &front.env, busy.clone());
    let session = Session::new(busy, admission.is_local);
    let service = service_fn(|request| front.answer(request, &session));
    let connection = http1::Builder::new()
        // The guard keeps the time.
        .header_read_timeout(None)
        .max_buf_size(READ_BUFFER_BYTES_MAX)
        // A client may close its side once it has sent its request; it still gets its answer.
        .half_close(true)
        .serve_connection(TokioIo::new(guard), service);
    let mut connection = pin!(connection);
    let turns = Turns::new();
    loop {
        tokio::select! {
            biased;
            ended = poll_fn(|cx| turns.poll(connection.as_mut(), cx)) => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended");
                }
                return;
            }
            changed = admission.phase.changed() => {
                if changed.is_err() || *admission.phase.borrow() == Phase::Closed {
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

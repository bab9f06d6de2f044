//! What the server has done, counted as it does it: requests, errors and times by operation, connections, and what
//! other parts tell when they are asked ([`Source`]).
//!
//! A request costs two readings of the clock and two or three atomic additions; there are no locks and no memory is
//! taken until somebody asks for the [page](Metrics::page).

mod page;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use hashrange_api::{ErrorCode, Operation};
use hashrange_env::{Clock, Env};
use hashrange_store::Histogram;
use parking_lot::Mutex;

pub use page::{Family, Kind, Page};

const US: u64 = 1000;
const MS: u64 = 1000 * US;
/// Upper bounds of the time of a request, in nanoseconds.
const LATENCY_BOUNDS: [u64; 16] = [
    50 * US,
    100 * US,
    250 * US,
    500 * US,
    MS,
    2500 * US,
    5 * MS,
    10 * MS,
    25 * MS,
    50 * MS,
    100 * MS,
    250 * MS,
    500 * MS,
    1000 * MS,
    2500 * MS,
    10_000 * MS,
];
/// Statuses with which requests are refused before they become operations; the last stands for all others.
const REFUSALS: [u16; 6] = [400, 404, 408, 413, 503, 0];
/// What stands for an operation where a request names none that is known.
const NO_OPERATION: &str = "unknown";

/// Something that has more to tell when the page is written.
pub trait Source: Send + Sync + std::fmt::Debug {
    /// Writes its families.
    fn tell(&self, page: &mut Page);
}

/// The counts of one server.
#[derive(Debug)]
pub struct Metrics {
    clock: Arc<dyn Clock>,
    started: Duration,
    /// By operation, and one more for requests that name none.
    operations: Box<[Requests]>,
    refused: [AtomicU64; REFUSALS.len()],
    connections: Connections,
    sources: Mutex<Vec<Arc<dyn Source>>>,
}

/// The requests of one operation.
#[derive(Debug)]
struct Requests {
    errors: [AtomicU64; ErrorCode::ALL.len()],
    times: Histogram<16>,
}

#[derive(Debug, Default)]
struct Connections {
    open: AtomicU64,
    accepted: AtomicU64,
    refused: AtomicU64,
}

/// A connection that is counted as open until this is dropped.
#[derive(Debug)]
pub struct Connected(Arc<Metrics>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.open.fetch_sub(1, Relaxed);
    }
}

impl Metrics {
    /// Nothing has happened yet; the uptime counts from now.
    pub fn new(env: &Env) -> Metrics {
        let clock = Arc::clone(&env.clock);
        let requests = || Requests {
            errors: std::array::from_fn(|_| AtomicU64::new(0)),
            times: Histogram::new(&LATENCY_BOUNDS),
        };
        Metrics {
            started: clock.monotonic(),
            clock,
            operations: std::iter::repeat_with(requests).take(Operation::ALL.len() + 1).collect(),
            refused: std::array::from_fn(|_| AtomicU64::new(0)),
            connections: Connections::default(),
            sources: Mutex::default(),
        }
    }

    /// Adds one that is asked whenever the page is written.
    pub fn add(&self, source: Arc<dyn Source>) {
        self.sources.lock().push(source);
    }

    /// A request was answered: by its operation, if it named one, or with an error.
    pub fn answered(&self, operation: Option<Operation>, outcome: Result<(), ErrorCode>, took: Duration) {
        let place = operation.map_or(Operation::ALL.len(), |operation| operation as usize);
        let requests = &self.operations[place];
        requests.times.record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        if let Err(code) = outcome {
            requests.errors[code as usize].fetch_add(1, Relaxed);
        }
    }

    /// A request was refused with that HTTP status before it became an operation.
    pub fn refused(&self, status: u16) {
        let place = REFUSALS.iter().position(|known| *known == status).unwrap_or(REFUSALS.len() - 1);
        self.refused[place].fetch_add(1, Relaxed);
    }

    /// A connection was accepted; it is open until the value is dropped.
    pub fn connected(self: &Arc<Self>) -> Connected {
        self.connections.accepted.fetch_add(1, Relaxed);
        self.connections.open.fetch_add(1, Relaxed);
        Connected(Arc::clone(self))
    }

    /// A connection was turned away because there are too many.
    pub fn turned_away(&self) {
        self.connections.refused.fetch_add(1, Relaxed);
    }

    /// All of it in Prometheus' text format, version 0.0.4.
    pub fn page(&self) -> String {
        let mut page = Page::default();
        self.tell_build(&mut page);
        self.tell_requests(&mut page);
        self.tell_connections(&mut page);
        let sources = self.sources.lock().clone();
        for source in sources {
            source.tell(&mut page);
        }
        page.into_text()
    }

    fn tell_build(&self, page: &mut Page) {
        let mut build =
            page.family("hashrange_build_info", Kind::Gauge, "The release, as a label; always 1.");
        build.sample(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        let uptime = self.clock.monotonic().saturating_sub(self.started);
        let mut family =
            page.family("hashrange_uptime_seconds", Kind::Gauge, "Time since this server started.");
        family.seconds(&[], u64::try_from(uptime.as_nanos()).unwrap_or(u64::MAX));
    }

    /// The operations that were asked for, each with its name.
    fn seen(&self) -> impl Iterator<Item = (&'static str, &Requests)> {
        let names = Operation::ALL.into_iter().map(Operation::name).chain([NO_OPERATION]);
        names.zip(&self.operations).filter(|(_, requests)| requests.times.count() > 0)
    }

    fn tell_requests(&self, page: &mut Page) {
        let mut family = page.family(
            "hashrange_requests_total",
            Kind::Counter,
            "Requests answered, by operation, with whatever outcome.",
        );
        for (operation, requests) in self.seen() {
            family.sample(&[("operation", operation)], requests.times.count());
        }
        let mut family = page.family(
            "hashrange_request_errors_total",
            Kind::Counter,
            "Requests answered with an error, by operation and error code.",
        );
        for (operation, requests) in self.seen() {
            for (code, count) in ErrorCode::ALL.into_iter().zip(&requests.errors) {
                let count = count.load(Relaxed);
                if count > 0 {
                    family.sample(&[("operation", operation), ("code", code.name())], count);
                }
            }
        }
        let mut family = page.family(
            "hashrange_request_duration_seconds",
            Kind::Histogram,
            "Time from the arrival of a request's body to its answer, by operation.",
        );
        for (operation, requests) in self.seen() {
            family.times(&[("operation", operation)], &requests.times.read());
        }
        let mut family = page.family(
            "hashrange_http_refusals_total",
            Kind::Counter,
            "HTTP requests refused before they became operations, by status.",
        );
        for (status, count) in REFUSALS.into_iter().zip(&self.refused) {
            let status = if status == 0 { "other".to_owned() } else { status.to_string() };
            family.sample(&[("status", &status)], count.load(Relaxed));
        }
    }

    fn tell_connections(&self, page: &mut Page) {
        let Connections { open, accepted, refused } = &self.connections;
        page.family("hashrange_connections", Kind::Gauge, "Open connections.")
            .sample(&[], open.load(Relaxed));
        page.family("hashrange_connections_accepted_total", Kind::Counter, "Connections accepted.")
            .sample(&[], accepted.load(Relaxed));
        page.family(
            "hashrange_connections_refused_total",
            Kind::Counter,
            "Connections turned away because there were too many.",
        )
        .sample(&[], refused.load(Relaxed));
    }
}

#[cfg(test)]
mod tests;

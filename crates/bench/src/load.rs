//! The load generator: keep-alive connections in a closed loop, on one thread with epoll.
//!
//! Each connection sends its next request when the answer to the last one is there. Two system calls per
//! request and no allocation: about what wrk costs, so that on a small machine the server keeps its core.
//!
//! With one connection it sleeps until the answer is there, as clients do, on a processor of its own ([`Apart`]): what a
//! request takes then has the wake-ups in it that every client sees. With more it polls for a while before it sleeps: a
//! client on another machine costs a server nothing but the packet, and one that sleeps beside it has to be woken, which
//! is counted as the server's time, and on a virtual machine takes as long as half a request.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::apart::Apart;
use crate::client::{Connection, Extent, PATIENCE};
use crate::histogram::Histogram;
use crate::procfs::{as_f64, cpu_of_tree};
use crate::requests::{self, Draws, Layout, Template};

/// How long a run goes on before it is measured.
const WARM_UP: Duration = Duration::from_millis(200);

/// How long it polls before it sleeps.
const POLLS_FOR: Duration = Duration::from_micros(100);

/// How often a long run says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// The first item number of the counter workloads, far from all others.
pub(crate) const COUNTERS_FROM: u64 = 900_000_000;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// The server.
    #[arg(long)]
    addr: SocketAddr,
    /// What to send.
    #[arg(long)]
    workload: Workload,
    /// Connections, each with one request on its way.
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// How long to measure; fills end with their last item instead.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Ends after so many requests instead.
    #[arg(long)]
    requests: Option<u64>,
    /// Items to choose from, or to write with a fill.
    #[arg(long, default_value_t = 1000)]
    keys: u64,
    /// Number of the first item.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Items of one partition.
    #[arg(long, default_value_t = 10)]
    per_partition: u64,
    /// The table.
    #[arg(long, default_value = requests::TABLE)]
    table: String,
    /// Process whose CPU time over the run, with its descendants', goes into the line.
    #[arg(long)]
    cpu_of: Option<u32>,
    /// Seed of keys and contents.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workload {
    /// GetItem of a random item.
    Get,
    /// PutItem over a random item.
    Put,
    /// PutItem of every item once, in order.
    Fill,
    /// BatchWriteItem of random groups of 25 items.
    Batch,
    /// BatchWriteItem of every item once, in order.
    BatchFill,
    /// Query of the partition of a random item.
    Query,
    /// Each connection puts an item before all others of the partition and deletes it, again and again.
    Queue,
    /// TransactWriteItems of two items, each connection on items of its own.
    TransactPut,
    /// TransactWriteItems of a hundred items, each connection on items of its own.
    TransactPutMany,
    /// TransactGetItems of two items.
    TransactGet,
    /// ExecuteStatement that selects a random item by its key.
    Select,
    /// PutItem of the items that the two counter workloads use, once.
    FillCounters,
    /// UpdateItem ADD on one item from all connections.
    AddOne,
    /// UpdateItem ADD, each connection on an item of its own.
    AddDistinct,
}

impl Workload {
    /// What each connection sends in turn.
    fn templates(self, layout: Layout<'_>) -> Vec<Template> {
        match self {
            Workload::Get => vec![Template::get(layout)],
            Workload::Put | Workload::Fill | Workload::FillCounters => vec![Template::put(layout)],
            Workload::Batch | Workload::BatchFill => vec![Template::batch(layout)],
            Workload::Query => vec![Template::query(layout)],
            Workload::TransactPut => vec![Template::transact_put(layout, 2)],
            Workload::TransactPutMany => vec![Template::transact_put(layout, requests::MANY)],
            Workload::TransactGet => vec![Template::transact_get(layout)],
            Workload::Select => vec![Template::select(layout)],
            Workload::Queue => vec![Template::put(layout), Template::delete(layout)],
            Workload::AddOne | Workload::AddDistinct => vec![Template::add(layout)],
        }
    }

    /// Whether an answer with status 200 is what was asked for.
    fn is_answered(self, body: &[u8]) -> bool {
        match self {
            Workload::Get | Workload::Select => body.len() > 100,
            Workload::TransactGet => body.len() > 500,
            Workload::TransactPut | Workload::TransactPutMany => body == b"{}",
            Workload::Query => body.len() > 3000,
            Workload::Batch | Workload::BatchFill => body == br#"{"UnprocessedItems":{}}"#,
            _ => true,
        }
    }
}

/// What one run measured. Times are in the units of their names.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// Finished requests.
    pub(crate) requests: u64,
    pub(crate) seconds: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    /// CPU time of the server per request.
    pub(crate) server_cpu_us: f64,
    /// CPU time of the generator per request.
    pub(crate) client_cpu_us: f64,
    /// Writes that shared one flush, where known.
    pub(crate) requests_per_flush: Option<f64>,
    /// Length of the last answer's body.
    pub(crate) answer_bytes: u64,
    /// Requests that were sent in the whole run, warm-up included; all were answered.
    pub(crate) sent: u64,
}

impl Sample {
    pub(crate) fn new(histogram: &Histogram, elapsed: Duration) -> Sample {
        Sample {
            requests: histogram.total(),
            seconds: elapsed.as_secs_f64(),
            p50_us: as_f64(histogram.quantile(500)) / 1e3,
            p99_us: as_f64(histogram.quantile(990)) / 1e3,
            sent: histogram.total(),
            ..Sample::default()
        }
    }

    /// Finished requests per second.
    pub(crate) fn rate(&self) -> f64 {
        as_f64(self.requests) / self.seconds
    }
}

/// Runs a workload and prints its [`Sample`] as one line of JSON.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let sample = Generator::new(args)?.run()?;
    println!("{}", serde_json::to_string(&sample)?);
    Ok(())
}

#[derive(Debug)]
struct Generator<'a> {
    args: &'a Args,
    epoll: OwnedFd,
    connections: Vec<Connection>,
    sent_at: Vec<Instant>,
    templates: Vec<Template>,
    /// Per connection, how many requests it has sent.
    turns: Vec<usize>,
    draws: Draws,
    sent: u64,
    /// Requests without an answer yet.
    on_their_way: usize,
    answer_bytes: u64,
    histogram: Histogram,
    stopping: bool,
}

impl<'a> Generator<'a> {
    fn new(args: &'a Args) -> Result<Generator<'a>, Failure> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut connections = Vec::new();
        for number in 0..args.connections {
            let connection = Connection::open(args.addr)?;
            let data = epoll::EventData::new_u64(number as u64);
            epoll::add(&epoll, connection.stream(), data, epoll::EventFlags::IN)?;
            connections.push(connection);
        }
        let layout = Layout { table: &args.table, per_partition: args.per_partition };
        Ok(Generator {
            args,
            epoll,
            connections,
            sent_at: vec![Instant::now(); args.connections],
            templates: args.workload.templates(layout),
            turns: vec![0; args.connections],
            draws: Draws::new(args.seed),
            sent: 0,
            on_their_way: 0,
            answer_bytes: 0,
            histogram: Histogram::new(),
            stopping: false,
        })
    }

    fn run(mut self) -> Result<Sample, Failure> {
        let _apart = self.args.cpu_of.filter(|_| self.connections.len() == 1).and_then(Apart::from);
        for number in 0..self.connections.len() {
            self.send(number)?;
        }
        if self.last_request().is_none() {
            self.until(Instant::now() + WARM_UP)?;
            self.histogram = Histogram::new();
        }
        let cpu_before = self.cpu()?;
        let started = Instant::now();
        self.until(started + self.duration())?;
        self.stopping = true;
        self.until(started + self.duration() + PATIENCE)?;
        let elapsed = started.elapsed();
        let cpu_after = self.cpu()?;
        let mut sample = Sample::new(&self.histogram, elapsed);
        let per_request = |after: Duration, before: Duration| {
            after.saturating_sub(before).as_secs_f64() * 1e6 / as_f64(sample.requests.max(1))
        };
        let server = per_request(cpu_after.0, cpu_before.0);
        let client = per_request(cpu_after.1, cpu_before.1);
        (sample.server_cpu_us, sample.client_cpu_us, sample.sent) = (server, client, self.sent);
        sample.answer_bytes = self.answer_bytes;
        Ok(sample)
    }

    /// Waits without sleeping; false where nothing has come.
    fn poll(&self, events: &mut Vec<epoll::Event>) -> Result<bool, Failure> {
        const NOT: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        if self.connections.len() == 1 {
            return Ok(false);
        }
        let end = Instant::now() + POLLS_FOR;
        while epoll::wait(&self.epoll, spare_capacity(events), Some(&NOT))? == 0 {
            if Instant::now() >= end {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many requests there are in all, where that ends the run.
    fn last_request(&self) -> Option<u64> {
        match self.args.workload {
            Workload::Fill | Workload::FillCounters => Some(self.args.keys),
            Workload::BatchFill => Some(self.args.keys.div_ceil(requests::BATCH)),
            _ => self.args.requests,
        }
    }

    /// A run with a last request takes what it takes; half an hour is a bound, not an expectation.
    fn duration(&self) -> Duration {
        if self.last_request().is_some() {
            return Duration::from_mins(30);
        }
        Duration::from_secs_f64(self.args.seconds)
    }

    /// CPU time so far of the server and of this process.
    fn cpu(&self) -> Result<(Duration, Duration), Failure> {
        let server = self.args.cpu_of.map_or(Ok(Duration::ZERO), cpu_of_tree)?;
        Ok((server, cpu_of_tree(std::process::id())?))
    }

    /// Serves answers until `end`, or until nothing is on its way any more.
    fn until(&mut self, end: Instant) -> Result<(), Failure> {
        let mut events = Vec::with_capacity(self.connections.len());
        let mut progress_at = Instant::now() + PROGRESS_EVERY;
        let timeout = Timespec::try_from(PATIENCE)?;
        while self.on_their_way > 0 && Instant::now() < end {
            events.clear();
            if !self.poll(&mut events)?
                && epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout))? == 0
            {
                return Err(format!("no answer for {} s", PATIENCE.as_secs()).into());
            }
            for event in &events {
                let number = usize::try_from(event.data.u64()).expect("set from a usize");
                self.serve(number)?;
            }
            if let Some(last) = self.last_request()
                && Instant::now() >= progress_at
            {
                eprintln!("    {} of {last} requests", self.sent);
                progress_at += PROGRESS_EVERY;
            }
        }
        Ok(())
    }

    /// Reads from a connection that has something to say, and sends its next request after a whole answer.
    fn serve(&mut self, number: usize) -> Result<(), Failure> {
        let Some(extent) = self.connections[number].receive()? else { return Ok(()) };
        let now = Instant::now();
        self.check(number, extent)?;
        let latency = now - self.sent_at[number];
        self.histogram.record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
        self.on_their_way -= 1;
        if self.stopping { Ok(()) } else { self.send(number) }
    }

    fn check(&mut self, number: usize, extent: Extent) -> Result<(), Failure> {
        let body = self.connections[number].take(extent);
        self.answer_bytes = body.len() as u64;
        if extent.status == 200 && self.args.workload.is_answered(body) {
            return Ok(());
        }
        let body = String::from_utf8_lossy(body);
        Err(format!("{:?} was answered {}: {body}", self.args.workload, extent.status).into())
    }

    fn send(&mut self, number: usize) -> Result<(), Failure> {
        let turn = self.turns[number] % self.templates.len();
        // What a connection has begun it also ends: whatever was put before the others is deleted.
        if turn == 0 && self.last_request().is_some_and(|last| self.sent >= last) {
            return Ok(());
        }
        let item = self.args.first + self.next_item(number);
        let request = self.templates[turn].fill(item, self.draws.next());
        self.sent_at[number] = Instant::now();
        self.connections[number].send(request)?;
        self.turns[number] += 1;
        self.sent += 1;
        self.on_their_way += 1;
        Ok(())
    }

    /// The item of the next request of a connection, counted from the first.
    fn next_item(&mut self, number: usize) -> u64 {
        match self.args.workload {
            Workload::Get | Workload::Put | Workload::Query | Workload::Select => {
                self.draws.next() % self.args.keys
            }
            Workload::TransactGet => self.draws.next() % (self.args.keys - 1),
            // Connections that shared items would be told of conflicts.
            Workload::TransactPut => 10 * number as u64 + self.draws.next() % 5 * 2,
            Workload::TransactPutMany => requests::MANY * number as u64,
            Workload::Batch => {
                self.draws.next() % (self.args.keys / requests::BATCH).max(1) * requests::BATCH
            }
            Workload::Fill => self.sent,
            Workload::BatchFill => self.sent * requests::BATCH,
            // Two requests per item, and each connection has items of its own.
            Workload::Queue => (self.turns[number] / 2 * self.args.connections + number) as u64,
            Workload::FillCounters => COUNTERS_FROM + self.sent,
            Workload::AddOne => COUNTERS_FROM,
            // Neighbours in number share a partition; counters of their own should not.
            Workload::AddDistinct => COUNTERS_FROM + 10 * (1 + number as u64),
        }
    }
}

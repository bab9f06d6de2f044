//! What the disk gives to durable writes, with nothing around it.
//!
//! Two ways to group. With `--group`, groups of that mean size are appended and flushed one after the other:
//! what the disk alone allows a server that groups like this. Without it, as many clients as the server has
//! connections hand records to one writer thread, which appends all that wait and flushes them once, then
//! answers each: what group commit allows when requests cost nothing. While one group is being flushed the
//! next one fills.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use parking_lot::{Condvar, Mutex};

use crate::Failure;
use crate::histogram::Histogram;
use crate::load::Sample;
use crate::server::read_sample;
use crate::{group, procfs};

/// Bytes appended for one write: a 400-byte item as a stored row with its keys and framing.
const RECORD_BYTES: usize = 650;

/// The most records of one group, as in the server's writer.
const GROUP_MAX: usize = 1000;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder on the disk to measure.
    #[arg(long)]
    data: PathBuf,
    /// Clients that each wait for their own record.
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// Mean records per flush; no clients then.
    #[arg(long)]
    group: Option<f64>,
    /// How long to run.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
}

/// Runs the probe and prints a [`Sample`] as JSON.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let file = tempfile::NamedTempFile::new_in(&args.data)?;
    let sample = match args.group {
        Some(group) => fixed_groups(file.reopen()?, group, args)?,
        None => with_clients(&file, args)?,
    };
    println!("{}", serde_json::to_string(&sample)?);
    Ok(())
}

/// Appends and flushes groups of a mean size, as fast as the disk takes them.
fn fixed_groups(mut file: File, mean: f64, args: &Args) -> Result<Sample, Failure> {
    let records = vec![0x5a; RECORD_BYTES * GROUP_MAX];
    let mut histogram = Histogram::new();
    let mut requests = 0;
    let started = Instant::now();
    let mut before = started;
    while started.elapsed().as_secs_f64() < args.seconds {
        // The fraction of a mean size is spread over the groups.
        let wanted = procfs::as_f64(histogram.total() + 1) * mean.max(1.0);
        let mut group = 0;
        while procfs::as_f64(requests + 1) <= wanted && group < GROUP_MAX {
            (group, requests) = (group + 1, requests + 1);
        }
        file.write_all(&records[..group * RECORD_BYTES])?;
        file.sync_data()?;
        let now = Instant::now();
        histogram.record(nanoseconds(now - before));
        before = now;
    }
    let mut sample = Sample::new(&histogram, started.elapsed());
    sample.requests_per_flush = Some(procfs::as_f64(requests) / procfs::as_f64(histogram.total().max(1)));
    (sample.requests, sample.sent) = (requests, requests);
    Ok(sample)
}

/// Appends and flushes what waiting clients hand in.
fn with_clients(file: &tempfile::NamedTempFile, args: &Args) -> Result<Sample, Failure> {
    let queue = Arc::new(Queue::default());
    let writer = start_writer(file.reopen()?, Arc::clone(&queue))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let started = Instant::now();
    let histogram = runtime.block_on(clients(args, &queue))?;
    let elapsed = started.elapsed();
    queue.close();
    let groups = writer.join().map_err(|_| "the writer thread panicked")??;
    let mut sample = Sample::new(&histogram, elapsed);
    sample.requests_per_flush = Some(procfs::as_f64(sample.requests) / procfs::as_f64(groups.max(1)));
    Ok(sample)
}

async fn clients(args: &Args, queue: &Arc<Queue>) -> Result<Histogram, Failure> {
    let end = Instant::now() + Duration::from_secs_f64(args.seconds);
    let tasks: Vec<_> = (0..args.connections).map(|_| tokio::spawn(client(Arc::clone(queue), end))).collect();
    let mut histogram = Histogram::new();
    for task in tasks {
        task.await??.into_iter().for_each(|nanoseconds| histogram.record(nanoseconds));
    }
    Ok(histogram)
}

async fn client(queue: Arc<Queue>, end: Instant) -> Result<Vec<u64>, Failure> {
    let mut latencies = Vec::new();
    let mut before = Instant::now();
    while before < end {
        let (done, flushed) = oneshot::channel();
        queue.push(done);
        flushed.await.map_err(|_| "the writer thread stopped")?;
        let now = Instant::now();
        latencies.push(nanoseconds(now - before));
        before = now;
    }
    Ok(latencies)
}

fn start_writer(
    file: File,
    queue: Arc<Queue>,
) -> Result<std::thread::JoinHandle<Result<u64, std::io::Error>>, Failure> {
    Ok(std::thread::Builder::new().name("disk-writer".into()).spawn(move || write_groups(file, &queue))?)
}

/// Appends and flushes until the queue is closed; the number of groups.
fn write_groups(mut file: File, queue: &Queue) -> Result<u64, std::io::Error> {
    let records = vec![0x5a; RECORD_BYTES * GROUP_MAX];
    let mut groups = 0;
    while let Some(group) = queue.take() {
        for part in group.chunks(GROUP_MAX) {
            file.write_all(&records[..part.len() * RECORD_BYTES])?;
        }
        file.sync_data()?;
        groups += 1;
        for done in group {
            // A client that has stopped waiting needs no answer.
            let _ = done.send(());
        }
    }
    Ok(groups)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Records that wait for the writer.
#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Vec<oneshot::Sender<()>>>,
    filled: Condvar,
    closed: AtomicBool,
}

impl Queue {
    fn push(&self, done: oneshot::Sender<()>) {
        let mut waiting = self.waiting.lock();
        waiting.push(done);
        if waiting.len() == 1 {
            self.filled.notify_one();
        }
    }

    /// All that wait, as soon as there is one; `None` once closed and empty.
    fn take(&self) -> Option<Vec<oneshot::Sender<()>>> {
        let mut waiting = self.waiting.lock();
        while waiting.is_empty() {
            if self.closed.load(Ordering::Acquire) {
                return None;
            }
            self.filled.wait(&mut waiting);
        }
        Some(std::mem::take(&mut *waiting))
    }

    fn close(&self) {
        let _waiting = self.waiting.lock();
        self.closed.store(true, Ordering::Release);
        self.filled.notify_one();
    }
}

/// The arguments of a run: with groups of a mean size, or with this many clients.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Grouping {
    Mean(f64),
    Clients(usize),
}

/// Runs the probe as a process of its own.
pub(crate) fn probe(data: &Path, grouping: Grouping, seconds: f64) -> Result<Sample, Failure> {
    let mut command = group::command(&std::env::current_exe()?)?;
    command.arg("disk").arg("--data").arg(data).args(["--seconds", &seconds.to_string()]);
    match grouping {
        Grouping::Mean(mean) => command.args(["--group", &mean.to_string()]),
        Grouping::Clients(clients) => command.args(["--connections", &clients.to_string()]),
    };
    read_sample(command.stdout(Stdio::piped()).spawn()?)
}

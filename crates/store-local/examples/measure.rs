//! Measures the embedded engine by itself, on the disk of the folder given.
//!
//! `cargo run --release -p hashrange-store-local --example measure -- <command> <folder>`
//!
//! - `rate`: durable commits per second at 1, 16, 64 and 256 concurrent writers, each beside the rate of a plain
//!   append with `fdatasync` on the same disk;
//! - `load`: one million items of 400 bytes, memory used, then the death of the process without a goodbye;
//! - `open`: time to open and memory used, then a clean close (run it after `load`, and again);
//! - `hot`: a query of ten items before and after 100,000 overwrites of one of them;
//! - `queue`: a query of ten items before and after 100,000 others came and went: before the first, through the
//!   whole collection as through a queue, and at random places between; then the same after a restart.

#![expect(clippy::unwrap_used, reason = "a measuring program may stop at the first surprise")]

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hashrange_env::Env;
use hashrange_store::{
    Address, Answer, Bound, CommitId, Direction, Freshness, Outcome, PageLimit, Part, RangeRead, RowKey,
    Space, Stamp, Store, Stored, Write,
};
use hashrange_store_local::{LocalStore, Options};

const SPACE: Space = Space(5000);
const ITEM_BYTES: usize = 400;
const ITEMS: u64 = 1_000_000;
const ROUND: Duration = Duration::from_secs(3);

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, command, folder] = &arguments[..] else {
        panic!("usage: measure rate|load|open|hot|queue <folder>")
    };
    let (env, folder) = (Env::real(), Path::new(folder));
    let start = env.clock.monotonic();
    let mut store = Arc::new(LocalStore::open(folder, &Options::default(), env.clone()).unwrap());
    println!("open: {:?}, resident {} MB", since(&env, start), resident_mb());
    match command.as_str() {
        "rate" => rate(&store, &env, folder).await,
        "load" => load(&store, &env).await,
        "open" => {}
        "hot" => hot(&store, &env).await,
        "queue" => {
            queue(&store, &env).await;
            store.close();
            drop(store);
            store = Arc::new(LocalStore::open(folder, &Options::default(), env.clone()).unwrap());
            println!("-- after a restart");
            for way in WAYS {
                report(&store, &env, way, "restarted").await;
            }
        }
        other => panic!("no command {other}"),
    }
    let start = env.clock.monotonic();
    drop(store);
    println!("close: {:?}", since(&env, start));
}

async fn rate(store: &Arc<LocalStore>, env: &Env, folder: &Path) {
    for writers in [1_u64, 16, 64, 256] {
        let raw = raw_rate(env, folder);
        let commits = commit_rate(store, env, writers).await;
        println!("{writers} writers: {commits:.0} commits/s; raw append+fdatasync {raw:.0}/s");
    }
}

/// Plain appends of one item's size, each synced.
fn raw_rate(env: &Env, folder: &Path) -> f64 {
    let path = folder.join("tree").join("probe.tmp");
    let mut file = File::create(&path).unwrap();
    file.set_len(64 << 20).unwrap();
    file.sync_all().unwrap();
    let (start, mut count) = (env.clock.monotonic(), 0_u32);
    while env.clock.monotonic() < start + ROUND {
        file.write_all(&[7; ITEM_BYTES + 100]).unwrap();
        file.sync_data().unwrap();
        count += 1;
    }
    std::fs::remove_file(path).unwrap();
    f64::from(count) / ROUND.as_secs_f64()
}

/// Read, expect, write: each writer over its own rows.
async fn commit_rate(store: &Arc<LocalStore>, env: &Env, writers: u64) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let until = env.clock.monotonic() + ROUND;
    let mut tasks = Vec::new();
    for writer in 0..writers {
        let (store, env, done) = (Arc::clone(store), env.clone(), Arc::clone(&done));
        #[expect(clippy::disallowed_methods, reason = "measures concurrent callers")]
        tasks.push(tokio::spawn(async move {
            let mut number = 0;
            while env.clock.monotonic() < until {
                number += 1;
                write_item(&store, &env, writer * 1000 + number % 1000).await;
                done.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of seconds' work")]
    let count = done.load(Ordering::Relaxed) as f64;
    count / ROUND.as_secs_f64()
}

fn address(number: u64) -> Address {
    let partition = Bytes::from(format!("partition-{:06}", number / 10));
    let sort = Bytes::from(format!("sort-key-{:09}", number % 10));
    Address { space: SPACE, partition, row: RowKey { kind: 0, sort } }
}

async fn write_item(store: &LocalStore, env: &Env, number: u64) {
    let at = address(number);
    let found = store.get(&at, Freshness::Newest).await.unwrap();
    let stamp = found.row.map(|row| row.stamp);
    let part = Part {
        space: at.space,
        partition: at.partition,
        expects: vec![hashrange_store::Expect { row: at.row.clone(), stamp, seen: found.mark }],
        writes: vec![Write::Put { row: at.row, stored: item(stamp.map_or(1, |stamp| stamp.0 + 1), env) }],
        log: None,
        tallies: Vec::new(),
    };
    let id = CommitId(u128::from(env.random.next_u64()));
    store.commit(id, vec![part]).await.unwrap();
}

/// About half of it compresses.
fn item(stamp: u64, env: &Env) -> Stored {
    let mut value = vec![b'x'; ITEM_BYTES];
    for chunk in value[..ITEM_BYTES / 2].chunks_exact_mut(8) {
        chunk.copy_from_slice(&env.random.next_u64().to_be_bytes());
    }
    Stored { stamp: Stamp(stamp), value: value.into() }
}

async fn load(store: &Arc<LocalStore>, env: &Env) {
    let start = env.clock.monotonic();
    let mut tasks = Vec::new();
    for writer in 0..100 {
        let (store, env) = (Arc::clone(store), env.clone());
        #[expect(clippy::disallowed_methods, reason = "measures concurrent callers")]
        tasks.push(tokio::spawn(async move {
            for number in 0..ITEMS / 100 {
                write_item(&store, &env, number * 100 + writer).await;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    println!("load: {:?}, resident {} MB", since(env, start), resident_mb());
    env.tasks.sleep(Duration::from_secs(5)).await;
    println!("after 5 s of rest: resident {} MB; now the process dies", resident_mb());
    std::process::abort();
}

async fn hot(store: &Arc<LocalStore>, env: &Env) {
    for number in 0..10 {
        write_item(store, env, number).await;
    }
    println!("query of ten items: {:?}", query_time(store, env).await);
    for round in 0..10 {
        let mut tasks = Vec::new();
        for _ in 0..20 {
            let (store, env) = (Arc::clone(store), env.clone());
            #[expect(clippy::disallowed_methods, reason = "measures concurrent callers")]
            tasks.push(tokio::spawn(async move {
                for _ in 0..500 {
                    write_item(&store, &env, 5).await;
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        println!("after {} overwrites of one: {:?}", (round + 1) * 10_000, query_time(store, env).await);
    }
}

/// How rows come and go in a collection in which ten are left.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Each comes before all others and goes at once.
    Head,
    /// They come at the tail and go at the head.
    Through,
    /// They come anywhere, and the oldest goes.
    Anywhere,
}

const WAYS: [Way; 3] = [Way::Head, Way::Through, Way::Anywhere];
const PASSING: u64 = 100_000;
const LEFT: u64 = 10;
/// The partition that nothing comes to.
const STILL: Bytes = Bytes::from_static(b"still");

impl Way {
    fn partition(self) -> Bytes {
        Bytes::from(format!("{self:?}"))
    }

    /// The row that comes with this number.
    fn row(self, number: u64) -> RowKey {
        let place = match self {
            Way::Head if number < PASSING => PASSING - 1 - number,
            Way::Head => number,
            Way::Through => number.wrapping_add(LEFT),
            Way::Anywhere => number.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        };
        RowKey { kind: 0, sort: Bytes::from(format!("{place:020}")) }
    }

    /// One row comes, one goes.
    fn step<'a>(self, store: &'a LocalStore, env: &Env, number: u64) -> [Answer<'a, Outcome>; 2] {
        let gone = if matches!(self, Way::Head) { number } else { number.wrapping_sub(LEFT) };
        let put = Write::Put { row: self.row(number), stored: item(1, env) };
        let delete = Write::Delete { row: self.row(gone) };
        [commit(store, env, self.partition(), put), commit(store, env, self.partition(), delete)]
    }
}

fn commit<'a>(store: &'a LocalStore, env: &Env, partition: Bytes, write: Write) -> Answer<'a, Outcome> {
    let part = Part {
        space: SPACE,
        partition,
        expects: Vec::new(),
        writes: vec![write],
        log: None,
        tallies: Vec::new(),
    };
    store.commit(CommitId(u128::from(env.random.next_u64())), vec![part])
}

async fn queue(store: &LocalStore, env: &Env) {
    for number in 0..LEFT {
        let put = Write::Put { row: Way::Head.row(number), stored: item(1, env) };
        commit(store, env, STILL, put).await.unwrap();
    }
    for way in WAYS {
        let first = if matches!(way, Way::Head) { PASSING } else { u64::MAX - LEFT + 1 };
        for number in first..=first + (LEFT - 1) {
            let put = Write::Put { row: way.row(number), stored: item(1, env) };
            commit(store, env, way.partition(), put).await.unwrap();
        }
        report(store, env, way, "fresh").await;
        let mut answers = Vec::new();
        for number in 0..PASSING {
            answers.extend(way.step(store, env, number));
            if number % 250 == 249 {
                for answer in answers.drain(..) {
                    answer.await.unwrap();
                }
            }
            if [1000, 10_000, 100_000].contains(&(number + 1)) {
                report(store, env, way, &format!("{} rows came and went", number + 1)).await;
            }
        }
    }
}

/// Queries in turn with others of a collection that nothing came to: what else the machine does slows both.
async fn report(store: &LocalStore, env: &Env, way: Way, when: &str) {
    for direction in [Direction::Forward, Direction::Backward] {
        let first = time_of(store, env, way.partition(), direction).await;
        let (mut still, mut passed) = (Vec::new(), Vec::new());
        for _ in 0..1000 {
            still.push(time_of(store, env, STILL, direction).await);
            passed.push(time_of(store, env, way.partition(), direction).await);
        }
        let (still, passed) = (median(still), median(passed));
        let ratio = passed.as_secs_f64() / still.as_secs_f64();
        println!("{way:?}, {when}, {direction:?}: first {first:?}, then {passed:?}; {ratio:.1} x still");
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

async fn query_time(store: &LocalStore, env: &Env) -> Duration {
    let mut times = Vec::new();
    for _ in 0..200 {
        times.push(time_of(store, env, address(0).partition, Direction::Forward).await);
    }
    median(times)
}

/// One query for ten items.
async fn time_of(store: &LocalStore, env: &Env, partition: Bytes, direction: Direction) -> Duration {
    let start = env.clock.monotonic();
    let read = RangeRead {
        space: SPACE,
        partition,
        lower: Bound::Unbounded,
        upper: Bound::Unbounded,
        direction,
        limit: PageLimit { rows: 100, bytes: 1 << 20 },
        freshness: Freshness::Strong,
    };
    assert_eq!(store.range(read).await.unwrap().rows.len(), 10);
    since(env, start)
}

fn since(env: &Env, start: Duration) -> Duration {
    env.clock.monotonic().saturating_sub(start)
}

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) / 1024
}

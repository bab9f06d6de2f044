//! What the storage engine tells, as families of metrics.

use std::sync::Arc;

use hashrange_service::{Kind, Page, Source};
use hashrange_store_local::{LocalStore, Stats};

/// The folder of a database.
#[derive(Debug)]
pub(crate) struct Stored(pub(crate) Arc<LocalStore>);

impl Source for Stored {
    fn tell(&self, page: &mut Page) {
        let stats = self.0.stats();
        writes(page, &stats);
        sizes(page, &stats);
    }
}

fn writes(page: &mut Page, stats: &Stats) {
    page.family(
        "hashrange_store_writable",
        Kind::Gauge,
        "1 while writes are taken, 0 after the disk has failed.",
    )
    .sample(&[], u8::from(stats.writable));
    page.family("hashrange_store_commits_total", Kind::Counter, "Commits that are durable.")
        .sample(&[], stats.commits);
    page.family(
        "hashrange_store_group_commits",
        Kind::Histogram,
        "Changes that were synced to the disk together.",
    )
    .numbers(&[], &stats.group_sizes);
    page.family(
        "hashrange_store_sync_duration_seconds",
        Kind::Histogram,
        "Time to write one group into the journal and sync it.",
    )
    .times(&[], &stats.sync_ns);
    page.family("hashrange_store_queue_commits", Kind::Gauge, "Changes that wait for the writer.")
        .sample(&[], stats.queued);
}

fn sizes(page: &mut Page, stats: &Stats) {
    let mut gauge = |name, help, value: u64| page.family(name, Kind::Gauge, help).sample(&[], value);
    gauge("hashrange_store_cache_bytes", "Blocks of table files in memory.", stats.cache_bytes);
    gauge("hashrange_store_cache_limit_bytes", "Memory that they may have.", stats.cache_bytes_max);
    gauge(
        "hashrange_store_memtable_bytes",
        "Rows in memory that no table file holds yet.",
        stats.memtable_bytes,
    );
    gauge("hashrange_store_table_bytes", "Size of all table files.", stats.table_bytes);
    page.family("hashrange_store_compactions_total", Kind::Counter, "Merges of table files.")
        .sample(&[], stats.compactions);
    let took = u64::try_from(stats.compaction_time.as_nanos()).unwrap_or(u64::MAX);
    page.family("hashrange_store_compaction_seconds_total", Kind::Counter, "Time that they took.")
        .seconds(&[], took);
}

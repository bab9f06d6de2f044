//! Table files at rest.

use super::*;
use crate::shared::Renewal;
use crate::tree::Runs;

/// Written out twice, so that there are two runs of table files.
fn in_two_runs(folder: &Path) -> LocalStore {
    let store = open(folder);
    for space in [SPACE, OTHER] {
        fill(&store, space, 500);
        store.shared.tree.flush().unwrap();
    }
    assert!(store.shared.tree.runs().count > 1);
    store
}

fn rows_files(folder: &Path) -> usize {
    // By the order in which they were made: the engine's catalogue, rows, logs.
    std::fs::read_dir(folder.join("tree/keyspaces/1/tables")).unwrap().count()
}

/// Looks again and again, for a minute at most: the engine's threads tell nobody when they are done.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..60_000 {
        if holds() {
            return;
        }
        std::thread::park_timeout(std::time::Duration::from_millis(1));
    }
    panic!("{what}");
}

#[test]
fn the_last_state_is_published_again_when_files_have_changed() {
    let folder = tempfile::tempdir().unwrap();
    let store = in_two_runs(&folder.path().join("data"));
    let before = store.shared.published.load_full();
    store.shared.renew(Renewal::Publish);
    wait_until("it is published again", || !Arc::ptr_eq(&before, &store.shared.published()));
    assert_eq!(store.shared.published().sequence, before.sequence);
}

#[test]
fn an_instant_whose_rows_nobody_could_place_is_published_again_for_the_next_range() {
    let folder = tempfile::tempdir().unwrap();
    let store = in_two_runs(&folder.path().join("data"));
    let shared = &store.shared;
    let last = shared.published.load_full();
    let instant = crate::instant::Instant { sources: None, ..last.instant.clone() };
    let (forgotten, gaps) = (Arc::clone(&last.forgotten), Arc::clone(&last.gaps));
    shared.published.store(Arc::new(Published { instant, sequence: last.sequence, forgotten, gaps }));
    let at = address(SPACE, 7);
    let read = RangeRead { space: SPACE, partition: at.partition, ..gaps::whole(0) };
    assert_eq!(block_on(store.range(read)).unwrap().rows.len(), 1, "by the engine");
    wait_until("it is published again", || shared.published().instant.sources.is_some());
    assert_eq!(shared.published().sequence, last.sequence);
}

#[test]
fn files_that_were_merged_go_once_readers_are_shown_the_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let store = in_two_runs(&path);
    store.shared.tree.merge_all().unwrap();
    let with_old = rows_files(&path);
    store.shared.renew(Renewal::LetGo);
    wait_until("the old files are gone", || rows_files(&path) < with_old);
    let Runs { bytes, upper_bytes, .. } = store.shared.tree.runs();
    assert!(upper_bytes * 10 < bytes, "what was written to be rid of the old files is small");
    for space in [SPACE, OTHER] {
        let found = block_on(store.get(&address(space, 499), Freshness::Strong)).unwrap();
        assert_eq!(found.row.unwrap().stamp, Stamp(499));
    }
    drop(store);
    let store = open(&path);
    assert!(block_on(store.get(&address(SPACE, 7), Freshness::Strong)).unwrap().row.is_some());
}

#[test]
fn closing_ends_a_merge_and_leaves_the_files_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let store = in_two_runs(&folder.path().join("data"));
    store.close();
    let before = store.shared.tree.runs();
    store.shared.tree.merge_all().unwrap_err();
    assert_eq!(store.shared.tree.runs(), before);
    for space in [SPACE, OTHER] {
        assert!(block_on(store.get(&address(space, 3), Freshness::Strong)).unwrap().row.is_some());
    }
}

#[test]
fn files_are_at_rest_once_everything_is_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = in_two_runs(&folder.path().join("data"));
    wait_until("the engine is idle", || store.shared.tree.files_at_rest().is_some());
    let files = store.shared.tree.files_at_rest();
    store.shared.tree.merge_all().unwrap();
    assert_ne!(store.shared.tree.files_at_rest(), files, "a merge makes others");
}

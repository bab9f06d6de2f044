//! The limit of open files: connections must leave some to the database.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files that the database may need: the storage engine keeps up to about 900 tables open, and reads of short ranges
/// up to 1,024.
const KEPT_FOR_DATABASE: u64 = 2048;

/// How many connections may be open so that a connection too many is refused by us, and never becomes a write that
/// fails for want of a file. Raises the limit of this process first, as far as it may.
pub(super) fn connections(wanted: usize) -> usize {
    let limit = raise_limit();
    let possible = usize::try_from(for_connections(limit)).unwrap_or(usize::MAX);
    if possible < wanted {
        tracing::warn!(
            "{possible} connections are taken, not {wanted}: this process may open {limit} files; raise that limit, for \
             example with `ulimit -n` or LimitNOFILE= of systemd"
        );
    }
    wanted.min(possible)
}

/// The part of so many files that connections may take: a quarter where there are few.
fn for_connections(limit: u64) -> u64 {
    limit.saturating_sub(KEPT_FOR_DATABASE).max(limit / 4)
}

/// The limit in force, after it was raised to the highest that this user may have.
fn raise_limit() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum && setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok() {
        return maximum.unwrap_or(u64::MAX);
    }
    current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_keeps_its_files() {
        assert_eq!(for_connections(u64::MAX), u64::MAX - 2048);
        assert_eq!(for_connections(20_000), 17_952);
        assert_eq!(for_connections(1024), 256);
    }
}

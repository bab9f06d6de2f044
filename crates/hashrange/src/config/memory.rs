//! How much memory there is to share out.

use std::fs;

const MIB: u64 = 1 << 20;
const CACHE_MIN: u64 = 64 * MIB;
const CACHE_MAX: u64 = 4096 * MIB;

/// The cache of a server that was told to choose its size.
pub(crate) fn cache_share() -> u64 {
    share_of(machine_memory().unwrap_or(0).min(container_memory().unwrap_or(u64::MAX)))
}

fn share_of(memory: u64) -> u64 {
    (memory / 8 / MIB * MIB).clamp(CACHE_MIN, CACHE_MAX)
}

/// Memory of the machine in bytes, where the system tells it as Linux does.
fn machine_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The limit that a container sets, in bytes; `None` without one (the file then says `max`).
fn container_memory() -> Option<u64> {
    fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_an_eighth_of_the_memory_within_bounds() {
        assert_eq!(share_of(0), 64 * MIB);
        assert_eq!(share_of(16 * 1024 * MIB), 2048 * MIB);
        assert_eq!(share_of(16 * 1024 * MIB + 12345), 2048 * MIB);
        assert_eq!(share_of(1 << 60), 4096 * MIB);
    }
}

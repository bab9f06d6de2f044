//! What the system knows of this process: memory, open files, start. Told on Linux only.

use std::fs;

use hashrange_env::{Env, WallMs};
use hashrange_service::{Kind, Page, Source};

/// This process.
#[derive(Debug)]
pub(super) struct Process {
    started: WallMs,
}

impl Process {
    /// This process, which has just started.
    pub(super) fn new(env: &Env) -> Process {
        Process { started: env.clock.now() }
    }
}

impl Source for Process {
    fn tell(&self, page: &mut Page) {
        page.family("process_start_time_seconds", Kind::Gauge, "Start of the process, since the Unix epoch.")
            .sample(&[], self.started.seconds());
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        if let Some(bytes) = resident_bytes(&status) {
            page.family("process_resident_memory_bytes", Kind::Gauge, "Memory of the process in RAM.")
                .sample(&[], bytes);
        }
        if let Ok(open) = fs::read_dir("/proc/self/fd") {
            page.family("process_open_fds", Kind::Gauge, "Open files, connections included.")
                .sample(&[], open.count());
        }
    }
}

/// The memory in RAM that `/proc/self/status` names.
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_line_of_the_kernel() {
        assert_eq!(resident_bytes("VmHWM:\t  900 kB\nVmRSS:\t  123 kB\n"), Some(123 * 1024));
        assert_eq!(resident_bytes(""), None);
    }
}

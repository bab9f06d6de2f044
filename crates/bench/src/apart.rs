//! Client and server on processors of their own.
//!
//! With one connection, either the client works or the server. Where the scheduler puts both on one processor, a request
//! is a switch between two tasks; where it does not, it is two wake-ups, which on a virtual machine take longer than
//! all the rest. It chooses anew in every run. A real client is never on the server's processor.

use std::io;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The two are apart for as long as this is held.
#[derive(Debug)]
pub(crate) struct Apart {
    server: u32,
    before: CpuSet,
}

impl Apart {
    /// Puts this process on the first of its processors and the server on the others. `None` where there is only
    /// one, or where that is refused: the measurement is valid, only less steady.
    pub(crate) fn from(server: u32) -> Option<Apart> {
        let before = sched_getaffinity(None).ok()?;
        let mut all = (0..CpuSet::MAX_CPU).filter(|cpu| before.is_set(*cpu));
        let (mut own, mut others) = (CpuSet::new(), before);
        let first = all.next()?;
        all.next()?;
        own.set(first);
        others.unset(first);
        place(server, &others).ok()?;
        sched_setaffinity(None, &own).ok()?;
        Some(Apart { server, before })
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        // The server may have ended.
        let _ = place(self.server, &self.before);
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// Puts all threads of a process on these processors.
fn place(process: u32, processors: &CpuSet) -> io::Result<()> {
    for entry in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let name = entry?.file_name();
        let thread = name.to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        if let Some(thread) = thread {
            // A thread may end between the listing and this.
            match sched_setaffinity(Some(thread), processors) {
                Err(rustix::io::Errno::SRCH) | Ok(()) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

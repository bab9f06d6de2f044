//! What the kernel says about processes and disks (Linux only, as the whole bench).

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// The CPU time, user and system, that a process and its living descendants have used.
pub(crate) fn cpu_of_tree(root: u32) -> io::Result<Duration> {
    let mut processes = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // A process may end between the listing and the reading.
        if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat"))
            && let Some(parsed) = parse_stat(&stat)
        {
            processes.insert(pid, parsed);
        }
    }
    let ticks: u64 =
        processes.iter().filter(|(pid, _)| descends(**pid, root, &processes)).map(|(_, p)| p.ticks).sum();
    Ok(Duration::from_secs_f64(as_f64(ticks) / as_f64(rustix::param::clock_ticks_per_second())))
}

#[derive(Debug, PartialEq)]
struct Process {
    parent: u32,
    /// User and system time in clock ticks.
    ticks: u64,
}

/// The fields of `/proc/PID/stat` that count; the name in parentheses may hold anything, also spaces.
fn parse_stat(stat: &str) -> Option<Process> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_ascii_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Process { parent: fields.get(1)?.parse().ok()?, ticks })
}

fn descends(pid: u32, root: u32, processes: &BTreeMap<u32, Process>) -> bool {
    let mut current = pid;
    // The kernel has no cycles, but two readings at different moments could look like one.
    for _ in 0..64 {
        if current == root {
            return true;
        }
        match processes.get(&current) {
            Some(process) if process.parent != 0 => current = process.parent,
            _ => return false,
        }
    }
    false
}

/// Resident memory of one process in bytes: now and at its highest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resident {
    pub(crate) now: u64,
    pub(crate) peak: u64,
}

/// Reads `VmRSS` and `VmHWM` of a process.
pub(crate) fn resident(pid: u32) -> io::Result<Resident> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let bytes = |name| Ok::<_, io::Error>(1024 * field(&status, name, " kB")?);
    Ok(Resident { now: bytes("VmRSS")?, peak: bytes("VmHWM")? })
}

/// How many bytes a process has had the disk read so far. What was in the operating system's memory is not counted.
pub(crate) fn read_from_disk(pid: u32) -> io::Result<u64> {
    field(&std::fs::read_to_string(format!("/proc/{pid}/io"))?, "read_bytes", "")
}

/// The number in a line of the form `name: number unit`.
fn field(text: &str, name: &str, unit: &str) -> io::Result<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = rest.and_then(|rest| rest.trim().strip_suffix(unit)?.parse().ok());
    number.ok_or_else(|| io::Error::other(format!("no {name} in what the kernel says of a process")))
}

/// How many flushes the disk below `folder` has finished since boot, where the kernel tells.
///
/// Other processes on the same disk count too, so this is a hint for people, never part of a bar.
pub(crate) fn flushes_of_disk(folder: &Path) -> Option<u64> {
    let device = std::fs::metadata(folder).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let stat = std::fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
    stat.split_ascii_whitespace().nth(15)?.parse().ok()
}

/// Whether `folder` lives in memory, where a flush costs nothing and shows nothing.
pub(crate) fn is_in_memory(folder: &Path) -> bool {
    const TMPFS_MAGIC: u64 = 0x0102_1994;
    rustix::fs::statfs(folder).is_ok_and(|stat| u64::try_from(stat.f_type) == Ok(TMPFS_MAGIC))
}

/// Counts as numbers to divide. All counts here stay far below 2^52, so nothing is lost.
#[expect(clippy::cast_precision_loss, reason = "counts and nanoseconds of a run stay below 2^52")]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name_and_unit() {
        let text = "VmRSSx:\t 7 kB\nVmRSS:\t 12 kB\nread_bytes: 4096\n";
        assert_eq!(field(text, "VmRSS", " kB").ok(), Some(12));
        assert_eq!(field(text, "read_bytes", "").ok(), Some(4096));
        assert!(field(text, "VmRSS", "").is_err());
        assert!(field(text, "VmHWM", " kB").is_err());
    }

    #[test]
    fn a_process_name_with_spaces_and_parentheses_is_skipped() {
        let stat = "12 (a ) b) S 7 12 12 0 -1 4194560 100 0 0 0 30 12 0 0 20 0 1 0 100 0 0";
        assert_eq!(parse_stat(stat), Some(Process { parent: 7, ticks: 42 }));
        assert_eq!(parse_stat("nonsense"), None);
    }

    #[test]
    fn this_process_uses_memory() {
        let resident = resident(std::process::id()).unwrap();
        assert!(resident.now > 0 && resident.peak >= resident.now / 2);
        cpu_of_tree(std::process::id()).unwrap();
    }
}

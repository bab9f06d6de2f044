//! The counters that the compiler puts on every edge of the control flow (`-C passes=sancov-module` with
//! `-sanitizer-coverage-inline-8bit-counters`), and the one place of the repository that reads memory by address.

use std::sync::Mutex;

/// Address and length of a region of counters.
static REGIONS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// Called before `main`, once for each object with counters; all of them name the same region of the program.
///
/// # Safety
/// The compiler generates the calls; `start` to `stop` are bytes of the program's data that live as long as it does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    let length = (stop as usize).saturating_sub(start as usize);
    let Ok(mut regions) = REGIONS.lock() else { return };
    if length > 0 && !regions.iter().any(|(known, _)| *known == start as usize) {
        regions.push((start as usize, length));
    }
}

/// Counters that are looked at together first: nearly all are zero.
const CHUNK: usize = 256;

/// What was reached in all runs.
pub struct Reached {
    regions: Vec<(usize, usize)>,
    /// For each counter, the magnitudes of counts that were seen, a bit each.
    seen: Vec<u8>,
    features: usize,
}

impl Reached {
    pub fn new() -> Reached {
        let regions = REGIONS.lock().expect("nothing panics while it holds the regions").clone();
        let counters = regions.iter().map(|(_, length)| length).sum();
        Reached { regions, seen: vec![0; counters], features: 0 }
    }

    /// Whether the program has counters at all.
    pub fn is_blind(&self) -> bool {
        self.seen.is_empty()
    }

    /// How many pairs of an edge and a magnitude were reached.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Sets all counters to zero.
    pub fn reset(&mut self) {
        for &(start, length) in &self.regions {
            // SAFETY: the region is data of the program for all its life. Other threads count into it meanwhile only in the
            // sense that a count may be lost, which is what the instrumentation itself accepts.
            unsafe { std::ptr::write_bytes(start as *mut u8, 0, length) };
        }
    }

    /// Takes the counters since the last reset; answers whether any was new, or new in magnitude.
    pub fn harvest(&mut self) -> bool {
        let before = self.features;
        let mut at = 0;
        for &(start, length) in &self.regions {
            // SAFETY: as in `reset`; nothing writes while a run is over.
            let counters = unsafe { std::slice::from_raw_parts(start as *const u8, length) };
            for (chunk, counts) in counters.chunks(CHUNK).enumerate() {
                if counts.iter().fold(0, |any, count| any | count) == 0 {
                    continue;
                }
                for (offset, &count) in counts.iter().enumerate().filter(|(_, count)| **count != 0) {
                    let magnitude = 1 << count.ilog2();
                    let seen = &mut self.seen[at + chunk * CHUNK + offset];
                    self.features += usize::from(*seen & magnitude == 0);
                    *seen |= magnitude;
                }
            }
            at += length;
        }
        self.features > before
    }
}

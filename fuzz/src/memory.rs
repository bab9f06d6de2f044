//! Memory held by a run, measured where it is allocated: no input may make the program allocate without bound.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Bytes in all at which allocation fails, before the machine suffers.
const LIMIT: usize = 3 << 30;

struct Measured;

// SAFETY: every call is passed on to the system's allocator as it came; the rest is counting.
unsafe impl GlobalAlloc for Measured {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        if held > LIMIT {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise on `layout` is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise on `pointer` and `layout` is handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Measured = Measured;

/// Starts to measure; answers what is held now.
pub fn start() -> usize {
    let held = HELD.load(Relaxed);
    PEAK.store(held, Relaxed);
    held
}

/// The most that was held at once beyond `start`'s answer.
pub fn peak(start: usize) -> usize {
    PEAK.load(Relaxed).saturating_sub(start)
}

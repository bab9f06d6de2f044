//! A log of everything that happened in a run, written only where somebody wants to read it.

use std::fmt;
use std::sync::Arc;

use hashrange_env::Clock;
use parking_lot::Mutex;

/// The log. Notes are made lazily: a run without a reader pays nothing for their texts.
pub struct Trace {
    clock: Arc<dyn Clock>,
    lines: Option<Mutex<Vec<String>>>,
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("kept", &self.lines.is_some()).finish_non_exhaustive()
    }
}

impl Trace {
    /// A log that is kept, or none.
    pub fn new(clock: Arc<dyn Clock>, keep: bool) -> Trace {
        Trace { clock, lines: keep.then(Mutex::default) }
    }

    /// Writes a line, with the time in microseconds.
    pub fn note(&self, text: impl FnOnce() -> String) {
        let Some(lines) = &self.lines else { return };
        let line = format!("{:>9} {}", self.clock.monotonic().as_micros(), shorten(&text()));
        lines.lock().push(line);
    }

    /// The lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.lines.as_ref().map(|lines| lines.lock().clone()).unwrap_or_default()
    }
}

/// The text with long runs of filler cut to their length.
pub fn shorten(text: &str) -> String {
    let pieces = text.split_inclusive(|at: char| at != 'x').map(|piece| {
        let run = piece.trim_end_matches(|at: char| at != 'x').len();
        if run > 20 { format!("x*{run}{}", &piece[run..]) } else { piece.to_owned() }
    });
    pieces.collect()
}

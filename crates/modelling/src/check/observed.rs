//! What a run or a recording tells the rules.

use crate::finding::Evidence;
use crate::plan::Arm;

/// What one pattern was observed to do. All numbers are means of one run, which may take several requests (pages).
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The pattern's id.
    pub pattern: String,
    /// [`Evidence::Run`] or [`Evidence::Traffic`].
    pub evidence: Evidence,
    /// How many runs the means are of.
    pub runs: u64,
    /// Items examined (`ScannedCount`); of a `GetItem`, 1 where it was found.
    pub examined: f64,
    /// Items returned (`Count`).
    pub returned: f64,
    /// Bytes of the items returned, as the size rules count them, where the answer shows whole items; without filter and projection these are
    /// the bytes examined.
    pub returned_bytes: Option<f64>,
    /// Requests of one run.
    pub pages: f64,
    /// Whether the last page asked for still had a `LastEvaluatedKey`.
    pub has_more: bool,
    /// Where units fell, the table first.
    pub arms: Vec<Arm>,
    /// Runs per second, from recorded traffic.
    pub rate: Option<f64>,
    /// The busiest keys, from a load run or a recording, busiest first.
    pub hot_keys: Vec<HotKey>,
    /// The share of bytes of an item that an update changed, 0 to 1.
    pub changed_share: Option<f64>,
}

/// A key with more traffic than others.
#[derive(Clone, Debug, PartialEq)]
pub struct HotKey {
    /// The index whose key it is; `None` is the table's.
    pub index: Option<String>,
    /// The key, as people read it.
    pub key: String,
    /// Read units per second.
    pub read: f64,
    /// Write units per second.
    pub write: f64,
}

impl Observed {
    /// An observation of nothing, to be filled in.
    pub fn of(pattern: &str, evidence: Evidence) -> Observed {
        Observed {
            pattern: pattern.to_owned(),
            evidence,
            runs: 0,
            examined: 0.0,
            returned: 0.0,
            returned_bytes: None,
            pages: 1.0,
            has_more: false,
            arms: Vec::new(),
            rate: None,
            hot_keys: Vec::new(),
            changed_share: None,
        }
    }

    /// All read units of one run.
    pub fn read_units(&self) -> f64 {
        self.arms.iter().map(|arm| arm.read).sum()
    }

    /// All write units of one run.
    pub fn write_units(&self) -> f64 {
        self.arms.iter().map(|arm| arm.write).sum()
    }
}

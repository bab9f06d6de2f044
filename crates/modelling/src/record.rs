//! A recording of traffic: read, written, made into a draft catalogue, compared with a declared one.
//!
//! A server that records ([`Recording`] says what) knows requests by their form: the operation, the table, names and
//! operators, never values. Here forms become patterns. `hashrange serve --record` writes the file, `hashrange model record`
//! reads it.

mod compare;
mod draft;
mod form;
mod links;
mod names;
mod request;
mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use compare::{Comparison, Drift, Undeclared, Unseen, compare};
pub use draft::draft;
pub use links::{Hint, hints};
pub use names::name;

/// What a server took down of its traffic. As JSON it is the file of `hashrange serve --record`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Version of the form of the file: [`Recording::VERSION`].
    pub hashrange_recording: u32,
    /// When it began, in milliseconds since 1970 (UTC).
    pub started_ms: u64,
    /// How long it lasts.
    pub seconds: f64,
    /// After the first thousand requests of each form, keys, latency and capacity are of one request in so many.
    pub sample: u64,
    /// The tables that were touched.
    pub tables: Vec<SeenTable>,
    /// Forms of requests.
    pub patterns: Vec<Seen>,
    /// Requests of further forms, beyond what a recording tells apart.
    pub other: u64,
    /// Requests that were refused before it was known what they touch: operation, error, how many.
    pub refused: Vec<(String, String, u64)>,
    /// Look-ups that followed reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<SeenLink>,
}

/// Look-ups, two or more after one read, of keys that it returned to the same caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenLink {
    /// What rule this is a sign of: `n-plus-one`.
    pub rule: String,
    /// The fingerprint of the read.
    pub from: String,
    /// The fingerprint of the look-ups.
    pub to: String,
    /// Reads whose items were remembered: those that were taken down in full and returned several items.
    pub reads: u64,
    /// Of them, those that were followed.
    pub followed: u64,
    /// The look-ups.
    pub look_ups: u64,
    /// Most of them after one read.
    pub most: u64,
}

/// A table that was touched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeenTable {
    /// Its name.
    pub name: String,
    /// Partition key: names and types.
    pub hash: Vec<(String, String)>,
    /// Sort key: names and types.
    pub range: Vec<(String, String)>,
    /// Its indexes.
    pub indexes: Vec<SeenIndex>,
    /// The attribute of time to live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
}

/// An index of a table that was touched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeenIndex {
    /// Its name.
    pub name: String,
    /// Whether it is local.
    pub local: bool,
    /// Partition key: names and types.
    pub hash: Vec<(String, String)>,
    /// Sort key: names and types.
    pub range: Vec<(String, String)>,
    /// What it carries besides keys; nothing said is everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub included: Option<Vec<String>>,
}

/// The form of a request: canonical texts by field.
///
/// Names stand in back-ticks, values as `?` and their type, a key value's type prefix behind it:
/// `` `PK` = ?S<USER#> AND `SK` begins_with ?S<ORDER#> ``.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape {
    /// The texts: `operation`, `table`, `index`, `key`, `filter`, `projection`, `select`, `limit`, `descending`, `consistent`,
    /// `segments`, `condition`, `update`, `returns`, `token`.
    #[serde(flatten)]
    pub fields: BTreeMap<String, String>,
    /// Requests of a batch or a transaction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Part>,
}

/// Requests of one form within a batch or a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// How many: `1`, `2-10`, `11-25`, `26-100` or `101+`.
    pub times: String,
    /// Their form.
    pub shape: Shape,
}

/// What was seen of one form of request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Twelve digits that stand for the form.
    pub fingerprint: String,
    /// The form.
    pub shape: Shape,
    /// Requests.
    pub count: u64,
    /// Of them, those that went on where a page ended.
    pub continued: u64,
    /// Most requests in one second.
    pub peak: u64,
    /// Most requests in one minute.
    #[serde(default)]
    pub peak_minute: u64,
    /// Requests in each of the last minutes, at most sixty, oldest first; the newest has only begun.
    #[serde(default)]
    pub minutes: Vec<u64>,
    /// Requests by hour of the day (UTC).
    pub hours: Vec<u64>,
    /// Failures: error and how many.
    pub failed: Vec<(String, u64)>,
    /// Requests of which everything below was taken down.
    pub sampled: u64,
    /// Of them, those that were answered without an error.
    pub answered: u64,
    /// Of them, those that found nothing.
    pub empty: u64,
    /// Latency at 50, 90, 99 and 99.9 per cent, and the longest, in microseconds.
    pub latency_us: Vec<u64>,
    /// Units by table and index.
    pub arms: Vec<SeenArm>,
    /// Most units of one request.
    pub units_max: f64,
    /// Items returned.
    pub returned: u64,
    /// Items read.
    pub examined: u64,
    /// Most items read by one request.
    pub examined_max: u64,
    /// Mean and largest bytes of an item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_bytes: Option<(f64, u64)>,
    /// About how many different partition keys.
    pub distinct_keys: u64,
    /// Uses of partition keys.
    pub key_uses: u64,
    /// The most used partition keys as digests that only this recording could tell apart, with the uses that are certain.
    pub top_keys: Vec<(String, u64)>,
}

/// Units on a table or an index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeenArm {
    /// The table.
    pub table: String,
    /// The index; `None` is the table itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Units of all requests that were taken down.
    pub units: f64,
    /// Most units of one request.
    pub units_max: f64,
}

impl Recording {
    /// The version of the form of the file.
    pub const VERSION: u32 = 1;

    /// Reads a file.
    ///
    /// # Errors
    /// One line: what is wrong with the file.
    pub fn from_json(bytes: &[u8]) -> Result<Recording, String> {
        let recording: Recording = serde_json::from_slice(bytes)
            .map_err(|error| format!("this is no recording of hashrange serve --record: {error}"))?;
        if recording.hashrange_recording != Recording::VERSION {
            return Err(format!(
                "the recording has version {}, and this program reads version {}: use the program that made it",
                recording.hashrange_recording,
                Recording::VERSION
            ));
        }
        Ok(recording)
    }

    /// The file.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("texts, numbers and lists are JSON");
        bytes.push(b'\n');
        bytes
    }

    /// Requests per second of something that was seen so often.
    #[expect(clippy::cast_precision_loss, reason = "rates for people")]
    pub fn rate(&self, count: u64) -> f64 {
        if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 }
    }
}

impl Shape {
    /// The text of a field, where it has one.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// The operation.
    pub fn operation(&self) -> &str {
        self.field("operation").unwrap_or_default()
    }

    /// The table; that of the first request where it is a batch.
    pub fn table(&self) -> Option<String> {
        let own = self.field("table").map(text::unquoted);
        own.or_else(|| self.requests.first()?.shape.table())
    }

    /// The index that is read.
    pub fn index(&self) -> Option<String> {
        self.field("index").map(text::unquoted)
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        match self.operation() {
            "PutItem" | "UpdateItem" | "DeleteItem" | "ConditionCheck" | "BatchWriteItem"
            | "TransactWriteItems" => true,
            "BatchExecuteStatement" => self.requests.iter().any(|part| part.shape.writes()),
            _ => false,
        }
    }

    /// The canonical text: what makes two requests one form.
    pub fn canonical(&self) -> String {
        let fields: Vec<String> = self.fields.iter().map(|(name, text)| format!("{name}: {text}")).collect();
        let mut canonical = fields.join("; ");
        for part in &self.requests {
            canonical = canonical + "; " + &part.times + " x [" + &part.shape.canonical() + "]";
        }
        canonical
    }

    /// Twelve hexadecimal digits of the canonical text's hash (FNV-1a, 64 bits).
    pub fn fingerprint(&self) -> String {
        let hash = self.canonical().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        format!("{:012x}", hash >> 16)
    }
}

impl Seen {
    /// Mean units of one request.
    pub fn units_mean(&self) -> f64 {
        mean(self.arms.iter().map(|arm| arm.units).sum(), self.answered)
    }

    /// Mean items that one request reads.
    #[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
    pub fn examined_mean(&self) -> f64 {
        mean(self.examined as f64, self.answered)
    }

    /// The share of requests with that error.
    pub fn failure_share(&self, error: &str) -> f64 {
        let failed = self.failed.iter().find(|(name, _)| name == error).map_or(0, |(_, count)| *count);
        share(failed, self.count)
    }

    /// The share of answers that found nothing.
    pub fn empty_share(&self) -> f64 {
        share(self.empty, self.answered)
    }

    /// The share of uses that the most used key has for certain.
    pub fn top_share(&self) -> f64 {
        share(self.top_keys.first().map_or(0, |(_, uses)| *uses), self.key_uses)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
fn mean(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "a share, for people")]
fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

#[cfg(test)]
mod tests;

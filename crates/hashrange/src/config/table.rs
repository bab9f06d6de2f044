//! The settings of `hashrange serve`: every key with its meaning, default and bounds, in one table.

use std::path::PathBuf;
use std::time::Duration;

use hashrange_wire::Audience;

use super::memory;
use super::text::{bytes_text, duration_text, parse_bytes, parse_duration};
use super::{LogFormat, Settings};

/// One setting. Its name is the flag (`--table-delay`), the key in the file (`table-delay`) and, in capitals
/// with underscores, the variable (`HASHRANGE_TABLE_DELAY`).
pub(crate) struct Key {
    /// Lower case, words joined by `-`.
    pub(crate) name: &'static str,
    /// What help shows in place of a value.
    pub(crate) placeholder: &'static str,
    /// The value where nobody gives one, as a person would write it.
    pub(crate) default: &'static str,
    /// What it does, one or two sentences.
    pub(crate) doc: &'static str,
    /// How its text is read, its bounds, and the setting it fills.
    pub(crate) form: Form,
}

/// How the text of a setting is read, and where the value goes.
pub(crate) enum Form {
    /// `host:port`.
    Address(fn(&mut Settings, String)),
    /// The path of a folder.
    Folder(fn(&mut Settings, PathBuf)),
    /// The path of a file, or `none`.
    File(fn(&mut Settings, Option<PathBuf>)),
    /// `true` or `false`; the bare flag means `true`.
    Switch(fn(&mut Settings, bool)),
    /// One of a few words, each with the value it stands for.
    Choice(&'static [Word]),
    /// A number with a unit of time.
    Duration { min: Duration, max: Duration, set: fn(&mut Settings, Duration) },
    /// A number with a unit of memory.
    Bytes { min: u64, max: u64, set: fn(&mut Settings, u64) },
    /// The same, or `auto`: a part of this machine's memory.
    Memory { min: u64, max: u64, auto: fn() -> u64, set: fn(&mut Settings, u64) },
    /// A whole number.
    Count { min: usize, max: usize, set: fn(&mut Settings, usize) },
}

/// A word that can be chosen, and what it sets.
pub(crate) type Word = (&'static str, fn(&mut Settings));

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The shortest time that a client is given for anything.
const PATIENCE_MIN: Duration = Duration::from_millis(100);

/// Every setting, in the order in which help and documentation show them.
pub(crate) const KEYS: &[Key] = &[
    Key {
        name: "addr",
        placeholder: "HOST:PORT",
        default: "127.0.0.1:8000",
        doc: "Where to listen. Port 0 lets the system choose a free one, which the start-up message names.",
        form: Form::Address(|settings, addr| settings.addr = addr),
    },
    Key {
        name: "data",
        placeholder: "DIR",
        default: "hashrange-data",
        doc: "The folder that holds the database; it is created when missing. A relative path starts at the \
              current folder.",
        form: Form::Folder(|settings, folder| settings.data = folder),
    },
    Key {
        name: "in-memory",
        placeholder: "BOOL",
        default: "false",
        doc: "Keep everything in memory: nothing is written to disk, and everything is gone when the server \
              ends. The data folder is not used.",
        form: Form::Switch(|settings, on| settings.in_memory = on),
    },
    Key {
        name: "credentials",
        placeholder: "FILE",
        default: "none",
        doc: "A file of access keys, in TOML or as the AWS tools keep it. With it every signature is verified; \
              without it every well-formed signature is accepted. SIGHUP reads it again.",
        form: Form::File(|settings, file| settings.credentials = file),
    },
    Key {
        name: "insecure",
        placeholder: "BOOL",
        default: "false",
        doc: "Listen on an address that other machines can reach although no credentials are given: everyone there \
              may read and write everything.",
        form: Form::Switch(|settings, on| settings.insecure = on),
    },
    Key {
        name: "tls-cert",
        placeholder: "FILE",
        default: "none",
        doc: "The server's certificate and those that it stands on, in PEM. With it and tls-key the server speaks \
              TLS and nothing else. SIGHUP reads both again.",
        form: Form::File(|settings, file| settings.tls.cert = file),
    },
    Key {
        name: "tls-key",
        placeholder: "FILE",
        default: "none",
        doc: "The private key of tls-cert, in PEM, not encrypted.",
        form: Form::File(|settings, file| settings.tls.key = file),
    },
    Key {
        name: "tls-client-ca",
        placeholder: "FILE",
        default: "none",
        doc: "Certificates of authorities, in PEM. With it every client must show a certificate that one of them has \
              signed, besides its signature.",
        form: Form::File(|settings, file| settings.tls.client_ca = file),
    },
    Key {
        name: "tls-self-signed",
        placeholder: "BOOL",
        default: "false",
        doc: "Speak TLS with a certificate of the server's own making, for localhost and the host in addr. Its \
              authority is made once, in a folder next to the data folder (DIR-tls); the start-up message says how to \
              trust it.",
        form: Form::Switch(|settings, on| settings.tls.self_signed = on),
    },
    Key {
        name: "header-timeout",
        placeholder: "DURATION",
        default: "10s",
        doc: "How long the header of a request may take to arrive, and a TLS handshake. A new connection has as long \
              for its first request. Slower ones are closed.",
        form: Form::Duration {
            min: PATIENCE_MIN,
            max: Duration::from_hours(1),
            set: |settings, limit| settings.wire.header_timeout = limit,
        },
    },
    Key {
        name: "body-timeout",
        placeholder: "DURATION",
        default: "1m",
        doc: "How long the body of a request may take to arrive. A slower one gets HTTP 408 and is closed.",
        form: Form::Duration {
            min: PATIENCE_MIN,
            max: Duration::from_hours(1),
            set: |settings, limit| settings.wire.body_timeout = limit,
        },
    },
    Key {
        name: "idle-timeout",
        placeholder: "DURATION",
        default: "1m",
        doc: "How long a connection may wait between an answer and the next request, and how long a client may take \
              nothing of an answer.",
        form: Form::Duration {
            min: PATIENCE_MIN,
            max: Duration::from_hours(24),
            set: |settings, limit| settings.wire.idle_timeout = limit,
        },
    },
    Key {
        name: "max-connections",
        placeholder: "COUNT",
        default: "4096",
        doc: "How many connections there may be at the same time. More are answered with HTTP 503, which SDKs try \
              again; with TLS they are closed. Fewer are taken where the system allows too few open files.",
        form: Form::Count {
            min: 1,
            max: 1_000_000,
            set: |settings, count| settings.wire.max_connections = count,
        },
    },
    Key {
        name: "request-memory",
        placeholder: "SIZE",
        default: "256MiB",
        doc: "Memory for bodies of requests (as sent, expanded and decoded) and for large answers, of all connections \
              together. A request beyond it is answered with ServiceUnavailable (HTTP 503), which SDKs try again. The \
              smallest value leaves room for one body of 16 MiB.",
        form: Form::Bytes {
            min: 192 * MIB,
            max: 1024 * GIB,
            set: |settings, size| settings.wire.request_memory = usize::try_from(size).unwrap_or(usize::MAX),
        },
    },
    Key {
        name: "cache-size",
        placeholder: "SIZE",
        default: "64MiB",
        doc: "Memory for blocks read from disk and, a quarter of it, for answers of longer queries; it fills as they are \
              read. Reads of items in it are faster. Besides, about 1 % of all data is in memory. The default suits a \
              laptop; auto, for a machine of its own, is an eighth of the memory of the machine or its container, 64 MiB \
              at least and 4 GiB at most.",
        form: Form::Memory {
            min: MIB,
            max: 1024 * GIB,
            auto: memory::cache_share,
            set: |settings, size| settings.cache_bytes = size,
        },
    },
    Key {
        name: "table-delay",
        placeholder: "DURATION",
        default: "0s",
        doc: "How long a table stays CREATING, UPDATING or DELETING, so that programs can meet those states \
              as they do on AWS.",
        form: Form::Duration {
            min: Duration::ZERO,
            max: Duration::from_hours(1),
            set: |settings, delay| settings.table_delay = delay,
        },
    },
    Key {
        name: "index-lag",
        placeholder: "DURATION",
        default: "0s",
        doc: "How long a change of a global index stays hidden from its readers, so that programs can meet \
              eventual consistency. Entries are stored at once all the same.",
        form: Form::Duration {
            min: Duration::ZERO,
            max: Duration::from_hours(1),
            set: |settings, lag| settings.index_lag = lag,
        },
    },
    Key {
        name: "item-collection-limit",
        placeholder: "SIZE",
        default: "10GiB",
        doc: "The largest item collection of a table with local indexes: items and index entries that share a \
              partition key. DynamoDB's limit is the default; a small one lets tests reach it in seconds.",
        form: Form::Bytes {
            min: 1,
            max: 1024 * GIB,
            set: |settings, size| settings.item_collection_max = size,
        },
    },
    Key {
        name: "throttle",
        placeholder: "BOOL",
        default: "false",
        doc: "Let requests wait for capacity as on AWS: tables and global indexes with provisioned capacity serve what is \
              provisioned, after a burst of unused capacity, and on-demand ones their OnDemandThroughput where they have \
              one. Requests beyond it get ProvisionedThroughputExceededException or ThrottlingException.",
        form: Form::Switch(|settings, on| settings.throttle = on),
    },
    Key {
        name: "metrics",
        placeholder: "AUDIENCE",
        default: "local",
        doc: "Who may read the server's counts at GET /metrics, in the format of Prometheus: programs on this machine, \
              everyone who can connect, or nobody. They hold no names of tables and nothing of items. Requests that say \
              that they come through a proxy or from a web page are not local.",
        form: Form::Choice(&[
            ("local", |settings| settings.wire.metrics = Audience::Local),
            ("all", |settings| settings.wire.metrics = Audience::Everybody),
            ("off", |settings| settings.wire.metrics = Audience::Nobody),
        ]),
    },
    Key {
        name: "record",
        placeholder: "FILE",
        default: "none",
        doc: "Record the forms of requests to this file, for hashrange model record: operations, names and operators, how \
              often they come and what they consume; no values. It is written every ten seconds and at the end, and is \
              begun anew at each start.",
        form: Form::File(|settings, file| settings.record = file),
    },
    Key {
        name: "record-sample",
        placeholder: "COUNT",
        default: "16",
        doc: "Record keys, capacity, latency and what follows what of one request in so many, after the first thousand of each \
              form. All requests are counted.",
        form: Form::Count { min: 1, max: 1_000_000, set: |settings, count| settings.record_sample = count },
    },
    Key {
        name: "log-level",
        placeholder: "LEVEL",
        default: "info",
        doc: "How much is logged, on standard error.",
        form: Form::Choice(&[
            ("error", |settings| settings.log_level = tracing::Level::ERROR),
            ("warn", |settings| settings.log_level = tracing::Level::WARN),
            ("info", |settings| settings.log_level = tracing::Level::INFO),
            ("debug", |settings| settings.log_level = tracing::Level::DEBUG),
            ("trace", |settings| settings.log_level = tracing::Level::TRACE),
        ]),
    },
    Key {
        name: "log-format",
        placeholder: "FORMAT",
        default: "text",
        doc: "How a log line looks: text for people, json for machines.",
        form: Form::Choice(&[
            ("text", |settings| settings.log_format = LogFormat::Text),
            ("json", |settings| settings.log_format = LogFormat::Json),
        ]),
    },
    Key {
        name: "log-values",
        placeholder: "BOOL",
        default: "false",
        doc: "Log texts that may hold values of items and keys: those of errors that clients get, at the level debug, \
              and of panics. Without it no line of the log holds any.",
        form: Form::Switch(|settings, on| settings.wire.log_values = on),
    },
];

impl Key {
    /// The environment variable of this setting.
    pub(crate) fn variable(&self) -> String {
        format!("HASHRANGE_{}", self.name.replace('-', "_").to_uppercase())
    }

    /// The bounds in words, or nothing where every value of the form is good.
    pub(crate) fn bounds(&self) -> String {
        match &self.form {
            Form::Address(_) | Form::Folder(_) | Form::File(_) => String::new(),
            Form::Switch(_) => "true or false".to_owned(),
            Form::Choice(words) => list_words(words.iter().map(|(word, _)| *word)),
            Form::Duration { min, max, .. } => format!("{} to {}", duration_text(*min), duration_text(*max)),
            Form::Count { min, max, .. } => format!("{min} to {max}"),
            Form::Bytes { min, max, .. } => format!("{} to {}", bytes_text(*min), bytes_text(*max)),
            Form::Memory { min, max, .. } => format!("auto, or {} to {}", bytes_text(*min), bytes_text(*max)),
        }
    }

    /// Reads `text` into `settings`; the error says what is wrong with the text and what to write instead.
    pub(crate) fn read(&self, text: &str, settings: &mut Settings) -> Result<(), String> {
        match &self.form {
            Form::Address(set) => set(settings, read_address(text)?),
            Form::Folder(set) => set(settings, read_folder(text)?),
            Form::File(set) => set(settings, read_file_path(text)?),
            Form::Switch(set) => set(settings, read_switch(text)?),
            Form::Choice(words) => {
                let chosen = words.iter().find(|(word, _)| *word == text);
                let (_, set) = chosen.ok_or_else(|| format!("\"{text}\" is not one of {}", self.bounds()))?;
                set(settings);
            }
            Form::Duration { min, max, set } => set(settings, read_duration(text, *min, *max)?),
            Form::Count { min, max, set } => set(settings, read_count(text, *min, *max)?),
            Form::Bytes { min, max, set } => set(settings, read_bytes(text, *min, *max)?),
            Form::Memory { auto, set, .. } if text == "auto" => set(settings, auto()),
            Form::Memory { min, max, set, .. } => set(settings, read_bytes(text, *min, *max)?),
        }
        Ok(())
    }
}

/// `a, b or c`.
pub(crate) fn list_words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn read_address(text: &str) -> Result<String, String> {
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port);
    match port.map(str::parse::<u16>) {
        Some(Ok(_)) => Ok(text.to_owned()),
        Some(Err(_)) => Err(format!("the port in \"{text}\" is not a number from 0 to 65535")),
        None => Err(format!(
            "\"{text}\" is not an address: write host and port, for example 127.0.0.1:8000 or [::1]:8000"
        )),
    }
}

fn read_folder(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("the path is empty: name a folder, for example ./hashrange-data".to_owned());
    }
    Ok(PathBuf::from(text))
}

/// An empty path is a mistake, such as an unset variable in a script, and must not turn off what the file is for.
fn read_file_path(text: &str) -> Result<Option<PathBuf>, String> {
    match text {
        "" => Err("the path is empty: name a file, or write none".to_owned()),
        "none" => Ok(None),
        path => Ok(Some(PathBuf::from(path))),
    }
}

fn read_switch(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("\"{text}\" is neither true nor false")),
    }
}

fn read_count(text: &str, min: usize, max: usize) -> Result<usize, String> {
    let count = text.parse().map_err(|_| format!("\"{text}\" is not a whole number"))?;
    if count < min {
        return Err(format!("{text} is too small: at least {min} is needed"));
    }
    if count > max {
        return Err(format!("{text} is too large: at most {max} is allowed"));
    }
    Ok(count)
}

fn read_duration(text: &str, min: Duration, max: Duration) -> Result<Duration, String> {
    let duration = parse_duration(text).ok_or_else(|| {
        format!(
            "\"{text}\" is not a duration: write a whole number and ms, s, m or h, for example 250ms or 2s"
        )
    })?;
    if duration < min {
        return Err(format!("{text} is too short: at least {} is needed", duration_text(min)));
    }
    if duration > max {
        return Err(format!("{text} is too long: at most {} is allowed", duration_text(max)));
    }
    Ok(duration)
}

fn read_bytes(text: &str, min: u64, max: u64) -> Result<u64, String> {
    let bytes = parse_bytes(text).ok_or_else(|| {
        format!("\"{text}\" is not a size: write a whole number and KiB, MiB or GiB, for example 64MiB")
    })?;
    if bytes < min {
        return Err(format!("{text} is too small: at least {} is needed", bytes_text(min)));
    }
    if bytes > max {
        return Err(format!("{text} is too large: at most {} is allowed", bytes_text(max)));
    }
    Ok(bytes)
}

//! Configuration of the server: flags, variables and file become one [`Settings`].
//!
//! Parse (`parse_flags`, `read_file`), resolve ([`resolve`]: flags before `HASHRANGE_*` variables before the
//! file before defaults), compose ([`Settings`]). What can be set is the table [`KEYS`] and nothing else.

mod document;
mod flags;
mod memory;
mod table;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use flags::{CHECK_CONFIG, command, given_flags};
use table::{KEYS, Key, list_words};
pub(crate) use text::parse_duration;

/// Everything that `hashrange serve` can be told, typed and within its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Where to listen, `host:port`.
    pub(crate) addr: String,
    /// The folder of the database; not used when `in_memory`.
    pub(crate) data: PathBuf,
    /// Keep everything in memory.
    pub(crate) in_memory: bool,
    /// The file of access keys; without it signatures are not verified.
    pub(crate) credentials: Option<PathBuf>,
    /// Other machines may reach the server although signatures are not verified.
    pub(crate) insecure: bool,
    /// Certificates.
    pub(crate) tls: TlsSettings,
    /// Limits of connections and requests.
    pub(crate) wire: hashrange_wire::Options,
    /// Memory for blocks read from disk.
    pub(crate) cache_bytes: u64,
    /// How long CREATING, UPDATING and DELETING last.
    pub(crate) table_delay: Duration,
    /// How long a change of a global index stays hidden from its readers.
    pub(crate) index_lag: Duration,
    pub(crate) throttle: bool,
    /// Largest item collection, in bytes.
    pub(crate) item_collection_max: u64,
    /// The file for the forms of requests; without it they are not recorded.
    pub(crate) record: Option<PathBuf>,
    /// Of so many requests, one is recorded in full.
    pub(crate) record_sample: usize,
    /// The least important line that is logged.
    pub(crate) log_level: tracing::Level,
    /// How a log line looks.
    pub(crate) log_format: LogFormat,
}

/// What the server shows to clients that speak TLS, and asks of them. Without certificates it speaks plain HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TlsSettings {
    /// The server's certificate chain.
    pub(crate) cert: Option<PathBuf>,
    /// Its private key.
    pub(crate) key: Option<PathBuf>,
    /// Who signs certificates of clients.
    pub(crate) client_ca: Option<PathBuf>,
    /// Make certificates instead of reading them.
    pub(crate) self_signed: bool,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The settings in force, and what a person should know about how they came about.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) settings: Settings,
    /// Every setting in force, in the order of the table.
    pub(crate) origins: Vec<Origin>,
    /// Variables that are most likely misspelled, one line each.
    pub(crate) warnings: Vec<String>,
}

/// A setting and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// As in the file.
    pub(crate) name: &'static str,
    /// Its value as given.
    pub(crate) text: String,
    /// The flag, the variable, the file, or `default`.
    pub(crate) source: String,
}

/// What one source gives: setting name to text.
pub(crate) type Given = BTreeMap<String, String>;

/// The name that holds the path of the file, among flags and variables. A file cannot name another.
const CONFIG: &str = "config";

/// The source of settings that no source gives.
const DEFAULT: &str = "default";

/// Merges the sources, each key from the strongest source that gives it.
///
/// # Errors
/// One line: the source, what is wrong, and what to write instead.
pub(crate) fn resolve(flags: &Given, variables: &Given) -> Result<Resolved, String> {
    let path = flags.get(CONFIG).or_else(|| variables.get("HASHRANGE_CONFIG"));
    let file = path.map(|path| read_file(Path::new(path))).transpose()?.unwrap_or_default();
    let file_name = path.map_or("", String::as_str);

    let mut settings = defaults();
    let mut origins = Vec::with_capacity(KEYS.len());
    for key in KEYS {
        let variable = key.variable();
        let (text, source) = if let Some(text) = flags.get(key.name) {
            (text.as_str(), format!("--{}", key.name))
        } else if let Some(text) = variables.get(&variable) {
            (text.as_str(), variable)
        } else if let Some(text) = file.get(key.name) {
            (text.as_str(), file_name.to_owned())
        } else {
            (key.default, DEFAULT.to_owned())
        };
        key.read(text, &mut settings).map_err(|why| {
            if source == file_name {
                format!("{} in {source}: {why}", key.name)
            } else {
                format!("{source}: {why}")
            }
        })?;
        origins.push(Origin { name: key.name, text: text.to_owned(), source });
    }
    check_tls(&settings.tls)?;
    Ok(Resolved { settings, origins, warnings: misspelled_variables(variables) })
}

/// Settings of TLS that are good one by one and not together.
fn check_tls(tls: &TlsSettings) -> Result<(), String> {
    let mistake = match (&tls.cert, &tls.key, tls.self_signed) {
        (None, None, false) if tls.client_ca.is_some() => {
            "tls-client-ca asks for TLS: give tls-cert and tls-key as well, or tls-self-signed"
        }
        (Some(_), None, false) => "tls-cert has no key: give tls-key as well",
        (None, Some(_), false) => "tls-key has no certificate: give tls-cert as well",
        (Some(_), _, true) | (_, Some(_), true) => {
            "tls-self-signed makes a certificate and a key: leave it out, or leave tls-cert and tls-key out"
        }
        _ => return Ok(()),
    };
    Err(mistake.to_owned())
}

/// The settings where no source says anything.
fn defaults() -> Settings {
    let mut settings = Settings {
        addr: String::new(),
        data: PathBuf::new(),
        in_memory: false,
        credentials: None,
        insecure: false,
        tls: TlsSettings::default(),
        wire: hashrange_wire::Options::default(),
        cache_bytes: 0,
        table_delay: Duration::ZERO,
        index_lag: Duration::ZERO,
        throttle: false,
        item_collection_max: 0,
        record: None,
        record_sample: 16,
        log_level: tracing::Level::INFO,
        log_format: LogFormat::Text,
    };
    for key in KEYS {
        key.read(key.default, &mut settings).expect("a test reads every default of the table");
    }
    settings
}

/// Reads the configuration file. Unlike a variable, which may belong to another program, every key must be known.
fn read_file(path: &Path) -> Result<Given, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("--config {name}: {error}: check the path, or leave the setting out"))?;
    let table: toml::Table = text.parse().map_err(|error| {
        let error: toml::de::Error = error;
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        format!("{name}, line {line}: {}", error.message().replace('\n', ", "))
    })?;
    table.into_iter().map(|(key, value)| file_entry(path, key, value)).collect()
}

fn file_entry(path: &Path, key: String, value: toml::Value) -> Result<(String, String), String> {
    let name = path.display();
    if !KEYS.iter().any(|known| known.name == key) {
        return Err(format!("{name}: \"{key}\" is not a setting: {}", suggestion(&key)));
    }
    let text = match value {
        toml::Value::String(text) => text,
        toml::Value::Boolean(on) => on.to_string(),
        toml::Value::Integer(number) => number.to_string(),
        _ => return Err(format!("{key} in {name}: write the value as a text in quotes")),
    };
    Ok((key, text))
}

/// What to write instead of an unknown name.
fn suggestion(unknown: &str) -> String {
    match nearest(unknown) {
        Some(key) => format!("did you mean \"{}\"?", key.name),
        None => format!(
            "the settings are {}",
            list_words(KEYS.iter().map(|key| key.name)).replace(" or ", " and ")
        ),
    }
}

/// The setting that `name` is most likely a misspelling of.
fn nearest(name: &str) -> Option<&'static Key> {
    let best = KEYS.iter().max_by(|a, b| likeness(name, a.name).total_cmp(&likeness(name, b.name)))?;
    is_like(name, best.name).then_some(best)
}

/// The variable that one with this name after the prefix is most likely a misspelling of.
fn nearest_variable(name: &str) -> Option<String> {
    let setting = nearest(name).map(Key::variable);
    setting.or_else(|| is_like(name, CONFIG).then(|| "HASHRANGE_CONFIG".to_owned()))
}

fn likeness(name: &str, known: &str) -> f64 {
    strsim::jaro_winkler(&name.to_lowercase().replace('_', "-"), known)
}

fn is_like(name: &str, known: &str) -> bool {
    likeness(name, known) > 0.85
}

/// A variable that almost names a setting would otherwise be ignored in silence.
fn misspelled_variables(variables: &Given) -> Vec<String> {
    let known = |name: &str| name == "HASHRANGE_CONFIG" || KEYS.iter().any(|key| key.variable() == name);
    let unknown = variables.keys().filter(|name| !known(name));
    let near = unknown.filter_map(|name| Some((name, nearest_variable(name.strip_prefix("HASHRANGE_")?)?)));
    near.map(|(name, meant)| format!("{name} is not a setting and is ignored; did you mean {meant}?"))
        .collect()
}

/// The variables of this process that could be settings. An empty one counts as not set.
pub(crate) fn given_variables() -> Given {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
    };
    let ours = |(name, value): &(String, String)| name.starts_with("HASHRANGE_") && !value.is_empty();
    std::env::vars_os().filter_map(text).filter(ours).collect()
}

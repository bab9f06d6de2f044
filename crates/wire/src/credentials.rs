//! Who may sign: access keys, their secrets and their accounts, from a file.
//!
//! The file is TOML or in the format that AWS's tools keep their credentials in; its content tells which. A
//! [`Keyring`] holds what the file said when it was last read, and is what a server verifies signatures with.

mod document;
mod profiles;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs};

use hashrange_api::{Error, ErrorCode, message};
use hashrange_env::WallMs;
use parking_lot::RwLock;

use crate::seen::Seen;
use crate::sigv4::{self, Parsed, Signer, SigningKey};

/// The account of callers whose access key is not itself an account number.
pub(crate) const DEFAULT_ACCOUNT: &str = "000000000000";

/// Largest credentials file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Longest access key that is taken, in bytes; AWS's own have at most 128.
const ACCESS_KEY_BYTES_MAX: usize = 128;

/// Signing keys that are kept for one access key: a few regions, and two days around midnight.
const SIGNING_KEYS_MAX: usize = 16;

/// The account that an access key names: one of twelve digits is an account number, every other key belongs to the
/// default account.
pub(crate) fn account_of(access_key: &str) -> &str {
    if is_account(access_key) { access_key } else { DEFAULT_ACCOUNT }
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    fn is(&self, text: &str) -> bool {
        sigv4::is_same(self.0.as_bytes(), text.as_bytes())
    }
}

/// What the file says of one access key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    secret_key: Secret,
    session_token: Option<Secret>,
    account: Arc<str>,
    expires: Option<WallMs>,
}

/// An entry and where it began, for messages.
#[derive(Debug)]
struct Found {
    line: usize,
    access_key: String,
    entry: Entry,
}

/// A mistake in the file.
#[derive(Debug, PartialEq, Eq)]
struct Mistake {
    line: usize,
    /// What is wrong, and what to write instead.
    text: String,
}

impl Mistake {
    fn new(line: usize, text: impl Into<String>) -> Mistake {
        Mistake { line, text: text.into() }
    }
}

/// An access key in use: its entry, and the signing keys that good signatures were made with.
#[derive(Debug)]
struct Credential {
    entry: Entry,
    /// Oldest first. A key is kept only once a signature with it was right, so that nobody without the secret can push
    /// the others out.
    signing_keys: RwLock<Vec<CachedKey>>,
}

#[derive(Debug)]
struct CachedKey {
    date: String,
    region: String,
    key: SigningKey,
}

impl Credential {
    fn new(entry: Entry) -> Credential {
        Credential { entry, signing_keys: RwLock::new(Vec::new()) }
    }

    /// Whether the session token is the one that belongs to the key, and its time is not over.
    fn check_token(&self, sent: Option<&str>, now: WallMs) -> Result<(), Error> {
        let fits = match (&self.entry.session_token, sent) {
            (None, None) => true,
            (Some(expected), Some(sent)) => expected.is(sent),
            _ => false,
        };
        if !fits {
            return Err(unknown_key());
        }
        if self.entry.expires.is_some_and(|end| now >= end) {
            return Err(Error::new(ErrorCode::ExpiredTokenException, message::auth::expired_token()));
        }
        Ok(())
    }

    fn verify(&self, head: &Seen<'_>, body: &[u8], signature: &Parsed<'_>) -> Result<(), Error> {
        if let Some(outcome) = self.verify_with_cached(head, body, signature) {
            return outcome;
        }
        let Parsed { date, region, service, .. } = signature;
        let key = SigningKey::derive(&self.entry.secret_key.0, date, region, service);
        sigv4::verify(head, body, signature, &key)?;
        self.keep(CachedKey { date: date.to_string(), region: region.to_string(), key });
        Ok(())
    }

    /// The outcome with a key that was used before, if there is one. It is used where it lies: a copy is an HMAC state.
    fn verify_with_cached(
        &self,
        head: &Seen<'_>,
        body: &[u8],
        signature: &Parsed<'_>,
    ) -> Option<Result<(), Error>> {
        let keys = self.signing_keys.read();
        let fits = |cached: &&CachedKey| cached.date == *signature.date && cached.region == *signature.region;
        let cached = keys.iter().find(fits)?;
        Some(sigv4::verify(head, body, signature, &cached.key))
    }

    fn keep(&self, cached: CachedKey) {
        let mut keys = self.signing_keys.write();
        let is_there = keys.iter().any(|other| other.region == cached.region && other.date == cached.date);
        if is_there {
            return;
        }
        if keys.len() == SIGNING_KEYS_MAX {
            keys.remove(0);
        }
        keys.push(cached);
    }
}

fn unknown_key() -> Error {
    Error::new(ErrorCode::UnrecognizedClientException, message::auth::unknown_key())
}

type Credentials = BTreeMap<String, Credential>;

/// Finds the entries in the text of a file of either format.
fn parse(text: &str) -> Result<Vec<Found>, Mistake> {
    let is_profile_line = |line: &str| {
        let line = line.trim_start();
        ["aws_access_key_id", "aws_secret_access_key"].iter().any(|name| line.starts_with(name))
    };
    let found =
        if text.lines().any(is_profile_line) { profiles::parse(text)? } else { document::parse(text)? };
    if found.is_empty() {
        return Err(Mistake::new(
            1,
            "the file has no credential, so nobody could sign: add a [[credential]] with access-key and secret-key, \
             or a [profile] with aws_access_key_id and aws_secret_access_key",
        ));
    }
    Ok(found)
}

/// One credential for each access key. Profiles may share a key, but not disagree about it.
fn collect(found: Vec<Found>) -> Result<Credentials, Mistake> {
    let mut entries: BTreeMap<String, (usize, Entry)> = BTreeMap::new();
    for Found { line, access_key, entry } in found {
        match entries.get(&access_key) {
            Some((first, other)) if *other != entry => {
                let text = format!(
                    "the access key {access_key} stands in line {first} with another secret, token, account or end: \
                     give each key once"
                );
                return Err(Mistake::new(line, text));
            }
            Some(_) => {}
            None => {
                entries.insert(access_key, (line, entry));
            }
        }
    }
    Ok(entries.into_iter().map(|(key, (_, entry))| (key, Credential::new(entry))).collect())
}

/// Checks what both formats share, and makes the entry of it.
#[derive(Debug, Default)]
struct Draft {
    line: usize,
    access_key: Option<String>,
    secret_key: Option<String>,
    session_token: Option<String>,
    account: Option<String>,
    expires: Option<WallMs>,
}

impl Draft {
    /// `names` are those of access key, secret key and account in the format.
    fn finish(self, [access_name, secret_name, account_name]: [&str; 3]) -> Result<Found, Mistake> {
        let line = self.line;
        let missing = |name: &str| Mistake::new(line, format!("{name} is missing: add a line `{name} = …`"));
        let access_key = self.access_key.ok_or_else(|| missing(access_name))?;
        let secret_key = self.secret_key.ok_or_else(|| missing(secret_name))?;
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"/,=".contains(&byte);
        if access_key.len() > ACCESS_KEY_BYTES_MAX || !access_key.bytes().all(plain) {
            let text = format!(
                "{access_name} must be at most {ACCESS_KEY_BYTES_MAX} printable ASCII characters without space, comma, \
                 slash and equals sign"
            );
            return Err(Mistake::new(line, text));
        }
        let account = self.account.unwrap_or_else(|| account_of(&access_key).to_owned());
        if !is_account(&account) {
            let text =
                format!("{account_name} \"{account}\" is not an account: write twelve digits in quotes");
            return Err(Mistake::new(line, text));
        }
        let entry = Entry {
            secret_key: Secret(secret_key),
            session_token: self.session_token.map(Secret),
            account: account.into(),
            expires: self.expires,
        };
        Ok(Found { line, access_key, entry })
    }
}

/// The access keys of a credentials file, as it was when it was last read.
#[derive(Debug)]
pub struct Keyring {
    path: PathBuf,
    credentials: RwLock<Arc<Credentials>>,
}

impl Keyring {
    /// Reads a credentials file.
    ///
    /// # Errors
    /// One line: the file and the line, what is wrong, and what to write instead.
    pub fn open(path: &Path) -> Result<Keyring, String> {
        let credentials = load(path)?;
        Ok(Keyring { path: path.to_owned(), credentials: RwLock::new(Arc::new(credentials)) })
    }

    /// Reads the file again. Requests that are being verified finish with what was there before.
    ///
    /// # Errors
    /// As [`open`](Keyring::open); the credentials in force then stay.
    pub fn reload(&self) -> Result<(), String> {
        let credentials = load(&self.path)?;
        *self.credentials.write() = Arc::new(credentials);
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many access keys there are.
    pub fn count(&self) -> usize {
        self.credentials.read().len()
    }

    /// Verifies the signature of a request whose body, as sent, is `body`. The answer is the signature and the account
    /// that it speaks for.
    ///
    /// # Errors
    /// Those of [`sigv4::parse_at`]; then `UnrecognizedClientException` for an unknown key or a token that is not the
    /// key's, `ExpiredTokenException`, and those of [`sigv4::verify`].
    pub fn verify<'a>(
        &self,
        head: &Seen<'a>,
        body: &[u8],
        now: WallMs,
    ) -> Result<(Parsed<'a>, Arc<str>), Error> {
        let signature = sigv4::parse_at(head, now)?;
        let credentials = Arc::clone(&self.credentials.read());
        let credential = credentials.get(&*signature.access_key).ok_or_else(unknown_key)?;
        credential.check_token(signature.session_token.as_deref(), now)?;
        credential.verify(head, body, &signature)?;
        Ok((signature, Arc::clone(&credential.entry.account)))
    }
}

/// The key of a profile in a file in the format of AWS's tools; `None` where there is no such file, or no key of that profile.
///
/// # Errors
/// One line: the file, what is wrong, and what to do.
pub fn signer(path: &Path, profile: &str) -> Result<Option<Signer>, String> {
    if !path.is_file() {
        return Ok(None);
    }
    let Some(section) = profiles::section(&read(path)?, profile) else { return Ok(None) };
    let found = profiles::parse(&section)
        .map_err(|mistake| format!("{}, profile {profile}: {}", path.display(), mistake.text))?;
    Ok(found.into_iter().next().map(|found| Signer {
        access_key: found.access_key,
        secret_key: found.entry.secret_key.0,
        session_token: found.entry.session_token.map(|token| token.0),
    }))
}

fn read(path: &Path) -> Result<String, String> {
    let name = path.display();
    let unreadable = |error: std::io::Error| format!("{name}: {error}: check the path and who may read it");
    let size = fs::metadata(path).map_err(unreadable)?.len();
    if size > FILE_BYTES_MAX {
        return Err(format!(
            "{name}: {size} bytes are too many for a credentials file: is it the right file?"
        ));
    }
    fs::read_to_string(path).map_err(unreadable)
}

fn load(path: &Path) -> Result<Credentials, String> {
    let name = path.display();
    let text = read(path)?;
    let credentials = parse(&text).and_then(collect);
    let credentials =
        credentials.map_err(|mistake| format!("{name}, line {}: {}", mistake.line, mistake.text))?;
    warn_of_readers(path);
    Ok(credentials)
}

/// Everybody who can read the file can sign.
#[cfg(unix)]
pub(crate) fn warn_of_readers(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let others = fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0);
    if others {
        let path = path.display();
        tracing::warn!("other users may read the secrets in {path}: run `chmod 600 {path}`");
    }
}

#[cfg(not(unix))]
pub(crate) fn warn_of_readers(_path: &Path) {}

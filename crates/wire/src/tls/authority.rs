//! A certificate authority for one server: made once, kept in a folder, trusted by whoever is told to.
//!
//! Its own certificate stays the same, so that clients need to be told once. The server's certificate is made anew at
//! each start and is never written down.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hashrange_env::WallMs;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::sigv4::civil_from_days;

/// What the authority is called in lists of trusted certificates.
const NAME: &str = "Hashrange local authority";

/// How long the authority lasts, in days.
const AUTHORITY_DAYS: u64 = 3650;

/// How long a server's certificate lasts, in days. Some systems trust none that lasts longer than 825.
const SERVER_DAYS: u64 = 800;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// A certificate and those that it stands on, and its key.
type Issued = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The file of the authority's certificate.
pub(super) fn certificate(folder: &Path) -> PathBuf {
    folder.join("ca.pem")
}

fn key_file(folder: &Path) -> PathBuf {
    folder.join("ca-key.pem")
}

/// A new certificate for `names`, from the authority in `folder`, which is made where there is none.
pub(super) fn issue(folder: &Path, names: &[String], now: WallMs) -> Result<Issued, String> {
    let (authority, key) = match (exists(&certificate(folder))?, exists(&key_file(folder))?) {
        (true, true) => read(folder)?,
        (false, false) => make(folder, now)?,
        _ => {
            return Err(format!(
                "{}: either ca.pem or ca-key.pem is missing: bring it back, or remove the other one for a new \
                 authority that clients must be told to trust",
                folder.display()
            ));
        }
    };
    let issuer = Issuer::new(authority_params(now), key);
    let own_key = KeyPair::generate().map_err(|error| no_certificate(folder, &error))?;
    let params = server_params(names, now).map_err(|error| no_certificate(folder, &error))?;
    let own = params.signed_by(&own_key, &issuer).map_err(|error| no_certificate(folder, &error))?;
    let der = PrivatePkcs8KeyDer::from(own_key.serialize_der());
    Ok((vec![own.der().clone(), authority], der.into()))
}

fn no_certificate(folder: &Path, error: &rcgen::Error) -> String {
    format!("{}: its authority gives no certificate ({error})", folder.display())
}

fn exists(file: &Path) -> Result<bool, String> {
    file.try_exists().map_err(|error| unusable(file, &error))
}

fn read(folder: &Path) -> Result<(CertificateDer<'static>, KeyPair), String> {
    let (file, key_file) = (certificate(folder), key_file(folder));
    let damaged = |file: &Path, error: &dyn std::error::Error| {
        format!(
            "{}: it is damaged ({error}): bring it back from a copy, or remove both files of the folder for a new \
             authority that clients must be told to trust",
            file.display()
        )
    };
    let authority = CertificateDer::from_pem_file(&file).map_err(|error| damaged(&file, &error))?;
    let text = fs::read_to_string(&key_file).map_err(|error| unusable(&key_file, &error))?;
    let key = KeyPair::from_pem(&text).map_err(|error| damaged(&key_file, &error))?;
    crate::credentials::warn_of_readers(&key_file);
    Ok((authority, key))
}

/// The key first: whoever finds a certificate finds its key as well, unless somebody has taken it away.
fn make(folder: &Path, now: WallMs) -> Result<(CertificateDer<'static>, KeyPair), String> {
    let key = KeyPair::generate().map_err(|error| no_certificate(folder, &error))?;
    let authority =
        authority_params(now).self_signed(&key).map_err(|error| no_certificate(folder, &error))?;
    fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
    write(&key_file(folder), &key.serialize_pem(), 0o600)?;
    write(&certificate(folder), &authority.pem(), 0o644)?;
    tracing::info!(folder = %folder.display(), "a certificate authority for this server was made");
    Ok((authority.der().clone(), key))
}

/// Writes a new file, whole or not at all.
fn write(file: &Path, text: &str, mode: u32) -> Result<(), String> {
    let draft = file.with_extension("new");
    let written = (|| {
        // What a crash has left there may have another mode.
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut open = options(mode).open(&draft)?;
        open.write_all(text.as_bytes())?;
        open.sync_all()?;
        fs::rename(&draft, file)
    })();
    written.map_err(|error| unusable(file, &error))
}

#[cfg(unix)]
fn options(mode: u32) -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    options
}

#[cfg(not(unix))]
fn options(_mode: u32) -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    options
}

fn unusable(path: &Path, error: &io::Error) -> String {
    format!(
        "{}: {error}: give this user write permission to the folder, or name files with --tls-cert",
        path.display()
    )
}

fn authority_params(now: WallMs) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = name(NAME);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages =
        vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
    valid_for(&mut params, now, AUTHORITY_DAYS);
    params
}

fn server_params(names: &[String], now: WallMs) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = name("Hashrange");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    valid_for(&mut params, now, SERVER_DAYS);
    Ok(params)
}

fn name(common: &str) -> rcgen::DistinguishedName {
    let mut name = rcgen::DistinguishedName::new();
    name.push(DnType::CommonName, common);
    name
}

/// From the day before, for clients whose clock is behind.
fn valid_for(params: &mut CertificateParams, now: WallMs, days: u64) {
    let midnight = |day: u64| {
        let (year, month, day) = civil_from_days(i64::try_from(day).unwrap_or(i64::MAX));
        date_time_ymd(narrow(year), narrow(month), narrow(day))
    };
    let today = now.0 / DAY_MS;
    params.not_before = midnight(today.saturating_sub(1));
    params.not_after = midnight(today + days);
}

fn narrow<T: TryFrom<i64>>(value: i64) -> T {
    T::try_from(value).ok().expect("a clock of today shows a year, a month and a day of the calendar")
}

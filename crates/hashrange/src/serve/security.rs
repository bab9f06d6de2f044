//! Who may reach the server, and what it keeps secret: exposure, credentials, certificates.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashrange_env::Env;
use hashrange_service::Service;
use hashrange_wire::{Keyring, Server, Source, Tls};
use tokio::signal::unix::{SignalKind, signal};

use super::full_path;
use crate::config::{Settings, TlsSettings};

/// Refuses to serve other machines when nothing is asked of them.
pub(super) fn check_exposure(settings: &Settings, addr: SocketAddr) -> Result<(), String> {
    if addr.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    if settings.credentials.is_none() && !settings.insecure {
        return Err(format!(
            "other machines can reach {addr}, and without credentials everyone there may read and write everything; give \
             --credentials FILE, or listen on this machine only with --addr 127.0.0.1:{}, or add --insecure",
            addr.port()
        ));
    }
    if settings.credentials.is_none() {
        tracing::warn!("other machines can reach {addr}, and everyone there may read and write everything");
    }
    if source(settings).is_none() {
        tracing::warn!(
            "requests and answers to other machines are not encrypted: give --tls-cert and --tls-key, or --tls-self-signed"
        );
    }
    Ok(())
}

/// What was read from files that a person may change.
#[derive(Debug)]
pub(super) struct Secrets {
    keyring: Option<Arc<Keyring>>,
    tls: Option<Arc<Tls>>,
}

impl Secrets {
    /// Reads what the settings name.
    ///
    /// # Errors
    /// One line: the file, what is wrong with it, and what to do.
    pub(super) fn open(settings: &Settings, env: &Env) -> Result<Secrets, String> {
        let keyring = settings.credentials.as_deref().map(Keyring::open).transpose()?.map(Arc::new);
        let client_ca = settings.tls.client_ca.clone();
        let tls = source(settings).map(|source| Tls::open(source, client_ca, env)).transpose()?.map(Arc::new);
        Ok(Secrets { keyring, tls })
    }

    /// The server with what was read.
    pub(super) fn guard(self, mut server: Server<Service>) -> Server<Service> {
        if let Some(keyring) = self.keyring {
            server = server.verifying(keyring);
        }
        if let Some(tls) = self.tls {
            server = server.encrypted(tls);
        }
        server
    }

    /// Reads everything again whenever SIGHUP says so. Without anything to read the signal keeps its usual meaning.
    pub(super) fn reload_on_hangup(&self, env: &Env) -> Result<(), String> {
        let (keyring, tls) = (self.keyring.clone(), self.tls.clone());
        if keyring.is_none() && tls.is_none() {
            return Ok(());
        }
        let mut hangup = signal(SignalKind::hangup())
            .map_err(|error| format!("the system lets no signal be handled: {error}"))?;
        let reload = async move {
            while hangup.recv().await.is_some() {
                if let Some(keyring) = &keyring {
                    reload_keyring(keyring);
                }
                if let Some(tls) = &tls {
                    reload_tls(tls);
                }
            }
        };
        env.tasks.spawn("reload", Box::pin(reload));
        Ok(())
    }

    /// `http` or `https`.
    pub(super) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// The certificate of our own authority that clients must trust, if there is one.
    pub(super) fn authority(&self) -> Option<String> {
        self.tls.as_ref().and_then(|tls| tls.authority()).map(|file| full_path(&file))
    }

    /// How to tell clients to trust it.
    pub(super) fn trust(&self) -> String {
        let Some(file) = self.authority() else { return String::new() };
        format!(
            "Trust: {file} is this server's authority; tell each client of it once:\n\
             \x20      AWS CLI, Python  export AWS_CA_BUNDLE={file}\n\
             \x20      Node.js          export NODE_EXTRA_CA_CERTS={file}\n\
             \x20      Go, Rust         export SSL_CERT_FILE={file}\n\
             \x20      Java             keytool -importcert -noprompt -alias hashrange -file {file} -keystore trust.p12 \
             -storepass changeit\n\
             \x20                       java -Djavax.net.ssl.trustStore=trust.p12 \
             -Djavax.net.ssl.trustStorePassword=changeit ..\n\
             \x20      curl             curl --cacert {file} ..\n"
        )
    }
}

fn reload_keyring(keyring: &Keyring) {
    match keyring.reload() {
        Ok(()) => tracing::info!(access_keys = keyring.count(), "the credentials were read again"),
        Err(why) => tracing::error!("the credentials in force stay: {why}"),
    }
}

fn reload_tls(tls: &Tls) {
    match tls.reload() {
        Ok(()) => tracing::info!("the certificates were read again"),
        Err(why) => tracing::error!("the certificates in force stay: {why}"),
    }
}

/// Where certificates come from; nothing where the server speaks plain HTTP.
fn source(settings: &Settings) -> Option<Source> {
    match &settings.tls {
        TlsSettings { self_signed: true, .. } => {
            let folder = authority_folder(&settings.data);
            Some(Source::SelfSigned { folder, names: names(&settings.addr) })
        }
        TlsSettings { cert: Some(cert), key: Some(key), .. } => {
            Some(Source::Files { cert: cert.clone(), key: key.clone() })
        }
        _ => None,
    }
}

/// Whether an authority of our own would have to be made.
pub(super) fn has_no_authority(settings: &Settings) -> bool {
    let folder = authority_folder(&settings.data);
    !["ca.pem", "ca-key.pem"].iter().any(|file| folder.join(file).exists())
}

/// Next to the data folder, which holds nothing but the database.
pub(super) fn authority_folder(data: &Path) -> PathBuf {
    let mut name = data.file_name().unwrap_or_else(|| "hashrange-data".as_ref()).to_owned();
    name.push("-tls");
    data.with_file_name(name)
}

/// What clients may call a server that listens on `addr`.
fn names(addr: &str) -> Vec<String> {
    let host = addr.rsplit_once(':').map_or(addr, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let mut names: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    if !names.iter().any(|name| name == host) && !["0.0.0.0", "::"].contains(&host) {
        names.push(host.to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(flags: &[(&str, &str)]) -> Settings {
        let flags = flags.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        crate::config::resolve(&flags, &crate::config::Given::new()).expect("good settings").settings
    }

    fn is_refused(addr: &str, flags: &[(&str, &str)]) -> bool {
        check_exposure(&settings(flags), addr.parse().expect("an address")).is_err()
    }

    #[test]
    fn other_machines_are_served_only_with_credentials_or_on_purpose() {
        for local in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert!(!is_refused(local, &[]), "{local}");
        }
        for open in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[fd00::1]:1"] {
            assert!(is_refused(open, &[]), "{open}");
            assert!(is_refused(open, &[("tls-self-signed", "true")]), "{open}");
            assert!(!is_refused(open, &[("insecure", "true")]), "{open}");
            assert!(!is_refused(open, &[("credentials", "keys.toml")]), "{open}");
        }
    }

    #[test]
    fn a_server_is_known_by_the_names_of_this_machine_and_its_own() {
        let usual = ["localhost", "127.0.0.1", "::1"];
        assert_eq!(names("127.0.0.1:8000"), usual);
        assert_eq!(names("[::]:8000"), usual);
        assert_eq!(names("0.0.0.0:8000"), usual);
        assert_eq!(names("db.example:8000")[3..], ["db.example"]);
        assert_eq!(names("[fd00::1]:8000")[3..], ["fd00::1"]);
    }

    #[test]
    fn the_authority_is_next_to_the_data() {
        let folder = |data: &str| authority_folder(Path::new(data)).display().to_string();
        assert_eq!(folder("hashrange-data"), "hashrange-data-tls");
        assert_eq!(folder("/var/lib/hashrange/"), "/var/lib/hashrange-tls");
        assert_eq!(folder(".."), "../hashrange-data-tls");
    }
}

//! TLS: certificates from files or from an authority of our own, read again when told to.

mod authority;
mod client;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashrange_env::{Clock, Env};
use parking_lot::RwLock;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::connection::Refusal;

pub use client::ClientTls;

/// The first byte of every TLS connection: a handshake record (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

/// Where the server's certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Files that somebody else makes.
    Files {
        /// The certificate and those between it and its root, in PEM, the server's own first.
        cert: PathBuf,
        /// The private key, in PEM.
        key: PathBuf,
    },
    /// An authority of our own, made once.
    SelfSigned {
        /// The folder of the authority's certificate and key.
        folder: PathBuf,
        /// Host names and addresses for which the server's certificate stands.
        names: Vec<String>,
    },
}

/// What the server shows to clients and asks of them, as it was when it was last read.
#[derive(Debug)]
pub struct Tls {
    source: Source,
    client_ca: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    config: RwLock<Arc<ServerConfig>>,
}

/// What became of a connection.
pub(crate) enum Accepted {
    /// It speaks TLS.
    Stream(Box<TlsStream<TcpStream>>),
    /// It does not, and is to be told so.
    Refused(TcpStream, Refusal),
    /// It is gone, too slow, or its handshake failed.
    Gone,
}

impl Tls {
    /// Reads certificates and keys, and makes an authority where it is asked for and missing. With `client_ca`, a file of
    /// certificates in PEM, every client must show a certificate that one of those has signed.
    ///
    /// # Errors
    /// One line: the file, what is wrong with it, and what to do.
    pub fn open(source: Source, client_ca: Option<PathBuf>, env: &Env) -> Result<Tls, String> {
        let config = load(&source, client_ca.as_deref(), &*env.clock)?;
        Ok(Tls { source, client_ca, clock: Arc::clone(&env.clock), config: RwLock::new(Arc::new(config)) })
    }

    /// Reads everything again. Open connections go on with what they began with.
    ///
    /// # Errors
    /// As [`open`](Tls::open); what was in force then stays.
    pub fn reload(&self) -> Result<(), String> {
        let config = load(&self.source, self.client_ca.as_deref(), &*self.clock)?;
        *self.config.write() = Arc::new(config);
        Ok(())
    }

    /// The file with the certificate that clients have to trust, where it is of our own making.
    pub fn authority(&self) -> Option<PathBuf> {
        match &self.source {
            Source::Files { .. } => None,
            Source::SelfSigned { folder, .. } => Some(authority::certificate(folder)),
        }
    }

    /// Shakes hands, within `limit`.
    pub(crate) async fn accept(&self, stream: TcpStream, limit: Duration, env: &Env) -> Accepted {
        let acceptor = TlsAcceptor::from(Arc::clone(&self.config.read()));
        tokio::select! {
            accepted = shake_hands(stream, acceptor) => accepted,
            () = env.tasks.sleep(limit) => {
                tracing::debug!("a TLS handshake took too long");
                Accepted::Gone
            }
        }
    }
}

async fn shake_hands(stream: TcpStream, acceptor: TlsAcceptor) -> Accepted {
    let mut first = [0];
    match stream.peek(&mut first).await {
        Ok(1) if first[0] == HANDSHAKE => {}
        Ok(1) => return Accepted::Refused(stream, Refusal::NotTls),
        _ => return Accepted::Gone,
    }
    match acceptor.accept(stream).await {
        Ok(stream) => Accepted::Stream(Box::new(stream)),
        Err(error) => {
            tracing::debug!(%error, "a TLS handshake failed");
            Accepted::Gone
        }
    }
}

fn load(source: &Source, client_ca: Option<&Path>, clock: &dyn Clock) -> Result<ServerConfig, String> {
    let (name, chain, key) = match source {
        Source::Files { cert, key } => {
            let (chain, key) = (certificates(cert)?, private_key(key)?);
            (cert.display().to_string(), chain, key)
        }
        Source::SelfSigned { folder, names } => {
            let (chain, key) = authority::issue(folder, names, clock.now())?;
            (folder.display().to_string(), chain, key)
        }
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("the provider knows TLS 1.2 and 1.3");
    let builder = match client_ca {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let roots = Arc::new(roots(file)?);
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
            let unusable = |error: &dyn std::error::Error| {
                format!("{}: no client can be verified with it ({error})", file.display())
            };
            builder.with_client_cert_verifier(verifier.map_err(|error| unusable(&error))?)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|error| {
        format!(
            "{name}: certificate and key cannot be used together ({error}): give the key that belongs to it"
        )
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// All certificates of a file, at least one.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!(
            "{}: there is no certificate in it: give a file in PEM with -----BEGIN CERTIFICATE-----",
            file.display()
        )),
        Err(error) => Err(unreadable(file, &error)),
    }
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, String> {
    use rustls::pki_types::pem::Error;
    let key = PrivateKeyDer::from_pem_file(file).map_err(|error| match error {
        Error::NoItemsFound => format!(
            "{}: there is no private key in it: give a file in PEM with -----BEGIN PRIVATE KEY-----, not encrypted",
            file.display()
        ),
        error => unreadable(file, &error),
    })?;
    crate::credentials::warn_of_readers(file);
    Ok(key)
}

fn roots(file: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|error| {
            format!("{}: one of its certificates cannot be used ({error})", file.display())
        })?;
    }
    Ok(roots)
}

fn unreadable(file: &Path, error: &rustls::pki_types::pem::Error) -> String {
    use rustls::pki_types::pem::Error;
    let file = file.display();
    match error {
        Error::Io(error) => format!("{file}: {error}: check the path and who may read it"),
        error => format!("{file}: this is not PEM ({error}): convert it, for example with openssl"),
    }
}

#[cfg(test)]
mod tests;

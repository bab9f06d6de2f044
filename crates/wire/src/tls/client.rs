//! TLS towards a server, for programs that ask one.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::roots;

/// Whom a client trusts.
#[derive(Clone)]
pub struct ClientTls(TlsConnector);

impl std::fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientTls").finish_non_exhaustive()
    }
}

impl ClientTls {
    /// Trusts the certificates of a file in PEM, such as the authority of `--tls-self-signed`, and nobody else; without a file,
    /// whom this machine trusts.
    ///
    /// # Errors
    /// One line: the file, what is wrong with it, and what to do.
    pub fn open(ca: Option<&Path>) -> Result<ClientTls, String> {
        let roots = match ca {
            Some(file) => roots(file)?,
            None => of_this_machine()?,
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows TLS 1.2 and 1.3")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(ClientTls(TlsConnector::from(Arc::new(config))))
    }

    /// Shakes hands with the server of that host name or address.
    ///
    /// # Errors
    /// Where the name is none, or the server is not who it should be.
    pub async fn connect(&self, host: &str, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        self.0.connect(name, stream).await
    }
}

fn of_this_machine() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("this machine has no certificates of authorities: name a file with --ca".to_owned());
    }
    Ok(roots)
}

//! TLS: who trusts whom, what is told to whom does not speak it, and certificates that change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashrange_env::Env;
use hashrange_wire::{Options, Source, Tls};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::support::{Running, in_time, list_tables, wish};

/// A server with an authority of its own, and the folder of that.
struct Encrypted {
    server: Running,
    tls: Arc<Tls>,
    folder: TempDir,
}

impl Encrypted {
    async fn start(options: Options, client_ca: Option<PathBuf>) -> Encrypted {
        let folder = tempfile::tempdir().unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let source = Source::SelfSigned { folder: folder.path().to_owned(), names };
        let tls = Arc::new(Tls::open(source, client_ca, &Env::real()).unwrap());
        let server = Running::encrypted(options, Arc::clone(&tls)).await;
        Encrypted { server, tls, folder }
    }

    fn trusting(&self) -> ClientConfig {
        trusting(&self.folder.path().join("ca.pem"))
    }
}

/// A client that trusts that certificate and has none itself.
fn trusting(authority: &Path) -> ClientConfig {
    client(authority).with_no_client_auth()
}

fn client(authority: &Path) -> rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
}

async fn connect(server: &Running, config: ClientConfig) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(server.address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    in_time(TlsConnector::from(Arc::new(config)).connect(name, stream)).await
}

/// The status line of an answer, or why there is none.
async fn ask(server: &Running, config: ClientConfig) -> Result<String, std::io::Error> {
    let mut stream = connect(server, config).await?;
    status(&mut stream).await
}

async fn status(stream: &mut TlsStream<TcpStream>) -> Result<String, std::io::Error> {
    stream.write_all(&list_tables("{}")).await?;
    let mut answer = vec![0; 4096];
    let length = in_time(stream.read(&mut answer)).await?;
    Ok(String::from_utf8_lossy(&answer[..length]).lines().next().unwrap_or_default().to_owned())
}

const OK: &str = "HTTP/1.1 200 OK";

#[tokio::test]
async fn a_client_that_trusts_the_authority_is_answered_in_http_1_1() {
    let encrypted = Encrypted::start(Options::default(), None).await;
    let mut config = encrypted.trusting();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut stream = connect(&encrypted.server, config).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    assert_eq!(status(&mut stream).await.unwrap(), OK);
    assert_eq!(status(&mut stream).await.unwrap(), OK);
}

#[tokio::test]
async fn a_client_that_does_not_trust_it_disturbs_nobody() {
    let encrypted = Encrypted::start(Options::default(), None).await;
    let other = Encrypted::start(Options::default(), None).await;
    let error = ask(&encrypted.server, other.trusting()).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    assert_eq!(ask(&encrypted.server, encrypted.trusting()).await.unwrap(), OK);
}

#[tokio::test]
async fn plain_http_is_told_to_use_tls() {
    let encrypted = Encrypted::start(Options::default(), None).await;
    let mut client = encrypted.server.connect().await;
    client.send(list_tables("{}")).await;
    let said = client.rest().await;
    assert!(said.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{said}");
    assert!(
        said.ends_with(r#""This port takes TLS only: write https:// in place of http:// in the endpoint."}"#),
        "{said}"
    );
}

#[tokio::test]
async fn who_does_not_shake_hands_is_not_waited_for() {
    let options = Options { header_timeout: Duration::from_millis(50), ..Options::default() };
    let encrypted = Encrypted::start(options, None).await;
    let mut silent = encrypted.server.connect().await;
    let mut slow = encrypted.server.connect().await;
    slow.send([22, 3, 1]).await;
    assert!(silent.is_closed().await);
    assert!(slow.is_closed().await);
    let mut broken = encrypted.server.connect().await;
    broken.send([22, 3, 1, 0, 4, 1, 2, 3, 4, 5, 6]).await;
    broken.rest().await;
}

#[tokio::test]
async fn a_connection_too_many_is_closed() {
    let encrypted = Encrypted::start(Options { max_connections: 1, ..Options::default() }, None).await;
    let mut first = connect(&encrypted.server, encrypted.trusting()).await.unwrap();
    assert_eq!(status(&mut first).await.unwrap(), OK);
    connect(&encrypted.server, encrypted.trusting()).await.unwrap_err();
    assert_eq!(status(&mut first).await.unwrap(), OK);
}

/// An authority for clients in `folder`, and a client certificate of it with its key.
fn client_certificate(folder: &Path) -> (PathBuf, Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap();
    let file = folder.join("clients.pem");
    fs::write(&file, authority.pem()).unwrap();
    let own_key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec!["client".to_owned()])
        .unwrap()
        .signed_by(&own_key, &Issuer::new(params, key))
        .unwrap();
    (file, vec![own.der().clone()], PrivateKeyDer::try_from(own_key.serialize_der()).unwrap())
}

#[tokio::test]
async fn where_clients_need_a_certificate_one_without_is_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, chain, key) = client_certificate(folder.path());
    let encrypted = Encrypted::start(Options::default(), Some(authority)).await;
    let server_authority = encrypted.folder.path().join("ca.pem");
    let with = client(&server_authority).with_client_auth_cert(chain, key).unwrap();
    assert_eq!(ask(&encrypted.server, with).await.unwrap(), OK);
    ask(&encrypted.server, encrypted.trusting()).await.unwrap_err();
    let elsewhere = tempfile::tempdir().unwrap();
    let (_, chain, key) = client_certificate(elsewhere.path());
    let with_another = client(&server_authority).with_client_auth_cert(chain, key).unwrap();
    ask(&encrypted.server, with_another).await.unwrap_err();
}

/// Writes a certificate for localhost that stands on itself, and its key.
fn write_certificate(cert: &Path, key: &Path) {
    let pair = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&pair).unwrap();
    fs::write(cert, own.pem()).unwrap();
    fs::write(key, pair.serialize_pem()).unwrap();
}

#[tokio::test]
async fn certificates_read_again_are_for_new_connections_and_bad_ones_are_for_none() {
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    write_certificate(&cert, &key);
    let source = Source::Files { cert: cert.clone(), key: key.clone() };
    let tls = Arc::new(Tls::open(source, None, &Env::real()).unwrap());
    let server = Running::encrypted(Options::default(), Arc::clone(&tls)).await;
    let old = trusting(&cert);
    let mut open = connect(&server, old.clone()).await.unwrap();
    assert_eq!(status(&mut open).await.unwrap(), OK);

    fs::write(&cert, "damaged").unwrap();
    tls.reload().unwrap_err();
    assert_eq!(ask(&server, old.clone()).await.unwrap(), OK);

    write_certificate(&cert, &key);
    tls.reload().unwrap();
    assert_eq!(status(&mut open).await.unwrap(), OK);
    ask(&server, old).await.unwrap_err();
    assert_eq!(ask(&server, trusting(&cert)).await.unwrap(), OK);
}

#[tokio::test]
async fn an_authority_read_again_is_still_the_one_that_clients_trust() {
    let encrypted = Encrypted::start(Options::default(), None).await;
    let config = encrypted.trusting();
    encrypted.tls.reload().unwrap();
    assert_eq!(ask(&encrypted.server, config).await.unwrap(), OK);
}

#[tokio::test]
async fn a_shutdown_closes_idle_connections_and_finishes_requests() {
    let mut encrypted = Encrypted::start(Options::default(), None).await;
    let mut idle = connect(&encrypted.server, encrypted.trusting()).await.unwrap();
    assert_eq!(status(&mut idle).await.unwrap(), OK);
    let mut busy = connect(&encrypted.server, encrypted.trusting()).await.unwrap();
    busy.write_all(&wish("wait")).await.unwrap();
    in_time(encrypted.server.stand_in.begun.notified()).await;

    encrypted.server.stop();
    // An orderly end, not a cut one: a read to the end succeeds only after a close_notify.
    let mut rest = Vec::new();
    in_time(idle.read_to_end(&mut rest)).await.unwrap();
    assert_eq!(rest, b"");
    encrypted.server.stand_in.release.notify_one();
    in_time(busy.read_to_end(&mut rest)).await.unwrap();
    assert!(rest.starts_with(OK.as_bytes()), "{}", String::from_utf8_lossy(&rest));
    encrypted.server.ended().await;
}

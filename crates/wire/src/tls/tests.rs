//! What is read, what is made, and what is refused with which words.

use std::fs;

use hashrange_env::Simulation;

use super::*;

fn env() -> Env {
    Simulation::new(1).0
}

fn self_signed(folder: &Path) -> Result<Tls, String> {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    Tls::open(Source::SelfSigned { folder: folder.to_owned(), names }, None, &env())
}

/// The message without the random folder.
fn refused(outcome: Result<Tls, String>, folder: &Path) -> String {
    outcome.map(|_| ()).unwrap_err().replace(&folder.display().to_string(), "FOLDER")
}

#[test]
fn the_authority_is_made_once_and_its_key_is_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/tls");
    let tls = self_signed(&inner).unwrap();
    assert_eq!(tls.authority(), Some(inner.join("ca.pem")));
    let made = fs::read(inner.join("ca.pem")).unwrap();
    tls.reload().unwrap();
    self_signed(&inner).unwrap();
    assert_eq!(fs::read(inner.join("ca.pem")).unwrap(), made);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(inner.join("ca-key.pem")).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let files = fs::read_dir(&inner).unwrap().count();
    assert_eq!(files, 2);
}

#[test]
fn an_authority_without_its_key_is_refused_with_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    self_signed(folder.path()).unwrap();
    fs::write(folder.path().join("ca-key.pem"), "x").unwrap();
    let text = refused(self_signed(folder.path()), folder.path());
    assert!(text.starts_with("FOLDER/ca-key.pem: it is damaged ("), "{text}");
    fs::remove_file(folder.path().join("ca-key.pem")).unwrap();
    assert_eq!(
        refused(self_signed(folder.path()), folder.path()),
        "FOLDER: either ca.pem or ca-key.pem is missing: bring it back, or remove the other one for a new authority that \
         clients must be told to trust"
    );
}

#[test]
fn files_that_cannot_be_used_are_refused_with_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    self_signed(folder.path()).unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("nothing"), "nothing\n").unwrap();
    fs::write(path("torn"), "-----BEGIN CERTIFICATE-----\n").unwrap();
    let outcome = |cert: &str, key: &str, ca: Option<&str>| {
        let source = Source::Files { cert: path(cert), key: path(key) };
        refused(Tls::open(source, ca.map(path), &env()), folder.path())
    };
    let cases = [
        (
            "none",
            "ca-key.pem",
            None,
            "FOLDER/none: No such file or directory (os error 2): check the path and who may read it",
        ),
        (
            "nothing",
            "ca-key.pem",
            None,
            "FOLDER/nothing: there is no certificate in it: give a file in PEM with -----BEGIN CERTIFICATE-----",
        ),
        ("torn", "ca-key.pem", None, "FOLDER/torn: this is not PEM ("),
        (
            "ca.pem",
            "ca.pem",
            None,
            "FOLDER/ca.pem: there is no private key in it: give a file in PEM with -----BEGIN PRIVATE KEY-----, not encrypted",
        ),
        ("ca.pem", "ca-key.pem", Some("nothing"), "FOLDER/nothing: there is no certificate in it"),
    ];
    for (cert, key, ca, expected) in cases {
        let text = outcome(cert, key, ca);
        assert!(text.starts_with(expected), "{text}");
    }
    let other = tempfile::tempdir().unwrap();
    self_signed(other.path()).unwrap();
    let source = Source::Files { cert: path("ca.pem"), key: other.path().join("ca-key.pem") };
    let text = refused(Tls::open(source, None, &env()), folder.path());
    assert!(text.starts_with("FOLDER/ca.pem: certificate and key cannot be used together ("), "{text}");
}

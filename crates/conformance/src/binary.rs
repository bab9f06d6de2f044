//! Finding the server binary, and building it where it is missing or older than its sources.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;
use std::{env, fs, io};

/// Names a server binary to test, in place of the one of this workspace.
const OVERRIDE: &str = "HASHRANGE_BINARY";

/// The server binary, built from the present sources.
pub(crate) fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| env::var_os(OVERRIDE).map_or_else(of_workspace, PathBuf::from))
}

/// The binary beside the test executable, which is `target/<profile>/deps/<test>`.
fn of_workspace() -> PathBuf {
    let test = env::current_exe().expect("a running test knows its executable");
    let profile = test.ancestors().nth(2).expect("tests run from target/<profile>/deps");
    let binary = profile.join(format!("hashrange{}", env::consts::EXE_SUFFIX));
    if !is_fresh(&binary).unwrap_or(false) {
        build(profile);
    }
    assert!(binary.is_file(), "{} is missing after its build", binary.display());
    binary
}

/// Whether the binary is there and no source of the workspace is newer.
fn is_fresh(binary: &Path) -> io::Result<bool> {
    let built = fs::metadata(binary)?.modified()?;
    let root = root();
    Ok(newest(&root.join("crates"))?.max(modified(&root.join("Cargo.lock"))?) <= built)
}

/// The newest time of change below a folder, of Rust sources and manifests.
fn newest(folder: &Path) -> io::Result<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs" || extension == "toml");
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests") {
            newest = newest.max(self::newest(&path)?);
        } else if is_source {
            newest = newest.max(modified(&path)?);
        }
    }
    Ok(newest)
}

fn modified(path: &Path) -> io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

fn build(profile: &Path) {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args([
        "build",
        "--package",
        "hashrange",
        "--bin",
        "hashrange",
        "--target-dir",
    ]);
    command.arg(profile.parent().expect("a profile folder is inside the target folder"));
    if profile.ends_with("release") {
        command.arg("--release");
    }
    let status = command.status().expect("cargo runs where its tests run");
    assert!(status.success(), "the server binary cannot be built");
}

/// The folder of the workspace.
fn root() -> &'static Path {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).expect("this crate is at crates/conformance")
}

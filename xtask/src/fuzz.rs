//! `cargo xtask fuzz`: builds the fuzz targets with coverage counters and runs them.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{self, Outcome};

const USAGE: &str =
    "cargo xtask fuzz [--minutes N | --seconds N] [--target T].. [--jobs N] [--seed N] [--input FILE]";

/// Counters on every edge. They are LLVM's and need no nightly compiler; the program takes them itself, so that neither
/// a sanitizer's runtime nor a C++ compiler is needed.
const COUNTERS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters";

/// Runs every target for a minute, or what the words say.
pub(crate) fn run(words: &[&str]) -> Outcome {
    let words = in_seconds(words)?;
    let folder = process::target_folder()?.join("fuzz");
    let host = host()?;
    let manifest = process::root().join("fuzz/Cargo.toml");
    let mut build = process::cargo_command(["build", "--quiet", "--target", &host, "--manifest-path"]);
    // Naming the target keeps the counters out of build scripts and procedural macros.
    build.arg(manifest).env("CARGO_TARGET_DIR", &folder).env("RUSTFLAGS", COUNTERS);
    process::run(&mut build)?;
    let program: PathBuf = folder.join(host).join("debug/hashrange-fuzz");
    let mut fuzz = Command::new(program);
    fuzz.arg("--root").arg(process::root());
    fuzz.arg("--corpus").arg(folder.join("corpus"));
    fuzz.arg("--crashes").arg(folder.join("crashes"));
    process::run(fuzz.args(words))
}

/// The words with minutes as seconds.
fn in_seconds(words: &[&str]) -> Outcome<Vec<String>> {
    let mut seconds = Vec::new();
    for pair in words.chunks(2) {
        let [flag, value] = pair else { return Err(USAGE.to_owned()) };
        match (*flag, value.parse::<u64>()) {
            ("--minutes", Ok(minutes)) => {
                seconds.extend(["--seconds".to_owned(), (minutes * 60).to_string()]);
            }
            ("--seconds" | "--jobs" | "--seed", Ok(_)) | ("--target" | "--input", _) => {
                seconds.extend([(*flag).to_owned(), (*value).to_owned()]);
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(seconds)
}

/// The platform that programs are built for.
fn host() -> Outcome<String> {
    let version = process::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc names no host".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_become_seconds_and_other_flags_pass() {
        let words = in_seconds(&["--minutes", "2", "--target", "json"]);
        assert_eq!(words, Ok(["--seconds", "120", "--target", "json"].map(str::to_owned).to_vec()));
        for wrong in [&["--minutes"][..], &["--minutes", "x"], &["--what", "1"]] {
            assert_eq!(in_seconds(wrong), Err(USAGE.to_owned()));
        }
    }
}

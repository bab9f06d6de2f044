//! Child processes: what is run is printed, and a failure names it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Success, or one message for the person at the terminal.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The root of the workspace. Cargo says where it runs this from; clones that share a target folder share the program.
pub(crate) fn root() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| built.to_owned(), PathBuf::from);
    xtask.parent().expect("xtask lies in the workspace").to_owned()
}

/// `cargo` with these words, at the root of the workspace.
pub(crate) fn cargo_command<Word: AsRef<OsStr>>(words: impl IntoIterator<Item = Word>) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(words).current_dir(root());
    command
}

/// Runs `cargo` with these words.
pub(crate) fn cargo<Word: AsRef<OsStr>>(words: impl IntoIterator<Item = Word>) -> Outcome {
    run(&mut cargo_command(words))
}

/// Prints and runs the command; its output goes to the terminal.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let line = line_of(command);
    println!("$ {line}");
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed: {status}")),
        Err(error) => Err(format!("`{line}` did not start: {error}")),
    }
}

/// Runs the command in silence: what it printed, or what it complained about.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let line = line_of(command);
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| format!("`{line}` did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{line}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> Outcome<PathBuf> {
    let metadata = output(&mut cargo_command(["metadata", "--no-deps", "--format-version=1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .ok_or_else(|| "cargo names no target folder".to_owned())
}

/// The command as a person would type it, with the name of the program in place of its path.
fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = [program].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

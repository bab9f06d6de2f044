//! `hashrange serve --check-config`: whether a server would start with these settings, without starting one.

use std::io::{self, Write as _};
use std::net::ToSocketAddrs as _;
use std::path::Path;
use std::process::ExitCode;

use hashrange_env::Env;
use rustix::fs::{Access, access};

use super::security::{self, Secrets};
use super::start_log;
use crate::USAGE_ERROR;
use crate::config::{Origin, Resolved, Settings};

/// Prints the settings in force as a file of settings, each with its source, and everything that is wrong with them.
pub(crate) fn check_config(resolved: &Resolved) -> ExitCode {
    start_log(&resolved.settings);
    print(resolved);
    let problems = problems(&resolved.settings);
    for problem in resolved.warnings.iter().chain(&problems) {
        eprintln!("error: {}", problem.replace('\n', " "));
    }
    match (resolved.warnings.is_empty(), problems.is_empty()) {
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::FAILURE,
        (false, _) => ExitCode::from(USAGE_ERROR),
    }
}

/// A reader that has gone away does not change the outcome.
fn print(resolved: &Resolved) {
    let line = |origin: &Origin| {
        let value = toml::Value::String(origin.text.clone());
        format!("{} = {value}  # {}\n", origin.name, origin.source.replace('\n', " "))
    };
    let lines: String = resolved.origins.iter().map(line).collect();
    let _ = io::stdout().write_all(lines.as_bytes());
}

/// What would keep a server from starting, as far as can be seen without listening, locking or writing.
fn problems(settings: &Settings) -> Vec<String> {
    let checks = [address(settings), folder(settings), secrets(settings)];
    checks.into_iter().filter_map(Result::err).collect()
}

fn address(settings: &Settings) -> Result<(), String> {
    let unknown = |error: io::Error| format!("the address {} is not known: {error}", settings.addr);
    let addresses = settings.addr.to_socket_addrs().map_err(unknown)?;
    for address in addresses {
        security::check_exposure(settings, address)?;
    }
    Ok(())
}

fn folder(settings: &Settings) -> Result<(), String> {
    if settings.in_memory {
        return Ok(());
    }
    hashrange_store_local::look(&settings.data).map_err(|error| error.to_string())?;
    writable(&settings.data)
}

/// Whether this user may write in the folder, or make it.
fn writable(folder: &Path) -> Result<(), String> {
    let full = super::full_path(folder);
    let nearest = Path::new(&full).ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    let wrong = if !nearest.is_dir() {
        "is not a folder".to_owned()
    } else if let Err(error) = access(nearest, Access::WRITE_OK | Access::EXEC_OK) {
        format!("may not be written in ({error})")
    } else {
        return Ok(());
    };
    Err(format!(
        "the folder {} cannot be used: {} {wrong}; give this user write permission, or choose another folder",
        folder.display(),
        nearest.display()
    ))
}

/// Reads what the server would read. An authority that is not there yet is not made.
fn secrets(settings: &Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the system gives no timer: {error}"))?;
    let _inside = runtime.enter();
    let mut settings = settings.clone();
    if settings.tls.self_signed && security::has_no_authority(&settings) {
        writable(&security::authority_folder(&settings.data))?;
        settings.tls.self_signed = false;
    }
    Secrets::open(&settings, &Env::real()).map(|_| ())
}

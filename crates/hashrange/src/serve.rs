//! `hashrange serve`: compose, say where things are, serve until told to stop.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, absolute};
use std::sync::Arc;

use hashrange::Database;
use hashrange_env::Env;
use hashrange_service::Metrics;
use hashrange_wire::Server;
use tokio::net::TcpListener;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{LogFormat, Settings};

mod check;
mod files;
mod process;
mod record;
mod security;
mod stop;

pub(crate) use check::check_config;
use process::Process;
use security::Secrets;

/// Runs the server until SIGTERM or SIGINT; requests that have begun are answered first.
///
/// # Errors
/// One line: why the server cannot start, and what to do.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    start_log(settings);
    log_panics(settings.wire.log_values);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the system gives no threads: {error}"))?;
    runtime.block_on(serve(settings))
}

async fn serve(settings: &Settings) -> Result<(), String> {
    let env = Env::real();
    let metrics = Arc::new(Metrics::new(&env));
    let stop =
        stop::signals(&env).map_err(|error| format!("the system lets no signal be handled: {error}"))?;
    // Before the folder: a second server on the same port must not create or lock one.
    let listener =
        TcpListener::bind(&settings.addr).await.map_err(|error| bind_message(&settings.addr, &error))?;
    let addr = listener.local_addr().map_err(|error| format!("the system gives no address: {error}"))?;
    security::check_exposure(settings, addr)?;
    let secrets = Secrets::open(settings, &env)?;
    secrets.reload_on_hangup(&env)?;
    let database = open(settings).await?;
    let record = record::Record::start(settings, &database, &env)?;
    greet(settings, &secrets, addr);

    let mut options = settings.wire.clone();
    options.max_connections = files::connections(options.max_connections);
    metrics.add(Arc::new(Process::new(&env)));
    database.measure(&metrics);
    let server = secrets.guard(Server::new(database.service(), env, options).measuring(metrics));
    server.serve(listener, stop).await;
    if let Some(record) = record {
        record.finish().await;
    }
    database.close().await;
    tracing::info!("stopped; every answered request is complete");
    Ok(())
}

async fn open(settings: &Settings) -> Result<Database, String> {
    let builder = Database::builder()
        .table_delay(settings.table_delay)
        .index_lag(settings.index_lag)
        .throttle(settings.throttle)
        .item_collection_max(settings.item_collection_max)
        .cache_bytes(settings.cache_bytes);
    let opened =
        if settings.in_memory { builder.in_memory().await } else { builder.open(&settings.data).await };
    opened.map_err(|error| error.to_string())
}

/// Tells a person where things are and what to try. Programs read the address from the first line.
fn greet(settings: &Settings, secrets: &Secrets, addr: SocketAddr) {
    let data = if settings.in_memory {
        "in memory, NOT durable: everything is gone when this server ends".to_owned()
    } else {
        format!("{} (durable: a write is on disk before it is answered)", full_path(&settings.data))
    };
    // With credentials the keys are those of the person's own AWS configuration.
    let keys = match settings.credentials {
        None => "AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local ",
        Some(_) => "",
    };
    let (scheme, trust) = (secrets.scheme(), secrets.trust());
    let bundle = secrets.authority().map(|file| format!("AWS_CA_BUNDLE={file} ")).unwrap_or_default();
    let greeting = format!(
        "Hashrange {} listens on {scheme}://{addr}\n\
         Data: {data}\n\
         Try:  {keys}{bundle}aws dynamodb list-tables \
         --region us-east-1 --endpoint-url {scheme}://{}\n{trust}",
        env!("CARGO_PKG_VERSION"),
        reachable(addr)
    );
    // A server whose standard output is closed serves all the same.
    if let Err(error) = io::stdout().write_all(greeting.as_bytes()) {
        tracing::warn!(%error, %addr, "cannot print the start-up message");
    }
}

fn full_path(folder: &Path) -> String {
    absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string()
}

/// An address that a client on this machine can use, also where the server listens on all of them.
fn reachable(addr: SocketAddr) -> SocketAddr {
    match addr {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from(([127, 0, 0, 1], v4.port())),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], v6.port()))
        }
        other => other,
    }
}

fn bind_message(addr: &str, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::AddrInUse => format!(
            "{addr} is in use by another program; stop that one, or choose another port, for example --addr {}",
            with_another_port(addr)
        ),
        ErrorKind::PermissionDenied => format!(
            "{addr} may not be used by this user; choose a port above 1023, for example --addr {}",
            with_another_port(addr)
        ),
        ErrorKind::AddrNotAvailable => {
            format!(
                "{addr} is not an address of this machine; choose one that is, for example --addr 127.0.0.1:8000"
            )
        }
        _ => format!(
            "cannot listen on {addr} ({error}); choose another address, for example --addr 127.0.0.1:8000"
        ),
    }
}

fn with_another_port(addr: &str) -> String {
    let (host, port) = addr.rsplit_once(':').expect("an address has a port");
    let port: u16 = port.parse().expect("a port is a number");
    format!("{host}:{}", if (1024..u16::MAX).contains(&port) { port + 1 } else { 8000 })
}

/// Logs go to standard error, so that standard output stays for people and scripts. Libraries speak up from a
/// warning on: what they do is not what a person asked for.
fn start_log(settings: &Settings) {
    let level = LevelFilter::from_level(settings.log_level);
    let ours = Targets::new()
        .with_default(level.min(LevelFilter::WARN))
        .with_target("hashrange", level)
        // The store tells what failed and what to do, once; only what ends a background thread it does not hear.
        .with_targets([("fjall", LevelFilter::OFF), ("lsm_tree", LevelFilter::OFF)])
        .with_target("fjall::worker_pool", LevelFilter::ERROR);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false);
    let registry = tracing_subscriber::registry().with(ours);
    match settings.log_format {
        LogFormat::Text => registry.with(lines).init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).init(),
    }
}

/// A panic is logged as everything else is, by its place. Its text may hold values of items: "called `unwrap` on .." prints
/// what it was called on.
fn log_panics(log_values: bool) {
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string);
        let text = panic.payload_as_str().filter(|_| log_values);
        let text = text.unwrap_or("not told, for it may hold values; --log-values tells it");
        tracing::error!(place, text, "a bug: please report it with its place");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: ErrorKind, addr: &str) -> String {
        bind_message(addr, &io::Error::from(kind))
    }

    #[test]
    fn an_address_that_cannot_be_used_brings_the_fix() {
        assert_eq!(
            message(ErrorKind::AddrInUse, "127.0.0.1:8000"),
            "127.0.0.1:8000 is in use by another program; stop that one, or choose another port, for example --addr \
             127.0.0.1:8001"
        );
        assert_eq!(
            message(ErrorKind::PermissionDenied, "[::1]:80"),
            "[::1]:80 may not be used by this user; choose a port above 1023, for example --addr [::1]:8000"
        );
        assert_eq!(
            message(ErrorKind::AddrNotAvailable, "10.1.1.1:8000"),
            "10.1.1.1:8000 is not an address of this machine; choose one that is, for example --addr 127.0.0.1:8000"
        );
        assert_eq!(
            message(ErrorKind::InvalidInput, "nowhere:8000"),
            "cannot listen on nowhere:8000 (invalid input parameter); choose another address, for example --addr \
             127.0.0.1:8000"
        );
    }

    #[test]
    fn the_line_to_try_names_an_address_that_clients_can_reach() {
        let reach = |text: &str| reachable(text.parse().expect("an address")).to_string();
        assert_eq!(reach("0.0.0.0:8000"), "127.0.0.1:8000");
        assert_eq!(reach("[::]:8000"), "[::1]:8000");
        assert_eq!(reach("192.0.2.1:8000"), "192.0.2.1:8000");
    }
}

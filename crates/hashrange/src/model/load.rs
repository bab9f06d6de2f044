//! `hashrange model load`: the patterns of a model at their rates, on a database.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_env::Env;
use hashrange_modelling::load::{self, Options, Progress, Rate, Report};
use hashrange_modelling::samples::{self, Samples};
use hashrange_modelling::skew::Skew;
use hashrange_modelling::{Catalogue, Target, run};

use hashrange::Database;
use hashrange::model::Embedded;

use super::target;
use super::{read_catalogue, with_files, wrong};
use crate::client;

const AFTER: &str = "\
Examples:
  hashrange model load shop.yaml
      30 s at the declared peak rates, on a database in memory
  hashrange model load shop.yaml --speed 0.1 --duration 5m --data /var/tmp/load --skew zipf:0.99
      A tenth of the rates for five minutes, on disk; patterns without a skew of their own use their keys unevenly
  hashrange model load shop.yaml --endpoint http://127.0.0.1:8000 --pattern P3 --format markdown
      One pattern, on a server

Requests come at random at their declared rates, whatever the database does, and latencies are
counted from when a request should have begun. Keys are used as the skew says: uniform, zipf:0.99,
hot:0.2:0.8, latest:0.99, celebrity:0.05 or today; a pattern's own skew counts before --skew. A key
that gets more than one partition of DynamoDB serves (1,000 write or 3,000 read units a second at
the declared rates) is told, with the number of keys over which to spread it. One seed is one
schedule.

Without --data and --endpoint the database is a new one in memory. Its tables are made, filled with
samples and removed again; on an endpoint they must not be there before, unless --existing is given.

Exit codes: 0 every pattern reached its rate without errors and no key is too hot; 1 one did not, or
one is; 2 the command line or a file is wrong, or the database cannot be used.";

/// The command line.
pub(super) fn command() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let target = [
        text("endpoint", "URL", "Load this server instead of a database in this process")
            .conflicts_with("data"),
        client::ca_option(),
        text(
            "region",
            "REGION",
            "Whose tables, with --endpoint [default: AWS_REGION, AWS_DEFAULT_REGION or us-east-1]",
        ),
        text("data", "DIR", "Keep the database in this folder, as the server does"),
        Arg::new("existing")
            .long("existing")
            .action(ArgAction::SetTrue)
            .help("Use the tables and items that are there: nothing is made, and what is written stays"),
    ];
    let load = [
        text("duration", "TIME", "How long requests come: 30s, 500ms, 5m")
            .default_value("30s")
            .value_parser(duration),
        text("speed", "SHARE", "The share of the declared rates: 0.1 is a tenth")
            .default_value("1")
            .value_parser(speed),
        text("rate", "RATE", "Which of the declared rates")
            .default_value("peak")
            .value_parser(["peak", "average"]),
        text("skew", "SKEW", "The skew of patterns that declare none").value_parser(Skew::parse),
        text("seed", "NUMBER", "Makes the schedule, the samples and the choice of keys")
            .default_value("1")
            .value_parser(clap::value_parser!(u64)),
        text("scale", "NUMBER", "Blocks of samples")
            .default_value("1")
            .value_parser(clap::value_parser!(u16).range(1..=1000)),
        text("pattern", "ID", "Only this pattern; may be given again").action(ArgAction::Append),
        text("format", "FORMAT", "How the report is printed")
            .default_value("table")
            .value_parser(["table", "json", "markdown"]),
    ];
    with_files(Command::new("load"))
        .about("Run the patterns at their declared rates, with the skew of their keys, and find what is slow or hot")
        .args(target)
        .args(load)
        .after_help(AFTER)
}

/// Runs it.
pub(super) fn run(flags: &ArgMatches) -> ExitCode {
    let catalogue = match read_catalogue(flags) {
        Ok(catalogue) => catalogue,
        Err(code) => return code,
    };
    let options = match options(flags, &catalogue) {
        Ok(options) => options,
        Err(problem) => return wrong(&[problem]),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let report = runtime
        .map_err(|error| format!("the system gives no threads: {error}"))
        .and_then(|runtime| runtime.block_on(loaded(flags, catalogue, &options)));
    match report {
        Ok(report) => print(flags, &report),
        Err(problem) => wrong(&[problem]),
    }
}

fn print(flags: &ArgMatches, report: &Report) -> ExitCode {
    let text = match flags.get_one::<String>("format").map(String::as_str) {
        Some("json") => format!("{:#}\n", load::json(report)),
        Some("markdown") => load::markdown(report),
        _ => load::table(report),
    };
    // A reader that has gone away does not change the outcome.
    let _ = std::io::stdout().write_all(text.as_bytes());
    if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn options(flags: &ArgMatches, catalogue: &Catalogue) -> Result<Options, String> {
    let patterns: Vec<String> = flags.get_many("pattern").into_iter().flatten().cloned().collect();
    if let Some(unknown) = patterns.iter().find(|id| catalogue.pattern(id).is_none()) {
        return Err(format!("--pattern {unknown}: the model has no pattern of that id"));
    }
    Ok(Options {
        seed: flags.get_one("seed").copied().unwrap_or(1),
        duration: flags.get_one("duration").copied().unwrap_or(Duration::from_secs(30)),
        speed: flags.get_one("speed").copied().unwrap_or(1.0),
        rate: match flags.get_one::<String>("rate").map(String::as_str) {
            Some("average") => Rate::Average,
            _ => Rate::Peak,
        },
        skew: flags.get_one("skew").copied(),
        patterns,
        progress: Arc::new(tell),
        ..Options::default()
    })
}

/// One line on standard error, written over the one before where a person looks on.
fn tell(progress: &Progress) {
    let line = format!(
        "{:>4.0} of {:.0} s: {} sent, {} answered, {} failed, {} under way",
        progress.elapsed.as_secs_f64(),
        progress.duration.as_secs_f64(),
        progress.sent,
        progress.answered,
        progress.failed,
        progress.in_flight
    );
    let mut stderr = std::io::stderr();
    let text = if std::io::IsTerminal::is_terminal(&stderr) {
        format!("\r{line}\u{1b}[K")
    } else {
        format!("{line}\n")
    };
    // A closed standard error does not end a load.
    let _ = stderr.write_all(text.as_bytes());
}

async fn loaded(flags: &ArgMatches, catalogue: Catalogue, options: &Options) -> Result<Report, String> {
    let env = Env::real();
    let (target, database) = open(flags, &env).await?;
    let report = on(flags, catalogue, options, &target, &env).await;
    if let Some(database) = database {
        drop(target);
        database.close().await;
    }
    report
}

/// The database, and what is to be closed after it.
async fn open(flags: &ArgMatches, env: &Env) -> Result<(Arc<dyn Target>, Option<Database>), String> {
    let text = |name: &str| flags.get_one::<String>(name).map(String::as_str);
    if let Some(folder) = text("data") {
        let database = Database::open(folder).await.map_err(|error| error.to_string())?;
        return Ok((Arc::new(Embedded::new(database.clone())), Some(database)));
    }
    let region = text("region").map_or_else(client::region, str::to_owned);
    let ca = client::ca(flags);
    let server =
        text("endpoint").map(|endpoint| client::Server { endpoint, region: &region, ca: ca.as_deref() });
    Ok((target::open(server, env).await?.into(), None))
}

async fn on(
    flags: &ArgMatches,
    catalogue: Catalogue,
    options: &Options,
    target: &Arc<dyn Target>,
    env: &Env,
) -> Result<Report, String> {
    let scale = flags.get_one::<u16>("scale").copied().map_or(1, usize::from);
    let samples = samples::for_load(&catalogue, samples::Options { seed: options.seed, scale });
    let tables = if flags.get_flag("existing") {
        Vec::new()
    } else {
        eprintln!("loading {} items", samples.len());
        run::prepare(&catalogue, &samples, &**target).await.map_err(hint)?
    };
    let (catalogue, samples): (Arc<Catalogue>, Arc<Samples>) = (Arc::new(catalogue), Arc::new(samples));
    let load = load::load(catalogue, samples, Arc::clone(target), env, options);
    let report = tokio::select! {
        report = load => Ok(report),
        _ = tokio::signal::ctrl_c() => Err("interrupted; there is no report".to_owned()),
    };
    for problem in run::tidy(&tables, &**target).await {
        eprintln!("note: {problem}");
    }
    report
}

/// What to do where the tables are there.
fn hint(problem: String) -> String {
    if problem.contains("ResourceInUseException") {
        return format!("{problem}; --existing uses the tables and items that are there");
    }
    problem
}

fn duration(text: &str) -> Result<Duration, String> {
    crate::config::parse_duration(text)
        .filter(|duration| *duration >= Duration::from_millis(100) && *duration <= Duration::from_hours(24))
        .ok_or_else(|| {
            "write a whole number and ms, s, m or h, from 100ms to 24h, for example 30s".to_owned()
        })
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| *speed > 0.0 && *speed <= 1000.0);
    speed.ok_or_else(|| "write a number above 0 and up to 1000, for example 0.1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::{Folder, SHOP};

    fn flags(more: &[&str]) -> (Folder, ArgMatches) {
        let folder = Folder::with(&[("shop.yaml", SHOP)]);
        let path = folder.path("shop.yaml");
        let words = ["load", &path, "--duration", "400ms"].into_iter().chain(more.iter().copied());
        let flags = command().try_get_matches_from(words).expect("a command line");
        (folder, flags)
    }

    async fn report(flags: &ArgMatches) -> Result<Report, String> {
        let catalogue = read_catalogue(flags).expect("a model");
        let options = options(flags, &catalogue)?;
        loaded(flags, catalogue, &options).await
    }

    #[tokio::test]
    async fn a_model_is_loaded_in_memory() {
        let (_folder, flags) = flags(&["--speed", "5"]);
        let report = report(&flags).await.expect("a report");
        let loaded = &report.patterns[0];
        assert!(loaded.sent > 20 && loaded.answered == loaded.sent && report.passed(), "{report:?}");
        assert!((loaded.read_units - 0.5).abs() < 1e-9, "{loaded:?}");
    }

    #[tokio::test]
    async fn conditions_that_no_sample_met_hold_in_every_request_of_a_load() {
        let patterns = r##"  - {id: P2, name: Unlock, operation: UpdateItem, key: {PK: "USER#{userId}", SK: PROFILE}, update: "SET seen = :now", condition: "#state = :locked", parameters: {now: {value: 1}, locked: {value: LOCKED}}, rate: {peak: 200}}
  - {id: P3, name: Wake, operation: UpdateItem, key: {PK: "USER#{userId}", SK: PROFILE}, update: "SET seen = :now", condition: "#state = :asleep", parameters: {now: {value: 1}, asleep: {value: ASLEEP}}, rate: {peak: 200}}
"##;
        let folder = Folder::with(&[("shop.yaml", &format!("{SHOP}{patterns}"))]);
        let words = ["load", &folder.path("shop.yaml"), "--duration", "400ms"];
        let flags = command().try_get_matches_from(words).expect("a command line");
        let report = report(&flags).await.expect("a report");
        for loaded in &report.patterns[1..] {
            assert!(loaded.sent > 20 && loaded.answered == loaded.sent, "{loaded:?}");
            assert!(loaded.errors.is_empty() && loaded.refused == 0, "{loaded:?}");
        }
    }

    #[tokio::test]
    async fn tables_on_disk_are_removed_after_a_load() {
        let data = tempfile::tempdir().expect("a temporary folder");
        let data = data.path().display().to_string();
        let (_folder, flags) = flags(&["--data", &data]);
        for _ in 0..2 {
            report(&flags).await.expect("the tables are not there");
        }
    }

    #[tokio::test]
    async fn a_pattern_that_is_not_there_is_refused() {
        let (_folder, flags) = flags(&["--pattern", "P9"]);
        assert_eq!(report(&flags).await, Err("--pattern P9: the model has no pattern of that id".to_owned()));
    }

    #[test]
    fn durations_and_speeds_have_bounds() {
        assert_eq!(duration("5m"), Ok(Duration::from_mins(5)));
        assert!(duration("1ms").is_err() && duration("25h").is_err() && duration("5").is_err());
        assert!(
            speed("0.1").is_ok() && speed("0").is_err() && speed("NaN").is_err() && speed("1e9").is_err()
        );
    }
}

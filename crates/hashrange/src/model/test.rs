//! `hashrange model test`: every pattern on the real engine, against what is expected and budgeted.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_env::Env;
use hashrange_modelling::finding::{Evidence, Finding, Severity, Subject};
use hashrange_modelling::report::{self, Form, Found};
use hashrange_modelling::run::{self, Report};
use hashrange_modelling::{Catalogue, PlanClass, check};

use super::place::Places;
use super::target;
use crate::client;

const EXAMPLES: &str = "\
Examples:
  hashrange model test shop.yaml
      All patterns on an engine in this process, at scale 1x and 10x
  hashrange model test shop.yaml --pattern P3 --pattern P4 --seed 7
      Two of them, on other data
  hashrange model test shop.yaml --output junit=test.xml --output sarif=test.sarif --output markdown=summary.md
      The table for people, and files for the build server
  hashrange model test dynamodb_data_model.json --shared-state
      Writes stay for the patterns after them, as AWS's validator has it
  hashrange model test shop.yaml --endpoint http://127.0.0.1:8000
      On a server, whose tables must have other names: the model's tables are made there and removed

Samples are given in the model or made from its entities: the same seed makes the same data. At 10x there are ten times as
many item collections, each as large as before: a pattern that costs more there grows with its table.

Exit codes: 0 every pattern passed; 1 a pattern failed, broke its budget or could not be run, or a rule finds an error; 2 the command line or a file
is wrong.";

/// How long a command is silent before it tells what it does.
const SILENCE: Duration = Duration::from_secs(2);
/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_millis(500);

/// The command line of `model test`.
pub(crate) fn command() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let seed = text("seed", "N", "Tells sample data apart")
        .value_parser(clap::value_parser!(u64))
        .default_value("1");
    let scale = text("scale", "N,..", "How large the tables are, in blocks of samples")
        .value_delimiter(',')
        .value_parser(clap::value_parser!(u16).range(1..=1000))
        .default_value("1,10");
    let endpoint = text("endpoint", "URL", "A running server, instead of an engine in this process");
    let region = text(
        "region",
        "REGION",
        "Whose tables, with --endpoint [default: AWS_REGION, AWS_DEFAULT_REGION or us-east-1]",
    );
    let shared = Arg::new("shared-state")
        .long("shared-state")
        .action(ArgAction::SetTrue)
        .help("Leave what patterns write to the patterns after them");
    let names: Vec<&str> = Form::ALL.into_iter().map(Form::name).collect();
    let format = text("format", "FORMAT", "What is printed").value_parser(names).default_value("table");
    let output =
        text("output", "FORMAT=PATH", "A file to write besides, in one of the formats; may be repeated")
            .action(ArgAction::Append)
            .value_parser(output);
    let pattern = text("pattern", "ID", "Only this pattern; may be repeated").action(ArgAction::Append);
    let command =
        Command::new("test").about("Run every pattern and compare with what is expected and budgeted");
    super::with_files(command)
        .args([seed, scale, endpoint, client::ca_option(), region, shared, format, output, pattern])
        .after_help(EXAMPLES)
}

/// `junit=test.xml`
pub(super) fn output(text: &str) -> Result<(Form, PathBuf), String> {
    let wrong = || {
        let names: Vec<&str> = Form::ALL.into_iter().map(Form::name).collect();
        format!("write FORMAT=PATH with a format of {}", names.join(", "))
    };
    let (name, path) = text.split_once('=').ok_or_else(wrong)?;
    let form = Form::from_name(name).ok_or_else(wrong)?;
    if path.is_empty() { Err(wrong()) } else { Ok((form, PathBuf::from(path))) }
}

/// Runs the patterns.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let catalogue = match super::read_catalogue(flags) {
        Ok(catalogue) => catalogue,
        Err(code) => return code,
    };
    let patterns = texts(flags, "pattern");
    if let Some(unknown) = patterns.iter().find(|id| catalogue.pattern(id).is_none()) {
        let known: Vec<&str> = catalogue.patterns.iter().map(|pattern| pattern.id.as_str()).collect();
        return super::wrong(&[format!("there is no pattern {unknown}; there are {}", known.join(", "))]);
    }
    let scales: Vec<usize> =
        flags.get_many::<u16>("scale").into_iter().flatten().map(|scale| usize::from(*scale)).collect();
    match tested(flags, &catalogue, &scales, &patterns) {
        Ok(report) => told(flags, &catalogue, &report),
        Err(problem) => super::wrong(&[problem]),
    }
}

fn texts(flags: &ArgMatches, name: &str) -> Vec<String> {
    flags.get_many::<String>(name).into_iter().flatten().cloned().collect()
}

fn tested(
    flags: &ArgMatches,
    catalogue: &Catalogue,
    scales: &[usize],
    patterns: &[String],
) -> Result<Report, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the system gives no timer: {error}"))?;
    runtime.block_on(async {
        let env = Env::real();
        let text = |name: &str| flags.get_one::<String>(name).map(String::as_str);
        let region = text("region").map_or_else(client::region, str::to_owned);
        let ca = client::ca(flags);
        let server =
            text("endpoint").map(|endpoint| client::Server { endpoint, region: &region, ca: ca.as_deref() });
        let target = target::open(server, &env).await?;
        let progress = progress(&env);
        let today = hashrange::model::today();
        let options = run::Options {
            seed: flags.get_one::<u64>("seed").copied().unwrap_or(1),
            scales,
            shared_state: flags.get_flag("shared-state"),
            patterns,
            today: &today,
            progress: &progress,
        };
        Ok(run::run(catalogue, &*target, &options).await)
    })
}

/// Tells on standard error what is being done, where it takes long.
pub(crate) fn progress(env: &Env) -> impl Fn(&str) + Send + Sync + 'static {
    let clock = env.clock.clone();
    let next = Mutex::new(clock.monotonic() + SILENCE);
    move |doing: &str| {
        let now = clock.monotonic();
        let mut next = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if now >= *next {
            eprintln!("{doing}");
            *next = now + PROGRESS;
        }
    }
}

/// Whether a finding of `check` rests on the run, and the run has not told it already. What the declarations alone show is for
/// `check` to say; a scan of samples says nothing of a scan of the whole table.
fn is_news(report: &Report, finding: &Finding) -> bool {
    let Subject::Pattern(id) = &finding.subject else { return finding.evidence == Evidence::Run };
    let run = report.patterns.iter().find(|tested| tested.id == *id).and_then(|tested| tested.runs.first());
    let sweeps = run.is_some_and(|run| matches!(run.class, Some(PlanClass::Scan | PlanClass::IndexScan)));
    finding.evidence == Evidence::Run
        && finding.rule != "budget-exceeded"
        && !(sweeps && finding.rule == "declared-vs-observed")
}

/// Prints and writes the report; with what to exit.
fn told(flags: &ArgMatches, catalogue: &Catalogue, report: &Report) -> ExitCode {
    let observed = check::check_observed(catalogue, &report.observed(), &hashrange::model::today());
    let more: Vec<Finding> = observed.into_iter().filter(|finding| is_news(report, finding)).collect();
    let places = Places::of(&texts(flags, "file"));
    let place = |finding: &Finding| places.of_finding(finding);
    let found = Found { model: &report.model, findings: &more, place: &place };
    let form =
        flags.get_one::<String>("format").and_then(|name| Form::from_name(name)).unwrap_or(Form::Table);
    print!("{}", report::run(report, &found, form));
    for (form, path) in flags.get_many::<(Form, PathBuf)>("output").into_iter().flatten() {
        if let Err(error) = std::fs::write(path, report::run(report, &found, *form)) {
            return super::wrong(&[format!("cannot write {}: {error}", path.display())]);
        }
    }
    let is_grave = more.iter().any(|finding| finding.severity == Severity::Error);
    if report.passed() && is_grave {
        eprintln!(
            "every pattern passed, but rules found errors in what was observed; fix them, or waive them with a reason"
        );
    }
    if report.passed() && !is_grave { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

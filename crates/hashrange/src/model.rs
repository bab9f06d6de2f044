//! `hashrange model`: access patterns as a living specification.
//!
//! Each subcommand has a file of its own in `model/`, and a line in [`COMMANDS`].

mod check;
mod convert;
mod cost;
mod diff;
mod draw;
mod files;
mod init;
mod load;
mod place;
mod record;
mod rules;
mod schema;
mod target;
mod test;

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_modelling::Catalogue;
use hashrange_modelling::read::{self, Format, ReadOptions};

/// A subcommand: its command line, and what runs it.
type Subcommand = (fn() -> Command, fn(&ArgMatches) -> ExitCode);

/// The subcommands, in the order of `--help`.
const COMMANDS: &[Subcommand] = &[
    (init::command, init::run),
    (check::command, check::run),
    (rules::command, rules::run),
    (rules::explain_command, rules::explain),
    (test::command, test::run),
    (load::command, load::run),
    (cost::command, cost::run),
    (draw::command, draw::run),
    (diff::command, diff::run),
    (convert::command, convert::run),
    (schema::command, schema::run),
    (record::command, record::run),
];

const EXIT_CODES: &str = "\
Exit codes: 0 fine; 1 findings of severity error, failed patterns, over budget; 2 the command line or a file is wrong.";

/// The command line of `model`.
pub(crate) fn command() -> Command {
    Command::new("model")
        .about("Plan, check, test, load, price and draw access patterns")
        .subcommand_required(true)
        .arg_required_else_help(true)
        // Made only where a model is asked for: their texts would stay in the memory of a server.
        .defer(|command| command.subcommands(COMMANDS.iter().map(|(command, _)| command())))
        .after_help(EXIT_CODES)
}

/// Runs the subcommand that was given.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let given = flags.subcommand();
    let found = COMMANDS.iter().find_map(|(command, run)| {
        let (name, flags) = given?;
        (command().get_name() == name).then_some((run, flags))
    });
    let (run, flags) = found.expect("clap demands one of the subcommands");
    run(flags)
}

/// Adds what every subcommand that reads a model takes: FILE..., `--parameter`, `--read-as`.
pub(crate) fn with_files(command: Command) -> Command {
    let files = Arg::new("file").value_name("FILE").num_args(1..).required(true).help(
        "Models, in any of the formats that are read; several are merged. Also - for standard input, a folder of templates, or \
         the address of a running server",
    );
    with_reading(command.arg(files))
}

/// Adds how the files of a model are read: `--parameter`, `--read-as`.
pub(crate) fn with_reading(command: Command) -> Command {
    let parameter = Arg::new("parameter")
        .long("parameter")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("A parameter or variable of a template");
    let formats: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
    let read_as = Arg::new("read-as")
        .long("read-as")
        .value_name("FORMAT")
        .value_parser(formats)
        .help("The format of all files, instead of telling it by their content");
    command.arg(parameter).arg(read_as)
}

/// Reads the files that the command line names into one catalogue; notes go to standard error.
///
/// # Errors
/// With what to exit, when all problems were told with their places.
pub(crate) fn read_catalogue(flags: &ArgMatches) -> Result<Catalogue, ExitCode> {
    let paths: Vec<String> = flags.get_many::<String>("file").into_iter().flatten().cloned().collect();
    read_paths(&paths, flags)
}

/// Reads these files into one catalogue; notes go to standard error.
///
/// # Errors
/// With what to exit, when all problems were told with their places.
pub(crate) fn read_paths(paths: &[String], flags: &ArgMatches) -> Result<Catalogue, ExitCode> {
    let catalogue = options(flags).and_then(|mut options| {
        let files::Loaded { files, notes } = files::load(paths)?;
        files::include(&files, &mut options);
        for note in notes {
            eprintln!("note: {note}");
        }
        read::read(&files, &options)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())
    });
    match catalogue {
        Ok(catalogue) => {
            for note in &catalogue.notes {
                eprintln!("note: {}: {}", note.place, note.message);
            }
            Ok(catalogue)
        }
        Err(problems) => Err(wrong(&problems)),
    }
}

/// Tells what is wrong with the command line or a file.
pub(crate) fn wrong(problems: &[String]) -> ExitCode {
    for problem in problems {
        eprintln!("error: {problem}");
    }
    ExitCode::from(crate::USAGE_ERROR)
}

fn options(flags: &ArgMatches) -> Result<ReadOptions, Vec<String>> {
    let mut parameters = BTreeMap::new();
    for given in flags.get_many::<String>("parameter").into_iter().flatten() {
        let Some((name, value)) = given.split_once('=') else {
            return Err(vec![format!("--parameter {given} has no value; write --parameter NAME=VALUE")]);
        };
        parameters.insert(name.to_owned(), value.to_owned());
    }
    let format = flags.get_one::<String>("read-as").and_then(|name| Format::from_name(name));
    Ok(ReadOptions { parameters, format, ..ReadOptions::default() })
}

#[cfg(test)]
mod tests {
    /// A small model.
    pub(super) const SHOP: &str = r#"
hashrange: 1
name: shop
tables:
  Shop:
    key: {hash: PK, range: SK}
    indexes:
      ByEmail: {key: {hash: email}, projection: keys}
    items:
      - {PK: USER#u1, SK: PROFILE, email: ada@example.org}
entities:
  User:
    key: {PK: "USER#{userId}", SK: PROFILE}
    attributes: {userId: uuid, email: email}
    count: 1000000
    bytes: 300
patterns:
  - {id: P1, name: A user, operation: GetItem, key: {PK: "USER#{userId}", SK: PROFILE}, rate: {avg: 10, peak: 20}}
"#;

    /// A folder with files that goes away.
    pub(super) struct Folder(tempfile::TempDir);

    impl Folder {
        pub(super) fn with(files: &[(&str, &str)]) -> Folder {
            let folder = tempfile::tempdir().expect("a temporary folder");
            for (name, text) in files {
                std::fs::write(folder.path().join(name), text).expect("a file is written");
            }
            Folder(folder)
        }

        pub(super) fn path(&self, name: &str) -> String {
            self.0.path().join(name).display().to_string()
        }
    }
}

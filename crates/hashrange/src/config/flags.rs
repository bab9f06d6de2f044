//! The command line, built from the table of settings.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::table::{Form, KEYS, Key};
use super::{CONFIG, Given};

const EXAMPLES: &str = "\
Examples:
  hashrange serve
      Listen on 127.0.0.1:8000 and keep the data in ./hashrange-data
  hashrange serve --in-memory --addr 127.0.0.1:0
      A throw-away database on a free port, for a test run
  hashrange serve --data /var/lib/hashrange --log-format json
      A long-running server
  hashrange serve --config hashrange.toml
      Settings from a file; flags and HASHRANGE_* variables win over it
  hashrange serve --config hashrange.toml --check-config
      Whether a server would start with that file, without starting one

Every setting is also a variable and a key of the file: --table-delay 2s,
HASHRANGE_TABLE_DELAY=2s and table-delay = \"2s\" mean the same.
Flags win over variables, variables over the file.

SIGTERM or SIGINT ends the server when the requests that have begun are answered; a second one ends it at once.

Exit codes: 0 it was told to stop; 1 it cannot start, and one line says why; 2 a mistake in flags, variables or the
file; 130 or 143 a second SIGINT or SIGTERM ended it at once. --check-config: 0 all is good; 1 and 2 as above.";

/// The flag that checks settings instead of serving.
pub(crate) const CHECK_CONFIG: &str = "check-config";

/// The whole command line.
pub(crate) fn command() -> Command {
    let config = Arg::new(CONFIG)
        .long(CONFIG)
        .value_name("FILE")
        .help("Read settings from a TOML file [variable: HASHRANGE_CONFIG]");
    let check = Arg::new(CHECK_CONFIG).long(CHECK_CONFIG).action(ArgAction::SetTrue).help(
        "Check the settings and the files that they name, print what is in force and where it comes from, and end",
    );
    let serve = Command::new("serve")
        .about("Run the database server")
        .args(KEYS.iter().map(argument))
        .args([config, check])
        .after_help(EXAMPLES);
    let tour = Command::new("tour")
        .about("Walk through a single-table design on a database in memory")
        .after_help("Exit codes: 0 the walk was shown; 1 it could not be; 2 a mistake on the command line.");
    Command::new("hashrange")
        .about("A DynamoDB-compatible database: one binary, durable by default, for any AWS SDK")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([
            serve,
            crate::check::command(),
            crate::explain::command(),
            crate::model::command(),
            tour,
        ])
        .after_help("Start with `hashrange serve`; `hashrange serve --help` shows every setting.")
}

fn argument(key: &'static Key) -> Arg {
    let arg = Arg::new(key.name).long(key.name).value_name(key.placeholder).help(help(key));
    match key.form {
        Form::Switch(_) => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        _ => arg,
    }
}

fn help(key: &Key) -> String {
    let bounds = key.bounds();
    let bounds = if bounds.is_empty() { bounds } else { format!("{bounds}; ") };
    format!("{} [{bounds}default: {}]", key.doc, key.default)
}

/// The settings that the command line gives, as text.
pub(crate) fn given_flags(matches: &ArgMatches) -> Given {
    let names = KEYS.iter().map(|key| key.name).chain([CONFIG]);
    let given = names.filter_map(|name| Some((name.to_owned(), matches.get_one::<String>(name)?.clone())));
    given.collect()
}

//! The command line, built from the table of settings.

use clap::{Arg, ArgMatches, Command};

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

Every setting is also a variable and a key of the file: --table-delay 2s,
HASHRANGE_TABLE_DELAY=2s and table-delay = \"2s\" mean the same.
Flags win over variables, variables over the file.";

/// The whole command line.
pub(crate) fn command() -> Command {
    let config = Arg::new(CONFIG)
        .long(CONFIG)
        .value_name("FILE")
        .help("Read settings from a TOML file [variable: HASHRANGE_CONFIG]");
    let serve = Command::new("serve")
        .about("Run the database server")
        .args(KEYS.iter().map(argument))
        .arg(config)
        .after_help(EXAMPLES);
    let tour = Command::new("tour").about("Walk through a single-table design on a database in memory");
    Command::new("hashrange")
        .about("A DynamoDB-compatible database: one binary, durable by default, for any AWS SDK")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([serve, crate::check::command(), crate::explain::command(), tour])
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

//! `hashrange check`: verifies the folder of a stopped server, and copies what is readable of a damaged one.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command};
use hashrange_engine::catalog::Catalog;
use hashrange_env::Env;
use hashrange_item::Row;
use hashrange_store::{Address, Space, Stored};
use hashrange_store_local::{Damage, LocalStore, Observer, OpenError, Salvaged, Summary};

/// Something is damaged or missing.
const DAMAGED: u8 = 3;
/// Bytes between two lines of progress.
const PROGRESS_EVERY: u64 = 1 << 30;
/// Damages that are printed; the rest are counted.
const PRINTED_MAX: u64 = 1000;
/// Kinds of rows that hold items or entries of indexes: see the engine's layout.
const ITEM: u8 = 0;
const FIRST_ENTRY: u8 = 16;

const EXAMPLES: &str = "\
Examples:
  hashrange check hashrange-data
      Read every file of a stopped server's folder and compare all checksums; nothing is changed
  hashrange check hashrange-data --salvage rescued
      The same, and copy what is readable into the new folder rescued, for `hashrange serve --data rescued`

Exit code: 0 all is whole; 1 the folder cannot be checked; 2 a mistake on the command line; 3 something is damaged or
missing (after --salvage: the new folder is whole, but some data may be missing or older than it was).";

/// The command line of `check`.
pub(crate) fn command() -> Command {
    let folder = Arg::new("folder").value_name("DIR").required(true).help("The folder of a stopped server");
    let salvage = Arg::new("salvage")
        .long("salvage")
        .value_name("NEW-DIR")
        .help("Copy what is readable into this new folder");
    Command::new("check")
        .about("Verify the folder of a stopped server: every checksum, every row, the order of commits")
        .args([folder, salvage])
        .after_help(EXAMPLES)
}

/// Checks a folder, prints what it finds, and gives the exit code.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let path = |name: &str| flags.get_one::<String>(name).map(PathBuf::from);
    let folder = path("folder").unwrap_or_default();
    let mut printer = Printer::default();
    let done = match path("salvage") {
        None => hashrange_store_local::check(&folder, &mut printer).map(|summary| (summary, None)),
        Some(to) => hashrange_store_local::salvage(&folder, &to, &mut printer)
            .map(|(summary, salvaged)| (summary, Some((to, salvaged)))),
    };
    if let Ok((summary, Some((to, salvaged)))) = &done
        && summary.damages > 0
        && let Some(last) = salvaged.last_space
        && let Err(error) = part_from_lost_tables(to, last)
    {
        eprintln!("error: the copy {} is not finished: {error}", to.display());
        return ExitCode::FAILURE;
    }
    match done {
        Ok((summary, salvaged)) => {
            conclude(&folder, &summary, salvaged.as_ref());
            if summary.damages == 0 { ExitCode::SUCCESS } else { ExitCode::from(DAMAGED) }
        }
        Err(error) => {
            eprintln!("error: {}", explained(&folder, &error));
            ExitCode::FAILURE
        }
    }
}

/// Keeps new tables of the copy apart from rows of tables that its catalogue may have lost.
fn part_from_lost_tables(copy: &Path, last: Space) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let env = Env::real();
        let options = hashrange_store_local::Options::default();
        let store = LocalStore::open(copy, &options, env.clone()).map_err(|error| error.to_string())?;
        let store = Arc::new(store);
        let skipped = Catalog::skip_spaces(Arc::clone(&store) as _, env, last).await;
        store.close();
        skipped.map_err(|error| error.to_string())
    })
}

fn explained(folder: &Path, error: &OpenError) -> String {
    match error {
        OpenError::InUse(_) => {
            format!("the folder {} is open in a running server; stop it first", folder.display())
        }
        other => other.to_string(),
    }
}

fn conclude(folder: &Path, summary: &Summary, salvaged: Option<&(PathBuf, Salvaged)>) {
    let folder = folder.display();
    say(&summary.to_string());
    match (summary.damages, salvaged) {
        (0, None) => say(&format!("{folder} is whole")),
        (damages, None) => say(&format!(
            "{folder} is damaged in {damages} places: restore it from a backup, or copy what is readable with `hashrange \
             check {folder} --salvage NEW-DIR`"
        )),
        (damages, Some((to, salvaged))) => {
            let to = to.display();
            say(&format!(
                "copied {} rows and records to {to}: serve it with `hashrange serve --data {to}`",
                salvaged.keys
            ));
            if damages > 0 {
                say(
                    "where rows are missing or older than they were, indexes may disagree with their tables: delete such an \
                     index and create it again",
                );
            }
        }
    }
}

/// A reader that has gone away does not stop a check.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints damages as they are found, and progress.
#[derive(Default)]
struct Printer {
    damages: u64,
    bytes: u64,
    told: u64,
}

impl Observer for Printer {
    fn damaged(&mut self, damage: &Damage) {
        self.damages += 1;
        match self.damages {
            1..=PRINTED_MAX => say(&format!("damaged: {damage}")),
            more if more == PRINTED_MAX + 1 => say("damaged: more places, which are not printed"),
            _ => {}
        }
    }

    fn progress(&mut self, bytes: u64) {
        self.bytes += bytes;
        if self.bytes - self.told >= PROGRESS_EVERY {
            self.told = self.bytes;
            eprintln!("{} GB are verified", self.bytes >> 30);
        }
    }

    fn row(&mut self, at: &Address, stored: &Stored) -> Result<(), String> {
        if !is_item(at) {
            return Ok(());
        }
        let row = Row::from_bytes(stored.value.clone()).map_err(|error| error.to_string())?;
        row.verify().map_err(|error| error.to_string())
    }

    fn weight(&mut self, at: &Address, stored: &Stored) -> Option<u64> {
        if !is_item(at) {
            return None;
        }
        u64::try_from(Row::from_bytes(stored.value.clone()).ok()?.item_size()).ok()
    }
}

/// Whether a row holds an item or an entry of an index.
fn is_item(at: &Address) -> bool {
    at.space >= Space::FIRST_USER && (at.row.kind == ITEM || at.row.kind >= FIRST_ENTRY)
}

//! `hashrange model init`: a first catalogue, by asking, from an example, or from a folder of templates.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange_api::Operation;
use hashrange_modelling::catalogue::{Catalogue, Entity, Keys, Pattern, Table};
use hashrange_modelling::read::own::pattern::OPERATIONS;
use hashrange_modelling::read::{self, ReadOptions};
use hashrange_modelling::template::Template;
use hashrange_modelling::write;

const HELP: &str = "\
Examples:
  hashrange model init
      Ask for the table, the kinds of item and the access patterns, and write catalogue.yaml
  hashrange model init --example e-commerce
      Start from a whole catalogue of a shop in one table
  hashrange model init --from infrastructure/
      Start with the tables of a folder of CloudFormation, SAM, CDK or Terraform files

Without a catalogue yet, start with the example: it shows each part of the form. An existing file is never written over
without --force.

Exit codes: 0 the catalogue was written; 2 the command line or a file is wrong, or the file exists.";

/// The catalogues that the program has with it.
const EXAMPLES: &[(&str, &str)] =
    &[("e-commerce", include_str!("../../../../examples/models/e-commerce/catalogue.yaml"))];

/// The command line of `init`.
pub(crate) fn command() -> Command {
    let example = Arg::new("example")
        .long("example")
        .value_name("NAME")
        .value_parser(EXAMPLES.iter().map(|(name, _)| *name).collect::<Vec<_>>())
        .conflicts_with("from")
        .help("Start from this example");
    let from = Arg::new("from")
        .long("from")
        .value_name("DIR")
        .action(ArgAction::Append)
        .help("Start with the tables of this folder, file or server");
    let output = Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FILE")
        .default_value("catalogue.yaml")
        .help("The file to write; - for standard output");
    let file = Arg::new("file")
        .value_name("FILE")
        .conflicts_with("output")
        .help("The file to write, as --output says it");
    let force =
        Arg::new("force").long("force").action(ArgAction::SetTrue).help("Write over a file that is there");
    Command::new("init")
        .about("Start a catalogue: by asking, from an example, or from a folder of templates")
        .args([file, example, from, output, force])
        .after_help(HELP)
}

/// Writes a first catalogue.
pub(crate) fn run(flags: &ArgMatches) -> ExitCode {
    let given = flags.get_one::<String>("file").or_else(|| flags.get_one::<String>("output"));
    let path = given.map_or("catalogue.yaml", String::as_str);
    let force = flags.get_flag("force");
    // Before any question: nobody answers twenty of them for nothing.
    if path != "-" && !force && std::path::Path::new(path).exists() {
        return super::wrong(&[format!(
            "{path} exists; give --force to write over it, or --from {path} to start with its tables and --output for another file"
        )]);
    }
    match text(flags).and_then(|text| deliver(path, &text, force).map_err(|problem| vec![problem])) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => super::wrong(&problems),
    }
}

fn deliver(path: &str, text: &str, force: bool) -> Result<(), String> {
    if path == "-" {
        print!("{text}");
        return Ok(());
    }
    super::files::write(path, text, force)?;
    eprintln!("wrote {path}; next: hashrange model check {path}");
    Ok(())
}

fn text(flags: &ArgMatches) -> Result<String, Vec<String>> {
    if let Some(name) = flags.get_one::<String>("example") {
        let example = EXAMPLES.iter().find(|(known, _)| known == name);
        return Ok(portable(example.expect("clap allows no other name").1));
    }
    let folders: Vec<String> = flags.get_many::<String>("from").into_iter().flatten().cloned().collect();
    if !folders.is_empty() {
        return from(&folders);
    }
    let stdin = std::io::stdin();
    let asked = ask(&mut stdin.lock(), &mut std::io::stderr()).map_err(|problem| vec![problem])?;
    Ok(format!("{SCHEMA_LINE}\n{}", write::yaml(&asked)))
}

const SCHEMA_LINE: &str = "# `hashrange model schema > catalogue.schema.json` makes the schema for editors.\n# yaml-language-server: $schema=catalogue.schema.json";

/// The example, its schema beside it and not in the repository.
fn portable(example: &str) -> String {
    match example.split_once('\n') {
        Some((first, rest)) if first.contains("$schema=") => format!("{SCHEMA_LINE}\n{rest}"),
        _ => example.to_owned(),
    }
}

/// The tables of templates, and room for what they cannot say.
fn from(folders: &[String]) -> Result<String, Vec<String>> {
    let super::files::Loaded { files, notes } = super::files::load(folders)?;
    let mut options = ReadOptions::default();
    super::files::include(&files, &mut options);
    for note in notes {
        eprintln!("note: {note}");
    }
    if files.is_empty() {
        return Err(vec![format!("{} holds no model that is known", folders.join(", "))]);
    }
    let read = read::read(&files, &options);
    let mut catalogue =
        read.map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    for note in &catalogue.notes {
        eprintln!("note: {}: {}", note.place, note.message);
    }
    if catalogue.name.is_empty() {
        "model".clone_into(&mut catalogue.name);
    }
    let rest = if catalogue.patterns.is_empty() { PATTERNS_TO_COME } else { "" };
    Ok(format!("{SCHEMA_LINE}\n{}{rest}", write::yaml(&catalogue)))
}

const PATTERNS_TO_COME: &str = "\
# Next: what the application does. For example:
# entities:
#   User:
#     key: {PK: \"USER#{userId}\", SK: PROFILE}
#     attributes: {userId: uuid, name: name}
# patterns:
#   - {id: P1, name: A user by number, operation: GetItem, key: {PK: \"USER#{userId}\", SK: PROFILE}, budget: {rcu: 0.5}, rate: {peak: 100, avg: 20}}
";

/// Asks a person. An empty answer takes what is in brackets, or ends a list.
fn ask(input: &mut dyn BufRead, output: &mut dyn Write) -> Result<Catalogue, String> {
    let mut person = Person { input, output };
    let mut catalogue =
        Catalogue { name: person.answer("What is the model called?", "shop")?, ..Catalogue::default() };
    let mut table = Table { name: person.answer("The table's name?", "Shop")?, ..Table::default() };
    table.keys = Keys {
        hash: vec![person.answer("Its partition key attribute?", "PK")?],
        range: person.optional("Its sort key attribute? (- for none)", "SK")?.into_iter().collect(),
    };
    person.say("Kinds of item: what is stored, and the key of each. {name} stands for a value.")?;
    while let Some(name) = person.more("A kind of item, such as User (empty: no more)?")? {
        let mut entity = Entity { name, table: table.name.clone(), ..Entity::default() };
        for attribute in table.keys.attributes() {
            let usual = format!("{}#{{{}Id}}", entity.name.to_uppercase(), entity.name.to_lowercase());
            let usual = if table.keys.hash[0] == attribute { usual } else { entity.name.to_uppercase() };
            let template = person.template(&format!("  {attribute} of {}?", entity.name), &usual)?;
            entity.keys.insert(attribute.to_owned(), template);
        }
        catalogue.entities.push(entity);
    }
    person.say("Access patterns: what the application asks, before any table is made.")?;
    while let Some(name) =
        person.more("A pattern, such as \"orders of a user, newest first\" (empty: no more)?")?
    {
        let id = format!("P{}", catalogue.patterns.len() + 1);
        catalogue.patterns.push(person.pattern(id, name)?);
    }
    catalogue.tables.push(table);
    Ok(catalogue)
}

struct Person<'p> {
    input: &'p mut dyn BufRead,
    output: &'p mut dyn Write,
}

impl Person<'_> {
    fn say(&mut self, text: &str) -> Result<(), String> {
        writeln!(self.output, "{text}").map_err(|error| format!("cannot ask: {error}"))
    }

    /// The line that comes; the end of the input is an empty one.
    fn line(&mut self, question: &str) -> Result<String, String> {
        let problem = |error: std::io::Error| format!("cannot ask: {error}");
        write!(self.output, "{question} ").map_err(problem)?;
        self.output.flush().map_err(problem)?;
        let mut line = String::new();
        std::io::Read::take(&mut self.input, LINE_MAX).read_line(&mut line).map_err(problem)?;
        Ok(line.trim().to_owned())
    }

    fn answer(&mut self, question: &str, usual: &str) -> Result<String, String> {
        let line = self.line(&format!("{question} [{usual}]"))?;
        Ok(if line.is_empty() { usual.to_owned() } else { line })
    }

    fn optional(&mut self, question: &str, usual: &str) -> Result<Option<String>, String> {
        Ok(Some(self.answer(question, usual)?).filter(|answer| answer != "-"))
    }

    fn more(&mut self, question: &str) -> Result<Option<String>, String> {
        Ok(Some(self.line(question)?).filter(|line| !line.is_empty()))
    }

    fn template(&mut self, question: &str, usual: &str) -> Result<Template, String> {
        let answer = self.answer(question, usual)?;
        Template::parse(&answer).map_err(|error| format!("\"{answer}\" is no template: {error}"))
    }

    /// A need, or an operation whose request is still to be written.
    fn pattern(&mut self, id: String, name: String) -> Result<Pattern, String> {
        let mut pattern = Pattern { id, name, ..Pattern::default() };
        pattern.who = self.more("  Who needs it?")?;
        let known = self.answer("  What is known when it is asked (attributes, with commas)?", "-")?;
        let known = known.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "-");
        pattern.need_equal = known.map(str::to_owned).collect();
        pattern.need_range = self.optional("  By what is the answer sorted or bounded?", "-")?;
        let peak = self.answer("  How often a second, at the worst time?", "-")?;
        pattern.peak_rps = peak.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
        if pattern.need_equal.is_empty() && pattern.need_range.is_none() {
            pattern.operation = self.operation()?;
        }
        Ok(pattern)
    }

    fn operation(&mut self) -> Result<Option<Operation>, String> {
        let answer = self.answer("  Then it is a write or a scan: which operation?", "Scan")?;
        Ok(OPERATIONS.iter().find(|(name, _)| *name == answer).map(|(_, operation)| *operation))
    }
}

/// Longest answer, in bytes.
const LINE_MAX: u64 = 10_000;

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn asked(answers: &str) -> String {
        let mut output = Vec::new();
        let catalogue = ask(&mut answers.as_bytes(), &mut output).unwrap();
        write::yaml(&catalogue)
    }

    #[test]
    fn answers_become_a_catalogue() {
        let text = asked("desk\nDesk\nid\n-\nTicket\n\n\nopen tickets\nagents\nstatus\nopened\n50\n\n");
        expect![[r#"
            hashrange: 1
            name: desk
            tables:
              Desk:
                key: {hash: id}
            entities:
              Ticket:
                key: {id: "TICKET#{ticketId}"}
            patterns:
              - id: P1
                name: open tickets
                who: agents
                need: {equal: [status], range: opened}
                rate: {peak: 50}
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn no_answer_at_all_still_makes_a_file() {
        expect![[r"
            hashrange: 1
            name: shop
            tables:
              Shop:
                key: {hash: PK, range: SK}
        "]]
        .assert_eq(&asked(""));
    }

    #[test]
    fn the_examples_are_whole() {
        for (name, text) in EXAMPLES {
            let file = read::SourceFile { path: (*name).to_owned(), bytes: portable(text).into_bytes() };
            let read = read::read(&[file], &ReadOptions::default());
            assert_eq!(read.map(|catalogue| catalogue.notes), Ok(Vec::new()), "{name}");
        }
    }
}

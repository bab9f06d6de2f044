//! Runs the scripts in `testdata/<concept>/*.txt` and compares what they print.
//!
//! A script is made of settings and commands. Settings hold until they are given again:
//!
//! ```text
//! names #s = status, #d = a.b
//! values :v = 1 | :list = [1, 2]
//! item {"a": 1}
//! no item
//! key {"pk": "k"}
//! ```
//!
//! A command begins with `>`; what it prints follows, up to an empty line. Commands are `condition`, `filter`,
//! `key`, `projection`, `update` with an expression (of which placeholders may stay unused), and `request` with
//! several of them between `;`, which checks the placeholders as a request does. Lines with `#` in front
//! are comments. `UPDATE_GOLDEN=1 cargo test -p hashrange-language --test golden` writes the output anew.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use hashrange_item::{Attributes, Lookup};
use hashrange_language::{Binder, Error, ExpressionKind};

#[test]
fn scripts_print_what_they_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let scripts = scripts(&root);
    assert!(!scripts.is_empty(), "no scripts in {}", root.display());
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut stale = Vec::new();
    for script in scripts {
        let text = fs::read_to_string(&script).unwrap();
        let actual = run(&text);
        if update {
            fs::write(&script, &actual).unwrap();
        } else if actual != text {
            stale.push(format!("{}:\n{}", script.display(), difference(&text, &actual)));
        }
    }
    assert!(stale.is_empty(), "{}\nif that is right: UPDATE_GOLDEN=1", stale.join("\n"));
}

fn scripts(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scripts: Vec<PathBuf> = entries(root)
        .filter(|path| path.is_dir())
        .flat_map(|folder| entries(&folder).collect::<Vec<_>>())
        .collect();
    scripts.sort();
    scripts
}

fn difference(expected: &str, actual: &str) -> String {
    let lines = expected.lines().zip(actual.lines()).enumerate();
    match lines.filter(|(_, (expected, actual))| expected != actual).map(|(at, pair)| (at + 1, pair)).next() {
        Some((line, (expected, actual))) => format!("line {line}:\n- {expected}\n+ {actual}"),
        None => "the texts differ in length".to_owned(),
    }
}

/// Repeats the script with the output that its commands print now.
fn run(script: &str) -> String {
    let mut setting = Setting::default();
    let mut output = String::new();
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        writeln!(output, "{line}").unwrap();
        match line.strip_prefix("> ") {
            Some(command) => {
                lines.by_ref().take_while(|line| !line.is_empty()).for_each(drop);
                writeln!(output, "{}\n", setting.command(command)).unwrap();
            }
            None => setting.set(line),
        }
    }
    let end = output.trim_end().len();
    output.truncate(end);
    output + "\n"
}

#[derive(Default)]
struct Setting {
    names: Option<BTreeMap<String, String>>,
    values: Option<Attributes>,
    item: Option<Attributes>,
    key: Attributes,
}

impl Setting {
    fn set(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" | "#" => {}
            "names" => {
                self.names = Some(pairs(rest, ", ").map(|(key, name)| (key, name.to_owned())).collect());
            }
            "values" => {
                self.values =
                    Some(pairs(rest, " | ").map(|(key, text)| (key, support::value(text))).collect());
            }
            "item" => self.item = Some(support::item(rest)),
            "key" => self.key = support::item(rest),
            "no" => match rest {
                "names" => self.names = None,
                "values" => self.values = None,
                _ => self.item = None,
            },
            _ => panic!("what is {line:?}?"),
        }
    }

    fn command(&self, command: &str) -> String {
        let mut binder = Binder::new(self.names.as_ref(), self.values.as_ref());
        let result = match command.strip_prefix("request ") {
            Some(rest) => self.request(binder, rest),
            None => self.expression(&mut binder, command),
        };
        result.unwrap_or_else(|error| format!("error: {error}"))
    }

    fn request(&self, mut binder: Binder<'_>, expressions: &str) -> Result<String, Error> {
        binder.check_placeholders()?;
        let mut output = Vec::new();
        for expression in expressions.split(" ; ") {
            output.push(self.expression(&mut binder, expression)?);
        }
        binder.finish()?;
        Ok(output.join("\n"))
    }

    fn expression(&self, binder: &mut Binder<'_>, command: &str) -> Result<String, Error> {
        let (kind, text) = command.split_once(' ').unwrap_or((command, ""));
        let item = self.item.as_ref().map(|item| item as &dyn Lookup);
        match kind {
            "condition" | "filter" => {
                let kind = if kind == "filter" { ExpressionKind::Filter } else { ExpressionKind::Condition };
                let condition = binder.condition(kind, text)?;
                Ok(format!("{condition}\n{}", condition.evaluate(item)))
            }
            "key" => binder.key_condition(text).map(|condition| condition.to_string()),
            "projection" => {
                let projection = binder.projection(text)?;
                let parts = item.map_or_else(
                    || "no item".to_owned(),
                    |item| support::print_item(&projection.project(item)),
                );
                Ok(format!("{projection}\n{parts}"))
            }
            "update" => self.update(binder, text),
            _ => panic!("what is {command:?}?"),
        }
    }

    fn update(&self, binder: &mut Binder<'_>, text: &str) -> Result<String, Error> {
        let update = binder.update(text)?;
        let mut output = format!("{update}\ncost {}", update.cost());
        match update.apply(self.item.as_ref(), &self.key) {
            Err(error) => write!(output, "\nerror: {error}").unwrap(),
            Ok(new) => {
                writeln!(output, "\nnew {}", support::print_item(&new)).unwrap();
                writeln!(output, "UPDATED_OLD {}", support::print_item(&update.touched(self.item.as_ref())))
                    .unwrap();
                write!(output, "UPDATED_NEW {}", support::print_item(&update.touched_new(&new))).unwrap();
            }
        }
        Ok(output)
    }
}

/// `key = text` pairs between separators.
fn pairs<'t>(text: &'t str, separator: &'t str) -> impl Iterator<Item = (String, &'t str)> {
    text.split(separator).filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, text) =
            pair.split_once(" = ").unwrap_or_else(|| panic!("a pair is `key = text`: {pair:?}"));
        (key.to_owned(), text)
    })
}

//! Every text of the catalogue is provoked over the wire: a golden script or a test of the wire has it as an answer.
//!
//! Nobody marks what a script covers. The string literals of each catalogue function are templates, `{..}` stands for
//! anything, and each must be found in some outcome of a script.

use super::project::{File, Rust};
use super::{Finding, Project};

/// Where scripts and tests are whose every answer came over the wire.
const ANSWERS: [&str; 2] = ["crates/hashrange/tests/golden/", "crates/wire/tests/http/"];

/// Functions that nothing provokes yet: `module::function: reason`.
const EXCUSES: &str = "crates/hashrange/tests/unprovoked.txt";

const CATALOGUE: &str = "crates/api/src/message/";

pub(super) fn every_text_is_provoked(project: &Project) -> Vec<Finding> {
    let answers = answers(project);
    let mut excuses = excuses(project);
    let mut findings = Vec::new();
    for (file, rust) in project.rust().filter(|(file, _)| is_catalogue(file)) {
        for (name, line, templates) in functions(file, rust) {
            let missing =
                templates.iter().find(|template| !answers.iter().any(|answer| template.is_in(answer)));
            let excuse = excuses.iter().position(|(excused, _)| *excused == name);
            let excuse = excuse.map(|at| excuses.remove(at));
            match (missing, excuse) {
                (Some(missing), None) => findings.push(Finding::at(
                    &file.path,
                    line,
                    format!("no script in {} has {missing} as an answer; write one", ANSWERS[0]),
                )),
                (None, Some((_, line))) => {
                    findings.push(Finding::at(
                        EXCUSES,
                        line,
                        format!("{name} is provoked by now: remove the line"),
                    ));
                }
                _ => {}
            }
        }
    }
    let stale = |(name, line)| Finding::at(EXCUSES, line, format!("{name} is not in the catalogue"));
    findings.extend(excuses.into_iter().map(stale));
    findings
}

fn is_catalogue(file: &File) -> bool {
    file.path.starts_with(CATALOGUE) && !file.path.contains("/tests/")
}

/// The lines of outcomes, and the literals of tests.
fn answers(project: &Project) -> Vec<String> {
    let files =
        project.files.iter().filter(|file| ANSWERS.iter().any(|folder| file.path.starts_with(folder)));
    let mut answers = Vec::new();
    for file in files {
        match &file.rust {
            Some(rust) => answers.extend(rust.tokens.iter().filter_map(|token| literal(&token.text))),
            None => answers.extend(file.text.lines().filter(|line| is_outcome(line)).map(str::to_owned)),
        }
    }
    answers
}

/// Whether a line of a script can hold an error's text: it begins with the code, or lies inside JSON.
fn is_outcome(line: &str) -> bool {
    let is_error = line.split_once(": ").is_some_and(|(code, _)| !code.contains(' '));
    let is_member = line.contains("essage\"");
    !line.starts_with(['#', '!']) && (is_error || is_member)
}

/// Names and lines of the excuses. A line needs a reason.
fn excuses(project: &Project) -> Vec<(String, usize)> {
    let text = project.file(EXCUSES).map_or("", |file| file.text.as_str());
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let excuse = |(at, line): (usize, &str)| {
        let (name, reason) = line.split_once(": ")?;
        (!reason.trim().is_empty()).then(|| (name.to_owned(), at + 1))
    };
    lines.filter_map(excuse).collect()
}

/// The functions that write texts: name with module, line, and the templates.
fn functions<'p>(
    file: &'p File,
    rust: &'p Rust,
) -> impl Iterator<Item = (String, usize, Vec<Template>)> + 'p {
    let module = file.path.trim_start_matches(CATALOGUE).trim_end_matches(".rs").replace('/', "::");
    rust.functions.iter().filter(|function| !rust.is_test_line(function.line)).filter_map(move |function| {
        let lines = function.line..function.line + function.lines;
        let tokens = rust.tokens.iter().filter(|token| lines.contains(&token.line));
        let literals = tokens.filter_map(|token| literal(&token.text));
        let templates: Vec<_> =
            literals.map(|text| Template::of(&text)).filter(Template::is_telling).collect();
        (!templates.is_empty()).then(|| (format!("{module}::{}", function.name), function.line, templates))
    })
}

/// The value of a string literal.
fn literal(token: &str) -> Option<String> {
    let text = token.trim_start_matches('r').trim_start_matches('#');
    let text = text.strip_prefix('"')?.trim_end_matches('#').strip_suffix('"')?;
    let mut value = String::new();
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\\' if !token.starts_with('r') => match rest.next()? {
                '\n' => while rest.next_if(|next| next.is_whitespace()).is_some() {},
                'n' => value.push('\n'),
                escaped => value.push(escaped),
            },
            other => value.push(other),
        }
    }
    Some(value)
}

/// A text with gaps.
#[derive(Debug)]
struct Template {
    pieces: Vec<String>,
}

impl Template {
    fn of(text: &str) -> Template {
        let mut pieces = vec![String::new()];
        let mut rest = text.chars().peekable();
        while let Some(next) = rest.next() {
            match next {
                '{' if rest.next_if_eq(&'{').is_none() => {
                    rest.by_ref().find(|next| *next == '}');
                    pieces.push(String::new());
                }
                '}' => {
                    rest.next_if_eq(&'}');
                    pieces.last_mut().expect("one piece is always there").push('}');
                }
                other => pieces.last_mut().expect("one piece is always there").push(other),
            }
        }
        Template { pieces }
    }

    /// Whether the fixed words make a sentence of AWS rather than a part of one.
    fn is_telling(&self) -> bool {
        let text = self.pieces.concat();
        let words = text.split(' ').filter(|word| word.len() > 1).count();
        words > 2 || (words == 2 && text.starts_with(char::is_uppercase))
    }

    /// Whether the pieces stand in the answer one after the other, and the last one ends a text there.
    fn is_in(&self, answer: &str) -> bool {
        let (last, pieces) = self.pieces.split_last().expect("one piece is always there");
        let mut rest = answer;
        for piece in pieces {
            let Some((_, after)) = rest.split_once(piece.as_str()) else { return false };
            rest = after;
        }
        let ends = |at: usize| {
            !rest[at + last.len()..].starts_with(|next: char| next.is_alphanumeric() || next == ' ')
        };
        last.is_empty() || rest.match_indices(last.as_str()).any(|(at, _)| ends(at) || last.ends_with(' '))
    }
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\"", self.pieces.join("{..}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"pub fn too_long(name: &str) -> String {
    format!("The name {name} is \
             {{too}} long")
}"#;

    fn findings(script: &str, excuses: &str) -> Vec<String> {
        let files = [
            ("crates/api/src/message/item.rs", SOURCE),
            ("crates/hashrange/tests/golden/items/put.txt", script),
            (EXCUSES, excuses),
        ];
        every_text_is_provoked(&Project::of(&files)).iter().map(|finding| finding.place.clone()).collect()
    }

    #[test]
    fn a_text_that_no_script_provokes_is_found() {
        let none: [&str; 0] = [];
        assert_eq!(findings("PutItem {}\nValidationException: The name a b is {too} long\n", ""), none);
        assert_eq!(findings("# The name a is {too} long\n", ""), ["crates/api/src/message/item.rs:1"]);
        assert_eq!(findings("E: The name a is {too} longish\n", ""), ["crates/api/src/message/item.rs:1"]);
    }

    #[test]
    fn an_excuse_needs_a_reason_and_a_function_that_needs_it() {
        let none: [&str; 0] = [];
        let answer = "E: 1 error: The name a is {too} long; more\n";
        assert_eq!(findings("", "item::too_long: no way there\n"), none);
        assert_eq!(findings("", "item::too_long: \n"), ["crates/api/src/message/item.rs:1"]);
        assert_eq!(findings(answer, "# why\nitem::too_long: no way there\n"), [format!("{EXCUSES}:2")]);
        assert_eq!(findings(answer, "item::gone: no way there\n"), [format!("{EXCUSES}:1")]);
    }
}

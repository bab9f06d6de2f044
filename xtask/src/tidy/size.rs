//! Functions and files stay short, by a ratchet: what is too long today is listed, and the list can only shrink.

use std::collections::BTreeMap;

use super::{Finding, Project};

/// The longest function that may be written. Lines are counted from `fn` to the closing brace.
const FUNCTION_LINES_MAX: usize = 70;
/// The longest file, tests not counted.
const FILE_LINES_MAX: usize = 1500;
/// Functions from before the limit: lines `path function lines`, `#` starts a comment.
const GIANTS_PATH: &str = "xtask/src/tidy/giants.txt";

type Name = (String, String);

/// No function is longer than the limit, unless listed, and then no longer than listed.
pub(super) fn function_length(project: &Project) -> Vec<Finding> {
    let listed = giants(project);
    let mut unused = listed.clone();
    let mut findings = Vec::new();
    for (file, rust) in project.rust().filter(|(file, _)| !file.is_generated()) {
        for function in rust.functions.iter().filter(|function| function.lines > FUNCTION_LINES_MAX) {
            let name = (file.path.clone(), function.name.clone());
            unused.remove(&name);
            match listed.get(&name) {
                None => findings.push(Finding::at(&file.path, function.line, too_long(function.lines))),
                Some(&before) if function.lines > before => {
                    findings.push(Finding::at(&file.path, function.line, grown(before, function.lines)));
                }
                Some(&before) if function.lines < before => {
                    findings.push(Finding::new(GIANTS_PATH, shrunk(&name, function.lines)));
                }
                Some(_) => {}
            }
        }
    }
    let gone = |((path, function), _)| format!("{path} {function} is no longer too long: remove the line");
    findings.extend(unused.into_iter().map(|entry| Finding::new(GIANTS_PATH, gone(entry))));
    findings
}

fn too_long(lines: usize) -> String {
    format!(
        "the function has {lines} lines, more than {FUNCTION_LINES_MAX}: keep the control flow and move the leaves out"
    )
}

fn grown(before: usize, lines: usize) -> String {
    format!("the function grew from {before} to {lines} lines: a giant may only shrink")
}

fn shrunk((path, function): &Name, lines: usize) -> String {
    format!("{path} {function} has only {lines} lines now: lower its figure")
}

fn giants(project: &Project) -> BTreeMap<Name, usize> {
    let text = project.file(GIANTS_PATH).map_or("", |file| file.text.as_str());
    let entry = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = (words.next()?, words.next()?);
        Some((name, words.next()?.parse().ok()?))
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(entry).collect()
}

/// No file is longer than the limit.
pub(super) fn file_length(project: &Project) -> Vec<Finding> {
    let written = project.rust().filter(|(file, _)| !file.is_generated() && !file.is_for_development());
    let sized = written.map(|(file, rust)| (file, rust.product_lines(file.text.lines().count())));
    let long = sized.filter(|(_, lines)| *lines > FILE_LINES_MAX);
    let message =
        |lines| format!("has {lines} lines without tests, more than {FILE_LINES_MAX}: split it by concept");
    long.map(|(file, lines)| Finding::new(&file.path, message(lines))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function_of(lines: usize) -> String {
        format!("fn giant() {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    }

    fn messages(lines: usize, giants: &str) -> Vec<String> {
        let source = function_of(lines);
        let project = Project::of(&[("crates/a/src/a.rs", &source), (GIANTS_PATH, giants)]);
        function_length(&project).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_new_function_has_at_most_seventy_lines() {
        assert_eq!(messages(70, ""), [""; 0]);
        assert!(messages(71, "")[0].starts_with("crates/a/src/a.rs:1: the function has 71 lines"));
    }

    #[test]
    fn a_listed_giant_may_only_shrink() {
        assert_eq!(messages(80, "# older\ncrates/a/src/a.rs giant 80\n"), [""; 0]);
        assert!(messages(81, "crates/a/src/a.rs giant 80\n")[0].contains("grew from 80 to 81"));
        assert!(messages(75, "crates/a/src/a.rs giant 80\n")[0].contains("only 75 lines now"));
        assert!(messages(10, "crates/a/src/a.rs giant 80\n")[0].contains("remove the line"));
    }

    #[test]
    fn a_file_is_measured_without_its_tests() {
        let long = "fn f() {}\n".repeat(FILE_LINES_MAX + 1);
        assert_eq!(file_length(&Project::of(&[("crates/a/src/a.rs", &long)])).len(), 1);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert_eq!(file_length(&Project::of(&[("crates/a/src/a.rs", &tests)])), []);
    }
}

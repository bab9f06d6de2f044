//! Rules about the documents.

use super::{Finding, Project};

const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// A Markdown file has one title, and it stands first.
pub(super) fn one_title(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in project.files.iter().filter(|file| file.has_extension("md")) {
        let titles: Vec<usize> =
            prose(&file.text).filter(|(_, line)| line.starts_with("# ")).map(|(n, _)| n).collect();
        if titles.first() != Some(&1) {
            findings.push(Finding::new(&file.path, "start with one line `# Title`"));
        }
        let extra = titles.iter().skip(1);
        findings.extend(extra.map(|line| Finding::at(&file.path, *line, "a second title: use `##`")));
    }
    findings
}

/// The lines outside fenced blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        (!fenced).then_some((index + 1, line))
    })
}

/// Each invariant of the architecture names the check that holds it.
pub(super) fn invariants_are_checked(project: &Project) -> Vec<Finding> {
    let Some(file) = project.file(ARCHITECTURE) else {
        return vec![Finding::new(ARCHITECTURE, "is missing")];
    };
    let mut line = 1;
    let mut findings = Vec::new();
    for paragraph in file.text.split("\n\n") {
        if paragraph.trim_start().starts_with("Invariant") && !paragraph.contains("(checked by: ") {
            findings.push(Finding::at(
                ARCHITECTURE,
                line,
                "an invariant without `(checked by: ..)`: name its test",
            ));
        }
        line += paragraph.matches('\n').count() + 2;
    }
    findings
}

/// Each crate has a section in the code map.
pub(super) fn every_crate_has_a_section(project: &Project) -> Vec<Finding> {
    let map = project.file(ARCHITECTURE).map_or("", |file| file.text.as_str());
    let manifests = project.files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    let missing =
        manifests.filter(|folder| !map.lines().any(|line| line.starts_with(&format!("### `{folder}`"))));
    missing
        .map(|folder| Finding::new(ARCHITECTURE, format!("add a section \"### `{folder}`\" to the code map")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_starts_with_its_only_title() {
        let fenced = "# Title\n\n```sh\n# a comment\n```\n\n## Part\n";
        assert_eq!(one_title(&Project::of(&[("a.md", fenced)])), []);
        assert_eq!(
            one_title(&Project::of(&[("a.md", "text\n")]))[0].message,
            "start with one line `# Title`"
        );
        assert_eq!(one_title(&Project::of(&[("a.md", "# A\n\n# B\n")]))[0].place, "a.md:3");
    }

    #[test]
    fn an_invariant_names_its_check() {
        let good = "# A\n\nInvariant 1: exact numbers\nalways (checked by: `number::tests`).\n";
        assert_eq!(invariants_are_checked(&Project::of(&[(ARCHITECTURE, good)])), []);
        let bad = "# A\n\nInvariant 1: exact numbers.\n\nMore (checked by: nothing).\n";
        assert_eq!(
            invariants_are_checked(&Project::of(&[(ARCHITECTURE, bad)]))[0].place,
            "ARCHITECTURE.md:3"
        );
    }

    #[test]
    fn a_crate_without_a_section_is_found() {
        let files = [
            (ARCHITECTURE, "# A\n\n### `crates/item`: values\n"),
            ("crates/item/Cargo.toml", ""),
            ("xtask/Cargo.toml", ""),
        ];
        let findings = every_crate_has_a_section(&Project::of(&files));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.contains("xtask"));
    }
}

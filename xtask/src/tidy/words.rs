//! Words that must not appear: they are true of one machine only.

use super::{Finding, Project};

struct Word {
    word: &'static str,
    instead: &'static str,
}

const HERE: &str = "a path from the root of the workspace";
const REGISTRY: &str = "the name of the package; clients know their registry";

const WORDS: [Word; 11] = [
    Word { word: "/work/", instead: HERE },
    Word { word: "/root/", instead: HERE },
    Word { word: "shared/", instead: "a copy inside the project" },
    Word { word: "registry.npmjs", instead: REGISTRY },
    Word { word: "pypi.org", instead: REGISTRY },
    Word { word: "pythonhosted", instead: REGISTRY },
    Word { word: "repo.maven", instead: REGISTRY },
    Word { word: "repo1.maven", instead: REGISTRY },
    Word { word: "proxy.golang", instead: REGISTRY },
    Word { word: "static.crates", instead: REGISTRY },
    Word { word: "index.crates", instead: REGISTRY },
];

/// No path of a machine and no host of a registry stands in the project.
pub(super) fn banned_words(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in project.files.iter().filter(|file| file.path != "xtask/src/tidy/words.rs") {
        for (index, line) in file.text.lines().enumerate() {
            for word in WORDS.iter().filter(|word| stands_in(word.word, line)) {
                let message = format!("\"{}\" must not appear, write {}", word.word, word.instead);
                findings.push(Finding::at(&file.path, index + 1, message));
            }
        }
    }
    findings
}

/// As a word of its own: `is_shared/..` and `frame/work/` are something else.
fn stands_in(word: &str, line: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_one_machine_is_found() {
        assert_eq!(banned_words(&Project::of(&[("a.md", "network/work/ and unshared/")])), []);
        let findings = banned_words(&Project::of(&[("a.md", "fine\nsee /root/x and ../shared/y\n")]));
        let places: Vec<_> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, ["a.md:2", "a.md:2"]);
    }
}

//! Where in its files a model says something, for reports that point at lines.

use hashrange_modelling::finding::{Finding, Subject};

/// The texts of a model's files, by path.
#[derive(Debug, Default)]
pub(crate) struct Places {
    files: Vec<(String, String)>,
}

impl Places {
    /// Reads the files again; what cannot be read, such as an address, has no lines.
    pub(crate) fn of(paths: &[String]) -> Places {
        let read = |path: &String| (path.clone(), std::fs::read_to_string(path).unwrap_or_default());
        Places { files: paths.iter().map(read).collect() }
    }

    /// The file and the line, from 1, where the subject of a finding is named first; else the first file.
    pub(crate) fn of_finding(&self, finding: &Finding) -> (String, Option<usize>) {
        let first = self.files.first().map(|(path, _)| path.clone()).unwrap_or_default();
        let name = match &finding.subject {
            Subject::Model => return (first, None),
            Subject::Index(_, name)
            | Subject::Table(name)
            | Subject::Entity(name)
            | Subject::Pattern(name)
            | Subject::Flow(name) => name,
        };
        let is_pattern = matches!(finding.subject, Subject::Pattern(_));
        let found = self.files.iter().find_map(|(path, text)| {
            let at = text.lines().position(|line| names(line, name, is_pattern))?;
            Some((path.clone(), Some(at + 1)))
        });
        found.unwrap_or((first, None))
    }
}

/// Whether a line names something: `- id: P1`, `{id: P1, ..`, `"pattern_id": "P1"`; `Shop:`, `"TableName": "Shop"`, `{name: Shop`.
fn names(line: &str, name: &str, is_pattern: bool) -> bool {
    let words =
        ["id:", "\"id\":", "\"pattern_id\":", "\"pattern\":", "name:", "\"TableName\":", "\"IndexName\":"];
    let words = if is_pattern { &words[..4] } else { &words[4..] };
    let is_value = |word: &str| {
        let mut after = line.match_indices(word).map(|(at, _)| line[at + word.len()..].trim_start());
        after.any(|rest| is_name(rest.trim_start_matches(QUOTES), name))
    };
    let is_key = || {
        let rest = line.trim_start().trim_start_matches(['"', '\'', '{', ' ']).strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start_matches(QUOTES).starts_with(':'))
    };
    words.iter().any(|word| is_value(word)) || (!is_pattern && is_key())
}

/// What may stand around a name.
const QUOTES: [char; 2] = ['"', '\''];

/// Whether a text begins with a name, and not with a longer one.
fn is_name(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_tables_are_found_where_they_are_named() {
        assert!(names("  - {id: P1, name: user}", "P1", true));
        assert!(!names("  - {id: P12, name: user}", "P1", true));
        assert!(names("  \"pattern_id\": \"P3\",", "P3", true));
        assert!(names("  Shop:", "Shop", false));
        assert!(names("{\"TableName\":\"Shop\"}", "Shop", false));
        assert!(!names("  Shopping:", "Shop", false));
    }
}

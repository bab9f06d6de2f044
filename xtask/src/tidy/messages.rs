//! Every error text of AWS comes from the catalogue in `api`.

use super::project::{File, Rust};
use super::{Finding, Project};

/// How sentences of DynamoDB begin. A literal that starts so belongs to the catalogue.
const BEGINNINGS: [&str; 24] = [
    "1 validation error",
    "Can not use both",
    "Cannot do operations",
    "Consistent reads are not supported",
    "ExpressionAttributeNames can",
    "ExpressionAttributeNames contains",
    "ExpressionAttributeValues can",
    "ExpressionAttributeValues contains",
    "Invalid ConditionExpression",
    "Invalid FilterExpression",
    "Invalid KeyConditionExpression",
    "Invalid ProjectionExpression",
    "Invalid UpdateExpression",
    "Item size has exceeded",
    "Item size to update",
    "Number overflow",
    "Number underflow",
    "One or more parameter values",
    "Requested resource not found",
    "Supplied AttributeValue",
    "Table already exists",
    "The conditional request failed",
    "The provided key element",
    "Type mismatch for",
];

/// How many characters of a catalogue text make it recognisable elsewhere.
const PREFIX: usize = 24;

/// Texts of AWS stand in `api::message` and nowhere else in the product.
pub(super) fn one_catalogue(project: &Project) -> Vec<Finding> {
    let catalogue: Vec<&str> = project
        .rust()
        .filter(|(file, _)| is_catalogue(file))
        .flat_map(|(_, rust)| literals(rust))
        .filter_map(|(_, text)| text.get(..PREFIX))
        .filter(|prefix| prefix.contains(' ') && !prefix.contains('{'))
        .collect();
    let mut findings = Vec::new();
    for (file, rust) in project.rust().filter(|(file, _)| is_product(file)) {
        let lines = literals(rust).filter(|(line, _)| !rust.is_test_line(*line));
        let copies = lines.filter(|(_, text)| {
            BEGINNINGS.iter().chain(&catalogue).any(|beginning| text.starts_with(*beginning))
        });
        let message = "a text of AWS: take it from api::message, the one catalogue";
        findings.extend(copies.map(|(line, _)| Finding::at(&file.path, line, message)));
    }
    findings
}

fn is_catalogue(file: &File) -> bool {
    file.path == "crates/api/src/message.rs" || file.path.starts_with("crates/api/src/message/")
}

fn is_product(file: &File) -> bool {
    file.path.starts_with("crates/")
        && !is_catalogue(file)
        && !file.is_for_development()
        && !file.is_generated()
}

/// The string literals of the code, without quotes; doc comments are none.
fn literals(rust: &Rust) -> impl Iterator<Item = (usize, &str)> {
    let is_doc = |index: usize| {
        index >= 2 && rust.tokens[index - 1].text == "=" && rust.tokens[index - 2].text == "doc"
    };
    let strings = rust.tokens.iter().enumerate().filter(move |(index, _)| !is_doc(*index));
    strings.filter_map(|(_, token)| {
        let text = token.text.trim_start_matches('r').trim_start_matches('#');
        Some((token.line, text.strip_prefix('"')?.trim_end_matches('#').trim_end_matches('"')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(source: &str) -> usize {
        let catalogue = "fn f() -> &'static str { \"Some long sentence that AWS says\" }";
        let files = [("crates/api/src/message.rs", catalogue), ("crates/engine/src/a.rs", source)];
        one_catalogue(&Project::of(&files)).len()
    }

    #[test]
    fn a_text_of_aws_outside_the_catalogue_is_found() {
        assert_eq!(
            findings("/// Requested resource not found: in a comment.\nfn f() { g(\"a text of ours\") }"),
            0
        );
        assert_eq!(findings("fn f() { g(\"Requested resource not found: Table\") }"), 1);
        assert_eq!(findings("fn f() { g(format!(\"Some long sentence that AWS {said}\")) }"), 1);
    }

    #[test]
    fn tests_may_repeat_a_text() {
        assert_eq!(
            findings("#[cfg(test)]\nmod tests { const A: &str = \"Requested resource not found\"; }"),
            0
        );
    }
}

//! First inputs: what the golden scripts send.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// What the golden scripts send.
#[derive(Debug, Default)]
pub struct Golden {
    /// Each script as its requests: operation and body.
    pub scripts: Vec<Vec<(String, String)>>,
}

impl Golden {
    /// Reads the scripts of the repository at `root`. Those of the language crate have expressions of their own.
    pub fn read(root: &Path) -> Golden {
        let mut texts = Vec::new();
        read_folder(&root.join("crates/hashrange/tests/golden"), &mut texts);
        Golden { scripts: texts.iter().map(|text| requests(text)).collect() }
    }

    /// Every request.
    pub fn requests(&self) -> impl Iterator<Item = &(String, String)> {
        self.scripts.iter().flatten()
    }

    /// Every text that stands under one of these names, at any depth of a body.
    pub fn texts(&self, names: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for (_, body) in self.requests() {
            if let Ok(body) = serde_json::from_str(body) {
                find(&body, names, &mut found);
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

fn read_folder(folder: &Path, into: &mut Vec<String>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_folder(&path, into);
        } else {
            into.extend(fs::read_to_string(&path));
        }
    }
}

/// The requests of a script. Tables that a tag makes are made by a request here; long texts are short here.
fn requests(script: &str) -> Vec<(String, String)> {
    let mut requests = Vec::new();
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        if let Some(table) = line.strip_prefix("!table ") {
            requests.push(("CreateTable".to_owned(), create_table(table)));
            continue;
        }
        let Some((operation, body)) = line.split_once(' ') else { continue };
        if !operation.starts_with(char::is_uppercase) || !operation.ends_with(char::is_alphanumeric) {
            continue;
        }
        let mut body = body.strip_prefix("raw ").unwrap_or(body).to_owned();
        while body.starts_with('{') && serde_json::from_str::<Value>(&shortened(&body)).is_err() {
            match lines.next().filter(|line| !line.is_empty()) {
                Some(line) => body = body + "\n" + line,
                None => break,
            }
        }
        requests.push((operation.to_owned(), shortened(&body)));
    }
    requests
}

fn create_table(text: &str) -> String {
    let mut words = text.split(' ');
    let name = words.next().unwrap_or_default();
    let keys: Vec<_> = words.filter_map(|word| word.split_once(':')).collect();
    let definitions = keys
        .iter()
        .map(|(name, kind)| format!("{{\"AttributeName\":\"{name}\",\"AttributeType\":\"{kind}\"}}"));
    let schema = keys.iter().zip(["HASH", "RANGE"]);
    let schema =
        schema.map(|((name, _), kind)| format!("{{\"AttributeName\":\"{name}\",\"KeyType\":\"{kind}\"}}"));
    format!(
        "{{\"TableName\":\"{name}\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":[{}],\"KeySchema\":[{}]}}",
        definitions.collect::<Vec<_>>().join(","),
        schema.collect::<Vec<_>>().join(",")
    )
}

/// The text with each `$repeat(TEXT,COUNT)` as TEXT once.
fn shortened(text: &str) -> String {
    let Some((before, rest)) = text.split_once("$repeat(") else { return text.to_owned() };
    let is_end = |at: &usize| {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[at + 1 + digits..].starts_with(')')
    };
    let Some(comma) = rest.match_indices(',').map(|(at, _)| at).find(is_end) else { return text.to_owned() };
    let (_, after) = rest[comma + 1..].split_once(')').unwrap_or_default();
    before.to_owned() + &rest[..comma] + &shortened(after)
}

fn find(value: &Value, names: &[&str], into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let (true, Value::String(text)) = (names.contains(&name.as_str()), value) {
                    into.push(text.clone());
                }
                find(value, names, into);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| find(value, names, into)),
        _ => {}
    }
}

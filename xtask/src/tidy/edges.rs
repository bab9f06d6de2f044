//! Which crate may use which, and what must never come under the engine.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Finding, Project};

/// The committed table: a new edge is a decision, and shows in a diff of this file.
const TABLE_PATH: &str = "xtask/src/tidy/edges.txt";

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The edges between our crates are exactly those of the committed table.
pub(super) fn crate_edges(project: &Project) -> Vec<Finding> {
    let Some(table) = project.file(TABLE_PATH) else {
        return vec![Finding::new(TABLE_PATH, "is missing: the table of crate edges is committed there")];
    };
    let allowed = parse(&table.text);
    let actual = actual_edges(&project.metadata);
    let mut findings = differences(&actual, &allowed, |from, to| {
        format!(
            "{from} uses {to}, an edge that the table does not allow: drop it, or record the decision in docs/adr"
        )
    });
    findings.extend(differences(&allowed, &actual, |from, to| {
        format!("the table lets {from} use {to}, which it does not: remove the entry")
    }));
    findings
}

fn differences(left: &Edges, right: &Edges, message: impl Fn(&str, &str) -> String) -> Vec<Finding> {
    let none = BTreeSet::new();
    let mut findings = Vec::new();
    for (from, uses) in left {
        for to in uses.difference(right.get(from).unwrap_or(&none)) {
            findings.push(Finding::new(TABLE_PATH, message(from, to)));
        }
    }
    findings
}

/// Lines `crate: uses uses`, `crate (tests): uses`; `#` starts a comment.
fn parse(text: &str) -> Edges {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let edges = lines.filter_map(|line| line.split_once(':'));
    edges
        .map(|(from, uses)| (from.to_owned(), uses.split_whitespace().map(str::to_owned).collect()))
        .collect()
}

/// An edge of tests is one only where the crate itself has not the same.
fn actual_edges(metadata: &Value) -> Edges {
    let mut edges = Edges::new();
    for package in elements(&metadata["packages"]) {
        let from = short_name(&package["name"]);
        let ours =
            elements(&package["dependencies"]).iter().filter(|dependency| !dependency["path"].is_null());
        let (tests, product): (Vec<&Value>, Vec<&Value>) =
            ours.partition(|dependency| dependency["kind"] == "dev");
        let names = |dependencies: Vec<&Value>| -> BTreeSet<String> {
            dependencies.into_iter().map(|dependency| short_name(&dependency["name"])).collect()
        };
        let product = names(product);
        let tests = names(tests).difference(&product).cloned().collect();
        edges.insert(format!("{from} (tests)"), tests);
        edges.insert(from, product);
    }
    edges
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn short_name(name: &Value) -> String {
    let name = name.as_str().unwrap_or_default();
    name.strip_prefix("hashrange-").unwrap_or(name).to_owned()
}

/// `engine` and everything below know no JSON, no HTTP and no runtime.
pub(super) fn the_engine_knows_no_protocol(project: &Project) -> Vec<Finding> {
    let reached = project.engine_trees.iter().filter(|(_, tree)| !tree.trim().is_empty());
    let message = |(package, tree): (&String, &String)| {
        let way: Vec<&str> = tree.lines().map(str::trim).collect();
        format!("depends on {package}, which only the edges may know: {}", way.join(" "))
    };
    reached.map(|entry| Finding::new("crates/engine/Cargo.toml", message(entry))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(table: &str, dependencies: &str) -> Project {
        let mut project = Project::of(&[(TABLE_PATH, table)]);
        let text =
            format!(r#"{{"packages": [{{"name": "hashrange-api", "dependencies": [{dependencies}]}}]}}"#);
        project.metadata = serde_json::from_str(&text).expect("the test writes JSON");
        project
    }

    #[test]
    fn an_edge_must_stand_in_the_table_and_the_table_must_not_be_stale() {
        let item = r#"{"name": "hashrange-item", "path": "crates/item", "kind": null}"#;
        let outside = r#"{"name": "bytes", "kind": null}"#;
        let both = format!("{item}, {outside}");
        assert_eq!(crate_edges(&project("# comment\napi: item\n", &both)), []);
        let added = crate_edges(&project("api:\n", &both));
        assert!(added[0].message.starts_with("api uses item"), "{}", added[0]);
        let stale = crate_edges(&project("api: item env\n", &both));
        assert!(stale[0].message.starts_with("the table lets api use env"), "{}", stale[0]);
    }

    #[test]
    fn edges_of_tests_are_apart() {
        let item = r#"{"name": "hashrange-item", "path": "crates/item", "kind": "dev"}"#;
        assert_eq!(crate_edges(&project("api (tests): item\n", item)), []);
        assert_eq!(crate_edges(&project("api: item\n", item)).len(), 2);
    }

    #[test]
    fn a_protocol_under_the_engine_is_found_with_its_way() {
        let mut project = Project::default();
        project.engine_trees.insert("tokio".to_owned(), String::new());
        assert_eq!(the_engine_knows_no_protocol(&project), []);
        project.engine_trees.insert("tokio".to_owned(), "tokio v1\n└── hashrange-engine\n".to_owned());
        assert_eq!(the_engine_knows_no_protocol(&project).len(), 1);
    }
}

//! The worked catalogues in `examples/models`: the good ones have no fault, and each fault that is planted in a broken one is found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::LazyLock;

use hashrange_modelling::catalogue::Catalogue;
use hashrange_modelling::check::check;
use hashrange_modelling::cost::{Prices, cost};
use hashrange_modelling::draw;
use hashrange_modelling::finding::{Finding, Severity};
use hashrange_modelling::read::own::lower::json;
use hashrange_modelling::read::{Node, ReadOptions, SourceFile, read};
use hashrange_modelling::write::{Form, SCHEMA, write};
use serde_json::Value;

const NAMES: [&str; 5] = ["e-commerce", "saas", "time-series", "chat", "leaderboard"];
const FILES: [&str; 2] = ["catalogue.yaml", "broken.yaml"];
/// A day on which no waiver of the examples has expired.
const TODAY: &str = "2026-11-30";

fn path(name: &str, file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/models").join(name).join(file)
}

fn text(name: &str, file: &str) -> String {
    let path = path(name, file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn catalogue(name: &str, file: &str) -> Catalogue {
    let source = SourceFile { path: format!("{name}/{file}"), bytes: text(name, file).into_bytes() };
    read(&[source], &ReadOptions::default()).unwrap_or_else(|problems| panic!("{name}/{file}: {problems:#?}"))
}

/// What is found in each file; looked for once, for all tests.
fn findings(name: &'static str, file: &'static str) -> &'static [Finding] {
    static FOUND: LazyLock<BTreeMap<(&str, &str), Vec<Finding>>> = LazyLock::new(|| {
        let files = NAMES.into_iter().flat_map(|name| FILES.map(|file| (name, file)));
        files.map(|(name, file)| ((name, file), check(&catalogue(name, file), TODAY))).collect()
    });
    &FOUND[&(name, file)]
}

fn line(finding: &Finding) -> String {
    format!("{} {} on {}: {}", finding.severity, finding.rule, finding.subject, finding.message)
}

/// `rule on subject`, as the comments of broken catalogues name faults.
fn key(finding: &Finding) -> String {
    format!("{} on {}", finding.rule, finding.subject)
}

/// The faults that the comments of a broken catalogue name.
fn planted(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix("# fault: "))
        .map(|fault| fault.trim().to_owned())
        .collect()
}

#[test]
fn good_catalogues_are_read_without_a_note() {
    for name in NAMES {
        assert_eq!(catalogue(name, "catalogue.yaml").notes, [], "{name}");
    }
}

#[test]
fn good_catalogues_have_no_error_and_no_warning_that_is_not_waived() {
    let mut faults = Vec::new();
    for name in NAMES {
        let bad = findings(name, "catalogue.yaml").iter().filter(|finding| finding.severity > Severity::Note);
        faults.extend(bad.map(|finding| format!("{name}: {}", line(finding))));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn waivers_of_good_catalogues_are_needed() {
    for name in NAMES {
        let unused: Vec<String> = findings(name, "catalogue.yaml")
            .iter()
            .filter(|finding| finding.rule == "waiver-unused")
            .map(line)
            .collect();
        assert!(unused.is_empty(), "{name}: {}", unused.join("\n"));
    }
}

#[test]
fn each_planted_fault_is_found() {
    let mut missing = Vec::new();
    for name in NAMES {
        let found: BTreeSet<String> = check(&catalogue(name, "broken.yaml"), TODAY).iter().map(key).collect();
        let planted = planted(&text(name, "broken.yaml"));
        missing.extend(
            planted.iter().filter(|fault| !found.contains(*fault)).map(|fault| format!("{name}: {fault}")),
        );
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn no_fault_of_severity_error_is_found_that_was_not_planted() {
    let mut alarms = Vec::new();
    for name in NAMES {
        let planted = planted(&text(name, "broken.yaml"));
        let errors =
            findings(name, "broken.yaml").iter().filter(|finding| finding.severity == Severity::Error);
        let unplanted = errors.filter(|finding| !planted.contains(&key(finding)));
        alarms.extend(unplanted.map(|finding| format!("{name}: {}", line(finding))));
    }
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

#[test]
fn broken_catalogues_cover_most_rules() {
    let mut rules = BTreeSet::new();
    for name in NAMES {
        let planted = planted(&text(name, "broken.yaml"));
        assert!((8..=15).contains(&planted.len()), "{name} has {} planted faults", planted.len());
        rules.extend(
            planted.iter().filter_map(|fault| fault.split_once(" on ")).map(|(rule, _)| rule.to_owned()),
        );
    }
    assert!(rules.len() >= 45, "{} rules: {rules:?}", rules.len());
}

#[test]
fn every_pattern_that_this_database_serves_has_a_price() {
    for name in NAMES {
        let catalogue = catalogue(name, "catalogue.yaml");
        let costs = cost(&catalogue, &Prices::built_in());
        for pattern in catalogue.patterns.iter().filter(|pattern| pattern.external.is_none()) {
            let priced = costs.patterns.iter().find(|priced| priced.id == pattern.id);
            assert!(
                priced.is_some_and(|priced| priced.dollars > 0.0),
                "{name}: {} costs nothing",
                pattern.id
            );
        }
    }
}

#[test]
fn every_pattern_is_drawn() {
    for name in NAMES {
        let catalogue = catalogue(name, "catalogue.yaml");
        let plans = hashrange_modelling::plan::plans(&catalogue);
        let costs = cost(&catalogue, &Prices::built_in());
        let page = draw::html(&draw::Drawing {
            catalogue: &catalogue,
            plans: &plans,
            findings: findings(name, "catalogue.yaml"),
            costs: Some(&costs),
            samples: &BTreeMap::new(),
        });
        for pattern in &catalogue.patterns {
            assert!(page.contains(&format!(">{}<", pattern.id)), "{name}: {} is not on the page", pattern.id);
        }
        assert!(draw::mermaid(&catalogue, &plans).starts_with("flowchart"), "{name}");
    }
}

#[test]
fn examples_are_as_the_schema_for_editors_says() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for (name, file) in NAMES.into_iter().flat_map(|name| FILES.map(|file| (name, file))) {
        let node = Node::parse(&text(name, file)).unwrap_or_else(|fault| panic!("{name}/{file}: {fault:?}"));
        assert_eq!(violation(&schema, &schema, &json(&node), "$"), None, "{name}/{file}");
    }
}

/// Where a value is not as a schema says, for the keywords that ours uses; patterns of texts are left out.
fn violation(root: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).expect("references lead somewhere");
        return violation(root, target, value, place);
    }
    if let Some(ways) = schema["anyOf"].as_array() {
        let all: Option<Vec<String>> = ways.iter().map(|way| violation(root, way, value, place)).collect();
        return all.map(|all| all.join(" and "));
    }
    let one_of = |key: &str| match &schema[key] {
        Value::Null => None,
        Value::Array(all) => Some(all.clone()),
        one => Some(vec![one.clone()]),
    };
    if one_of("type").is_some_and(|types| !types.iter().any(|kind| is_of_type(kind, value))) {
        return Some(format!("{place} is no {}", schema["type"]));
    }
    let allowed = [one_of("enum"), schema.get("const").map(|one| vec![one.clone()])];
    if let Some(allowed) = allowed.into_iter().flatten().find(|allowed| !allowed.contains(value)) {
        return Some(format!("{place} is none of {allowed:?}"));
    }
    let bounds = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    if value
        .as_f64()
        .is_some_and(|n| bounds.0.is_some_and(|low| n < low) || bounds.1.is_some_and(|high| n > high))
    {
        return Some(format!("{place} is out of bounds"));
    }
    inside(root, schema, value, place)
}

/// As [`violation`], for the members of a map and the elements of a list.
fn inside(root: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    if let (Some(elements), Some(each)) = (value.as_array(), schema.get("items")) {
        let mut numbered = elements.iter().enumerate();
        return numbered.find_map(|(at, element)| violation(root, each, element, &format!("{place}[{at}]")));
    }
    let members = value.as_object()?;
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(name) = required.into_iter().find(|name| !members.contains_key(*name)) {
        return Some(format!("{place} has no {name}"));
    }
    members.iter().find_map(|(name, member)| {
        let place = format!("{place}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(own), _) => violation(root, own, member, &place),
            (None, Value::Bool(false)) => Some(format!("{place} is unknown")),
            (None, other @ Value::Object(_)) => violation(root, other, member, &place),
            (None, _) => None,
        }
    })
}

fn is_of_type(kind: &Value, value: &Value) -> bool {
    match kind.as_str() {
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        _ => false,
    }
}

#[test]
#[ignore = "prints plans and findings, for people who write catalogues"]
fn everything_that_is_found() {
    for (name, file) in NAMES.into_iter().flat_map(|name| FILES.map(|file| (name, file))) {
        println!("== {name}/{file}");
        for plan in hashrange_modelling::plan::plans(&catalogue(name, file)) {
            let (class, read, write) = (plan.class.to_string(), plan.read_units(), plan.write_units());
            println!("{:5} {class:18} {read} read, {write} write units", plan.pattern);
        }
        for finding in findings(name, file) {
            println!("{}", line(finding));
        }
    }
}

#[test]
fn each_is_written_in_every_form_and_reads_back() {
    for (name, file) in NAMES.into_iter().flat_map(|name| FILES.map(|file| (name, file))) {
        for form in Form::ALL {
            let written = write(&catalogue(name, file), form, TODAY);
            let unread = written.lost.iter().find(|what| what.contains("does not read back"));
            assert_eq!(unread, None, "{name}/{file} as {}", form.name());
        }
    }
}

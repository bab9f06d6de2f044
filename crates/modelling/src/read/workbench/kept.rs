//! What a file holds that no model states: members that are not known, and those that only the tool has a use for. They go back into a file
//! of the same format.

use serde_json::Value;

use crate::catalogue::{Billing, Kept, KeptAs, Table};
use crate::read::node::Node;
use crate::read::own::lower::as_written;

/// The format's name.
pub const FORMAT: &str = "workbench";

/// The members of an object.
#[derive(Default)]
struct Shape {
    /// What is read.
    read: &'static [&'static str],
    /// What only the tool has a use for.
    unused: &'static [&'static str],
    /// Objects in it.
    inside: &'static [(&'static str, &'static Shape)],
    /// Lists of objects, which have names.
    each: &'static [(&'static str, &'static Shape)],
}

const NOTHING: Shape = Shape { read: &[], unused: &[], inside: &[], each: &[] };

const ROOT: Shape = Shape {
    read: &["ModelName"],
    inside: &[("ModelMetadata", &METADATA)],
    each: &[("DataModel", &TABLE)],
    ..NOTHING
};

const METADATA: Shape = Shape {
    read: &["Description", "DateLastModified", "AWSService"],
    unused: &["Author", "DateCreated", "Version"],
    ..NOTHING
};

const TABLE: Shape = Shape {
    read: &["TableName", "TableData", "BillingMode"],
    unused: &["SampleDataFormats", "DataAccess"],
    inside: &[("KeyAttributes", &KEYS), ("ProvisionedCapacitySettings", &CAPACITY)],
    each: &[("NonKeyAttributes", &ATTRIBUTE), ("TableFacets", &FACET), ("GlobalSecondaryIndexes", &INDEX)],
};

const KEYS: Shape = Shape { inside: &[("PartitionKey", &ATTRIBUTE), ("SortKey", &ATTRIBUTE)], ..NOTHING };

const ATTRIBUTE: Shape = Shape { read: &["AttributeName", "AttributeType"], ..NOTHING };

const FACET: Shape = Shape {
    read: &["FacetName", "NonKeyAttributes"],
    unused: &["TableData", "DataAccess"],
    inside: &[("KeyAttributeAlias", &ALIAS)],
    ..NOTHING
};

const ALIAS: Shape = Shape { unused: &["PartitionKeyAlias", "SortKeyAlias"], ..NOTHING };

const INDEX: Shape = Shape {
    read: &["IndexName"],
    inside: &[("KeyAttributes", &KEYS), ("Projection", &PROJECTION)],
    ..NOTHING
};

const PROJECTION: Shape = Shape { read: &["ProjectionType", "NonKeyAttributes"], ..NOTHING };

const CAPACITY: Shape = Shape {
    inside: &[
        ("ProvisionedThroughput", &THROUGHPUT),
        ("AutoScalingRead", &SCALING),
        ("AutoScalingWrite", &SCALING),
    ],
    ..NOTHING
};

const THROUGHPUT: Shape = Shape { read: &["ReadCapacityUnits", "WriteCapacityUnits"], ..NOTHING };

const SCALING: Shape = Shape {
    inside: &[("ScalableTargetRequest", &SCALING_TARGET), ("ScalingPolicyConfiguration", &POLICY)],
    ..NOTHING
};

const SCALING_TARGET: Shape =
    Shape { read: &["MinCapacity", "MaxCapacity"], unused: &["ServiceRole"], ..NOTHING };

const POLICY: Shape = Shape { read: &["TargetValue"], ..NOTHING };

/// Members that name the elements of a list.
const NAMES: [&str; 4] = ["TableName", "IndexName", "FacetName", "AttributeName"];

/// All that a file holds and no model states; [`of_table`] adds what depends on what was read.
pub(super) fn of_file(root: &Node) -> Vec<Kept> {
    let mut kept = Vec::new();
    collect(root, &ROOT, &mut Vec::new(), &mut kept);
    kept
}

fn collect(node: &Node, shape: &Shape, path: &mut Vec<String>, kept: &mut Vec<Kept>) {
    for (key, value) in node.entries() {
        let Some(name) = key.as_str() else { continue };
        path.push(name.to_owned());
        if let Some((_, inside)) = shape.inside.iter().find(|(member, _)| *member == name) {
            collect(value, inside, path, kept);
        } else if let Some((_, each)) = shape.each.iter().find(|(member, _)| *member == name) {
            for element in value.items() {
                let Some(name) = NAMES.iter().find_map(|name| element.get(name)?.as_str()) else { continue };
                path.push(name.to_owned());
                collect(element, each, path, kept);
                path.pop();
            }
        } else if shape.unused.contains(&name) {
            let one = one(path, value, KeptAs::Unused);
            kept.extend(Some(one).filter(|one| !is_stand_in(&one.value)));
        } else if !shape.read.contains(&name) {
            kept.push(one(path, value, KeptAs::Unknown));
        }
        path.pop();
    }
}

fn one(path: &[String], value: &Node, kept_as: KeptAs) -> Kept {
    Kept { format: FORMAT, path: path.to_vec(), value: json(value), kept_as }
}

/// What a file without anything to say holds in such a place, as a new one does.
fn is_stand_in(value: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        other => other.is_null(),
    };
    is_empty(value)
        || value.as_object().is_some_and(|map| map.len() == 1 && map.get("MySql").is_some_and(is_empty))
}

/// Of a table what the model takes as not stated: the tool's own capacity, and attributes that neither a row nor a facet nor a key has.
pub(super) fn of_table(node: &Node, table: &Table, facets: &[String]) -> Vec<Kept> {
    let path = |member: &str| vec!["DataModel".to_owned(), table.name.clone(), member.to_owned()];
    let whole = |member: &str| Some(one(&path(member), node.get(member)?, KeptAs::Default));
    let is_provisioned = matches!(table.billing, Some(Billing::Provisioned(_)));
    let mode = whole("BillingMode").filter(|_| table.billing.is_none());
    let settings = whole("ProvisionedCapacitySettings").filter(|_| !is_provisioned);
    let mut kept: Vec<Kept> = mode.into_iter().chain(settings).collect();
    let of_indexes = table.indexes.iter().flat_map(|index| index.keys.attributes());
    let keys: Vec<&str> = table.keys.attributes().chain(of_indexes).collect();
    for attribute in node.get("NonKeyAttributes").map_or(&[][..], Node::items) {
        let Some(name) = attribute.get("AttributeName").and_then(Node::as_str) else { continue };
        let in_row = table.samples.iter().any(|item| item.contains(name));
        if !in_row && !keys.contains(&name) && !facets.iter().any(|one| one == name) {
            let mut path = path("NonKeyAttributes");
            path.push(name.to_owned());
            kept.push(one(&path, attribute, KeptAs::Default));
        }
    }
    kept
}

/// JSON as it is written.
fn json(node: &Node) -> Value {
    as_written(node, json)
}

/// Puts what was kept back into a file; what has no place in it any more.
pub fn put_back<'k>(kept: &'k [Kept], file: &mut Value) -> Vec<&'k Kept> {
    // Whole objects first: members that are not known may be in them.
    let (first, then): (Vec<&Kept>, Vec<&Kept>) =
        kept.iter().filter(|one| one.format == FORMAT).partition(|one| one.kept_as == KeptAs::Default);
    first.into_iter().chain(then).filter(|one| !put(file, &one.path, one)).collect()
}

fn put(place: &mut Value, path: &[String], kept: &Kept) -> bool {
    let Some((name, rest)) = path.split_first() else { return false };
    match place {
        Value::Array(elements) => {
            let is_it = |element: &&mut Value| {
                NAMES.iter().find_map(|member| element.get(member)?.as_str()) == Some(name.as_str())
            };
            match elements.iter_mut().find(is_it) {
                Some(element) if rest.is_empty() => fill(element, &kept.value),
                Some(element) => return put(element, rest, kept),
                None if rest.is_empty() => elements.push(kept.value.clone()),
                None => return false,
            }
            true
        }
        Value::Object(members) if rest.is_empty() => {
            match members.get_mut(name) {
                None => _ = members.insert(name.clone(), kept.value.clone()),
                Some(have) if kept.kept_as == KeptAs::Default => fill(have, &kept.value),
                Some(Value::Object(have)) if kept.value.is_object() => {
                    let own = kept.value.as_object().into_iter().flatten();
                    own.for_each(|(name, value)| _ = have.insert(name.clone(), value.clone()));
                }
                Some(have) => have.clone_from(&kept.value),
            }
            true
        }
        Value::Object(members) => members.get_mut(name).is_some_and(|inside| put(inside, rest, kept)),
        _ => false,
    }
}

/// Adds what is not there.
fn fill(have: &mut Value, more: &Value) {
    let (Value::Object(have), Value::Object(more)) = (have, more) else { return };
    for (name, value) in more {
        match have.get_mut(name) {
            Some(own) => fill(own, value),
            None => _ = have.insert(name.clone(), value.clone()),
        }
    }
}

/// Where it is, for people: `DataModel[Loans].TableFacets[Loan].Colour`.
pub fn place(kept: &Kept) -> String {
    let lists = [&ROOT, &TABLE].map(|shape| shape.each).concat();
    let mut text = String::new();
    let mut in_list = false;
    for name in &kept.path {
        let (before, after) = match (in_list, text.is_empty()) {
            (true, _) => ("[", "]"),
            (false, true) => ("", ""),
            (false, false) => (".", ""),
        };
        text.extend([before, name, after]);
        in_list = !in_list && lists.iter().any(|(list, _)| list == name);
    }
    text
}

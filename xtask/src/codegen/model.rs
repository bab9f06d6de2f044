//! The service model: shapes and operations of the two model files, merged and typed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Everything the generators read, with shapes by name.
pub(crate) struct Model {
    pub(crate) operations: Vec<Operation>,
    pub(crate) shapes: BTreeMap<String, Shape>,
}

/// One operation of one of the two services.
pub(crate) struct Operation {
    pub(crate) name: String,
    pub(crate) target_prefix: String,
    pub(crate) input: String,
    /// Absent where the service answers with an empty body.
    pub(crate) output: Option<String>,
}

/// A named shape with its constraints.
pub(crate) struct Shape {
    pub(crate) kind: ShapeKind,
    pub(crate) min: Option<i64>,
    pub(crate) max: Option<i64>,
    pub(crate) pattern: Option<String>,
    pub(crate) values: Vec<String>,
    pub(crate) exception: bool,
    pub(crate) fault: bool,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum ShapeKind {
    Structure(Vec<Member>),
    List(String),
    Map { key: String, value: String },
    String,
    Boolean,
    Integer,
    Long,
    Double,
    Blob,
    Timestamp,
}

/// A member of a structure, in the order of the model (alphabetical).
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) shape: String,
    pub(crate) required: bool,
}

impl Model {
    /// Merges the documents; a shape that both define must be the same in both.
    pub(crate) fn merge(documents: &[Value]) -> Self {
        let mut model = Self { operations: Vec::new(), shapes: BTreeMap::new() };
        for document in documents {
            model.add(document);
        }
        model
    }

    fn add(&mut self, document: &Value) {
        let prefix = text(&document["metadata"], "targetPrefix").expect("a model names its target prefix");
        for (name, operation) in entries(&document["operations"]) {
            self.operations.push(Operation {
                name: name.clone(),
                target_prefix: prefix.clone(),
                input: text(operation, "input").expect("an operation has an input"),
                output: text(operation, "output"),
            });
        }
        for (name, shape) in entries(&document["shapes"]) {
            let shape = Shape::read(shape);
            if let Some(known) = self.shapes.get(name) {
                assert!(
                    known.kind == shape.kind && known.values == shape.values,
                    "{name} differs between the models"
                );
            }
            self.shapes.insert(name.clone(), shape);
        }
    }

    pub(crate) fn shape(&self, name: &str) -> &Shape {
        self.shapes.get(name).unwrap_or_else(|| panic!("the model refers to a shape it lacks: {name}"))
    }

    /// Members of a structure; empty for every other shape.
    pub(crate) fn members(&self, name: &str) -> &[Member] {
        match &self.shape(name).kind {
            ShapeKind::Structure(members) => members,
            _ => &[],
        }
    }

    /// Structures that become Rust structs, in order of name.
    pub(crate) fn structures(&self) -> impl Iterator<Item = (&str, &[Member])> {
        self.shapes.iter().filter(|(name, shape)| !shape.exception && !is_value(name)).filter_map(
            |(name, shape)| match &shape.kind {
                ShapeKind::Structure(members) => Some((name.as_str(), members.as_slice())),
                _ => None,
            },
        )
    }

    /// Strings with a closed set of values, in order of name.
    pub(crate) fn enums(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.shapes
            .iter()
            .filter(|(_, shape)| !shape.values.is_empty())
            .map(|(n, s)| (n.as_str(), s.values.as_slice()))
    }

    /// Whether a value of the shape is, or holds in collections, a value of the target shape.
    pub(crate) fn leads_to(&self, shape: &str, target: &str) -> bool {
        match &self.shape(shape).kind {
            _ if shape == target => true,
            ShapeKind::List(element) => self.leads_to(element, target),
            ShapeKind::Map { value, .. } => self.leads_to(value, target),
            _ => false,
        }
    }

    /// Every structure reachable from the roots, the roots included.
    pub(crate) fn reachable<'a>(&'a self, roots: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        let mut queue: Vec<&str> = roots.collect();
        while let Some(name) = queue.pop() {
            if is_value(name) || is_attributes(name) || !seen.insert(name) {
                continue;
            }
            match &self.shape(name).kind {
                ShapeKind::Structure(members) => queue.extend(members.iter().map(|m| m.shape.as_str())),
                ShapeKind::List(element) => queue.push(element),
                ShapeKind::Map { value, .. } => queue.push(value),
                _ => {}
            }
        }
        seen.retain(|name| matches!(self.shape(name).kind, ShapeKind::Structure(_)));
        seen
    }

    /// Structures that requests are made of.
    pub(crate) fn request_structures(&self) -> BTreeSet<&str> {
        self.reachable(self.operations.iter().map(|o| o.input.as_str()))
    }

    /// Structures that answers and error details are made of.
    pub(crate) fn response_structures(&self) -> BTreeSet<&str> {
        let details = ["CancellationReason", "ThrottlingReason"];
        self.reachable(self.operations.iter().filter_map(|o| o.output.as_deref()).chain(details))
    }
}

impl Shape {
    fn read(document: &Value) -> Self {
        Self {
            kind: ShapeKind::read(document),
            min: document["min"].as_i64(),
            max: document["max"].as_i64(),
            pattern: text(document, "pattern"),
            values: strings(&document["enum"]),
            exception: document["exception"].as_bool().unwrap_or(false),
            fault: document["fault"].as_bool().unwrap_or(false),
        }
    }
}

impl ShapeKind {
    fn read(document: &Value) -> Self {
        let reference = |key: &str| text(&document[key], "shape").expect("a collection names its element");
        match text(document, "type").expect("a shape has a type").as_str() {
            "structure" => Self::Structure(members(document)),
            "list" => Self::List(reference("member")),
            "map" => Self::Map { key: reference("key"), value: reference("value") },
            "string" => Self::String,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "long" => Self::Long,
            "double" => Self::Double,
            "blob" => Self::Blob,
            "timestamp" => Self::Timestamp,
            other => panic!("the model has a shape type this generator does not know: {other}"),
        }
    }
}

fn members(document: &Value) -> Vec<Member> {
    let required = strings(&document["required"]);
    let read = |(name, member): (&String, &Value)| Member {
        name: name.clone(),
        shape: text(member, "shape").expect("a member names its shape"),
        required: required.contains(name),
    };
    entries(&document["members"]).map(read).collect()
}

/// The union of the ten value types, which `hashrange-item` owns.
pub(crate) fn is_value(shape: &str) -> bool {
    shape == "AttributeValue"
}

/// A map of names to values, which `hashrange-item` owns.
pub(crate) fn is_attributes(shape: &str) -> bool {
    is_image(shape)
        || is_new_item(shape)
        || matches!(shape, "Key" | "ExpressionAttributeValueMap")
        || matches!(shape, "ItemCollectionKeyAttributeMap" | "MapAttributeValue")
}

/// A map of names to values in an answer, which may come straight from a stored row.
pub(crate) fn is_image(shape: &str) -> bool {
    shape == "AttributeMap"
}

/// A map of names to values that a request writes as an item.
pub(crate) fn is_new_item(shape: &str) -> bool {
    shape == "PutItemInputAttributeMap"
}

fn text(document: &Value, key: &str) -> Option<String> {
    document[key].as_str().map(str::to_owned)
}

fn strings(document: &Value) -> Vec<String> {
    document.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn entries(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    document.as_object().into_iter().flatten()
}

//! Tables of the model, and the requests that create them.

use std::collections::BTreeMap;

use hashrange_api::{
    AttributeDefinition, BillingMode, CreateTableInput, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    LocalSecondaryIndex, Projection as ApiProjection, ProjectionType, ScalarAttributeType,
};

use super::value::Kind;

/// A key attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attr {
    pub name: String,
    pub kind: Kind,
}

/// What an index's entries carry besides keys.
#[derive(Clone, Debug)]
pub enum Projection {
    All,
    KeysOnly,
    Include(Vec<String>),
}

/// An index of either kind; a local one has the table's partition key.
#[derive(Clone, Debug)]
pub struct IndexSpec {
    pub name: String,
    pub local: bool,
    pub hash: Vec<Attr>,
    pub range: Vec<Attr>,
    pub projection: Projection,
}

/// A table.
#[derive(Clone, Debug)]
pub struct TableSpec {
    pub name: String,
    pub hash: Attr,
    pub range: Option<Attr>,
    pub indexes: Vec<IndexSpec>,
    /// Items get fillers of many kilobytes.
    pub heavy: bool,
}

impl IndexSpec {
    pub fn keys(&self) -> impl Iterator<Item = &Attr> {
        self.hash.iter().chain(&self.range)
    }
}

impl TableSpec {
    pub fn keys(&self) -> impl Iterator<Item = &Attr> {
        std::iter::once(&self.hash).chain(&self.range)
    }

    pub fn has_local(&self) -> bool {
        self.indexes.iter().any(|index| index.local)
    }

    /// The type that some index declares for the attribute.
    pub fn index_kind(&self, name: &str) -> Option<Kind> {
        self.indexes.iter().flat_map(IndexSpec::keys).find(|attr| attr.name == name).map(|attr| attr.kind)
    }

    pub fn is_key(&self, name: &str) -> bool {
        self.keys().any(|attr| attr.name == name)
    }

    /// Attributes that reads of the index find in its entries; `None` where that is all.
    pub fn carried(&self, index: &IndexSpec) -> Option<Vec<String>> {
        let included: &[String] = match &index.projection {
            Projection::All => return None,
            Projection::KeysOnly => &[],
            Projection::Include(names) => names,
        };
        let keys = self.keys().chain(index.keys()).map(|attr| &attr.name);
        Some(keys.chain(included).cloned().collect())
    }

    pub fn create(&self) -> CreateTableInput {
        let attrs = self.keys().chain(self.indexes.iter().flat_map(IndexSpec::keys));
        let defined: BTreeMap<_, _> = attrs.map(|attr| (attr.name.clone(), definition(attr))).collect();
        let (locals, globals): (Vec<_>, Vec<_>) = self.indexes.iter().partition(|index| index.local);
        let locals: Vec<_> = locals.into_iter().map(local).collect();
        let globals: Vec<_> = globals.into_iter().map(global).collect();
        CreateTableInput {
            table_name: self.name.clone(),
            billing_mode: Some(BillingMode::PayPerRequest),
            attribute_definitions: Some(defined.into_values().collect()),
            key_schema: Some(elements(std::slice::from_ref(&self.hash), self.range.as_slice())),
            local_secondary_indexes: (!locals.is_empty()).then_some(locals),
            global_secondary_indexes: (!globals.is_empty()).then_some(globals),
            ..CreateTableInput::default()
        }
    }
}

fn definition(attr: &Attr) -> AttributeDefinition {
    let attribute_type = match attr.kind {
        Kind::S => ScalarAttributeType::S,
        Kind::N => ScalarAttributeType::N,
        Kind::B => ScalarAttributeType::B,
    };
    AttributeDefinition { attribute_name: attr.name.clone(), attribute_type }
}

fn elements(hash: &[Attr], range: &[Attr]) -> Vec<KeySchemaElement> {
    let element = |attr: &Attr, key_type| KeySchemaElement { attribute_name: attr.name.clone(), key_type };
    let hash = hash.iter().map(|attr| element(attr, KeyType::Hash));
    hash.chain(range.iter().map(|attr| element(attr, KeyType::Range))).collect()
}

fn projection(index: &IndexSpec) -> ApiProjection {
    let (projection_type, names) = match &index.projection {
        Projection::All => (ProjectionType::All, None),
        Projection::KeysOnly => (ProjectionType::KeysOnly, None),
        Projection::Include(names) => (ProjectionType::Include, Some(names.clone())),
    };
    ApiProjection { projection_type: Some(projection_type), non_key_attributes: names }
}

fn local(index: &IndexSpec) -> LocalSecondaryIndex {
    LocalSecondaryIndex {
        index_name: index.name.clone(),
        key_schema: elements(&index.hash, &index.range),
        projection: projection(index),
    }
}

fn global(index: &IndexSpec) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex {
        index_name: index.name.clone(),
        key_schema: elements(&index.hash, &index.range),
        projection: projection(index),
        ..GlobalSecondaryIndex::default()
    }
}

//! Small catalogues for tests.

use hashrange_api::Operation;
use serde_json::Value;

use crate::catalogue::{
    Attribute, Catalogue, Entity, Index, IndexKind, KeyType, Keys, Pattern, Projection, Table,
};
use crate::template::Template;

/// A catalogue of these tables.
pub(crate) fn catalogue(tables: Vec<Table>) -> Catalogue {
    Catalogue { name: "test".to_owned(), tables, ..Catalogue::default() }
}

/// `"PK"` or `"PK SK"` as keys of type S.
pub(crate) fn keys(text: &str) -> Keys {
    let mut names = text.split(' ').map(str::to_owned);
    Keys { hash: names.next().into_iter().collect(), range: names.collect() }
}

/// A table whose keys are of type S.
pub(crate) fn table(name: &str, key: &str, indexes: Vec<Index>) -> Table {
    let mut table = Table { name: name.to_owned(), keys: keys(key), indexes, ..Table::default() };
    let of_indexes = table.indexes.iter().flat_map(|index| index.keys.attributes());
    let names: Vec<String> = table.keys.attributes().chain(of_indexes).map(str::to_owned).collect();
    table.definitions = names.into_iter().map(|name| (name, KeyType::S)).collect();
    table
}

/// A global index; `projection` is `all`, `keys` or names with spaces between.
pub(crate) fn index(name: &str, key: &str, projection: &str) -> Index {
    Index {
        name: name.to_owned(),
        kind: IndexKind::Global,
        keys: keys(key),
        projection: match projection {
            "all" => Projection::All,
            "keys" => Projection::KeysOnly,
            names => Projection::Include(names.split(' ').map(str::to_owned).collect()),
        },
        ..Index::default()
    }
}

/// An entity; `keys` and `attributes` are pairs of a name and a template or a format, `status=A|B` gives values.
pub(crate) fn entity(name: &str, table: &str, keys: &[(&str, &str)], attributes: &[(&str, &str)]) -> Entity {
    let template = |text: &str| Template::parse(text).expect("a template of a test");
    Entity {
        name: name.to_owned(),
        table: table.to_owned(),
        keys: keys.iter().map(|(key, text)| ((*key).to_owned(), template(text))).collect(),
        attributes: attributes.iter().map(|(name, format)| attribute(name, format)).collect(),
        ..Entity::default()
    }
}

/// An attribute of a format; `A|B` is a list of values.
pub(crate) fn attribute(name: &str, format: &str) -> Attribute {
    let values: Vec<String> =
        if format.contains('|') { format.split('|').map(str::to_owned).collect() } else { Vec::new() };
    Attribute {
        name: name.to_owned(),
        kind: None,
        format: values.is_empty().then(|| format.to_owned()),
        values,
        weights: Vec::new(),
        bytes: None,
        share: None,
        pii: false,
        immutable: false,
        copy_of: None,
    }
}

/// A pattern with a request.
pub(crate) fn pattern(id: &str, operation: Operation, request: Value) -> Pattern {
    let Value::Object(request) = request else { panic!("a request is an object") };
    Pattern {
        id: id.to_owned(),
        name: id.to_owned(),
        operation: Some(operation),
        request: Some(request),
        ..Pattern::default()
    }
}

/// A need with no request.
pub(crate) fn need(id: &str, equal: &[&str], range: Option<&str>) -> Pattern {
    Pattern {
        id: id.to_owned(),
        name: id.to_owned(),
        need_equal: equal.iter().map(|name| (*name).to_owned()).collect(),
        need_range: range.map(str::to_owned),
        ..Pattern::default()
    }
}

/// The single table of the seeds: users with their profile, their orders, an index by e-mail and one of open orders.
pub(crate) fn shop() -> Catalogue {
    let indexes = vec![index("ByEmail", "GSI1PK", "all"), index("ByStatus", "GSI2PK GSI2SK", "total")];
    let mut shop = catalogue(vec![table("Shop", "PK SK", indexes)]);
    let mut user = entity(
        "User",
        "Shop",
        &[("PK", "USER#{userId}"), ("SK", "PROFILE"), ("GSI1PK", "EMAIL#{email}")],
        &[("userId", "uuid"), ("email", "email"), ("name", "name")],
    );
    user.count = Some(100_000.0);
    let mut order = entity(
        "Order",
        "Shop",
        &[
            ("PK", "USER#{userId}"),
            ("SK", "ORDER#{placedAt}#{orderId}"),
            ("GSI2PK", "STATUS#{status}"),
            ("GSI2SK", "{placedAt}"),
        ],
        &[
            ("userId", "uuid"),
            ("orderId", "uuid"),
            ("placedAt", "iso-time"),
            ("status", "pending|paid|shipped"),
            ("total", "decimal(1,500,2)"),
        ],
    );
    order.per_collection = Some(20.0);
    shop.entities = vec![user, order];
    shop
}

/// A catalogue in our own form.
pub(crate) fn yaml(text: &str) -> Catalogue {
    let file = crate::read::SourceFile { path: "test.yaml".to_owned(), bytes: text.as_bytes().to_vec() };
    match crate::read::read(&[file], &crate::read::ReadOptions::default()) {
        Ok(catalogue) => catalogue,
        Err(problems) => {
            panic!("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        }
    }
}

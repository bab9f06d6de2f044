//! `AWS::Serverless::SimpleTable`: one partition key, on demand unless capacity is given.

use super::Reading;
use super::table::{misspelt, settings};
use crate::catalogue::{Billing, KeyType, Keys, Table};
use crate::read::iac::aws;
use crate::read::iac::tree::{Tree, Value};

const PROPERTIES: [&str; 5] = [
    "TableName",
    "PrimaryKey",
    "ProvisionedThroughput",
    "SSESpecification",
    "PointInTimeRecoverySpecification",
];

impl Reading<'_, '_> {
    /// A table of the serverless transform, with what `Globals` adds.
    pub(super) fn simple(&mut self, properties: &Tree) -> Table {
        misspelt(self.context, properties, &PROPERTIES);
        let merged =
            self.globals.as_ref().map_or_else(|| properties.clone(), |globals| merged(globals, properties));
        let mut table = Table::default();
        let (name, kind) = self.primary_key(&merged);
        table.definitions.insert(name.clone(), kind);
        table.keys = Keys { hash: vec![name], range: Vec::new() };
        table.billing = Some(match merged.get("ProvisionedThroughput") {
            None => Billing::OnDemand,
            capacity => Billing::Provisioned(aws::capacity(
                self.context,
                capacity,
                "ReadCapacityUnits",
                "WriteCapacityUnits",
            )),
        });
        settings(self.context, &merged, &mut table);
        table
    }

    fn primary_key(&mut self, properties: &Tree) -> (String, KeyType) {
        let Some(key) = properties.get("PrimaryKey") else { return ("id".to_owned(), KeyType::S) };
        let name = self
            .context
            .name(key.get("Name"), key.mark, "Name of PrimaryKey")
            .unwrap_or_else(|| "id".to_owned());
        let kind = key.get("Type");
        let kind_name = kind.map_or(Some("String".to_owned()), |node| {
            self.context.name(Some(node), node.mark, "Type of PrimaryKey")
        });
        let kind = match kind_name.as_deref() {
            Some("Number") => KeyType::N,
            Some("Binary") => KeyType::B,
            Some("String") | None => KeyType::S,
            Some(_) => {
                self.context.problem(key.mark, "the type of PrimaryKey must be String, Number or Binary");
                KeyType::S
            }
        };
        (name, kind)
    }
}

/// Properties over defaults; maps merge, all else is replaced.
fn merged(defaults: &Tree, properties: &Tree) -> Tree {
    let (Value::Map(below), Value::Map(above)) = (&defaults.value, &properties.value) else {
        return properties.clone();
    };
    let mut entries = below.clone();
    for (name, value) in above {
        match entries.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = merged(old, value),
            None => entries.push((name.clone(), value.clone())),
        }
    }
    Tree::new(properties.mark, Value::Map(entries))
}

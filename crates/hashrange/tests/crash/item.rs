//! Items as the test knows them, written without the database's own types.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

/// Partition key and sort key.
pub(crate) type Key = (String, String);

/// The attributes that only some items have: keys of the indexes.
pub(crate) const OPTIONAL: [&str; 3] = ["gk", "gs", "lk"];

/// What an entry of the global index carries: its keys, the table's, and one more attribute.
pub(crate) const GLOBAL_ENTRY: [&str; 5] = ["gk", "gs", "pk", "sk", "seq"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    S(String),
    N(u64),
}

/// Attributes by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Item(pub(crate) BTreeMap<String, Value>);

impl Item {
    pub(crate) fn new(key: &Key) -> Item {
        Item::default().with("pk", &key.0).with("sk", &key.1)
    }

    pub(crate) fn with(mut self, name: &str, text: &str) -> Item {
        self.0.insert(name.into(), Value::S(text.into()));
        self
    }

    pub(crate) fn with_number(mut self, name: &str, number: u64) -> Item {
        self.0.insert(name.into(), Value::N(number));
        self
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            Value::S(text) => Some(text),
            Value::N(_) => None,
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            Value::N(number) => Some(*number),
            Value::S(_) => None,
        }
    }

    pub(crate) fn key(&self) -> Key {
        let part =
            |name| self.text(name).unwrap_or_else(|| panic!("an item without {name}: {self:?}")).to_owned();
        (part("pk"), part("sk"))
    }

    /// Adds a checksum over all other attributes, so that an item mixed of two writes shows.
    pub(crate) fn sealed(self) -> Item {
        let seal = self.checksum();
        self.with("seal", &seal)
    }

    pub(crate) fn assert_sealed(&self) {
        assert_eq!(
            self.text("seal"),
            Some(&*self.checksum()),
            "an item is half one write, half another: {self:?}"
        );
    }

    /// FNV-1a over names and values.
    fn checksum(&self) -> String {
        let mut sealed = self.0.clone();
        sealed.remove("seal");
        let hash = format!("{sealed:?}").bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// Bytes by DynamoDB's rules.
    pub(crate) fn size(&self) -> u64 {
        let sizes = self.0.iter().map(|(name, value)| name.len() as u64 + value.size());
        sizes.sum()
    }

    /// These attributes alone; `None` unless all the index's key attributes are there.
    pub(crate) fn global_entry(&self) -> Option<Item> {
        (self.0.contains_key("gk") && self.0.contains_key("gs")).then(|| {
            let kept = self.0.iter().filter(|(name, _)| GLOBAL_ENTRY.contains(&name.as_str()));
            Item(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        })
    }

    /// The local index carries everything.
    pub(crate) fn local_entry(&self) -> Option<Item> {
        self.0.contains_key("lk").then(|| self.clone())
    }

    pub(crate) fn to_json(&self) -> Json {
        let pairs = self.0.iter().map(|(name, value)| (name.clone(), value.to_json()));
        Json::Object(pairs.collect())
    }

    pub(crate) fn from_json(item: &Map<String, Json>) -> Item {
        Item(item.iter().map(|(name, value)| (name.clone(), Value::from_json(value))).collect())
    }
}

impl Value {
    /// An integer counts one byte and one for two digits, without its trailing zeros.
    fn size(&self) -> u64 {
        match self {
            Value::S(text) => text.len() as u64,
            Value::N(number) => {
                let digits = number.to_string();
                1 + (digits.trim_end_matches('0').len() as u64).div_ceil(2)
            }
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        match self {
            Value::S(text) => json!({ "S": text }),
            Value::N(number) => json!({ "N": number.to_string() }),
        }
    }

    fn from_json(value: &Json) -> Value {
        match (value["S"].as_str(), value["N"].as_str()) {
            (Some(text), None) => Value::S(text.into()),
            (None, Some(number)) => Value::N(number.parse().expect("the test writes integers only")),
            _ => panic!("neither text nor number: {value}"),
        }
    }
}

/// The key as a request has it.
pub(crate) fn key_json(key: &Key) -> Json {
    json!({ "pk": { "S": key.0 }, "sk": { "S": key.1 } })
}

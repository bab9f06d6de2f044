//! The tree that all infrastructure as code is lowered to: values with their places, and values that only a deployment knows.

use serde_json::{Map, Value as Json};

use crate::read::node::Mark;

/// A value with its place.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Where it starts.
    pub mark: Mark,
    /// What it is.
    pub value: Value,
}

/// What a [`Tree`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number in the digits of the file.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Tree>),
    /// A map, in the order of the file.
    Map(Vec<(String, Tree)>),
    /// Something that the file alone does not tell, and why.
    Unknown(String),
}

/// Equal values at different places are equal: a condition compares values.
impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        self.value == other.value
    }
}

impl Tree {
    /// A value at a place.
    pub fn new(mark: Mark, value: Value) -> Tree {
        Tree { mark, value }
    }

    /// A string at a place.
    pub fn text(mark: Mark, text: impl Into<String>) -> Tree {
        Tree::new(mark, Value::Text(text.into()))
    }

    /// What nobody can tell offline.
    pub fn unknown(mark: Mark, why: impl Into<String>) -> Tree {
        Tree::new(mark, Value::Unknown(why.into()))
    }

    /// The member of that name that is not null.
    pub fn get(&self, name: &str) -> Option<&Tree> {
        let member = self.entries().iter().find(|(key, _)| key == name).map(|(_, node)| node)?;
        (!matches!(member.value, Value::Null)).then_some(member)
    }

    /// The value below a path of members.
    pub fn at(&self, path: &[&str]) -> Option<&Tree> {
        path.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The members of a map; none of anything else.
    pub fn entries(&self) -> &[(String, Tree)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of a list; none of anything else.
    pub fn elements(&self) -> &[Tree] {
        match &self.value {
            Value::List(elements) => elements,
            _ => &[],
        }
    }

    /// The text of a string.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A string, number or truth value as text, as templates turn one into the other freely.
    pub fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text.clone()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// Why it is not known, where it is not.
    pub fn why_unknown(&self) -> Option<&str> {
        match &self.value {
            Value::Unknown(why) => Some(why),
            _ => None,
        }
    }

    /// How many values the tree has.
    pub fn weight(&self) -> usize {
        let below: usize = match &self.value {
            Value::List(elements) => elements.iter().map(Tree::weight).sum(),
            Value::Map(entries) => entries.iter().map(|(_, node)| node.weight()).sum(),
            Value::Text(text) => text.len() / 32,
            _ => 0,
        };
        below + 1
    }

    /// The tree of a JSON value, without places.
    pub fn from_json(value: &Json) -> Tree {
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Number(number) => Value::Number(number.to_string()),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(elements) => Value::List(elements.iter().map(Tree::from_json).collect()),
            Json::Object(members) => Value::Map(
                members.iter().map(|(name, value)| (name.clone(), Tree::from_json(value))).collect(),
            ),
        };
        Tree::new(Mark::default(), value)
    }

    /// JSON of the tree; what is not known is null, and digits that are no JSON number stay a string.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null | Value::Unknown(_) => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Number(digits) => serde_json::from_str::<serde_json::Number>(digits)
                .map_or_else(|_| Json::String(digits.clone()), Json::Number),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(elements) => Json::Array(elements.iter().map(Tree::to_json).collect()),
            Value::Map(entries) => Json::Object(
                entries.iter().map(|(name, node)| (name.clone(), node.to_json())).collect::<Map<_, _>>(),
            ),
        }
    }
}

//! The fields of a mapping: each is taken by name, unknown ones are told with the nearest name that is known.

use super::log::Log;
use super::node::{Mark, Node};

/// A kind of mapping, and the fields that it may have.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it is, for messages: `table`.
    pub name: &'static str,
    /// The names of its fields.
    pub keys: &'static [&'static str],
}

impl Shape {
    /// `a table`, `an index`.
    pub fn with_article(&self) -> String {
        let article = if self.name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        format!("{article} {}", self.name)
    }
}

/// A mapping of a known [`Shape`].
#[derive(Clone, Copy, Debug)]
pub struct Fields<'n> {
    node: &'n Node,
    shape: &'static Shape,
}

impl<'n> Fields<'n> {
    /// Opens a mapping and tells its unknown fields; `None`, with a problem, where it is none.
    pub fn open(node: &'n Node, shape: &'static Shape, log: &mut Log) -> Option<Fields<'n>> {
        if !matches!(node.data, super::node::Data::Map(_)) {
            log.expected(node, &format!("a map with the fields of {}", shape.with_article()));
            return None;
        }
        for (key, _) in node.entries() {
            let name = key.as_str().unwrap_or("");
            if !shape.keys.contains(&name) {
                log.note(key.mark, unknown(name, shape));
            }
        }
        Some(Fields { node, shape })
    }

    /// Where the mapping starts.
    pub fn mark(&self) -> Mark {
        self.node.mark
    }

    /// The value of a field that is there and not empty.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        debug_assert!(self.shape.keys.contains(&key), "{key} is missing in the shape of {}", self.shape.name);
        self.node.get(key).filter(|value| !value.is_null())
    }

    /// A text; numbers and truth values are taken as they are written.
    pub fn text(&self, key: &str, log: &mut Log) -> Option<String> {
        text(self.get(key)?, log)
    }

    /// A number that is not negative.
    pub fn number(&self, key: &str, log: &mut Log) -> Option<f64> {
        number(self.get(key)?, log)
    }

    /// A number between two bounds.
    pub fn number_in(&self, key: &str, least: f64, most: f64, log: &mut Log) -> Option<f64> {
        let node = self.get(key)?;
        let number = number(node, log)?;
        if (least..=most).contains(&number) {
            return Some(number);
        }
        log.expected(node, &format!("a number from {least} to {most}"));
        None
    }

    /// A whole number that is not negative.
    pub fn whole<T: TryFrom<u64>>(&self, key: &str, log: &mut Log) -> Option<T> {
        let node = self.get(key)?;
        let whole = node.as_str().and_then(|text| text.parse::<u64>().ok()).and_then(|n| T::try_from(n).ok());
        if whole.is_none() {
            log.expected(node, "a whole number");
        }
        whole
    }

    /// A truth value.
    pub fn flag(&self, key: &str, log: &mut Log) -> Option<bool> {
        let node = self.get(key)?;
        let flag = node.as_bool();
        if flag.is_none() {
            log.expected(node, "true or false");
        }
        flag
    }

    /// One of some words.
    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)], log: &mut Log) -> Option<T> {
        choice(self.get(key)?, choices, log)
    }

    /// A list of texts; a single text is a list of one.
    pub fn texts(&self, key: &str, log: &mut Log) -> Option<Vec<String>> {
        texts(self.get(key)?, log)
    }

    /// A list of numbers.
    pub fn numbers(&self, key: &str, log: &mut Log) -> Option<Vec<f64>> {
        let node = self.get(key)?;
        if node.entries().is_empty() && node.as_str().is_none() {
            return Some(node.items().iter().filter_map(|item| number(item, log)).collect());
        }
        log.expected(node, "a list of numbers");
        None
    }

    /// The elements of a list.
    pub fn list(&self, key: &str, log: &mut Log) -> &'n [Node] {
        let Some(node) = self.get(key) else { return &[] };
        if let super::node::Data::List(items) = &node.data {
            return items;
        }
        log.expected(node, "a list");
        &[]
    }

    /// The entries of a map with free names.
    pub fn map(&self, key: &str, log: &mut Log) -> &'n [(Node, Node)] {
        let Some(node) = self.get(key) else { return &[] };
        if let super::node::Data::Map(entries) = &node.data {
            return entries;
        }
        log.expected(node, "a map");
        &[]
    }
}

/// A text; numbers and truth values are taken as they are written.
pub fn text(node: &Node, log: &mut Log) -> Option<String> {
    let text = node.as_str().map(str::to_owned);
    if text.is_none() {
        log.expected(node, "a text");
    }
    text
}

/// A number that is not negative.
pub fn number(node: &Node, log: &mut Log) -> Option<f64> {
    let number = node.as_f64().filter(|number| *number >= 0.0);
    if number.is_none() {
        log.expected(node, "a number that is not negative");
    }
    number
}

/// One of some words.
pub fn choice<T: Copy>(node: &Node, choices: &[(&str, T)], log: &mut Log) -> Option<T> {
    let given = node.as_str();
    let found = choices.iter().find(|(word, _)| Some(*word) == given);
    if found.is_none() {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let near = given.and_then(|given| nearest(given, &words));
        let near = near.map_or(String::new(), |word| format!(" (did you mean {word}?)"));
        log.expected(node, &format!("one of {}{near}", words.join(", ")));
    }
    found.map(|(_, value)| *value)
}

/// A list of texts; a single text is a list of one.
pub fn texts(node: &Node, log: &mut Log) -> Option<Vec<String>> {
    match &node.data {
        super::node::Data::Scalar { text, .. } => Some(vec![text.clone()]),
        super::node::Data::List(items) => Some(items.iter().filter_map(|item| text(item, log)).collect()),
        super::node::Data::Map(_) => {
            log.expected(node, "a list of texts");
            None
        }
    }
}

fn unknown(name: &str, shape: &Shape) -> String {
    let known = match nearest(name, shape.keys) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("{} has {}", shape.with_article(), shape.keys.join(", ")),
    };
    format!(
        "\"{}\" is no field of {}, and is ignored; {known}",
        super::node::shortened(name),
        shape.with_article()
    )
}

/// The known word that is most like another one, if one is like it.
pub fn nearest<'k>(given: &str, known: &[&'k str]) -> Option<&'k str> {
    const ALIKE: f64 = 0.75;
    if given.len() > 100 {
        return None;
    }
    let likeness = |word: &&str| strsim::jaro_winkler(given, word);
    let best = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) >= ALIKE).then_some(best)
}

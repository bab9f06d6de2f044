//! Attribute values as text, for tests: `"text"`, `12.5`, `0x00ff`, `true`, `null`, `<<"a", "b">>`, `[1, 2]`,
//! `{"k": 1}`.

use hashrange_item::{AttributeValue, Attributes, BinarySet, Number, NumberSet, StringSet};

/// Reads one value; panics on anything else, for the writer of the test to see.
pub(crate) fn value(text: &str) -> AttributeValue {
    let mut reader = Reader { rest: text };
    let value = reader.value();
    reader.skip_space();
    assert!(reader.rest.is_empty(), "text after a value: {:?}", reader.rest);
    value
}

/// Reads an item.
pub(crate) fn item(text: &str) -> Attributes {
    match value(text) {
        AttributeValue::M(item) => item,
        other => panic!("an item is written as a map, not {other:?}"),
    }
}

/// Prints a value in the form that [`value`] reads.
pub(crate) fn print(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.to_string(),
        AttributeValue::B(bytes) => print_bytes(bytes),
        AttributeValue::Bool(value) => value.to_string(),
        AttributeValue::Null => "null".to_owned(),
        AttributeValue::Ss(set) => print_list("<<", set.iter().map(|text| format!("{text:?}")), ">>"),
        AttributeValue::Ns(set) => print_list("<<", set.iter().map(Number::to_string), ">>"),
        AttributeValue::Bs(set) => print_list("<<", set.iter().map(|bytes| print_bytes(bytes)), ">>"),
        AttributeValue::L(list) => print_list("[", list.iter().map(print), "]"),
        AttributeValue::M(map) => print_item(map),
    }
}

/// Prints an item.
pub(crate) fn print_item(item: &Attributes) -> String {
    print_list("{", item.iter().map(|(name, value)| format!("{name:?}: {}", print(value))), "}")
}

fn print_bytes(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold("0x".to_owned(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("strings take all text");
        text
    })
}

fn print_list(open: &str, items: impl Iterator<Item = String>, close: &str) -> String {
    format!("{open}{}{close}", items.collect::<Vec<_>>().join(", "))
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn accept(&mut self, text: &str) -> bool {
        self.skip_space();
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }

    fn value(&mut self) -> AttributeValue {
        self.skip_space();
        if self.accept("<<") {
            return self.set();
        }
        if self.accept("[") {
            return AttributeValue::L(self.list("]"));
        }
        if self.accept("{") {
            return AttributeValue::M(self.map());
        }
        self.scalar()
    }

    fn scalar(&mut self) -> AttributeValue {
        if self.rest.starts_with('"') {
            return AttributeValue::S(self.string());
        }
        match self.word() {
            "true" => AttributeValue::Bool(true),
            "false" => AttributeValue::Bool(false),
            "null" => AttributeValue::Null,
            word => match word.strip_prefix("0x") {
                Some(digits) => AttributeValue::B(bytes(digits)),
                None => AttributeValue::N(
                    Number::parse(word).unwrap_or_else(|error| panic!("{word:?}: {error:?}")),
                ),
            },
        }
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find([',', ']', '}', '>', ' ']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn string(&mut self) -> String {
        let mut text = String::new();
        let mut characters = self.rest[1..].char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.rest = &self.rest[at + 2..];
                    return text;
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                other => text.push(other),
            }
        }
        panic!("a string without an end: {:?}", self.rest)
    }

    fn list(&mut self, close: &str) -> Vec<AttributeValue> {
        let mut list = Vec::new();
        while !self.accept(close) {
            list.push(self.value());
            self.accept(",");
        }
        list
    }

    fn map(&mut self) -> Attributes {
        let mut pairs = Vec::new();
        while !self.accept("}") {
            self.skip_space();
            let name = self.string();
            assert!(self.accept(":"), "a colon after {name:?}");
            pairs.push((name, self.value()));
            self.accept(",");
        }
        Attributes::from_pairs(pairs)
    }

    fn set(&mut self) -> AttributeValue {
        let members = self.list(">>");
        match &members[0] {
            AttributeValue::S(_) => {
                AttributeValue::Ss(StringSet::new(members.into_iter().map(text_of).collect()).unwrap())
            }
            AttributeValue::N(_) => {
                AttributeValue::Ns(NumberSet::new(members.into_iter().map(number_of).collect()).unwrap())
            }
            _ => AttributeValue::Bs(BinarySet::new(members.into_iter().map(bytes_of).collect()).unwrap()),
        }
    }
}

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn text_of(value: AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => text,
        other => panic!("not a string: {other:?}"),
    }
}

fn number_of(value: AttributeValue) -> Number {
    match value {
        AttributeValue::N(number) => number,
        other => panic!("not a number: {other:?}"),
    }
}

fn bytes_of(value: AttributeValue) -> Vec<u8> {
    match value {
        AttributeValue::B(bytes) => bytes,
        other => panic!("not a binary: {other:?}"),
    }
}

//! The form of a request, for people and for a catalogue.

use std::collections::BTreeMap;

use hashrange_engine::{Field, Group, Outline, PlanOutline};
use hashrange_item::{AttributeValue, Kind};

use super::digest::SizeClass;
use super::token;

/// The form of a request: canonical texts by field, and the forms of the requests in a batch.
///
/// Names stand in back-ticks (one inside a name is doubled), values as `?` and their type, and a key value's type prefix in angle
/// brackets behind it: `` `PK` = ?S<USER#> AND `SK` begins_with ?S<ORDER#> ``.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// The texts.
    pub fields: BTreeMap<Field, String>,
    /// Requests of a batch or transaction: each form once, in order, with how many there are.
    pub requests: Vec<(Shape, SizeClass)>,
}

impl Shape {
    fn text(&self, field: Field) -> &str {
        self.fields.get(&field).map_or("", String::as_str)
    }

    /// The same without the type prefixes that may not be told.
    pub(super) fn told(&self, may: &dyn Fn(&str, &str) -> bool) -> Shape {
        let table = plain(self.text(Field::Table));
        let mut fields = self.fields.clone();
        if let Some(key) = fields.get_mut(&Field::Key) {
            *key = without_tokens(key, |token| may(&table, token));
        }
        let requests = self.requests.iter().map(|(shape, class)| (shape.told(may), *class));
        let mut requests: Vec<_> = requests.collect();
        requests.sort();
        // What was told apart by its prefix alone is now more of one.
        requests.dedup_by(|later, earlier| {
            let alike = later.0 == earlier.0;
            if alike {
                earlier.1 = earlier.1.max(later.1).max(SizeClass::Few);
            }
            alike
        });
        Shape { fields, requests }
    }
}

/// A name without its back-ticks.
fn plain(quoted: &str) -> String {
    quoted.trim_matches('`').replace("``", "`")
}

/// Takes prefixes out of a text, except those that are a type.
fn without_tokens(text: &str, may: impl Fn(&str) -> bool) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_name = false;
    let mut rest = text;
    while let Some(at) = rest.find(['`', '<']) {
        kept.push_str(&rest[..at]);
        let tail = &rest[at..];
        let token = tail.find('>').filter(|_| !in_name && tail.starts_with('<') && kept.ends_with("?S"));
        if let Some(end) = token {
            if may(&tail[1..end]) {
                kept.push_str(&tail[..=end]);
            }
            rest = &tail[end + 1..];
            continue;
        }
        in_name ^= tail.starts_with('`');
        kept.push_str(&tail[..1]);
        rest = &tail[1..];
    }
    kept.push_str(rest);
    kept
}

/// A group that is being told.
enum Open {
    /// Texts, behind this one.
    Texts { group: Group, before: String, members: Vec<String> },
    /// Requests of this one.
    Requests { outer: Shape, members: Vec<Shape> },
}

/// Takes an outline and makes a [`Shape`].
#[derive(Default)]
pub(super) struct Builder {
    /// Whether type prefixes are told.
    with_tokens: bool,
    shape: Shape,
    field: Option<Field>,
    text: String,
    open: Vec<Open>,
}

impl Builder {
    pub(super) fn new(with_tokens: bool) -> Builder {
        Builder { with_tokens, ..Builder::default() }
    }

    pub(super) fn finish(mut self) -> Shape {
        self.end_field();
        self.shape
    }

    fn end_field(&mut self) {
        let text = std::mem::take(&mut self.text);
        if let Some(field) = self.field.take()
            && field != Field::Requests
        {
            self.shape.fields.insert(field, text);
        }
    }
}

impl Outline for Builder {
    fn word(&mut self, word: &'static str) {
        self.text.push_str(word);
    }

    fn name(&mut self, name: &str) {
        self.text.push('`');
        self.text.push_str(&name.replace('`', "``"));
        self.text.push('`');
    }

    fn literal(&mut self, kind: Kind) {
        self.text.push('?');
        self.text.push_str(&kind.to_string());
    }

    fn open(&mut self, group: Group) {
        let open = if group == Group::Requests {
            self.end_field();
            Open::Requests { outer: std::mem::take(&mut self.shape), members: Vec::new() }
        } else {
            Open::Texts { group, before: std::mem::take(&mut self.text), members: Vec::new() }
        };
        self.open.push(open);
    }

    fn member(&mut self) {
        if matches!(self.open.last(), Some(Open::Requests { .. })) {
            self.end_field();
        }
        match self.open.last_mut() {
            Some(Open::Texts { members, .. }) => members.push(std::mem::take(&mut self.text)),
            Some(Open::Requests { members, .. }) => members.push(std::mem::take(&mut self.shape)),
            None => {}
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::Texts { group, before, members }) => {
                self.text = before;
                self.text.push_str(&joined(group, members));
            }
            Some(Open::Requests { outer, members }) => {
                self.shape = outer;
                self.shape.requests = counted(members);
            }
            None => {}
        }
    }
}

fn joined(group: Group, mut members: Vec<String>) -> String {
    members.sort();
    match group {
        Group::All => format!("({})", members.join(" AND ")),
        Group::Any => format!("({})", members.join(" OR ")),
        Group::Equal => equal(members, " = "),
        Group::Unequal => equal(members, " <> "),
        Group::List => {
            let class = SizeClass::of(members.len()).name();
            members.dedup();
            format!("({class} of {})", members.join(", "))
        }
        Group::Set | Group::Requests => members.join(", "),
    }
}

/// The attribute stands first, for people.
fn equal(mut members: Vec<String>, word: &str) -> String {
    members.sort_by_key(|member| member.starts_with('?'));
    members.join(word)
}

fn counted(mut members: Vec<Shape>) -> Vec<(Shape, SizeClass)> {
    members.sort();
    let alike = members.chunk_by(|one, other| one == other);
    alike.map(|alike| (alike[0].clone(), SizeClass::of(alike.len()))).collect()
}

impl PlanOutline for Builder {
    fn field(&mut self, field: Field) {
        self.end_field();
        self.field = Some(field);
    }

    fn key(&mut self, _: bool, value: &AttributeValue) {
        self.literal(value.kind());
        if let Some(token) = token::of(value).filter(|_| self.with_tokens) {
            self.text.push('<');
            self.text.push_str(token);
            self.text.push('>');
        }
    }

    fn partition(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_taken_out_and_names_are_left_alone() {
        let text = "`a<B#>` = ?S<USER#> AND `x``?S<C#>` = ?S<ALICE#>";
        assert_eq!(
            without_tokens(text, |token| token == "USER#"),
            "`a<B#>` = ?S<USER#> AND `x``?S<C#>` = ?S"
        );
    }
}

//! The hash of a request's form, made without memory of its own once it is warm.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hashrange_engine::{Field, Group, Outline, PlanOutline};
use hashrange_item::{AttributeValue, Kind};

use super::token;

/// What stands between pieces of an outline, so that two neighbours are not read as one.
#[derive(Hash)]
enum Mark {
    Field(Field),
    Word,
    Name,
    Literal(Kind),
    Key(Kind),
    Group(Group),
}

/// A group that is being told.
struct Open {
    group: Group,
    /// The hash of what stands before it.
    outer: DefaultHasher,
    /// Where its members begin.
    first: usize,
}

/// Takes an outline and makes a hash of it that is the same for all requests of one form, and one of each partition key.
pub(super) struct Digest {
    /// Whether type prefixes of key values count.
    pub(super) with_tokens: bool,
    hasher: DefaultHasher,
    open: Vec<Open>,
    members: Vec<u64>,
    partition: DefaultHasher,
    /// Of each partition key that was told.
    pub(super) partitions: Vec<u64>,
    /// Whether a key value had a type prefix.
    pub(super) has_token: bool,
}

impl Digest {
    pub(super) fn new() -> Digest {
        Digest {
            with_tokens: true,
            hasher: DefaultHasher::new(),
            open: Vec::new(),
            members: Vec::new(),
            partition: DefaultHasher::new(),
            partitions: Vec::new(),
            has_token: false,
        }
    }

    /// Forgets what was told and keeps its memory.
    pub(super) fn restart(&mut self, with_tokens: bool) {
        self.with_tokens = with_tokens;
        self.hasher = DefaultHasher::new();
        self.open.clear();
        self.members.clear();
        self.partition = DefaultHasher::new();
        self.partitions.clear();
        self.has_token = false;
    }

    /// The hash of everything that was told.
    pub(super) fn id(&self) -> u64 {
        self.hasher.finish()
    }

    fn text(&mut self, mark: &Mark, text: &str) {
        mark.hash(&mut self.hasher);
        text.hash(&mut self.hasher);
    }
}

impl Outline for Digest {
    fn word(&mut self, word: &'static str) {
        self.text(&Mark::Word, word);
    }

    fn name(&mut self, name: &str) {
        self.text(&Mark::Name, name);
    }

    fn literal(&mut self, kind: Kind) {
        Mark::Literal(kind).hash(&mut self.hasher);
    }

    fn open(&mut self, group: Group) {
        let outer = std::mem::take(&mut self.hasher);
        self.open.push(Open { group, outer, first: self.members.len() });
    }

    fn member(&mut self) {
        self.members.push(std::mem::take(&mut self.hasher).finish());
    }

    fn close(&mut self) {
        let Some(Open { group, outer, first }) = self.open.pop() else { return };
        self.hasher = outer;
        Mark::Group(group).hash(&mut self.hasher);
        let members = &mut self.members[first..];
        members.sort_unstable();
        if group == Group::List {
            SizeClass::of(members.len()).hash(&mut self.hasher);
        }
        for alike in members.chunk_by(|one, other| one == other) {
            alike[0].hash(&mut self.hasher);
            match group {
                Group::Requests => SizeClass::of(alike.len()).hash(&mut self.hasher),
                Group::List => {}
                _ => alike.len().hash(&mut self.hasher),
            }
        }
        self.members.truncate(first);
    }
}

impl PlanOutline for Digest {
    fn field(&mut self, field: Field) {
        Mark::Field(field).hash(&mut self.hasher);
    }

    fn key(&mut self, hash: bool, value: &AttributeValue) {
        Mark::Key(value.kind()).hash(&mut self.hasher);
        if let Some(token) = token::of(value) {
            self.has_token = true;
            if self.with_tokens {
                token.hash(&mut self.hasher);
            }
        }
        if hash {
            hash_value(value, &mut self.partition);
        }
    }

    fn partition(&mut self) {
        self.partitions.push(std::mem::take(&mut self.partition).finish());
    }
}

/// Hashes a key value.
pub(super) fn hash_value(value: &AttributeValue, hasher: &mut DefaultHasher) {
    value.kind().hash(hasher);
    match value {
        AttributeValue::S(text) => text.hash(hasher),
        AttributeValue::N(number) => number.hash(hasher),
        AttributeValue::B(bytes) => bytes.hash(hasher),
        _ => {}
    }
}

/// How long a list is, roughly: the length itself would make many forms of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SizeClass {
    /// One.
    One,
    /// 2 to 10.
    Few,
    /// 11 to 25.
    Some,
    /// 26 to 100.
    Many,
    /// More.
    More,
}

impl SizeClass {
    /// The class of a length.
    pub fn of(length: usize) -> SizeClass {
        match length {
            0..=1 => SizeClass::One,
            2..=10 => SizeClass::Few,
            11..=25 => SizeClass::Some,
            26..=100 => SizeClass::Many,
            _ => SizeClass::More,
        }
    }

    /// `1`, `2-10`, `11-25`, `26-100`, `101+`.
    pub fn name(self) -> &'static str {
        match self {
            SizeClass::One => "1",
            SizeClass::Few => "2-10",
            SizeClass::Some => "11-25",
            SizeClass::Many => "26-100",
            SizeClass::More => "101+",
        }
    }
}

//! The hash of a request's form, made without memory of its own once it is warm.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use foldhash::fast::{FixedState, FoldHasher};
use hashrange_engine::{Field, Group, Outline, PlanOutline};
use hashrange_item::{AttributeValue, Kind};

use super::token;

/// What stands before each piece of an outline, so that two neighbours are not read as one: a kind of piece, and its number.
#[derive(Clone, Copy)]
enum Mark {
    Field = 1,
    Word,
    Name,
    Literal,
    Key,
    Group,
}

impl Mark {
    fn with(self, number: u64) -> u64 {
        (self as u64) << 56 ^ number
    }
}

/// What makes hashes of one recording unlike those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seed(pub(super) u64);

impl Seed {
    /// A hasher that costs a few nanoseconds for a name. Who found two requests of one hash would see them counted as one.
    fn hasher(self) -> FoldHasher<'static> {
        FixedState::with_seed(self.0).build_hasher()
    }

    /// The hash of a text.
    pub(super) fn hash(self, text: &str) -> u64 {
        let mut hasher = self.hasher();
        text.hash(&mut hasher);
        hasher.finish()
    }
}

/// Values of one key that are remembered: a key has two, a condition on an index with several key attributes may have eight.
const VALUES_MAX: usize = 8;

/// A group that is being told.
struct Open {
    group: Group,
    /// The hash of what stands before it.
    outer: FoldHasher<'static>,
    /// Where its members begin.
    first: usize,
}

/// Takes an outline and makes a hash of it that is the same for all requests of one form, and one of each partition key.
pub(super) struct Digest {
    /// Whether type prefixes of key values count.
    pub(super) with_tokens: bool,
    /// Whether key values are hashed too, for [`Digest::partitions`] and [`Digest::look_up`].
    pub(super) with_values: bool,
    seed: Seed,
    hasher: FoldHasher<'static>,
    open: Vec<Open>,
    members: Vec<u64>,
    partition: FoldHasher<'static>,
    /// Of each partition key that was told.
    pub(super) partitions: Vec<u64>,
    /// Whether a key value had a type prefix.
    pub(super) has_token: bool,
    /// Of each key value that was told, the first ones.
    values: Vec<u64>,
    /// Of what stands behind the type prefix of the first key value.
    remainder: Option<u64>,
    /// The first word, which is the operation.
    operation: &'static str,
}

impl Digest {
    pub(super) fn new() -> Digest {
        let seed = Seed(0);
        Digest {
            with_tokens: true,
            with_values: false,
            seed,
            hasher: seed.hasher(),
            open: Vec::new(),
            members: Vec::new(),
            partition: seed.hasher(),
            partitions: Vec::new(),
            has_token: false,
            values: Vec::new(),
            remainder: None,
            operation: "",
        }
    }

    /// Forgets what was told and keeps its memory. Hashes of one seed say nothing of those of another.
    pub(super) fn restart(&mut self, seed: Seed, with_tokens: bool, with_values: bool) {
        (self.with_tokens, self.with_values) = (with_tokens, with_values);
        self.seed = seed;
        self.hasher = seed.hasher();
        self.open.clear();
        self.members.clear();
        self.partition = seed.hasher();
        self.partitions.clear();
        self.has_token = false;
        self.values.clear();
        self.remainder = None;
        self.operation = "";
    }

    /// The hash of everything that was told.
    pub(super) fn id(&self) -> u64 {
        self.hasher.finish()
    }

    /// By what the request could be known that follows a read of its key; nothing where it is no look-up.
    pub(super) fn look_up(&self) -> Option<LookUp> {
        let whole = match (self.operation, self.values.as_slice()) {
            ("GetItem", [hash]) => Some(*hash),
            ("GetItem", [hash, range]) => Some(pair(*hash, *range)),
            ("Query", [_, ..]) => None,
            _ => return None,
        };
        let first = self.values.first().copied();
        Some(LookUp { whole, first, remainder: self.remainder })
    }

    fn taken(&mut self) -> u64 {
        std::mem::replace(&mut self.hasher, self.seed.hasher()).finish()
    }
}

/// The hashes of a key that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LookUp {
    /// Of the whole key of an item.
    pub(super) whole: Option<u64>,
    /// Of the partition key.
    pub(super) first: Option<u64>,
    /// Of the partition key without its type prefix.
    pub(super) remainder: Option<u64>,
}

/// The hash of a key of two values.
pub(super) fn pair(hash: u64, range: u64) -> u64 {
    hash.rotate_left(23) ^ range
}

impl Outline for Digest {
    fn word(&mut self, word: &'static str) {
        if self.operation.is_empty() {
            self.operation = word;
        }
        // Where a word stands in the program is as good as its letters: a word that stands there twice makes two forms, which are
        // one again when they are told.
        self.hasher.write_u64(Mark::Word.with(word.as_ptr().addr() as u64 ^ (word.len() as u64) << 48));
    }

    fn name(&mut self, name: &str) {
        self.hasher.write_u64(Mark::Name.with(name.len() as u64));
        self.hasher.write(name.as_bytes());
    }

    fn literal(&mut self, kind: Kind) {
        self.hasher.write_u64(Mark::Literal.with(kind as u64));
    }

    fn open(&mut self, group: Group) {
        let outer = std::mem::replace(&mut self.hasher, self.seed.hasher());
        self.open.push(Open { group, outer, first: self.members.len() });
    }

    fn member(&mut self) {
        let member = self.taken();
        self.members.push(member);
    }

    fn close(&mut self) {
        let Some(Open { group, outer, first }) = self.open.pop() else { return };
        self.hasher = outer;
        self.hasher.write_u64(Mark::Group.with(group as u64));
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
        self.hasher.write_u64(Mark::Field.with(field as u64));
    }

    fn key(&mut self, hash: bool, value: &AttributeValue) {
        self.hasher.write_u64(Mark::Key.with(value.kind() as u64));
        let token = token::of(value);
        if let Some(token) = token {
            self.has_token = true;
            if self.with_tokens {
                token.hash(&mut self.hasher);
            }
        }
        if !self.with_values {
            return;
        }
        let hashed = value_hash(value, self.seed);
        if hash {
            self.partition.write_u64(hashed);
        }
        if self.values.is_empty() {
            self.remainder = remainder_hash(value, token, self.seed);
        }
        if self.values.len() < VALUES_MAX {
            self.values.push(hashed);
        }
    }

    fn partition(&mut self) {
        if !self.with_values {
            return;
        }
        let partition = std::mem::replace(&mut self.partition, self.seed.hasher());
        self.partitions.push(partition.finish());
    }
}

/// The hash of a key value.
pub(super) fn value_hash(value: &AttributeValue, seed: Seed) -> u64 {
    let mut hasher = seed.hasher();
    value.kind().hash(&mut hasher);
    match value {
        AttributeValue::S(text) => text.hash(&mut hasher),
        AttributeValue::N(number) => number.hash(&mut hasher),
        AttributeValue::B(bytes) => bytes.hash(&mut hasher),
        _ => {}
    }
    hasher.finish()
}

/// The hash of the text behind a type prefix, as if it were a value of its own: `USER#7` may stand for the user of `userId: 7`.
pub(super) fn remainder_hash(value: &AttributeValue, token: Option<&str>, seed: Seed) -> Option<u64> {
    let (Some(token), AttributeValue::S(text)) = (token, value) else { return None };
    let behind = &text[token.len()..];
    let mut hasher = seed.hasher();
    Kind::S.hash(&mut hasher);
    behind.hash(&mut hasher);
    (!behind.is_empty()).then(|| hasher.finish())
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

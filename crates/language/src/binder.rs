//! The placeholders of a request: which there are, what they stand for, which are used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashrange_item::{AttributeValue, Attributes, Path, Step, limits};

use crate::check;
use crate::condition::{self, Condition};
use crate::error::{Error, ExpressionKind, PlaceholderMap, Problem};
use crate::key_condition::KeyCondition;
use crate::parser;
use crate::projection::Projection;
use crate::syntax::PathPart;
use crate::update::{self, Update};

/// Binds the expressions of one request to its placeholders.
///
/// One binder serves all expressions of a request, because a placeholder needs to be used in only one of
/// them: bind each expression in the order in which AWS checks them, then call [`finish`](Self::finish).
#[derive(Debug)]
pub struct Binder<'a> {
    names: Option<&'a BTreeMap<String, String>>,
    values: Option<&'a Attributes>,
    used_names: BTreeSet<&'a str>,
    /// Values in use, shared: one `:value` may be written hundreds of times and hold megabytes.
    used_values: BTreeMap<String, Arc<AttributeValue>>,
}

impl<'a> Binder<'a> {
    /// A binder for a request with these ExpressionAttributeNames (`#name` to name) and
    /// ExpressionAttributeValues (`:value` to value), `None` where the request has none.
    pub fn new(names: Option<&'a BTreeMap<String, String>>, values: Option<&'a Attributes>) -> Self {
        Self { names, values, used_names: BTreeSet::new(), used_values: BTreeMap::new() }
    }

    /// Checks the maps themselves: not empty, keys well formed and not too long, names not empty, the total
    /// size. Errors: the placeholder variants of [`Problem`].
    pub fn check_placeholders(&self) -> Result<(), Error> {
        self.check_names()
            .and_then(|()| self.check_values())
            .and_then(|()| self.check_total_size())
            .map_err(Problem::bare)
    }

    fn check_names(&self) -> Result<(), Problem> {
        let Some(names) = self.names else { return Ok(()) };
        if names.is_empty() {
            return Err(Problem::EmptyPlaceholderMap(PlaceholderMap::Names));
        }
        for (key, name) in names {
            check_key(PlaceholderMap::Names, '#', key)?;
            if name.is_empty() {
                return Err(Problem::EmptyAttributeName { key: key.clone() });
            }
        }
        Ok(())
    }

    fn check_values(&self) -> Result<(), Problem> {
        let Some(values) = self.values else { return Ok(()) };
        if values.is_empty() {
            return Err(Problem::EmptyPlaceholderMap(PlaceholderMap::Values));
        }
        values.names().try_for_each(|key| check_key(PlaceholderMap::Values, ':', key))
    }

    fn check_total_size(&self) -> Result<(), Problem> {
        let names: usize =
            self.names.iter().flat_map(|names| names.iter()).map(|(key, name)| key.len() + name.len()).sum();
        let size = names + self.values.map_or(0, Attributes::size);
        if size > limits::PLACEHOLDERS_SIZE_MAX {
            return Err(Problem::PlaceholdersTooLarge { size });
        }
        Ok(())
    }

    /// Parses and binds a condition or filter (`kind` says which, for the errors).
    pub fn condition(&mut self, kind: ExpressionKind, text: &str) -> Result<Condition, Error> {
        self.bind_condition(kind, text).map_err(|problem| problem.of(kind))
    }

    fn bind_condition(&mut self, kind: ExpressionKind, text: &str) -> Result<Condition, Problem> {
        check_length(text)?;
        let tree = parser::condition(text)?;
        check::check_form(&tree)?;
        check::check_words(&tree, kind)?;
        condition::bind(tree, self)
    }

    /// Parses and binds an update.
    pub fn update(&mut self, text: &str) -> Result<Update, Error> {
        self.bind_update(text).map_err(|problem| problem.of(ExpressionKind::Update))
    }

    fn bind_update(&mut self, text: &str) -> Result<Update, Problem> {
        check_length(text)?;
        let syntax = parser::update(text)?;
        check::check_form(&syntax.tree)?;
        check::check_words(&syntax.tree, ExpressionKind::Update)?;
        check::check_clauses(&syntax.clauses)?;
        update::bind(&syntax, self)
    }

    /// Parses and binds a projection.
    pub fn projection(&mut self, text: &str) -> Result<Projection, Error> {
        self.bind_projection(text).map_err(|problem| problem.of(ExpressionKind::Projection))
    }

    fn bind_projection(&mut self, text: &str) -> Result<Projection, Problem> {
        check_length(text)?;
        let (tree, paths) = parser::projection(text)?;
        check::check_words(&tree, ExpressionKind::Projection)?;
        Projection::bind(&tree, &paths, self)
    }

    /// Parses and binds a key condition. The first pass checks it as any condition, the second its shape:
    /// at most one condition for each attribute, joined by AND. Which attributes are keys, and of what
    /// type, is for the caller to check.
    pub fn key_condition(&mut self, text: &str) -> Result<KeyCondition, Error> {
        let kind = ExpressionKind::KeyCondition;
        let condition = self.condition(kind, text)?;
        KeyCondition::from_condition(condition).map_err(|problem| problem.of(kind))
    }

    /// Checks that every placeholder was used by some expression: names first, then values.
    pub fn finish(self) -> Result<(), Error> {
        let names: Vec<&str> = self.names.iter().flat_map(|names| names.keys()).map(String::as_str).collect();
        let unused = unused(&names, |name| self.used_names.contains(name));
        if !unused.is_empty() {
            return Err(Problem::UnusedNames(unused).bare());
        }
        let values: Vec<&str> = self.values.iter().flat_map(|values| values.names()).collect();
        let unused = self::unused(&values, |value| self.used_values.contains_key(value));
        if !unused.is_empty() {
            return Err(Problem::UnusedValues(unused).bare());
        }
        Ok(())
    }

    /// The value that `:value` stands for.
    pub(crate) fn value(&mut self, placeholder: &str) -> Result<Arc<AttributeValue>, Problem> {
        if let Some(value) = self.used_values.get(placeholder) {
            return Ok(Arc::clone(value));
        }
        let found = self.values.and_then(|values| values.get(placeholder));
        let value = found.ok_or_else(|| Problem::UndefinedValue(placeholder.to_owned()))?;
        let shared = Arc::new(value.clone());
        self.used_values.insert(placeholder.to_owned(), Arc::clone(&shared));
        Ok(shared)
    }

    /// The path that `parts` write.
    pub(crate) fn path(&mut self, parts: &[PathPart<'_>]) -> Result<Path, Problem> {
        let steps = parts.iter().map(|part| self.step(part)).collect::<Result<Vec<_>, _>>()?;
        if steps.len() > limits::PATH_DEPTH_MAX {
            return Err(Problem::PathTooDeep { levels: steps.len() });
        }
        Ok(Path::from_steps(steps).expect("the parser begins each path with a name"))
    }

    fn step(&mut self, part: &PathPart<'_>) -> Result<Step, Problem> {
        match part {
            PathPart::Name(name) => Ok(Step::Name((*name).to_owned())),
            PathPart::Placeholder(placeholder) => {
                self.name(placeholder).map(|name| Step::Name(name.to_owned()))
            }
            PathPart::Index(digits) => {
                Ok(Step::Index(check::parse_index(digits).expect("indexes were checked with the words")))
            }
        }
    }

    /// The name that `#name` stands for, whole: dots in it mean nothing.
    fn name(&mut self, placeholder: &str) -> Result<&'a str, Problem> {
        let found = self.names.and_then(|names| names.get_key_value(placeholder));
        let (key, name) = found.ok_or_else(|| Problem::UndefinedName(placeholder.to_owned()))?;
        self.used_names.insert(key);
        Ok(name)
    }
}

fn check_length(text: &str) -> Result<(), Problem> {
    match text.len() {
        0 => Err(Problem::Empty),
        size if size > limits::EXPRESSION_LENGTH_MAX => Err(Problem::ExpressionTooLong { size }),
        _ => Ok(()),
    }
}

fn check_key(map: PlaceholderMap, mark: char, key: &str) -> Result<(), Problem> {
    if key.len() > limits::PLACEHOLDER_LENGTH_MAX {
        return Err(Problem::PlaceholderKeyTooLong { map, size: key.len() });
    }
    let word = key.strip_prefix(mark).unwrap_or_default();
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(Problem::InvalidPlaceholderKey { map, key: key.to_owned() });
    }
    Ok(())
}

/// The unused ones of `all`, in the order in which AWS lists them.
fn unused(all: &[&str], is_used: impl Fn(&str) -> bool) -> Vec<String> {
    let mut unused: Vec<&str> = all.iter().copied().filter(|key| !is_used(key)).collect();
    in_buckets(&mut unused, all.len());
    unused.into_iter().map(str::to_owned).collect()
}

/// Brings distinct names into the order in which AWS lists a set of them; those of one bucket stay as they came.
pub fn set_order(names: &mut [&str]) {
    let count = names.len();
    in_buckets(names, count);
}

fn in_buckets(keys: &mut [&str], count: usize) {
    let buckets = (count * 4 / 3 + 1).max(16).next_power_of_two();
    keys.sort_by_key(|key| java_bucket(key, buckets));
}

/// The bucket of `key` in a Java hash set of `buckets` (a power of two): AWS prints a set of keys in
/// the order of their buckets.
fn java_bucket(key: &str, buckets: usize) -> usize {
    let hash =
        key.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    let spread = hash ^ (hash >> 16);
    usize::try_from(spread).map_or(0, |spread| spread & (buckets - 1))
}

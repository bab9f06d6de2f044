//! One alternative of a WHERE clause: a partition, a range of its sort keys, and what is checked beside.

use std::cmp::Ordering;
use std::sync::Arc;

use hashrange_item::AttributeValue;

use super::{KeyProblem, Keys, Read, equality};
use crate::condition::{Comparator, Condition, Operand, Test};
use crate::key_condition::KeyOperator;

pub(super) struct Branch {
    hash: Arc<AttributeValue>,
    sort: Option<KeyOperator>,
    rest: Vec<Test>,
}

impl Branch {
    /// Sorts the tests of a conjunction. The first equality of the partition key counts; another one with the same value
    /// says nothing new.
    pub(super) fn of(keys: &Keys<'_>, tests: Vec<Test>) -> Branch {
        let first = tests.iter().find_map(|test| equality(test, &[keys.hash]));
        let hash = first.map(|(_, value)| Arc::clone(value)).expect("every alternative names a partition");
        let says_more = |test: &Test| equality(test, &[keys.hash]).is_none_or(|(_, value)| *value != hash);
        let mut rest: Vec<Test> = tests.into_iter().filter(says_more).collect();
        let sort = take_sort(keys, &mut rest);
        Branch { hash, sort, rest }
    }

    pub(super) fn into_read(self, keys: &Keys<'_>) -> Read {
        Read::new(keys, self.hash, self.sort, self.rest)
    }

    /// Whether a second value for the partition key leaves nothing to be found.
    fn is_void(&self, keys: &Keys<'_>) -> bool {
        self.rest.iter().any(|test| equality(test, &[keys.hash]).is_some())
    }

    /// Whether the sort key is also named where no range can express it, such as under NOT.
    fn checks_sort_key(&self, keys: &Keys<'_>) -> bool {
        let names = |test: &Test| {
            keys.range.is_some_and(|range| Condition::names_of(test).contains(range.name.as_str()))
        };
        self.rest.iter().any(names)
    }

    /// All that the branch says, but for its partition.
    fn into_test(self, keys: &Keys<'_>) -> Test {
        let mut tests: Vec<Test> =
            self.sort.iter().zip(keys.range).map(|(sort, range)| test_of(sort, &range.name)).collect();
        tests.extend(self.rest);
        Test::All(tests)
    }
}

/// Takes what narrows the sort key out of `tests`: an equality if there is one, else both ends of a range, else the first
/// condition. What cannot be taken stays, to be checked after reading.
fn take_sort(keys: &Keys<'_>, tests: &mut Vec<Test>) -> Option<KeyOperator> {
    let range = keys.range?;
    let operator_of = |test: &Test| sort_operator(test, keys);
    if let Some((_, value)) = tests.iter().find_map(|test| equality(test, &[range])) {
        let value = Arc::clone(value);
        tests.retain(|test| equality(test, &[range]).is_none_or(|(_, other)| *other != value));
        return Some(KeyOperator::Equal(value));
    }
    if let Some((low, high)) = both_ends(tests, &operator_of) {
        tests.retain(|test| match operator_of(test) {
            Some(KeyOperator::GreaterOrEqual(value)) => value != low,
            Some(KeyOperator::LessOrEqual(value)) => value != high,
            _ => true,
        });
        return Some(KeyOperator::Between(low, high));
    }
    let at = tests.iter().position(|test| operator_of(test).is_some())?;
    operator_of(&tests.remove(at))
}

/// A lower and an upper bound together; bounds that are themselves excluded stay to be checked.
fn both_ends(
    tests: &[Test],
    operator_of: &impl Fn(&Test) -> Option<KeyOperator>,
) -> Option<(Arc<AttributeValue>, Arc<AttributeValue>)> {
    let operators: Vec<KeyOperator> = tests.iter().filter_map(operator_of).collect();
    let low = operators.iter().find_map(|operator| match operator {
        KeyOperator::Greater(value) | KeyOperator::GreaterOrEqual(value) => Some(value),
        _ => None,
    })?;
    let high = operators.iter().find_map(|operator| match operator {
        KeyOperator::Less(value) | KeyOperator::LessOrEqual(value) => Some(value),
        _ => None,
    })?;
    let in_order = low.compare(high).is_some_and(Ordering::is_le);
    in_order.then(|| (Arc::clone(low), Arc::clone(high)))
}

/// The condition on the sort key that a key condition can hold.
fn sort_operator(test: &Test, keys: &Keys<'_>) -> Option<KeyOperator> {
    let is_sort = |operand: &Operand| {
        keys.find(operand).zip(keys.range).is_some_and(|(found, range)| found.name == range.name)
    };
    let value = |operand: &Operand| match operand {
        Operand::Value(value) => Some(Arc::clone(value)),
        _ => None,
    };
    match test {
        Test::Compare(comparator, left, right) if is_sort(left) => compared(*comparator, value(right)?),
        Test::Compare(comparator, left, right) if is_sort(right) => {
            compared(comparator.mirrored(), value(left)?)
        }
        Test::Between(subject, low, high) if is_sort(subject) => {
            Some(KeyOperator::Between(value(low)?, value(high)?))
        }
        Test::BeginsWith(subject, prefix) if is_sort(subject) => {
            Some(KeyOperator::BeginsWith(value(prefix)?))
        }
        _ => None,
    }
}

fn compared(comparator: Comparator, value: Arc<AttributeValue>) -> Option<KeyOperator> {
    Some(match comparator {
        Comparator::Equal => KeyOperator::Equal(value),
        Comparator::NotEqual => return None,
        Comparator::Less => KeyOperator::Less(value),
        Comparator::LessOrEqual => KeyOperator::LessOrEqual(value),
        Comparator::Greater => KeyOperator::Greater(value),
        Comparator::GreaterOrEqual => KeyOperator::GreaterOrEqual(value),
    })
}

/// The key condition as a test again.
fn test_of(operator: &KeyOperator, attribute: &str) -> Test {
    let path = || Operand::Path(hashrange_item::Path::new(attribute));
    let operand = |value: &Arc<AttributeValue>| Operand::Value(Arc::clone(value));
    let compare = |comparator, value| Test::Compare(comparator, path(), operand(value));
    match operator {
        KeyOperator::Equal(value) => compare(Comparator::Equal, value),
        KeyOperator::Less(value) => compare(Comparator::Less, value),
        KeyOperator::LessOrEqual(value) => compare(Comparator::LessOrEqual, value),
        KeyOperator::Greater(value) => compare(Comparator::Greater, value),
        KeyOperator::GreaterOrEqual(value) => compare(Comparator::GreaterOrEqual, value),
        KeyOperator::Between(low, high) => Test::Between(path(), operand(low), operand(high)),
        KeyOperator::BeginsWith(prefix) => Test::BeginsWith(path(), operand(prefix)),
    }
}

/// The branches in the order of their keys. Branches of one partition that overlap are refused, as AWS does, unless one of
/// them checks the sort key in a way that no range expresses: then the partition is read once for all of them.
pub(super) fn merged(keys: &Keys<'_>, mut branches: Vec<Branch>) -> Result<Vec<Branch>, KeyProblem> {
    branches.sort_by(|one, two| {
        let by_hash = one.hash.compare(&two.hash).unwrap_or(Ordering::Equal);
        by_hash.then_with(|| compare_lower(lower(one.sort.as_ref()), lower(two.sort.as_ref())))
    });
    let mut merged: Vec<Branch> = Vec::with_capacity(branches.len());
    let mut partition: Vec<Branch> = Vec::new();
    for branch in branches {
        if partition.first().is_some_and(|first| first.hash != branch.hash) {
            merged.extend(one_partition(keys, std::mem::take(&mut partition))?);
        }
        partition.push(branch);
    }
    merged.extend(one_partition(keys, partition)?);
    Ok(merged)
}

fn one_partition(keys: &Keys<'_>, branches: Vec<Branch>) -> Result<Vec<Branch>, KeyProblem> {
    let pair = |one: &Branch, two: &Branch| {
        !one.is_void(keys) && !two.is_void(keys) && overlaps(one.sort.as_ref(), two.sort.as_ref())
    };
    let overlap = |at: usize| branches[..at].iter().any(|earlier| pair(earlier, &branches[at]));
    if !(1..branches.len()).any(overlap) {
        return Ok(branches);
    }
    if !branches.iter().any(|branch| branch.checks_sort_key(keys)) {
        return Err(KeyProblem::Overlap);
    }
    let Some(hash) = branches.first().map(|branch| Arc::clone(&branch.hash)) else { return Ok(branches) };
    let whole = branches.iter().any(|branch| branch.sort.is_none() && branch.rest.is_empty());
    let tests: Vec<Test> = branches.into_iter().map(|branch| branch.into_test(keys)).collect();
    let rest = if whole { Vec::new() } else { vec![Test::Any(tests)] };
    Ok(vec![Branch { hash, sort: None, rest }])
}

/// The least value of a range, and whether it belongs to it.
fn lower(sort: Option<&KeyOperator>) -> Option<(&AttributeValue, bool)> {
    match sort? {
        KeyOperator::Equal(value)
        | KeyOperator::GreaterOrEqual(value)
        | KeyOperator::Between(value, _)
        | KeyOperator::BeginsWith(value) => Some((value, true)),
        KeyOperator::Greater(value) => Some((value, false)),
        KeyOperator::Less(_) | KeyOperator::LessOrEqual(_) => None,
    }
}

fn compare_lower(one: Option<(&AttributeValue, bool)>, two: Option<(&AttributeValue, bool)>) -> Ordering {
    match (one, two) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some((one, included)), Some((two, also))) => {
            one.compare(two).unwrap_or(Ordering::Equal).then_with(|| also.cmp(&included))
        }
    }
}

fn overlaps(one: Option<&KeyOperator>, two: Option<&KeyOperator>) -> bool {
    !ends_before(one, two) && !ends_before(two, one)
}

/// Whether everything in the range `one` is less than everything in `two`.
fn ends_before(one: Option<&KeyOperator>, two: Option<&KeyOperator>) -> bool {
    let (Some(one), Some((least, included))) = (one, lower(two)) else { return false };
    let (most, inclusive) = match one {
        KeyOperator::Greater(_) | KeyOperator::GreaterOrEqual(_) => return false,
        KeyOperator::BeginsWith(prefix) => {
            let begins =
                Test::BeginsWith(Operand::Value(Arc::new(least.clone())), Operand::Value(Arc::clone(prefix)));
            return prefix.compare(least).is_some_and(Ordering::is_lt) && !begins.holds(None);
        }
        KeyOperator::Equal(value) | KeyOperator::LessOrEqual(value) | KeyOperator::Between(_, value) => {
            (value, true)
        }
        KeyOperator::Less(value) => (value, false),
    };
    match most.compare(least) {
        Some(Ordering::Less) => true,
        Some(Ordering::Equal) => !(inclusive && included),
        _ => false,
    }
}

//! Which part of a WHERE clause says where to look.
//!
//! A SELECT reads by key where every alternative of its condition equals the partition key to a value; OR and IN over key
//! attributes make several reads of one statement. Otherwise it scans. (Source: the developer guide, "PartiQL select
//! statements"; refusals as recorded on AWS in 2026.)

mod branch;

use std::sync::Arc;

use hashrange_item::{AttributeValue, Attributes, KeyAttribute, Kind};

use crate::condition::{Comparator, Condition, Operand, Test};
use crate::key_condition::{KeyClause, KeyCondition, KeyOperator};
use branch::Branch;

/// Most reads that one statement may become. Measured (51 are refused).
const READS_MAX: usize = 50;

/// How a SELECT reaches its items.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// Everything is looked at, and what fails this is dropped.
    Scan(Option<Condition>),
    /// One or more partitions, in the order of their keys.
    Reads(Vec<Read>),
}

/// One read of one partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The partition key's value, and what narrows the sort key.
    pub key: KeyCondition,
    /// What is checked after reading.
    pub filter: Option<Condition>,
}

/// Why a WHERE clause does not go with the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyProblem {
    /// `Where clause does not contain a mandatory equality on all key attributes`
    MissingEquality,
    /// `Multiple conditions on same key <attribute>. Only single item Update/Insert/Delete are supported`
    Several {
        /// The key attribute.
        attribute: String,
    },
    /// `Key attribute's data type should match its data type in table's schema: Key <attribute>`
    Type {
        /// The key attribute.
        attribute: String,
    },
    /// `Overlapping conditions with range keys are not supported in where clause`
    Overlap,
    /// `Too many decomposed read operations for a given query.`
    TooManyReads,
}

/// How to reach what meets `condition`, by these key attributes of a table or an index.
///
/// # Errors
/// Values of the wrong type for a key, more than 50 reads, and reads that overlap.
pub fn reads(
    condition: Option<Condition>,
    hash: &KeyAttribute,
    range: Option<&KeyAttribute>,
) -> Result<Access, KeyProblem> {
    let keys = Keys { hash, range };
    let Some(condition) = condition else { return Ok(Access::Scan(None)) };
    if !keys.is_keyed(&condition.test) {
        return Ok(Access::Scan(Some(condition)));
    }
    keys.check_types(&condition.test)?;
    if keys.count(&condition.test) > READS_MAX {
        return Err(KeyProblem::TooManyReads);
    }
    let branches = keys.expand(condition.test).into_iter().map(|tests| Branch::of(&keys, tests));
    let branches = branch::merged(&keys, branches.collect())?;
    Ok(Access::Reads(branches.into_iter().map(|branch| branch.into_read(&keys)).collect()))
}

/// The key that a write names, and what else must hold.
///
/// # Errors
/// A key attribute that does not equal one value.
pub fn item_key(
    condition: Option<Condition>,
    keys: &[&KeyAttribute],
) -> Result<(Attributes, Option<Condition>), KeyProblem> {
    let target = Target::of(condition, keys);
    if let Some(attribute) = target.second {
        return Err(KeyProblem::Several { attribute });
    }
    if !target.is_whole(keys) {
        return Err(KeyProblem::MissingEquality);
    }
    Ok((target.key, joined(target.rest)))
}

/// The key that an EXISTS names, and what it asks of the item: nothing where it does not do both. Where a key attribute is
/// to equal two values, the first is the key and the second is asked of the item. (Source: recorded on AWS.)
pub fn check_key(condition: Option<Condition>, keys: &[&KeyAttribute]) -> Option<(Attributes, Condition)> {
    let target = Target::of(condition, keys);
    let is_whole = target.is_whole(keys);
    let rest = joined(target.rest)?;
    is_whole.then_some((target.key, rest))
}

/// A conjunction in parts: the first value of each key attribute, and everything else.
struct Target {
    key: Attributes,
    rest: Vec<Test>,
    /// A key attribute that is to equal two values.
    second: Option<String>,
}

impl Target {
    fn of(condition: Option<Condition>, keys: &[&KeyAttribute]) -> Target {
        let mut tests = Vec::new();
        flatten(condition.map(|condition| condition.test), &mut tests);
        let mut target = Target { key: Attributes::new(), rest: Vec::new(), second: None };
        for test in tests {
            let said = equality(&test, keys);
            match said.map(|(name, value)| (name.to_owned(), AttributeValue::clone(value))) {
                None => target.rest.push(test),
                Some((name, value)) => target.take(name, value, test),
            }
        }
        target
    }

    /// Takes an equality of a key attribute; the same one again says nothing new.
    fn take(&mut self, name: String, value: AttributeValue, test: Test) {
        match self.key.get(&name) {
            None => {
                self.key.insert(name, value);
            }
            Some(known) if *known == value => {}
            Some(_) => {
                self.second.get_or_insert(name);
                self.rest.push(test);
            }
        }
    }

    fn is_whole(&self, keys: &[&KeyAttribute]) -> bool {
        keys.iter().all(|attribute| self.key.contains(&attribute.name))
    }
}

/// All parts of a conjunction; parentheses do not matter. The parser bounds the depth.
fn flatten(test: Option<Test>, into: &mut Vec<Test>) {
    match test {
        Some(Test::All(tests)) => tests.into_iter().for_each(|test| flatten(Some(test), into)),
        Some(test) => into.push(test),
        None => {}
    }
}

fn joined(mut tests: Vec<Test>) -> Option<Condition> {
    let test = if tests.len() > 1 { Test::All(tests) } else { tests.pop()? };
    Some(Condition { test })
}

/// The key attribute and the value, if the test says that they are equal; either may stand first.
fn equality<'t>(test: &'t Test, keys: &[&'t KeyAttribute]) -> Option<(&'t str, &'t Arc<AttributeValue>)> {
    let Test::Compare(Comparator::Equal, left, right) = test else { return None };
    let ((Operand::Path(path), Operand::Value(value)) | (Operand::Value(value), Operand::Path(path))) =
        (left, right)
    else {
        return None;
    };
    let key = keys.iter().find(|key| path.is_top_level() && path.top() == key.name)?;
    Some((&key.name, value))
}

/// The key attributes of what is read.
struct Keys<'k> {
    hash: &'k KeyAttribute,
    range: Option<&'k KeyAttribute>,
}

impl Keys<'_> {
    fn all(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(self.hash).chain(self.range)
    }

    fn find(&self, operand: &Operand) -> Option<&KeyAttribute> {
        let Operand::Path(path) = operand else { return None };
        self.all().find(|key| path.is_top_level() && path.top() == key.name)
    }

    /// Whether every alternative equals the partition key to a value.
    fn is_keyed(&self, test: &Test) -> bool {
        match test {
            Test::All(tests) => tests.iter().any(|test| self.is_keyed(test)),
            Test::Any(tests) => !tests.is_empty() && tests.iter().all(|test| self.is_keyed(test)),
            Test::In(subject, list) => self.is_key_list(subject, list, Some(self.hash)),
            test => equality(test, &[self.hash]).is_some(),
        }
    }

    /// Whether it is an IN of a key attribute over values, which makes a read of each.
    fn is_key_list(&self, subject: &Operand, list: &[Operand], wanted: Option<&KeyAttribute>) -> bool {
        let key = self.find(subject).filter(|key| wanted.is_none_or(|wanted| wanted.name == key.name));
        key.is_some() && !list.is_empty() && list.iter().all(|operand| matches!(operand, Operand::Value(_)))
    }

    /// Whether alternatives are reads of their own: they speak of a key.
    fn speaks_of_keys(&self, test: &Test) -> bool {
        let names = Condition::names_of(test);
        self.all().any(|key| names.contains(key.name.as_str()))
    }

    /// Values that a key is compared with are of its type.
    fn check_types(&self, test: &Test) -> Result<(), KeyProblem> {
        match test {
            Test::All(tests) => tests.iter().try_for_each(|test| self.check_types(test)),
            Test::Any(tests) => tests.iter().try_for_each(|test| self.check_types(test)),
            Test::Compare(_, left, right) => {
                self.check_type(left, [right])?;
                self.check_type(right, [left])
            }
            Test::Between(subject, low, high) => self.check_type(subject, [low, high]),
            Test::BeginsWith(subject, prefix) => self.check_type(subject, [prefix]),
            Test::In(subject, list) => self.check_type(subject, list),
            _ => Ok(()),
        }
    }

    fn check_type<'o>(
        &self,
        subject: &Operand,
        operands: impl IntoIterator<Item = &'o Operand>,
    ) -> Result<(), KeyProblem> {
        let Some(key) = self.find(subject) else { return Ok(()) };
        let is_wrong = |operand: &Operand| matches!(operand, Operand::Value(value) if value.kind() != Kind::from(key.kind));
        if operands.into_iter().any(is_wrong) {
            return Err(KeyProblem::Type { attribute: key.name.clone() });
        }
        Ok(())
    }

    /// How many alternatives there are; at most a little more than are allowed.
    fn count(&self, test: &Test) -> usize {
        let bounded = |count: usize| count.min(READS_MAX + 1);
        match test {
            Test::All(tests) => {
                tests.iter().fold(1, |product, test| bounded(product * self.count(test).max(1)))
            }
            Test::Any(tests) if self.speaks_of_keys(test) => {
                bounded(tests.iter().map(|test| self.count(test)).sum())
            }
            Test::In(subject, list) if self.is_key_list(subject, list, None) => list.len(),
            _ => 1,
        }
    }

    /// The alternatives, each a conjunction. There are few: they were counted.
    fn expand(&self, test: Test) -> Vec<Vec<Test>> {
        match test {
            Test::All(tests) => tests.into_iter().fold(vec![Vec::new()], |all, test| {
                let further = self.expand(test);
                let pair =
                    |one: &Vec<Test>| further.iter().map(|two| [&one[..], &two[..]].concat()).collect();
                all.iter().flat_map(|one| -> Vec<Vec<Test>> { pair(one) }).collect()
            }),
            Test::Any(tests) if tests.iter().any(|test| self.speaks_of_keys(test)) => {
                tests.into_iter().flat_map(|test| self.expand(test)).collect()
            }
            Test::In(subject, list) if self.is_key_list(&subject, &list, None) => {
                let equals = |value| vec![Test::Compare(Comparator::Equal, subject.clone(), value)];
                list.into_iter().map(equals).collect()
            }
            test => vec![vec![test]],
        }
    }
}

/// The condition that a key condition says of one attribute.
fn clause(attribute: &KeyAttribute, operator: KeyOperator) -> KeyClause {
    KeyClause { attribute: attribute.name.clone(), operator }
}

impl Read {
    fn new(keys: &Keys<'_>, hash: Arc<AttributeValue>, sort: Option<KeyOperator>, rest: Vec<Test>) -> Read {
        let mut clauses = vec![clause(keys.hash, KeyOperator::Equal(hash))];
        clauses.extend(sort.zip(keys.range).map(|(operator, range)| clause(range, operator)));
        Read { key: KeyCondition::from_distinct(clauses), filter: joined(rest) }
    }

    /// The key of the one item that the read is for, where it names a whole key of `keys` attributes.
    pub fn item(&self, keys: usize) -> Option<Attributes> {
        let clauses = self.key.clauses();
        let values = clauses.iter().map(|clause| match &clause.operator {
            KeyOperator::Equal(value) => Some((clause.attribute.clone(), AttributeValue::clone(value))),
            _ => None,
        });
        (clauses.len() == keys)
            .then(|| values.collect::<Option<Vec<_>>>())
            .flatten()
            .map(Attributes::from_pairs)
    }
}

//! An update and an old image make a new image.
//!
//! Two steps: every value is worked out from the old image, then the tree of targets is walked over a copy
//! of it. Because the walk meets each list once, indexes mean positions of the old list throughout.

use std::borrow::Cow;

use hashrange_item::{AttributeValue, Attributes, Number, NumberError, Path, limits};

use super::{Action, Change, Expression, Origin, Update, UpdateError};
use crate::paths::PathTree;
use crate::syntax::Sign;

/// The most bytes that one update may write before it is refused without being finished. An item holds less
/// than half of it; the bound only keeps `SET a = :big, b = :big, …` from filling the memory.
const WRITTEN_BYTES_MAX: usize = 1024 * 1024;

/// What an action does to its target, once its value is known.
enum Write {
    Set(AttributeValue),
    Remove,
    Nothing,
}

impl Update {
    /// The new image of the item whose old image is `old`. A missing item (`None`) is created with the
    /// attributes of `key`, of which values of the update see nothing.
    ///
    /// Every value is taken from the old image. If several things are wrong, types are reported first, then
    /// paths that cannot be written, then missing attributes and numbers.
    pub fn apply(&self, old: Option<&Attributes>, key: &Attributes) -> Result<Attributes, UpdateError> {
        let (writes, failure) = self.work_out(old)?;
        let mut image = old.unwrap_or(key).clone();
        let mut walk = Walk { writes, item_exists: old.is_some() };
        for (name, node) in &self.tree.names {
            walk.write_entry(&mut image, name, node)?;
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok(image),
        }
    }

    /// The write of each action, and the failure to report once types and paths are known to be right.
    fn work_out(&self, old: Option<&Attributes>) -> Result<(Vec<Write>, Option<UpdateError>), UpdateError> {
        let mut failure = None;
        let mut written = 0;
        let mut writes = Vec::with_capacity(self.actions.len());
        for action in &self.actions {
            let write = match action.write(old) {
                Err(UpdateError::OperandType) if self.origin == Origin::Legacy => {
                    return Err(UpdateError::TypeMismatch);
                }
                Err(UpdateError::OperandType) => return Err(UpdateError::OperandType),
                Err(other) => {
                    failure.get_or_insert(other);
                    Write::Nothing
                }
                Ok(write) => write,
            };
            if let Write::Set(value) = &write {
                written += value.size();
            }
            if written > WRITTEN_BYTES_MAX {
                return Err(UpdateError::TooLarge);
            }
            writes.push(write);
        }
        Ok((writes, failure))
    }
}

impl Action {
    fn write(&self, old: Option<&Attributes>) -> Result<Write, UpdateError> {
        let current = || old.and_then(|old| self.target.resolve(old));
        let write = match &self.change {
            Change::Set(expression) => Write::Set(expression.value(old)?.into_owned()),
            Change::Remove => Write::Remove,
            Change::Add(value) => Write::Set(add(current(), value)?),
            Change::Append(value) => Write::Set(append(current(), value)?),
            Change::Delete(value) => delete(current(), value)?,
        };
        if let Write::Set(value) = &write {
            check_depth(&self.target, value)?;
        }
        Ok(write)
    }
}

/// An attribute may nest so deep, the levels of its path included.
fn check_depth(target: &Path, value: &AttributeValue) -> Result<(), UpdateError> {
    if target.rest().len() + value.depth() > limits::NESTING_MAX {
        return Err(UpdateError::TooDeep);
    }
    Ok(())
}

fn add(current: Option<&AttributeValue>, value: &AttributeValue) -> Result<AttributeValue, UpdateError> {
    Ok(match (current, value) {
        (None, value) => value.clone(),
        (Some(AttributeValue::N(current)), AttributeValue::N(value)) => {
            AttributeValue::N(current.add(value).map_err(number_error)?)
        }
        (Some(AttributeValue::Ss(current)), AttributeValue::Ss(value)) => {
            AttributeValue::Ss(current.union(value))
        }
        (Some(AttributeValue::Ns(current)), AttributeValue::Ns(value)) => {
            AttributeValue::Ns(current.union(value))
        }
        (Some(AttributeValue::Bs(current)), AttributeValue::Bs(value)) => {
            AttributeValue::Bs(current.union(value))
        }
        _ => return Err(UpdateError::OperandType),
    })
}

fn append(current: Option<&AttributeValue>, value: &AttributeValue) -> Result<AttributeValue, UpdateError> {
    match (current, value) {
        (None, value) => Ok(value.clone()),
        (Some(current), value) => concatenate(current, value),
    }
}

fn concatenate(left: &AttributeValue, right: &AttributeValue) -> Result<AttributeValue, UpdateError> {
    match (left, right) {
        (AttributeValue::L(left), AttributeValue::L(right)) => {
            Ok(AttributeValue::L([&left[..], &right[..]].concat()))
        }
        _ => Err(UpdateError::OperandType),
    }
}

/// A set of which nothing is left goes away; a set that is not there stays so.
fn delete(current: Option<&AttributeValue>, value: &AttributeValue) -> Result<Write, UpdateError> {
    let left = match (current, value) {
        (None, _) => return Ok(Write::Nothing),
        (Some(AttributeValue::Ss(current)), AttributeValue::Ss(value)) => {
            current.difference(value).map(AttributeValue::Ss)
        }
        (Some(AttributeValue::Ns(current)), AttributeValue::Ns(value)) => {
            current.difference(value).map(AttributeValue::Ns)
        }
        (Some(AttributeValue::Bs(current)), AttributeValue::Bs(value)) => {
            current.difference(value).map(AttributeValue::Bs)
        }
        _ => return Err(UpdateError::OperandType),
    };
    Ok(left.map_or(Write::Remove, Write::Set))
}

/// AWS says "overflow" too when a result has more than 38 digits.
fn number_error(error: NumberError) -> UpdateError {
    UpdateError::Number(match error {
        NumberError::TooManyDigits => NumberError::Overflow,
        other => other,
    })
}

impl Expression {
    fn value<'a>(&'a self, old: Option<&'a Attributes>) -> Result<Cow<'a, AttributeValue>, UpdateError> {
        let at = |path: &Path| old.and_then(|old| path.resolve(old)).map(Cow::Borrowed);
        match self {
            Self::Value(value) => Ok(Cow::Borrowed(value)),
            Self::Path(path) => at(path).ok_or(UpdateError::MissingAttribute),
            Self::IfNotExists(path, default) => at(path).map_or_else(|| default.value(old), Ok),
            Self::ListAppend(left, right) => {
                let (left, right) =
                    operands(left, right, old, |value| matches!(value, AttributeValue::L(_)))?;
                concatenate(&left, &right).map(Cow::Owned)
            }
            Self::Arithmetic(sign, left, right) => {
                let (left, right) =
                    operands(left, right, old, |value| matches!(value, AttributeValue::N(_)))?;
                let (AttributeValue::N(left), AttributeValue::N(right)) = (left.as_ref(), right.as_ref())
                else {
                    return Err(UpdateError::OperandType);
                };
                calculate(*sign, left, right).map(|number| Cow::Owned(AttributeValue::N(number)))
            }
        }
    }
}

/// The values of two operands. A wrong type on either side is reported before what is missing on the other.
fn operands<'a>(
    left: &'a Expression,
    right: &'a Expression,
    old: Option<&'a Attributes>,
    is_allowed: fn(&AttributeValue) -> bool,
) -> Result<(Cow<'a, AttributeValue>, Cow<'a, AttributeValue>), UpdateError> {
    let (left, right) = (left.value(old), right.value(old));
    let is_wrong = |side: &Result<Cow<'_, AttributeValue>, UpdateError>| match side {
        Ok(value) => !is_allowed(value),
        Err(error) => *error == UpdateError::OperandType,
    };
    if is_wrong(&left) || is_wrong(&right) {
        return Err(UpdateError::OperandType);
    }
    Ok((left?, right?))
}

fn calculate(sign: Sign, left: &Number, right: &Number) -> Result<Number, UpdateError> {
    let result = match sign {
        Sign::Plus => left.add(right),
        Sign::Minus => left.subtract(right),
    };
    result.map_err(number_error)
}

/// A walk of the tree of targets over the image that is being made.
struct Walk {
    /// By position of the action; each is taken once.
    writes: Vec<Write>,
    item_exists: bool,
}

impl Walk {
    fn take(&mut self, position: usize) -> Write {
        std::mem::replace(&mut self.writes[position], Write::Nothing)
    }

    /// Writes to the entry `name` of a map (or of the item), or below it.
    fn write_entry(&mut self, map: &mut Attributes, name: &str, node: &PathTree) -> Result<(), UpdateError> {
        if let Some(position) = node.leaf {
            match self.take(position) {
                Write::Set(value) => drop(map.insert(name.to_owned(), value)),
                Write::Remove => drop(map.remove(name)),
                Write::Nothing => {}
            }
            return Ok(());
        }
        match map.get_mut(name) {
            Some(value) => self.write_below(value, node),
            None => self.check_absent(node),
        }
    }

    fn write_below(&mut self, value: &mut AttributeValue, node: &PathTree) -> Result<(), UpdateError> {
        match value {
            AttributeValue::M(map) if node.indexes.is_empty() => {
                node.names.iter().try_for_each(|(name, node)| self.write_entry(map, name, node))
            }
            AttributeValue::L(list) if node.names.is_empty() => self.write_elements(list, node),
            _ => Err(UpdateError::InvalidPath),
        }
    }

    /// Indexes are those of the old list. Elements set beyond its end are appended in the order of their
    /// indexes; elements removed beyond it are ignored; the list closes up last.
    fn write_elements(&mut self, list: &mut Vec<AttributeValue>, node: &PathTree) -> Result<(), UpdateError> {
        let length = list.len();
        let mut removed = Vec::new();
        for (&index, node) in &node.indexes {
            let Some(position) = node.leaf else {
                match list.get_mut(index).filter(|_| index < length) {
                    Some(element) => self.write_below(element, node)?,
                    None => self.check_absent(node)?,
                }
                continue;
            };
            match self.take(position) {
                Write::Set(value) if index < length => list[index] = value,
                Write::Set(value) => list.push(value),
                Write::Remove if index < length => removed.push(index),
                Write::Remove | Write::Nothing => {}
            }
        }
        remove_all(list, &removed);
        Ok(())
    }

    /// Paths below something that is not there: nothing can be written. Only where the whole item is
    /// missing, clearing below it is no error.
    fn check_absent(&self, node: &PathTree) -> Result<(), UpdateError> {
        if self.item_exists || !self.only_clears(node) {
            return Err(UpdateError::InvalidPath);
        }
        Ok(())
    }

    fn only_clears(&self, node: &PathTree) -> bool {
        match node.leaf {
            Some(position) => matches!(self.writes[position], Write::Remove | Write::Nothing),
            None => node.names.values().chain(node.indexes.values()).all(|node| self.only_clears(node)),
        }
    }
}

/// Removes the elements at `indexes`, which ascend, in one pass.
fn remove_all(list: &mut Vec<AttributeValue>, indexes: &[usize]) {
    let (mut next, mut at) = (indexes.iter().peekable(), 0);
    list.retain(|_| {
        let is_removed = next.next_if(|index| **index == at).is_some();
        at += 1;
        !is_removed
    });
}

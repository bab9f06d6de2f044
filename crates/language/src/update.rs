//! Updates: what UpdateExpression and AttributeUpdates become.

mod apply;
pub(crate) mod bind;
mod display;

use std::collections::BTreeSet;
use std::sync::Arc;

use hashrange_item::{AttributeValue, Attributes, Lookup, NumberError, Path, Step};

use crate::paths::PathTree;
use crate::syntax::Sign;
pub(crate) use bind::bind;

/// Changes to one item, with all names and values in place.
///
/// `Display` prints a canonical text, one action after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// In the order they were written.
    actions: Vec<Action>,
    /// The actions' targets; a leaf is the position of its action.
    tree: PathTree,
    origin: Origin,
}

/// Where an update comes from: error texts and what is counted differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// UpdateExpression.
    Expression,
    /// AttributeUpdates, which has an error text of its own.
    Legacy,
    /// A PartiQL statement, of which nothing but the finished item is counted.
    Statement,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    pub(crate) target: Path,
    pub(crate) change: Change,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    Set(Expression),
    Remove,
    /// Adds a number, or the members of a set.
    Add(Arc<AttributeValue>),
    /// Takes the members of a set away.
    Delete(Arc<AttributeValue>),
    /// Appends a list: only AttributeUpdates can say so, with ADD.
    Append(Arc<AttributeValue>),
}

/// What an action does to its attribute, for those who judge an update rather than apply it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Writes a value that does not depend on the item.
    Set,
    /// Writes a value only where there is none.
    SetIfAbsent,
    /// Adds to a number, or subtracts from it.
    Increment,
    /// Puts elements into a list or a set.
    Grow,
    /// Takes members out of a set.
    Shrink,
    /// Takes the attribute away.
    Remove,
    /// Copies from another attribute.
    Copy,
}

/// The value of a SET action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Value(Arc<AttributeValue>),
    Path(Path),
    IfNotExists(Path, Box<Expression>),
    ListAppend(Box<Expression>, Box<Expression>),
    Arithmetic(Sign, Box<Expression>, Box<Expression>),
}

/// Why an update does not go with the item it met. All texts are printed bare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateError {
    /// `The document path provided in the update expression is invalid for update`
    InvalidPath,
    /// `The provided expression refers to an attribute that does not exist in the item`
    MissingAttribute,
    /// `An operand in the update expression has an incorrect data type`
    OperandType,
    /// `Type mismatch for attribute to update`: the same for AttributeUpdates.
    TypeMismatch,
    /// The text of the number error: `Number overflow. Attempting to store a number with magnitude larger
    /// than supported range`, which AWS gives too when the exact result needs more than 38 digits, or
    /// `Number underflow. Attempting to store a number with magnitude smaller than supported range`.
    Number(NumberError),
    /// `Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond
    /// supported limit`
    TooDeep,
    /// `Item size to update has exceeded the maximum allowed size`: what is written is so large that no item
    /// could hold it. Smaller excesses are for the caller to find.
    TooLarge,
}

impl std::fmt::Display for UpdateError {
    /// For logs and tests; clients get the catalogue's text.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{self:?}")
    }
}

impl std::error::Error for UpdateError {}

/// What UpdateItem counts for any update, in bytes. Measured at AWS's 400 KB limit.
const BASE_COST: usize = 3;
/// … for an action that writes a value (SET, ADD).
const WRITE_COST: usize = 19;
/// … for an action that clears (REMOVE, DELETE).
const CLEAR_COST: usize = 2;
/// … more where the target's path has a list index.
const INDEX_COST: usize = 1;
/// … more for `if_not_exists` (39 with the action).
const IF_NOT_EXISTS_COST: usize = 20;
/// … more for `list_append` (37 with the action).
const LIST_APPEND_COST: usize = 18;
/// … more for `+` (34 with the action).
const PLUS_COST: usize = 15;
/// … more for `-` (37 with the action).
const MINUS_COST: usize = 18;

impl Update {
    /// Fails, as [`PathTree::new`], if two targets overlap or conflict.
    pub(crate) fn new(actions: Vec<Action>, origin: Origin) -> Result<Self, crate::error::Problem> {
        let tree = PathTree::new(actions.iter().map(|action| &action.target))?;
        Ok(Self { actions, tree, origin })
    }

    /// In the order they were written.
    pub(crate) fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The paths that the actions change, in the order they were written.
    pub fn targets(&self) -> impl Iterator<Item = &Path> {
        self.actions.iter().map(|action| &action.target)
    }

    /// Each path that the actions change, with what happens there, in the order they were written.
    pub fn changes(&self) -> impl Iterator<Item = (&Path, ChangeKind)> {
        self.actions.iter().map(|action| (&action.target, action.change.kind()))
    }

    /// The names of the top-level attributes that the update changes or reads.
    pub fn top_level_attributes(&self) -> BTreeSet<&str> {
        self.paths().into_iter().map(Path::top).collect()
    }

    /// The names of the top-level attributes that the update changes, wholly or in part.
    pub fn changed_attributes(&self) -> BTreeSet<&str> {
        self.targets().map(Path::top).collect()
    }

    /// As [`Condition::nested_attributes`](crate::Condition::nested_attributes).
    pub fn nested_attributes(&self) -> BTreeSet<&str> {
        self.paths().into_iter().filter(|path| !path.is_top_level()).map(Path::top).collect()
    }

    fn paths(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> = self.targets().collect();
        for action in &self.actions {
            if let Change::Set(expression) = &action.change {
                expression.collect_paths(&mut paths);
            }
        }
        paths
    }

    /// What UPDATED_OLD returns of the old image: the targets inside the structure they have there, lists
    /// closed up. Absent parts are left out; an empty answer means no Attributes at all.
    pub fn touched(&self, image: Option<&Attributes>) -> Attributes {
        image.map_or_else(Attributes::new, |image| self.tree.fragments(image))
    }

    /// What UPDATED_NEW returns of the new image: as [`touched`](Self::touched), without the targets of
    /// REMOVE, at whose list indexes other elements may have moved.
    pub fn touched_new(&self, image: &Attributes) -> Attributes {
        let kept = self.actions.iter().filter(|action| action.change != Change::Remove);
        let tree =
            PathTree::new(kept.map(|action| &action.target)).expect("a part of targets that do not clash");
        tree.fragments(image as &dyn Lookup)
    }

    /// What a standalone UpdateItem counts for its actions when it is measured against the 400 KB limit, in
    /// bytes: `max(size of the item, size of the top-level attributes written + cost)` must not exceed it.
    /// Source: measured at AWS by bisection of the limit; does not depend on names and values. A PartiQL UPDATE counts
    /// nothing.
    pub fn cost(&self) -> usize {
        if self.origin == Origin::Statement {
            return 0;
        }
        BASE_COST + self.actions.iter().map(Action::cost).sum::<usize>()
    }

    /// The top-level attributes that SET and ADD write, wholly or in part: see [`cost`](Self::cost).
    pub fn written_attributes(&self) -> BTreeSet<&str> {
        let writing = self.actions.iter().filter(|action| action.change.writes());
        writing.map(|action| action.target.top()).collect()
    }
}

impl Action {
    fn cost(&self) -> usize {
        match &self.change {
            Change::Remove | Change::Delete(_) => CLEAR_COST,
            Change::Add(_) | Change::Append(_) => WRITE_COST,
            Change::Set(expression) => {
                let has_index = self.target.rest().iter().any(|step| matches!(step, Step::Index(_)));
                WRITE_COST + expression.cost() + if has_index { INDEX_COST } else { 0 }
            }
        }
    }
}

impl Change {
    fn kind(&self) -> ChangeKind {
        match self {
            Self::Set(Expression::Value(_)) => ChangeKind::Set,
            Self::Set(Expression::IfNotExists(..)) => ChangeKind::SetIfAbsent,
            Self::Set(Expression::Arithmetic(..)) => ChangeKind::Increment,
            Self::Set(Expression::Path(_)) => ChangeKind::Copy,
            Self::Add(value) if value.kind() == hashrange_item::Kind::N => ChangeKind::Increment,
            Self::Set(Expression::ListAppend(..)) | Self::Append(_) | Self::Add(_) => ChangeKind::Grow,
            Self::Delete(_) => ChangeKind::Shrink,
            Self::Remove => ChangeKind::Remove,
        }
    }

    fn writes(&self) -> bool {
        !matches!(self, Self::Remove | Self::Delete(_))
    }
}

impl Expression {
    fn cost(&self) -> usize {
        match self {
            Self::Value(_) | Self::Path(_) => 0,
            Self::IfNotExists(_, default) => IF_NOT_EXISTS_COST + default.cost(),
            Self::ListAppend(left, right) => LIST_APPEND_COST + left.cost() + right.cost(),
            Self::Arithmetic(Sign::Plus, left, right) => PLUS_COST + left.cost() + right.cost(),
            Self::Arithmetic(Sign::Minus, left, right) => MINUS_COST + left.cost() + right.cost(),
        }
    }

    fn collect_paths<'a>(&'a self, paths: &mut Vec<&'a Path>) {
        match self {
            Self::Value(_) => {}
            Self::Path(path) => paths.push(path),
            Self::IfNotExists(path, default) => {
                paths.push(path);
                default.collect_paths(paths);
            }
            Self::ListAppend(left, right) | Self::Arithmetic(_, left, right) => {
                left.collect_paths(paths);
                right.collect_paths(paths);
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! The outline of an expression: its structure and the names of attributes, never a value.
//!
//! Two expressions have one outline where only literals, the order of operands that may be swapped, or the length of a
//! list within its size class differ. What an outline is made into, a hash or a text, is for an [`Outline`] to decide.

use hashrange_item::{Kind, Path};

use crate::condition::{Comparator, Condition, Operand, Test};
use crate::key_condition::{KeyClause, KeyOperator};
use crate::projection::Projection;
use crate::update::{Action, Change, Expression, Update};

/// Members whose order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Sides of AND.
    All,
    /// Sides of OR.
    Any,
    /// Sides of `=`.
    Equal,
    /// Sides of `<>`.
    Unequal,
    /// A list that counts by its size class and its different members: 1, 2 to 10, 11 to 25, 26 to 100, more.
    List,
    /// Actions of an update, or names of a projection: all different.
    Set,
    /// Requests of a batch or a transaction: the different ones, each with the size class of how many are alike.
    Requests,
}

/// What takes an outline, piece by piece.
pub trait Outline {
    /// A word of the language, with the spaces around it.
    fn word(&mut self, word: &'static str);
    /// The name of a top-level attribute, a table or an index.
    fn name(&mut self, name: &str);
    /// A value, of which nothing but the type is told.
    fn literal(&mut self, kind: Kind);
    /// Members follow, each ended by [`Outline::member`].
    fn open(&mut self, group: Group);
    /// The end of a member.
    fn member(&mut self);
    /// No more members.
    fn close(&mut self);
}

/// A path below its top-level attribute may name data, such as a user's id as the key of a map: it is not told.
fn path(path: &Path, out: &mut dyn Outline) {
    out.name(path.top());
    if !path.is_top_level() {
        out.word(".?");
    }
}

impl Condition {
    /// Tells its outline.
    pub fn outline_to(&self, out: &mut dyn Outline) {
        self.test.outline(out);
    }
}

impl Test {
    fn outline(&self, out: &mut dyn Outline) {
        match self {
            Self::All(tests) => joined(tests, Group::All, out),
            Self::Any(tests) => joined(tests, Group::Any, out),
            Self::Not(test) => {
                out.word("NOT (");
                test.outline(out);
                out.word(")");
            }
            Self::Compare(comparator, left, right) => compare(*comparator, left, right, out),
            Self::Between(subject, low, high) => {
                subject.outline(out);
                out.word(" BETWEEN ");
                low.outline(out);
                out.word(" AND ");
                high.outline(out);
            }
            Self::In(subject, list) => {
                subject.outline(out);
                out.word(" IN ");
                members(list, Group::List, out, Operand::outline);
            }
            Self::Exists(path) => function("attribute_exists(", path, out),
            Self::NotExists(path) => function("attribute_not_exists(", path, out),
            Self::IsOfType(operand, kind) => {
                out.word("attribute_type(");
                operand.outline(out);
                out.word(", ");
                out.literal(*kind);
                out.word(")");
            }
            Self::BeginsWith(left, right) => pair("begins_with(", left, right, out),
            Self::Contains(left, right) => pair("contains(", left, right, out),
        }
    }
}

fn function(word: &'static str, of: &Path, out: &mut dyn Outline) {
    out.word(word);
    path(of, out);
    out.word(")");
}

fn pair(word: &'static str, left: &Operand, right: &Operand, out: &mut dyn Outline) {
    out.word(word);
    left.outline(out);
    out.word(", ");
    right.outline(out);
    out.word(")");
}

fn members<T>(list: &[T], group: Group, out: &mut dyn Outline, tell: impl Fn(&T, &mut dyn Outline)) {
    out.open(group);
    for one in list {
        tell(one, out);
        out.member();
    }
    out.close();
}

/// An AND inside an AND is part of it, and a single side is no AND.
fn joined(tests: &[Test], group: Group, out: &mut dyn Outline) {
    let mut count = 0;
    each_side(tests, group, &mut |_| count += 1);
    if count == 1 {
        return each_side(tests, group, &mut |side| side.outline(out));
    }
    out.open(group);
    each_side(tests, group, &mut |side| {
        side.outline(out);
        out.member();
    });
    out.close();
}

/// Depth is bounded by the operator limit of expressions.
fn each_side(tests: &[Test], group: Group, tell: &mut dyn FnMut(&Test)) {
    for test in tests {
        match (test, group) {
            (Test::All(inner), Group::All) | (Test::Any(inner), Group::Any) => each_side(inner, group, tell),
            (Test::All(inner) | Test::Any(inner), _) if inner.len() == 1 => each_side(inner, group, tell),
            _ => tell(test),
        }
    }
}

fn compare(comparator: Comparator, left: &Operand, right: &Operand, out: &mut dyn Outline) {
    let group = match comparator {
        Comparator::Equal => Group::Equal,
        Comparator::NotEqual => Group::Unequal,
        _ if matches!((left, right), (Operand::Value(_), Operand::Path(_) | Operand::Size(_))) => {
            return compare(comparator.mirrored(), right, left, out);
        }
        Comparator::Less => return ordered(" < ", left, right, out),
        Comparator::LessOrEqual => return ordered(" <= ", left, right, out),
        Comparator::Greater => return ordered(" > ", left, right, out),
        Comparator::GreaterOrEqual => return ordered(" >= ", left, right, out),
    };
    out.open(group);
    left.outline(out);
    out.member();
    right.outline(out);
    out.member();
    out.close();
}

fn ordered(word: &'static str, left: &Operand, right: &Operand, out: &mut dyn Outline) {
    left.outline(out);
    out.word(word);
    right.outline(out);
}

impl Operand {
    fn outline(&self, out: &mut dyn Outline) {
        match self {
            Self::Path(of) => path(of, out),
            Self::Value(value) => out.literal(value.kind()),
            Self::Size(inner) => {
                out.word("size(");
                inner.outline(out);
                out.word(")");
            }
            Self::Truth(test) => {
                out.word("(");
                test.outline(out);
                out.word(")");
            }
        }
    }
}

impl Update {
    /// Tells its outline.
    pub fn outline_to(&self, out: &mut dyn Outline) {
        members(self.actions(), Group::Set, out, Action::outline);
    }
}

impl Action {
    fn outline(&self, out: &mut dyn Outline) {
        let (word, value) = match &self.change {
            Change::Set(_) => ("SET ", None),
            Change::Remove => ("REMOVE ", None),
            Change::Add(value) => ("ADD ", Some(value)),
            Change::Delete(value) => ("DELETE ", Some(value)),
            Change::Append(value) => ("APPEND ", Some(value)),
        };
        out.word(word);
        path(&self.target, out);
        if let Some(value) = value {
            out.word(" ");
            out.literal(value.kind());
        }
        if let Change::Set(expression) = &self.change {
            out.word(" = ");
            expression.outline(out);
        }
    }
}

impl Expression {
    fn outline(&self, out: &mut dyn Outline) {
        match self {
            Self::Value(value) => out.literal(value.kind()),
            Self::Path(of) => path(of, out),
            Self::IfNotExists(of, default) => {
                out.word("if_not_exists(");
                path(of, out);
                out.word(", ");
                default.outline(out);
                out.word(")");
            }
            Self::ListAppend(left, right) => {
                out.word("list_append(");
                left.outline(out);
                out.word(", ");
                right.outline(out);
                out.word(")");
            }
            Self::Arithmetic(sign, left, right) => {
                left.outline(out);
                out.word(match sign {
                    crate::syntax::Sign::Plus => " + ",
                    crate::syntax::Sign::Minus => " - ",
                });
                right.outline(out);
            }
        }
    }
}

impl Projection {
    /// Tells its outline.
    pub fn outline_to(&self, out: &mut dyn Outline) {
        members(self.paths(), Group::Set, out, path);
    }
}

impl KeyClause {
    /// The operator as it stands in the outline of a key condition.
    pub fn word(&self) -> &'static str {
        match self.operator {
            KeyOperator::Equal(_) => "=",
            KeyOperator::Less(_) => "<",
            KeyOperator::LessOrEqual(_) => "<=",
            KeyOperator::Greater(_) => ">",
            KeyOperator::GreaterOrEqual(_) => ">=",
            KeyOperator::Between(..) => "between",
            KeyOperator::BeginsWith(_) => "begins_with",
        }
    }
}

//! Syntax tree to condition: placeholders are looked up, operands and their types checked.

use std::mem;

use hashrange_item::{AttributeValue, Kind, limits};

use super::{Condition, Operand, Test};
use crate::binder::Binder;
use crate::check::{Function, check_operand_count};
use crate::error::{OperandKind, Problem};
use crate::syntax::{Comparator, Node, NodeId, Shape, Tree};

/// Binds a tree whose words have been checked. Nodes come children first, so one loop does it.
pub(crate) fn bind(tree: Tree<'_>, binder: &mut Binder<'_>) -> Result<Condition, Problem> {
    let mut bound = Bound { nodes: Vec::with_capacity(tree.nodes.len()) };
    for node in tree.nodes {
        let node = bound.node(node, binder)?;
        bound.nodes.push(node);
    }
    let root = bound.nodes.len() - 1;
    Ok(Condition { test: bound.test(root) })
}

/// The nodes bound so far; each is taken once, by its parent.
struct Bound {
    nodes: Vec<BoundNode>,
}

enum BoundNode {
    Taken,
    Operand(Operand),
    Test(Test),
}

impl Bound {
    fn operand(&mut self, id: NodeId) -> Operand {
        match mem::replace(&mut self.nodes[id], BoundNode::Taken) {
            BoundNode::Operand(operand) => operand,
            _ => unreachable!(
                "the parser and the check of functions put operands here, and each has one parent"
            ),
        }
    }

    fn test(&mut self, id: NodeId) -> Test {
        match mem::replace(&mut self.nodes[id], BoundNode::Taken) {
            BoundNode::Test(test) => test,
            _ => unreachable!(
                "the parser and the check of functions put conditions here, and each has one parent"
            ),
        }
    }

    fn operands(&mut self, ids: &[NodeId]) -> Vec<Operand> {
        ids.iter().map(|&id| self.operand(id)).collect()
    }

    fn node(&mut self, node: Node<'_>, binder: &mut Binder<'_>) -> Result<BoundNode, Problem> {
        Ok(match node.shape {
            Shape::Path(parts) => BoundNode::Operand(Operand::Path(binder.path(&parts)?)),
            Shape::Value(placeholder) => BoundNode::Operand(Operand::Value(binder.value(placeholder)?)),
            Shape::Call { name, arguments, .. } => self.call(name, &arguments)?,
            Shape::Compare { comparator, left, right } => {
                BoundNode::Test(compare(comparator, self.operand(left), self.operand(right))?)
            }
            Shape::Between { subject, low, high } => {
                BoundNode::Test(between(self.operand(subject), self.operand(low), self.operand(high))?)
            }
            Shape::In { subject, list } => {
                BoundNode::Test(in_list(self.operand(subject), self.operands(&list))?)
            }
            Shape::And(left, right) => BoundNode::Test(and(self.test(left), self.test(right))),
            Shape::Or(left, right) => BoundNode::Test(or(self.test(left), self.test(right))),
            Shape::Not(inner) => BoundNode::Test(Test::Not(Box::new(self.test(inner)))),
            Shape::Arithmetic { .. } => unreachable!("only updates have arithmetic"),
        })
    }

    fn call(&mut self, name: &str, arguments: &[NodeId]) -> Result<BoundNode, Problem> {
        let function = Function::from_name(name).expect("function names were checked");
        check_operand_count(name, arguments.len())?;
        let mut operands = self.operands(arguments).into_iter();
        let first = operands.next().expect("the number of operands was checked");
        let second = operands.next();
        if function == Function::Size {
            return size(first).map(BoundNode::Operand);
        }
        let test = match (function, second) {
            (Function::AttributeExists, None) => Test::Exists(path_of(function, first)?),
            (Function::AttributeNotExists, None) => Test::NotExists(path_of(function, first)?),
            (Function::AttributeType, Some(second)) => attribute_type(first, &second)?,
            (Function::BeginsWith, Some(second)) => begins_with(first, second)?,
            (Function::Contains, Some(second)) => contains(first, second)?,
            _ => unreachable!("functions and their operands were checked"),
        };
        Ok(BoundNode::Test(test))
    }
}

/// A chain of ANDs becomes one node.
fn and(left: Test, right: Test) -> Test {
    match left {
        Test::All(mut tests) => {
            tests.push(right);
            Test::All(tests)
        }
        left => Test::All(vec![left, right]),
    }
}

/// A chain of ORs becomes one node.
fn or(left: Test, right: Test) -> Test {
    match left {
        Test::Any(mut tests) => {
            tests.push(right);
            Test::Any(tests)
        }
        left => Test::Any(vec![left, right]),
    }
}

pub(crate) fn compare(comparator: Comparator, left: Operand, right: Operand) -> Result<Test, Problem> {
    check_distinct(comparator.symbol(), &left, [&right])?;
    if comparator.orders() {
        check_kinds(comparator.symbol(), [&left, &right], &[Kind::S, Kind::N, Kind::B])?;
    }
    Ok(Test::Compare(comparator, left, right))
}

pub(crate) fn between(subject: Operand, low: Operand, high: Operand) -> Result<Test, Problem> {
    check_distinct("BETWEEN", &subject, [&low, &high])?;
    check_kinds("BETWEEN", [&subject, &low, &high], &[Kind::S, Kind::N, Kind::B])?;
    if let (Operand::Value(lower), Operand::Value(upper)) = (&low, &high) {
        check_bounds(lower, upper)?;
    }
    Ok(Test::Between(subject, low, high))
}

fn check_bounds(lower: &AttributeValue, upper: &AttributeValue) -> Result<(), Problem> {
    let boxed = || (Box::new(lower.clone()), Box::new(upper.clone()));
    match lower.compare(upper) {
        None => {
            let (lower, upper) = boxed();
            Err(Problem::BetweenBoundTypes { lower, upper })
        }
        Some(order) if order.is_gt() => {
            let (lower, upper) = boxed();
            Err(Problem::BetweenBoundsReversed { lower, upper })
        }
        Some(_) => Ok(()),
    }
}

pub(crate) fn in_list(subject: Operand, list: Vec<Operand>) -> Result<Test, Problem> {
    if list.len() > limits::IN_OPERANDS_MAX {
        return Err(Problem::TooManyInOperands { count: list.len() });
    }
    check_distinct("IN", &subject, &list)?;
    Ok(Test::In(subject, list))
}

pub(crate) fn size(operand: Operand) -> Result<Operand, Problem> {
    let sized = [Kind::S, Kind::B, Kind::Ss, Kind::Ns, Kind::Bs, Kind::L, Kind::M];
    check_kinds(Function::Size.name(), [&operand], &sized)?;
    Ok(Operand::Size(Box::new(operand)))
}

pub(crate) fn begins_with(first: Operand, second: Operand) -> Result<Test, Problem> {
    let name = Function::BeginsWith.name();
    check_distinct(name, &first, [&second])?;
    check_kinds(name, [&first, &second], &[Kind::S, Kind::B])?;
    Ok(Test::BeginsWith(first, second))
}

pub(crate) fn contains(first: Operand, second: Operand) -> Result<Test, Problem> {
    check_distinct(Function::Contains.name(), &first, [&second])?;
    Ok(Test::Contains(first, second))
}

/// The type must be named by a `:value`.
pub(crate) fn attribute_type(first: Operand, second: &Operand) -> Result<Test, Problem> {
    let name = Function::AttributeType.name();
    check_distinct(name, &first, [second])?;
    let Operand::Value(value) = second else {
        let kind = second.known_kind().map_or(OperandKind::Any, OperandKind::Known);
        return Err(Problem::OperandType { name, kind });
    };
    let AttributeValue::S(text) = value.as_ref() else {
        return Err(Problem::OperandType { name, kind: OperandKind::Known(value.kind()) });
    };
    let kind = Kind::from_name(text).ok_or_else(|| Problem::InvalidTypeName(text.clone()))?;
    Ok(Test::IsOfType(first, kind))
}

pub(crate) fn path_of(function: Function, operand: Operand) -> Result<hashrange_item::Path, Problem> {
    match operand {
        Operand::Path(path) => Ok(path),
        _ => Err(Problem::RequiresPath { name: function.name() }),
    }
}

/// A path may not be compared with itself.
fn check_distinct<'a>(
    operator: &'static str,
    first: &Operand,
    rest: impl IntoIterator<Item = &'a Operand>,
) -> Result<(), Problem> {
    match first {
        Operand::Path(path) if rest.into_iter().any(|operand| operand == first) => {
            Err(Problem::NotDistinct { operator, operand: path.clone() })
        }
        _ => Ok(()),
    }
}

/// Where the request tells an operand's type, it must be one of `allowed`.
fn check_kinds<'a>(
    name: &'static str,
    operands: impl IntoIterator<Item = &'a Operand>,
    allowed: &[Kind],
) -> Result<(), Problem> {
    let mut known = operands.into_iter().filter_map(Operand::known_kind);
    match known.find(|kind| !allowed.contains(kind)) {
        Some(kind) => Err(Problem::OperandType { name, kind: OperandKind::Known(kind) }),
        None => Ok(()),
    }
}

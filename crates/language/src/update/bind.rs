//! Syntax tree to update: placeholders are looked up, operands, their types and the targets checked.

use std::mem;

use hashrange_item::Kind;

use super::{Action, Change, Expression, Origin, Update};
use crate::binder::Binder;
use crate::check::{Function, check_operand_count};
use crate::error::{OperandKind, Problem};
use crate::syntax::{Clause, Node, NodeId, RawAction, Shape, Sign, UpdateSyntax};

/// Binds an update whose words and clauses have been checked: all names, then all values, then, in the order of
/// the text, operands and targets. Nodes come children first.
pub(crate) fn bind(syntax: &UpdateSyntax<'_>, binder: &mut Binder<'_>) -> Result<Update, Problem> {
    let nodes = &syntax.tree.nodes;
    let mut bound = Bound { nodes: vec![None; nodes.len()] };
    for (node, place) in nodes.iter().zip(&mut bound.nodes) {
        if let Shape::Path(parts) = &node.shape {
            *place = Some(Expression::Path(binder.path(parts)?));
        }
    }
    for (node, place) in nodes.iter().zip(&mut bound.nodes) {
        if let Shape::Value(placeholder) = node.shape {
            *place = Some(Expression::Value(binder.value(placeholder)?));
        }
    }
    for (id, node) in nodes.iter().enumerate() {
        bound.join(id, node)?;
    }
    let actions = syntax.actions.iter().map(|action| bound.action(action)).collect::<Result<Vec<_>, _>>()?;
    Update::new(actions, Origin::Expression)
}

/// The nodes bound so far; each is taken once, by its parent.
struct Bound {
    nodes: Vec<Option<Expression>>,
}

impl Bound {
    fn take(&mut self, id: NodeId) -> Expression {
        mem::take(&mut self.nodes[id]).expect("each node has one parent")
    }

    /// Binds a node that has children.
    fn join(&mut self, id: NodeId, node: &Node<'_>) -> Result<(), Problem> {
        let joined = match &node.shape {
            Shape::Path(_) | Shape::Value(_) => return Ok(()),
            Shape::Call { name, arguments, .. } => {
                check_operand_count(name, arguments.len())?;
                let &[first, second] = arguments.as_slice() else { unreachable!("operands were counted") };
                let (first, second) = (self.take(first), self.take(second));
                match Function::from_name(name) {
                    Some(Function::IfNotExists) => if_not_exists(first, second)?,
                    _ => list_append(first, second)?,
                }
            }
            Shape::Arithmetic { operator, left, right } => {
                arithmetic(*operator, self.take(*left), self.take(*right))?
            }
            _ => unreachable!("only conditions have such nodes"),
        };
        self.nodes[id] = Some(joined);
        Ok(())
    }

    fn action(&mut self, action: &RawAction) -> Result<Action, Problem> {
        let Expression::Path(target) = self.take(action.path) else {
            unreachable!("a target is parsed as a path")
        };
        let value = action.value.map(|id| self.take(id));
        let change = match (action.clause, value) {
            (Clause::Set, Some(value)) => Change::Set(value),
            (Clause::Remove, None) => Change::Remove,
            (Clause::Add, Some(Expression::Value(value))) => {
                check_action_kind("ADD", value.kind(), &[Kind::N, Kind::Ss, Kind::Ns, Kind::Bs])?;
                Change::Add(value)
            }
            (Clause::Delete, Some(Expression::Value(value))) => {
                check_action_kind("DELETE", value.kind(), &[Kind::Ss, Kind::Ns, Kind::Bs])?;
                Change::Delete(value)
            }
            _ => unreachable!("the parser gives each clause its kind of value"),
        };
        Ok(Action { target, change })
    }
}

fn if_not_exists(first: Expression, default: Expression) -> Result<Expression, Problem> {
    let name = Function::IfNotExists.name();
    match first {
        Expression::Path(path) if default == Expression::Path(path.clone()) => {
            Err(Problem::NotDistinct { operator: name, operand: path })
        }
        Expression::Path(path) => Ok(Expression::IfNotExists(path, Box::new(default))),
        _ => Err(Problem::RequiresPath { name }),
    }
}

pub(crate) fn list_append(first: Expression, second: Expression) -> Result<Expression, Problem> {
    check_kinds(Function::ListAppend.name(), [&first, &second], Kind::L)?;
    Ok(Expression::ListAppend(Box::new(first), Box::new(second)))
}

pub(crate) fn arithmetic(operator: Sign, left: Expression, right: Expression) -> Result<Expression, Problem> {
    check_kinds(operator.symbol(), [&left, &right], Kind::N)?;
    Ok(Expression::Arithmetic(operator, Box::new(left), Box::new(right)))
}

/// Values of the request must be of the `allowed` kind; of paths and functions only the item knows.
fn check_kinds(name: &'static str, operands: [&Expression; 2], allowed: Kind) -> Result<(), Problem> {
    for operand in operands {
        if let Expression::Value(value) = operand {
            let kind = value.kind();
            if kind != allowed {
                return Err(Problem::OperandType { name, kind: OperandKind::Known(kind) });
            }
        }
    }
    Ok(())
}

fn check_action_kind(action: &'static str, kind: Kind, allowed: &[Kind]) -> Result<(), Problem> {
    if allowed.contains(&kind) { Ok(()) } else { Err(Problem::ActionOperandType { action, kind }) }
}

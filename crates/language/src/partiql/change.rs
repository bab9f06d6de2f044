//! What SET and REMOVE do.

use std::sync::Arc;

use hashrange_item::{AttributeValue, Kind, Path};

use super::bind::Binding;
use super::error::{Detail, StatementError};
use super::syntax::{Assignment, Place, Shape, Term};
use crate::check::Function;
use crate::update::{Action, Change, Expression, bind as checked};

/// The two functions that change a set in place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SetFunction {
    Add,
    Delete,
}

impl SetFunction {
    fn from_name(name: &str) -> Option<Self> {
        [Self::Add, Self::Delete].into_iter().find(|function| function.name().eq_ignore_ascii_case(name))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Add => "SET_ADD",
            Self::Delete => "SET_DELETE",
        }
    }
}

/// The action that an assignment is.
pub(super) fn action(binding: &Binding<'_>, assignment: &Assignment) -> Result<Action, StatementError> {
    let change = match &assignment.value {
        None => Change::Remove,
        Some(term) => change(binding, &assignment.target, term)?,
    };
    Ok(Action { target: assignment.target.clone(), change })
}

fn change(binding: &Binding<'_>, target: &Path, term: &Term) -> Result<Change, StatementError> {
    if let Shape::Call { name, arguments } = &term.shape
        && let Some(function) = SetFunction::from_name(name)
    {
        return set_change(binding, target, function, arguments, term.place);
    }
    expression(binding, term).map(Change::Set)
}

/// `SET a = set_add(a, <<…>>)`.
fn set_change(
    binding: &Binding<'_>,
    target: &Path,
    function: SetFunction,
    arguments: &[Term],
    place: Place,
) -> Result<Change, StatementError> {
    let name = function.name();
    let [first, second] = arguments else {
        return Err(StatementError::SetArguments { function: name, place });
    };
    if !matches!(&first.shape, Shape::Path(path) if path == target) {
        return Err(StatementError::SetTarget { function: name, place });
    }
    let members = match &second.shape {
        Shape::Value(value) => Some(Arc::clone(value)),
        Shape::Parameter(position) => Some(Arc::new(binding.parameter(*position)?.clone())),
        _ => None,
    };
    let is_set = |value: &Arc<AttributeValue>| matches!(value.kind(), Kind::Ss | Kind::Ns | Kind::Bs);
    match (members.filter(is_set), function) {
        (Some(members), SetFunction::Add) => Ok(Change::Add(members)),
        (Some(members), SetFunction::Delete) => Ok(Change::Delete(members)),
        (None, _) => Err(StatementError::SetOperand { function: name, place: first.place }),
    }
}

fn expression(binding: &Binding<'_>, term: &Term) -> Result<Expression, StatementError> {
    Ok(match &term.shape {
        Shape::Path(path) => Expression::Path(path.clone()),
        Shape::Value(value) => Expression::Value(Arc::clone(value)),
        Shape::Parameter(position) => Expression::Value(Arc::new(binding.parameter(*position)?.clone())),
        Shape::Arithmetic(sign, left, right) => {
            checked::arithmetic(*sign, expression(binding, left)?, expression(binding, right)?)?
        }
        Shape::Call { name, arguments } => list_append(binding, term, name, arguments)?,
        _ => return Err(StatementError::Malformed(Detail::TokenAfterExpression)),
    })
}

fn list_append(
    binding: &Binding<'_>,
    term: &Term,
    name: &str,
    arguments: &[Term],
) -> Result<Expression, StatementError> {
    let lower = name.to_ascii_lowercase();
    let function = Function::ListAppend;
    if lower != function.name() {
        return Err(StatementError::Function { name: lower, place: term.place });
    }
    let [first, second] = arguments else {
        let count = arguments.len();
        return Err(crate::error::Problem::OperandCount { name: lower, count }.into());
    };
    Ok(checked::list_append(expression(binding, first)?, expression(binding, second)?)?)
}

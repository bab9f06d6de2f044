//! A parsed statement and its parameters become conditions and updates, checked like those of expressions.

use std::sync::Arc;

use hashrange_item::{AttributeValue, Attributes, Path};

use super::change;
use super::error::{Detail, StatementError};
use super::syntax::{Assignment, Body, Inserted, Select, Shape, Term, TypeTest};
use super::{Bound, Select as BoundSelect};
use crate::check::Function;
use crate::condition::{Condition, Operand, Test, bind as checked};
use crate::error::Problem;
use crate::update::{Origin, Update};

type Bind<T> = Result<T, StatementError>;

/// Puts `parameters` into the statement.
pub(super) fn bind(body: &Body, parameters: &[AttributeValue]) -> Bind<Bound> {
    let binding = Binding { parameters };
    Ok(match body {
        Body::Select(select) => Bound::Select(binding.select(select)?),
        Body::Exists(select) => Bound::Exists(binding.select(select)?),
        Body::Insert { table, value } => Bound::Insert { table: table.clone(), item: binding.item(value)? },
        Body::Update { table, assignments, filter, returning } => Bound::Update {
            table: table.clone(),
            update: binding.update(assignments)?,
            condition: binding.condition(filter.as_ref())?,
            returning: *returning,
        },
        Body::Delete { table, filter, returning } => Bound::Delete {
            table: table.clone(),
            condition: binding.condition(filter.as_ref())?,
            returning: *returning,
        },
    })
}

pub(super) struct Binding<'a> {
    parameters: &'a [AttributeValue],
}

impl Binding<'_> {
    fn select(&self, select: &Select) -> Bind<BoundSelect> {
        Ok(BoundSelect {
            table: select.table.clone(),
            index: select.index.clone(),
            projection: select.projection.clone(),
            columns: select.columns.iter().map(|path| path.top().to_owned()).collect(),
            condition: self.condition(select.filter.as_ref())?,
            order: select.order.clone(),
        })
    }

    fn item(&self, value: &Inserted) -> Bind<Attributes> {
        match value {
            Inserted::Parameter(position) => match self.parameter(*position)? {
                AttributeValue::M(item) => Ok(item.clone()),
                _ => Err(StatementError::Malformed(Detail::Term)),
            },
            Inserted::Attributes(attributes) => {
                let mut item = Attributes::new();
                for (name, term) in attributes {
                    if item.insert(name.clone(), AttributeValue::clone(&*self.value(term)?)).is_some() {
                        return Err(StatementError::DuplicateKey(name.clone()));
                    }
                }
                Ok(item)
            }
        }
    }

    fn update(&self, assignments: &[Assignment]) -> Bind<Update> {
        let actions = assignments.iter().map(|assignment| change::action(self, assignment));
        Ok(Update::new(actions.collect::<Bind<_>>()?, Origin::Statement)?)
    }

    fn condition(&self, filter: Option<&Term>) -> Bind<Option<Condition>> {
        filter.map(|term| self.test(term).map(|test| Condition { test })).transpose()
    }

    pub(super) fn parameter(&self, position: usize) -> Bind<&AttributeValue> {
        self.parameters.get(position).ok_or(StatementError::TooFewParameters)
    }

    /// The value of a literal or a parameter.
    fn value(&self, term: &Term) -> Bind<Arc<AttributeValue>> {
        match &term.shape {
            Shape::Value(value) => Ok(Arc::clone(value)),
            Shape::Parameter(position) => self.parameter(*position).cloned().map(Arc::new),
            _ => unreachable!("an INSERT's attributes are literals and parameters"),
        }
    }

    fn test(&self, term: &Term) -> Bind<Test> {
        Ok(match &term.shape {
            Shape::And(terms) => Test::All(terms.iter().map(|term| self.test(term)).collect::<Bind<_>>()?),
            Shape::Or(terms) => Test::Any(terms.iter().map(|term| self.test(term)).collect::<Bind<_>>()?),
            Shape::Not(inner) => Test::Not(Box::new(self.test(inner)?)),
            Shape::Compare(comparator, left, right) => {
                checked::compare(*comparator, self.operand(left)?, self.operand(right)?)?
            }
            Shape::Between(three) => {
                let [subject, low, high] = three.as_ref();
                checked::between(self.operand(subject)?, self.operand(low)?, self.operand(high)?)?
            }
            Shape::In(subject, list) => {
                let list = list.iter().map(|term| self.operand(term)).collect::<Bind<_>>()?;
                checked::in_list(self.operand(subject)?, list)?
            }
            Shape::Is(subject, test) => is(self.operand(subject)?, *test)?,
            Shape::Call { name, arguments } => self.call(term, name, arguments)?,
            _ => return Err(StatementError::Malformed(Detail::Term)),
        })
    }

    /// An operand; a condition stands for the boolean that it gives.
    fn operand(&self, term: &Term) -> Bind<Operand> {
        Ok(match &term.shape {
            Shape::Path(path) => Operand::Path(path.clone()),
            Shape::Value(value) => Operand::Value(Arc::clone(value)),
            Shape::Parameter(position) => Operand::Value(Arc::new(self.parameter(*position)?.clone())),
            Shape::Call { name, arguments } if is_function(name, Function::Size) => {
                self.count(Function::Size, arguments)?;
                checked::size(self.operand(&arguments[0])?)?
            }
            _ => Operand::Truth(Box::new(self.test(term)?)),
        })
    }

    fn call(&self, term: &Term, name: &str, arguments: &[Term]) -> Bind<Test> {
        let lower = name.to_ascii_lowercase();
        let function = Function::from_name(&lower).filter(|function| !function.is_for_updates());
        let Some(function) = function else {
            return Err(StatementError::Function { name: lower, place: term.place });
        };
        self.count(function, arguments)?;
        let first = self.operand(&arguments[0])?;
        if function.operands() == 1 {
            return one(function, first);
        }
        let second = self.operand(&arguments[1])?;
        Ok(match function {
            Function::AttributeType => checked::attribute_type(first, &second)?,
            Function::BeginsWith => checked::begins_with(first, second)?,
            _ => checked::contains(first, second)?,
        })
    }

    #[expect(clippy::unused_self, reason = "reads like the other checks of a call")]
    fn count(&self, function: Function, arguments: &[Term]) -> Bind<()> {
        if arguments.len() == function.operands() {
            return Ok(());
        }
        Err(Problem::OperandCount { name: function.name().to_owned(), count: arguments.len() }.into())
    }
}

/// A function of one operand, as a condition.
fn one(function: Function, operand: Operand) -> Bind<Test> {
    if function == Function::Size {
        return Err(Problem::FunctionMisplaced(function.name().to_owned()).into());
    }
    let path: Path = checked::path_of(function, operand)?;
    Ok(if function == Function::AttributeExists { Test::Exists(path) } else { Test::NotExists(path) })
}

fn is_function(name: &str, function: Function) -> bool {
    name.eq_ignore_ascii_case(function.name())
}

fn is(subject: Operand, test: TypeTest) -> Bind<Test> {
    match test {
        TypeTest::Missing => Ok(Test::NotExists(checked::path_of(Function::AttributeNotExists, subject)?)),
        TypeTest::OneOf([kind]) => Ok(Test::IsOfType(subject, *kind)),
        TypeTest::OneOf(kinds) => {
            Ok(Test::Any(kinds.iter().map(|kind| Test::IsOfType(subject.clone(), *kind)).collect()))
        }
    }
}

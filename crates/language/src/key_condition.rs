//! Key conditions: what KeyConditionExpression and KeyConditions become.

use std::fmt;
use std::sync::Arc;

use hashrange_item::{AttributeValue, Path};

use crate::check::Function;
use crate::condition::{Comparator, Condition, Operand, Test};
use crate::error::Problem;
use crate::text::ValueText;

/// Conditions on distinct attributes that must all hold, in the order they were written. Which of them are
/// keys, whether their types are right, and which operators each key allows is for the caller to check, who
/// knows the key schema.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyCondition {
    clauses: Vec<KeyClause>,
}

/// A condition on one attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyClause {
    /// The attribute's name.
    pub attribute: String,
    /// What its value must satisfy.
    pub operator: KeyOperator,
}

/// What a key attribute's value must satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOperator {
    /// `=`
    Equal(Arc<AttributeValue>),
    /// `<`
    Less(Arc<AttributeValue>),
    /// `<=`
    LessOrEqual(Arc<AttributeValue>),
    /// `>`
    Greater(Arc<AttributeValue>),
    /// `>=`
    GreaterOrEqual(Arc<AttributeValue>),
    /// `BETWEEN` these bounds, both included.
    Between(Arc<AttributeValue>, Arc<AttributeValue>),
    /// `begins_with`
    BeginsWith(Arc<AttributeValue>),
}

impl KeyOperator {
    /// The values it compares with: two for BETWEEN, otherwise one.
    pub fn values(&self) -> impl Iterator<Item = &AttributeValue> {
        let (first, second) = match self {
            Self::Between(low, high) => (low, Some(high)),
            Self::Equal(value)
            | Self::Less(value)
            | Self::LessOrEqual(value)
            | Self::Greater(value)
            | Self::GreaterOrEqual(value)
            | Self::BeginsWith(value) => (value, None),
        };
        std::iter::once(first).chain(second).map(AsRef::as_ref)
    }

    /// Whether it is `=`, the only operator that a partition key allows.
    pub fn is_equality(&self) -> bool {
        matches!(self, Self::Equal(_))
    }

    fn compare(comparator: Comparator, value: Arc<AttributeValue>) -> Self {
        match comparator {
            Comparator::Equal => Self::Equal(value),
            Comparator::Less => Self::Less(value),
            Comparator::LessOrEqual => Self::LessOrEqual(value),
            Comparator::Greater => Self::Greater(value),
            Comparator::GreaterOrEqual => Self::GreaterOrEqual(value),
            Comparator::NotEqual => unreachable!("operators are checked first"),
        }
    }
}

impl KeyCondition {
    /// The conditions, in the order they were written.
    pub fn clauses(&self) -> &[KeyClause] {
        &self.clauses
    }

    /// The condition on the attribute called `name`.
    pub fn clause(&self, name: &str) -> Option<&KeyClause> {
        self.clauses.iter().find(|clause| clause.attribute == name)
    }

    /// For lists of clauses that name each attribute once.
    pub(crate) fn from_distinct(clauses: Vec<KeyClause>) -> Self {
        Self { clauses }
    }

    /// The second pass over a key condition: its operators, then the shape of each part.
    pub(crate) fn from_condition(condition: Condition) -> Result<Self, Problem> {
        let mut parts = Vec::new();
        collect_parts(condition.test, &mut parts)?;
        let mut clauses: Vec<KeyClause> = Vec::new();
        for part in parts {
            let clause = clause(part)?;
            if clauses.iter().any(|earlier| earlier.attribute == clause.attribute) {
                return Err(Problem::KeyConditionTwice { attribute: clause.attribute });
            }
            clauses.push(clause);
        }
        Ok(Self { clauses })
    }
}

/// Flattens AND; refuses what is not allowed in a key condition. Depth is bounded by the operator limit.
fn collect_parts(test: Test, parts: &mut Vec<Test>) -> Result<(), Problem> {
    let operator = match test {
        Test::All(tests) => return tests.into_iter().try_for_each(|test| collect_parts(test, parts)),
        Test::Compare(Comparator::NotEqual, ..) => "<>",
        Test::Any(_) => "OR",
        Test::Not(_) => "NOT",
        Test::In(..) => "IN",
        Test::Exists(_) => Function::AttributeExists.name(),
        Test::NotExists(_) => Function::AttributeNotExists.name(),
        Test::IsOfType(..) => Function::AttributeType.name(),
        Test::Contains(..) => Function::Contains.name(),
        part @ (Test::Compare(..) | Test::Between(..) | Test::BeginsWith(..)) => {
            parts.push(part);
            return Ok(());
        }
    };
    Err(Problem::KeyOperator(operator))
}

fn clause(part: Test) -> Result<KeyClause, Problem> {
    match part {
        Test::Compare(comparator, left, right) => comparison(comparator, left, right),
        Test::Between(subject, low, high) => {
            let attribute = first_attribute("BETWEEN", subject, [&low, &high])?;
            Ok(KeyClause { attribute, operator: KeyOperator::Between(value(low)?, value(high)?) })
        }
        Test::BeginsWith(subject, prefix) => {
            let attribute = first_attribute(Function::BeginsWith.name(), subject, [&prefix])?;
            Ok(KeyClause { attribute, operator: KeyOperator::BeginsWith(value(prefix)?) })
        }
        _ => unreachable!("other tests are refused when the parts are collected"),
    }
}

/// The attribute may stand on either side.
fn comparison(comparator: Comparator, left: Operand, right: Operand) -> Result<KeyClause, Problem> {
    refuse_nested_operations([&left, &right])?;
    let (path, comparator, bound) = match (left, right) {
        (Operand::Path(_), Operand::Path(_)) => return Err(Problem::KeyMultipleAttributes),
        (Operand::Path(path), Operand::Value(bound)) => (path, comparator, bound),
        (Operand::Value(bound), Operand::Path(path)) => (path, comparator.mirrored(), bound),
        _ => return Err(Problem::KeyNoAttribute),
    };
    Ok(KeyClause { attribute: attribute(&path)?, operator: KeyOperator::compare(comparator, bound) })
}

fn first_attribute<'a>(
    operator: &'static str,
    subject: Operand,
    rest: impl IntoIterator<Item = &'a Operand> + Clone,
) -> Result<String, Problem> {
    refuse_nested_operations([&subject])?;
    refuse_nested_operations(rest.clone())?;
    let Operand::Path(path) = subject else { return Err(Problem::KeyNotFirstOperand(operator)) };
    if rest.into_iter().any(|operand| matches!(operand, Operand::Path(_))) {
        return Err(Problem::KeyMultipleAttributes);
    }
    attribute(&path)
}

fn refuse_nested_operations<'a>(operands: impl IntoIterator<Item = &'a Operand>) -> Result<(), Problem> {
    if operands.into_iter().any(|operand| matches!(operand, Operand::Size(_) | Operand::Truth(_))) {
        return Err(Problem::KeyNestedOperation);
    }
    Ok(())
}

fn attribute(path: &Path) -> Result<String, Problem> {
    if path.is_top_level() { Ok(path.top().to_owned()) } else { Err(Problem::KeyNestedAttribute) }
}

fn value(operand: Operand) -> Result<Arc<AttributeValue>, Problem> {
    match operand {
        Operand::Value(value) => Ok(value),
        Operand::Path(_) | Operand::Size(_) | Operand::Truth(_) => Err(Problem::KeyMultipleAttributes),
    }
}

impl fmt::Display for KeyCondition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, clause) in self.clauses.iter().enumerate() {
            let and = if position > 0 { " AND " } else { "" };
            write!(formatter, "{and}{clause}")?;
        }
        Ok(())
    }
}

impl fmt::Display for KeyClause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.attribute;
        match &self.operator {
            KeyOperator::Equal(value) => write!(formatter, "{name} = {}", ValueText(value)),
            KeyOperator::Less(value) => write!(formatter, "{name} < {}", ValueText(value)),
            KeyOperator::LessOrEqual(value) => write!(formatter, "{name} <= {}", ValueText(value)),
            KeyOperator::Greater(value) => write!(formatter, "{name} > {}", ValueText(value)),
            KeyOperator::GreaterOrEqual(value) => write!(formatter, "{name} >= {}", ValueText(value)),
            KeyOperator::Between(low, high) => {
                write!(formatter, "{name} BETWEEN {} AND {}", ValueText(low), ValueText(high))
            }
            KeyOperator::BeginsWith(value) => write!(formatter, "begins_with({name}, {})", ValueText(value)),
        }
    }
}

//! The parameters that came before expressions, lowered to the same trees: Expected, QueryFilter,
//! ScanFilter, KeyConditions, AttributeUpdates, AttributesToGet.
//!
//! Their checks have texts of their own: see [`LegacyError`]. Each function reads its map in the order of
//! the names, so that the first of several errors is always the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use hashrange_item::{AttributeValue, Kind, Path, limits};

use crate::condition::{Comparator, Condition, Operand, Test};
use crate::key_condition::{KeyClause, KeyCondition, KeyOperator};
use crate::projection::Projection;
use crate::update::{Action, Change, Expression, Origin, Update};

/// How the conditions of one parameter are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConditionalOperator {
    /// All must hold.
    #[default]
    And,
    /// One must hold.
    Or,
}

/// The thirteen comparison operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComparisonOperator {
    /// Equal.
    Eq,
    /// Not equal, or absent.
    Ne,
    /// Equal to one of a list.
    In,
    /// Less or equal.
    Le,
    /// Less.
    Lt,
    /// Greater or equal.
    Ge,
    /// Greater.
    Gt,
    /// Between two bounds, both included.
    Between,
    /// Present.
    NotNull,
    /// Absent.
    Null,
    /// Has a part, member or element.
    Contains,
    /// Present, and has it not.
    NotContains,
    /// Begins with a string or binary.
    BeginsWith,
}

impl ComparisonOperator {
    const ALL: [Self; 13] = [
        Self::Eq,
        Self::Ne,
        Self::In,
        Self::Le,
        Self::Lt,
        Self::Ge,
        Self::Gt,
        Self::Between,
        Self::NotNull,
        Self::Null,
        Self::Contains,
        Self::NotContains,
        Self::BeginsWith,
    ];

    /// The operator that the API calls `name`, such as `NOT_NULL`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.name() == name)
    }

    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eq => "EQ",
            Self::Ne => "NE",
            Self::In => "IN",
            Self::Le => "LE",
            Self::Lt => "LT",
            Self::Ge => "GE",
            Self::Gt => "GT",
            Self::Between => "BETWEEN",
            Self::NotNull => "NOT_NULL",
            Self::Null => "NULL",
            Self::Contains => "CONTAINS",
            Self::NotContains => "NOT_CONTAINS",
            Self::BeginsWith => "BEGINS_WITH",
        }
    }

    fn accepts_count(self, count: usize) -> bool {
        match self {
            Self::Null | Self::NotNull => count == 0,
            Self::Between => count == 2,
            Self::In => count > 0,
            _ => count == 1,
        }
    }

    fn accepts_kind(self, kind: Kind) -> bool {
        match self {
            Self::Eq | Self::Ne | Self::Null | Self::NotNull => true,
            Self::BeginsWith => matches!(kind, Kind::S | Kind::B),
            _ => matches!(kind, Kind::S | Kind::N | Kind::B),
        }
    }
}

impl fmt::Display for ComparisonOperator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One entry of Expected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// Value: what the attribute must equal, or the one value of a comparison.
    pub value: Option<AttributeValue>,
    /// Exists: whether the attribute must be there.
    pub exists: Option<bool>,
    /// ComparisonOperator.
    pub comparison_operator: Option<ComparisonOperator>,
    /// AttributeValueList: the values of a comparison.
    pub attribute_value_list: Option<Vec<AttributeValue>>,
}

/// One entry of KeyConditions, QueryFilter or ScanFilter.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// ComparisonOperator.
    pub operator: ComparisonOperator,
    /// AttributeValueList; empty if it is not given.
    pub values: Vec<AttributeValue>,
}

/// What an entry of AttributeUpdates does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpdateAction {
    /// Sets the attribute.
    #[default]
    Put,
    /// Adds a number, members of a set, elements of a list.
    Add,
    /// Removes the attribute, or members of a set.
    Delete,
}

/// One entry of AttributeUpdates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttributeUpdate {
    /// Value.
    pub value: Option<AttributeValue>,
    /// Action; PUT if it is not given.
    pub action: Option<UpdateAction>,
}

/// What can be wrong with a legacy parameter. The texts begin with `One or more parameter values were
/// invalid: ` unless the variant says *bare*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LegacyError {
    /// `Value and AttributeValueList cannot be used together for Attribute: <attribute>`
    ValueAndList {
        /// The attribute.
        attribute: String,
    },
    /// `Exists and ComparisonOperator cannot be used together for Attribute: <attribute>`
    ExistsAndOperator {
        /// The attribute.
        attribute: String,
    },
    /// `Value or AttributeValueList must be used with ComparisonOperator: <operator> for Attribute:
    /// <attribute>`
    OperatorWithoutValue {
        /// The operator.
        operator: ComparisonOperator,
        /// The attribute.
        attribute: String,
    },
    /// `AttributeValueList can only be used with a ComparisonOperator for Attribute: <attribute>`
    ListWithoutOperator {
        /// The attribute.
        attribute: String,
    },
    /// `Value must be provided when Exists is <true|null> for Attribute: <attribute>`; `null` where Exists
    /// was not given.
    ValueMissing {
        /// What Exists said.
        exists: Option<bool>,
        /// The attribute.
        attribute: String,
    },
    /// `Value cannot be used when Exists is false for Attribute: <attribute>`
    ValueWithoutExistence {
        /// The attribute.
        attribute: String,
    },
    /// `Invalid number of argument(s) for the <operator> ComparisonOperator`
    ArgumentCount {
        /// The operator.
        operator: ComparisonOperator,
    },
    /// `AttributeValues inside AttributeValueList must be of same type`
    MixedTypes,
    /// `ComparisonOperator <operator> is not valid for <kind> AttributeValue type`
    ArgumentType {
        /// The operator.
        operator: ComparisonOperator,
        /// The type given.
        kind: Kind,
    },
    /// *Bare*: `The BETWEEN condition was provided a range where the lower bound is greater than the upper
    /// bound`
    BoundsReversed,
    /// *Bare*: `Attempted conditional constraint is not an indexable operation`: the operator is none of those
    /// that KeyConditions knows (EQ, LE, LT, GE, GT, BETWEEN, BEGINS_WITH).
    NotIndexable,
    /// `Only DELETE action is allowed when no attribute value is specified`
    UpdateWithoutValue,
    /// `ADD action is not supported for the type <kind>`
    AddType(Kind),
    /// `DELETE action with value is not supported for the type <kind>`
    DeleteType(Kind),
    /// `The conditions contain too many operands; operand count: <count>`. Ours: without it a scan could cost without
    /// bound for each item.
    TooManyOperands {
        /// Conditions and values together.
        count: usize,
    },
    /// `Duplicate value in attribute name: <attribute>` (AttributesToGet)
    DuplicateName {
        /// The attribute.
        attribute: String,
    },
}

impl fmt::Display for LegacyError {
    /// For logs and tests; clients get the catalogue's text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self:?}")
    }
}

impl std::error::Error for LegacyError {}

/// The condition that Expected states.
pub fn expected(
    map: &BTreeMap<String, Expectation>,
    operator: ConditionalOperator,
) -> Result<Condition, LegacyError> {
    check_operands(
        map.values().map(|expectation| expectation.attribute_value_list.as_ref().map_or(1, Vec::len)),
    )?;
    let tests = map.iter().map(|(name, expectation)| expectation.test(name)).collect::<Result<_, _>>()?;
    Ok(join(tests, operator))
}

/// The condition that QueryFilter or ScanFilter states.
pub fn query_filter(
    map: &BTreeMap<String, Comparison>,
    operator: ConditionalOperator,
) -> Result<Condition, LegacyError> {
    check_operands(map.values().map(|comparison| comparison.values.len()))?;
    let tests = map.iter().map(|(name, comparison)| {
        check_comparison(comparison.operator, &comparison.values)?;
        Ok(test(name, comparison.operator, &comparison.values))
    });
    Ok(join(tests.collect::<Result<_, _>>()?, operator))
}

/// The key condition that KeyConditions states, in the order of the names.
pub fn key_conditions(map: &BTreeMap<String, Comparison>) -> Result<KeyCondition, LegacyError> {
    map.values().try_for_each(|comparison| check_comparison(comparison.operator, &comparison.values))?;
    let clauses = map.iter().map(|(name, comparison)| {
        Ok(KeyClause { attribute: name.clone(), operator: comparison.key_operator()? })
    });
    Ok(KeyCondition::from_distinct(clauses.collect::<Result<_, _>>()?))
}

/// The update that AttributeUpdates states; without entries it changes nothing.
pub fn attribute_updates(map: &BTreeMap<String, AttributeUpdate>) -> Result<Update, LegacyError> {
    let actions = map
        .iter()
        .map(|(name, update)| Ok(Action { target: Path::new(name.as_str()), change: update.change()? }));
    let actions = actions.collect::<Result<_, _>>()?;
    Ok(Update::new(actions, Origin::Legacy).expect("distinct top-level attributes do not clash"))
}

/// The projection that AttributesToGet states.
pub fn attributes_to_get(names: &[String]) -> Result<Projection, LegacyError> {
    let mut seen = BTreeSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(LegacyError::DuplicateName { attribute: twice.clone() });
    }
    let paths = names.iter().map(|name| Path::new(name.as_str())).collect();
    Ok(Projection::new(paths).expect("distinct top-level attributes do not clash"))
}

fn join(tests: Vec<Test>, operator: ConditionalOperator) -> Condition {
    let test = match operator {
        ConditionalOperator::Or if !tests.is_empty() => Test::Any(tests),
        _ => Test::All(tests),
    };
    Condition { test }
}

impl Expectation {
    fn test(&self, name: &str) -> Result<Test, LegacyError> {
        let attribute = || name.to_owned();
        if self.value.is_some() && self.attribute_value_list.is_some() {
            return Err(LegacyError::ValueAndList { attribute: attribute() });
        }
        match self.comparison_operator {
            Some(operator) => self.comparison(name, operator),
            None if self.attribute_value_list.is_some() => {
                Err(LegacyError::ListWithoutOperator { attribute: attribute() })
            }
            None => self.existence(name),
        }
    }

    fn comparison(&self, name: &str, operator: ComparisonOperator) -> Result<Test, LegacyError> {
        let attribute = || name.to_owned();
        if self.exists.is_some() {
            return Err(LegacyError::ExistsAndOperator { attribute: attribute() });
        }
        let values = match (&self.value, &self.attribute_value_list) {
            (Some(value), _) => std::slice::from_ref(value),
            (None, Some(list)) => list,
            (None, None) if operator.accepts_count(0) => &[],
            (None, None) => {
                return Err(LegacyError::OperatorWithoutValue { operator, attribute: attribute() });
            }
        };
        check_comparison(operator, values)?;
        Ok(test(name, operator, values))
    }

    fn existence(&self, name: &str) -> Result<Test, LegacyError> {
        let attribute = || name.to_owned();
        match (self.exists, &self.value) {
            (Some(false), None) => Ok(Test::NotExists(Path::new(name))),
            (Some(false), Some(_)) => Err(LegacyError::ValueWithoutExistence { attribute: attribute() }),
            (_, Some(value)) => Ok(test(name, ComparisonOperator::Eq, std::slice::from_ref(value))),
            (exists, None) => Err(LegacyError::ValueMissing { exists, attribute: attribute() }),
        }
    }
}

/// One for each condition and each of its values; `values` tells how many each condition has.
fn check_operands(values: impl Iterator<Item = usize>) -> Result<(), LegacyError> {
    let count = values.map(|values| values + 1).sum();
    if count > limits::LEGACY_OPERANDS_MAX {
        return Err(LegacyError::TooManyOperands { count });
    }
    Ok(())
}

/// The number of values, that they are of one type, that the operator knows it, and bounds.
fn check_comparison(operator: ComparisonOperator, values: &[AttributeValue]) -> Result<(), LegacyError> {
    if !operator.accepts_count(values.len()) {
        return Err(LegacyError::ArgumentCount { operator });
    }
    let Some(kind) = values.first().map(AttributeValue::kind) else { return Ok(()) };
    if values.iter().any(|value| value.kind() != kind) {
        return Err(LegacyError::MixedTypes);
    }
    if !operator.accepts_kind(kind) {
        return Err(LegacyError::ArgumentType { operator, kind });
    }
    match (operator, values) {
        (ComparisonOperator::Between, [low, high])
            if low.compare(high).is_some_and(std::cmp::Ordering::is_gt) =>
        {
            Err(LegacyError::BoundsReversed)
        }
        _ => Ok(()),
    }
}

/// The test that `operator` makes of the attribute, for values that were checked.
fn test(name: &str, operator: ComparisonOperator, values: &[AttributeValue]) -> Test {
    let path = || Path::new(name);
    let subject = || Operand::Path(path());
    let value = |position: usize| Operand::Value(Arc::new(values[position].clone()));
    let compare = |comparator| Test::Compare(comparator, subject(), value(0));
    match operator {
        ComparisonOperator::Eq => compare(Comparator::Equal),
        ComparisonOperator::Ne => compare(Comparator::NotEqual),
        ComparisonOperator::Le => compare(Comparator::LessOrEqual),
        ComparisonOperator::Lt => compare(Comparator::Less),
        ComparisonOperator::Ge => compare(Comparator::GreaterOrEqual),
        ComparisonOperator::Gt => compare(Comparator::Greater),
        ComparisonOperator::In => Test::In(subject(), (0..values.len()).map(value).collect()),
        ComparisonOperator::Between => Test::Between(subject(), value(0), value(1)),
        ComparisonOperator::NotNull => Test::Exists(path()),
        ComparisonOperator::Null => Test::NotExists(path()),
        ComparisonOperator::Contains => Test::Contains(subject(), value(0)),
        ComparisonOperator::NotContains => {
            let contains = Test::Contains(subject(), value(0));
            Test::All(vec![Test::Exists(path()), Test::Not(Box::new(contains))])
        }
        ComparisonOperator::BeginsWith => Test::BeginsWith(subject(), value(0)),
    }
}

impl Comparison {
    /// The operator of a key condition, for values that were checked.
    fn key_operator(&self) -> Result<KeyOperator, LegacyError> {
        let value = |position: usize| Arc::new(self.values[position].clone());
        Ok(match self.operator {
            ComparisonOperator::Eq => KeyOperator::Equal(value(0)),
            ComparisonOperator::Le => KeyOperator::LessOrEqual(value(0)),
            ComparisonOperator::Lt => KeyOperator::Less(value(0)),
            ComparisonOperator::Ge => KeyOperator::GreaterOrEqual(value(0)),
            ComparisonOperator::Gt => KeyOperator::Greater(value(0)),
            ComparisonOperator::Between => KeyOperator::Between(value(0), value(1)),
            ComparisonOperator::BeginsWith => KeyOperator::BeginsWith(value(0)),
            ComparisonOperator::Ne
            | ComparisonOperator::In
            | ComparisonOperator::NotNull
            | ComparisonOperator::Null
            | ComparisonOperator::Contains
            | ComparisonOperator::NotContains => return Err(LegacyError::NotIndexable),
        })
    }
}

impl AttributeUpdate {
    fn change(&self) -> Result<Change, LegacyError> {
        let action = self.action.unwrap_or_default();
        let Some(value) = &self.value else {
            return match action {
                UpdateAction::Delete => Ok(Change::Remove),
                UpdateAction::Put | UpdateAction::Add => Err(LegacyError::UpdateWithoutValue),
            };
        };
        let (kind, value) = (value.kind(), Arc::new(value.clone()));
        match (action, kind) {
            (UpdateAction::Put, _) => Ok(Change::Set(Expression::Value(value))),
            (UpdateAction::Add, Kind::L) => Ok(Change::Append(value)),
            (UpdateAction::Add, Kind::N | Kind::Ss | Kind::Ns | Kind::Bs) => Ok(Change::Add(value)),
            (UpdateAction::Add, _) => Err(LegacyError::AddType(kind)),
            (UpdateAction::Delete, Kind::Ss | Kind::Ns | Kind::Bs) => Ok(Change::Delete(value)),
            (UpdateAction::Delete, _) => Err(LegacyError::DeleteType(kind)),
        }
    }
}

#[cfg(test)]
mod tests;

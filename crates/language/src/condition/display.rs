//! The canonical text of a condition.

use std::fmt;

use super::{Condition, Operand, Test};
use crate::text::ValueText;

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.test.fmt(formatter)
    }
}

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(tests) if tests.is_empty() => formatter.write_str("TRUE"),
            Self::All(tests) => write_joined(formatter, tests, " AND "),
            Self::Any(tests) => write_joined(formatter, tests, " OR "),
            Self::Not(test) => {
                formatter.write_str("NOT ")?;
                write_enclosed(formatter, test)
            }
            Self::Compare(comparator, left, right) => {
                write!(formatter, "{left} {} {right}", comparator.symbol())
            }
            Self::Between(subject, low, high) => write!(formatter, "{subject} BETWEEN {low} AND {high}"),
            Self::In(subject, list) => {
                write!(formatter, "{subject} IN (")?;
                write_list(formatter, list)?;
                formatter.write_str(")")
            }
            Self::Exists(path) => write!(formatter, "attribute_exists({path})"),
            Self::NotExists(path) => write!(formatter, "attribute_not_exists({path})"),
            Self::IsOfType(operand, kind) => write!(formatter, "attribute_type({operand}, \"{kind}\")"),
            Self::BeginsWith(left, right) => write!(formatter, "begins_with({left}, {right})"),
            Self::Contains(left, right) => write!(formatter, "contains({left}, {right})"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(formatter, "{path}"),
            Self::Value(value) => write!(formatter, "{}", ValueText(value)),
            Self::Size(inner) => write!(formatter, "size({inner})"),
            Self::Truth(test) => write!(formatter, "({test})"),
        }
    }
}

fn write_joined(formatter: &mut fmt::Formatter<'_>, tests: &[Test], word: &str) -> fmt::Result {
    for (position, test) in tests.iter().enumerate() {
        if position > 0 {
            formatter.write_str(word)?;
        }
        write_enclosed(formatter, test)?;
    }
    Ok(())
}

/// AND and OR inside another test are enclosed, so that precedence need not be known to read it.
fn write_enclosed(formatter: &mut fmt::Formatter<'_>, test: &Test) -> fmt::Result {
    match test {
        Test::All(tests) | Test::Any(tests) if tests.len() > 1 => write!(formatter, "({test})"),
        _ => write!(formatter, "{test}"),
    }
}

fn write_list(formatter: &mut fmt::Formatter<'_>, list: &[Operand]) -> fmt::Result {
    for (position, operand) in list.iter().enumerate() {
        let comma = if position > 0 { ", " } else { "" };
        write!(formatter, "{comma}{operand}")?;
    }
    Ok(())
}

//! The parameters that carry expressions, and the older ones that they replaced.

use std::collections::BTreeMap;

use hashrange_api::message::{self, Family};
use hashrange_api::{ConditionalOperator, Error, ExpectedAttributeValue, Operation};
use hashrange_item::{Attributes, limits};
use hashrange_language::{Binder, Condition, ExpressionKind, Projection, legacy};

use super::refusal::{self, refuse};

/// Which of the two kinds of parameters a request uses, and for which operation: it decides the form of the texts.
#[derive(Debug)]
pub(crate) struct Parameters {
    operation: Operation,
    expressions: Vec<&'static str>,
    legacy: Vec<&'static str>,
}

impl Parameters {
    pub(crate) fn new(operation: Operation) -> Parameters {
        Parameters { operation, expressions: Vec::new(), legacy: Vec::new() }
    }

    /// Names an expression parameter that the request may carry.
    pub(crate) fn expression(&mut self, name: &'static str, present: bool) {
        if present {
            self.expressions.push(name);
        }
    }

    /// Names a legacy parameter that the request may carry.
    pub(crate) fn legacy(&mut self, name: &'static str, present: bool) {
        if present {
            self.legacy.push(name);
        }
    }

    /// Both kinds at once are refused, and placeholders without an expression.
    pub(crate) fn check(
        &self,
        names: Option<&BTreeMap<String, String>>,
        values: Option<&Attributes>,
    ) -> Result<(), Error> {
        if !self.expressions.is_empty() && !self.legacy.is_empty() {
            let text = message::legacy::mixed(&self.legacy, &self.expressions);
            return Err(refuse(self.operation, Family::Mixed, text));
        }
        if self.expressions.is_empty() && names.is_some() {
            let text = message::expression::names_without_expression();
            return Err(refuse(self.operation, Family::Placeholders, text));
        }
        if self.expressions.is_empty() && values.is_some() {
            return Err(refuse(self.operation, Family::Placeholders, self.values_without_expression()));
        }
        Ok(())
    }

    /// Scan and transactions name the parameter that they miss.
    fn values_without_expression(&self) -> String {
        match self.operation {
            Operation::Scan => message::expression::values_without("FilterExpression"),
            Operation::TransactWriteItems => message::expression::values_without("ConditionExpression"),
            _ => message::expression::values_without_expression(),
        }
    }

    /// The placeholders of the request, checked by themselves.
    pub(crate) fn binder<'a>(
        &self,
        names: Option<&'a BTreeMap<String, String>>,
        values: Option<&'a Attributes>,
    ) -> Result<Binder<'a>, Error> {
        let binder = Binder::new(names, values);
        binder.check_placeholders().map_err(|error| refusal::expression(self.operation, &error))?;
        Ok(binder)
    }

    /// The condition of a write, in either form.
    pub(crate) fn condition(
        &self,
        binder: &mut Binder<'_>,
        text: Option<&str>,
        expected: Option<BTreeMap<String, ExpectedAttributeValue>>,
        operator: Option<ConditionalOperator>,
    ) -> Result<Option<Condition>, Error> {
        if let Some(text) = text {
            let condition = binder.condition(ExpressionKind::Condition, text);
            return condition.map(Some).map_err(|error| refusal::expression(self.operation, &error));
        }
        legacy_condition(self.operation, expected, operator)
    }

    /// The attributes that a read returns, in either form.
    pub(crate) fn projection(
        &self,
        binder: &mut Binder<'_>,
        text: Option<&str>,
        names: Option<&[String]>,
    ) -> Result<Option<Projection>, Error> {
        if let Some(text) = text {
            let projection = binder.projection(text);
            return projection.map(Some).map_err(|error| refusal::expression(self.operation, &error));
        }
        names.into_iter().flatten().try_for_each(|name| check_name(self.operation, name))?;
        let projection = names.map(legacy::attributes_to_get).transpose();
        projection.map_err(|error| refusal::legacy(self.operation, &error))
    }

    /// Every placeholder was used.
    pub(crate) fn finish(&self, binder: Binder<'_>) -> Result<(), Error> {
        binder.finish().map_err(|error| refusal::expression(self.operation, &error))
    }
}

/// Legacy parameters name attributes outside of any item, whose names were checked when it was decoded.
pub(crate) fn check_name(operation: Operation, name: &str) -> Result<(), Error> {
    let text = match name.len() {
        0 => message::value::empty_attribute_name(),
        1..=limits::ATTRIBUTE_NAME_MAX => return Ok(()),
        _ => message::value::long_attribute_name(),
    };
    Err(refuse(operation, Family::ValueShape, text))
}

fn legacy_condition(
    operation: Operation,
    expected: Option<BTreeMap<String, ExpectedAttributeValue>>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Error> {
    let Some(expected) = expected else {
        return no_condition(operation, operator);
    };
    if operator.is_some() && expected.len() == 1 {
        return Err(refuse(operation, Family::Legacy, message::legacy::conditional_operator_alone()));
    }
    if expected.is_empty() {
        return no_condition(operation, operator);
    }
    expected.keys().try_for_each(|name| check_name(operation, name))?;
    let expected = expected.into_iter().map(|(name, value)| (name, expectation(value))).collect();
    let condition = legacy::expected(&expected, joined_by(operator));
    condition.map(Some).map_err(|error| refusal::legacy(operation, &error))
}

fn no_condition(
    operation: Operation,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Error> {
    if operator.is_some() {
        let text = message::legacy::conditional_operator_without_expected();
        return Err(refuse(operation, Family::Legacy, text));
    }
    Ok(None)
}

pub(crate) fn joined_by(operator: Option<ConditionalOperator>) -> legacy::ConditionalOperator {
    match operator {
        None | Some(ConditionalOperator::And) => legacy::ConditionalOperator::And,
        Some(ConditionalOperator::Or) => legacy::ConditionalOperator::Or,
    }
}

fn expectation(expected: ExpectedAttributeValue) -> legacy::Expectation {
    legacy::Expectation {
        value: expected.value,
        exists: expected.exists,
        comparison_operator: expected
            .comparison_operator
            .and_then(|operator| legacy::ComparisonOperator::from_name(operator.as_str())),
        attribute_value_list: expected.attribute_value_list,
    }
}

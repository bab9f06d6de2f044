//! Query and Scan, checked by themselves.

use std::collections::BTreeMap;

use hashrange_api::message::{self, Family};
use hashrange_api::{
    ConditionalOperator, Error, Operation, QueryInput, ReturnConsumedCapacity, ScanInput, Select,
};
use hashrange_item::Attributes;
use hashrange_language::{Binder, Condition, ExpressionKind, KeyCondition, Projection, legacy};

use super::parameters::{self, Parameters, joined_by};
use super::refusal::{self, refuse};

/// What Query and Scan have in common: where they read, what they drop, what they return.
#[derive(Debug)]
pub(crate) struct CheckedReading {
    pub(crate) table_name: String,
    pub(crate) index_name: Option<String>,
    pub(crate) filter: Option<Condition>,
    /// Whether the filter is the legacy `QueryFilter` or `ScanFilter`.
    pub(crate) legacy_filter: bool,
    pub(crate) projection: Option<Projection>,
    pub(crate) select: Option<Select>,
    pub(crate) limit: Option<usize>,
    pub(crate) start: Option<Attributes>,
    pub(crate) consistent: bool,
    pub(crate) consumed: Option<ReturnConsumedCapacity>,
    /// Whether a PartiQL statement reads: its filter may name keys, and attributes that an index does not carry.
    pub(crate) statement: bool,
}

/// A checked Query.
#[derive(Debug)]
pub struct CheckedQuery {
    pub(crate) reading: CheckedReading,
    pub(crate) condition: KeyCondition,
    pub(crate) forward: bool,
}

/// A checked Scan.
#[derive(Debug)]
pub struct CheckedScan {
    pub(crate) reading: CheckedReading,
    pub(crate) segment: u32,
    pub(crate) segments: u32,
}

/// Checks a Query.
pub(crate) fn query(input: QueryInput) -> Result<CheckedQuery, Error> {
    let operation = Operation::Query;
    let mut parameters = Parameters::new(operation);
    parameters.legacy("AttributesToGet", input.attributes_to_get.is_some());
    parameters.legacy("QueryFilter", input.query_filter.is_some());
    parameters.legacy("ConditionalOperator", input.conditional_operator.is_some());
    parameters.legacy("KeyConditions", input.key_conditions.is_some());
    parameters.expression("ProjectionExpression", input.projection_expression.is_some());
    parameters.expression("FilterExpression", input.filter_expression.is_some());
    parameters.expression("KeyConditionExpression", input.key_condition_expression.is_some());
    let (names, values) =
        (input.expression_attribute_names.as_ref(), input.expression_attribute_values.as_ref());
    parameters.check(names, values)?;
    let projected = projected_by(input.projection_expression.is_some(), input.attributes_to_get.is_some());
    check_select(operation, input.select, projected, input.index_name.is_some())?;
    if input.key_conditions.is_none() && input.key_condition_expression.is_none() {
        return Err(Error::validation(message::query::no_key_condition()));
    }
    let legacy_filter = input.query_filter.is_some();
    let mut binder = parameters.binder(names, values)?;
    let text = input.key_condition_expression.as_deref();
    let on_index = input.index_name.is_some();
    let condition = key_condition(&mut binder, text, input.key_conditions.unwrap_or_default(), on_index)?;
    let filter = filter(
        operation,
        &mut binder,
        input.filter_expression.as_deref(),
        input.query_filter,
        input.conditional_operator,
    )?;
    let (text, list) = (input.projection_expression.as_deref(), input.attributes_to_get.as_deref());
    let projection = parameters.projection(&mut binder, text, list)?;
    parameters.finish(binder)?;
    let reading = CheckedReading {
        table_name: input.table_name,
        index_name: input.index_name,
        filter,
        legacy_filter,
        projection,
        select: input.select,
        limit: limit(input.limit),
        start: input.exclusive_start_key,
        consistent: input.consistent_read.unwrap_or(false),
        consumed: input.return_consumed_capacity,
        statement: false,
    };
    Ok(CheckedQuery { reading, condition, forward: input.scan_index_forward.unwrap_or(true) })
}

/// Checks a Scan.
pub(crate) fn scan(input: ScanInput) -> Result<CheckedScan, Error> {
    let operation = Operation::Scan;
    let mut parameters = Parameters::new(operation);
    parameters.legacy("AttributesToGet", input.attributes_to_get.is_some());
    parameters.legacy("ScanFilter", input.scan_filter.is_some());
    parameters.legacy("ConditionalOperator", input.conditional_operator.is_some());
    parameters.expression("ProjectionExpression", input.projection_expression.is_some());
    parameters.expression("FilterExpression", input.filter_expression.is_some());
    let (names, values) =
        (input.expression_attribute_names.as_ref(), input.expression_attribute_values.as_ref());
    parameters.check(names, values)?;
    let projected = projected_by(input.projection_expression.is_some(), input.attributes_to_get.is_some());
    check_select(operation, input.select, projected, input.index_name.is_some())?;
    let (segment, segments) = segment(input.segment, input.total_segments)?;
    let legacy_filter = input.scan_filter.is_some();
    let mut binder = parameters.binder(names, values)?;
    let filter = filter(
        operation,
        &mut binder,
        input.filter_expression.as_deref(),
        input.scan_filter,
        input.conditional_operator,
    )?;
    let (text, list) = (input.projection_expression.as_deref(), input.attributes_to_get.as_deref());
    let projection = parameters.projection(&mut binder, text, list)?;
    parameters.finish(binder)?;
    let reading = CheckedReading {
        table_name: input.table_name,
        index_name: input.index_name,
        filter,
        legacy_filter,
        projection,
        select: input.select,
        limit: limit(input.limit),
        start: input.exclusive_start_key,
        consistent: input.consistent_read.unwrap_or(false),
        consumed: input.return_consumed_capacity,
        statement: false,
    };
    Ok(CheckedScan { reading, segment, segments })
}

/// Which of the two parameters names the attributes to return.
fn projected_by(expression: bool, list: bool) -> Option<&'static str> {
    let expression = expression.then_some("ProjectionExpression");
    expression.or_else(|| list.then_some("AttributesToGet"))
}

/// `Select` against the parameters that it needs or excludes.
fn check_select(
    operation: Operation,
    select: Option<Select>,
    projected: Option<&str>,
    on_index: bool,
) -> Result<(), Error> {
    let Some(select) = select else { return Ok(()) };
    let text = match (select, projected) {
        (Select::SpecificAttributes, None) => message::query::select_specific_without_projection(),
        (Select::SpecificAttributes, Some(_)) => return Ok(()),
        (_, Some(parameter)) => message::query::select_with_projection(parameter, select.as_str()),
        (Select::AllProjectedAttributes, None) if !on_index => {
            message::query::select_projected_without_index()
        }
        (_, None) => return Ok(()),
    };
    Err(refuse(operation, Family::Select, text))
}

fn limit(limit: Option<i32>) -> Option<usize> {
    limit.and_then(|limit| usize::try_from(limit).ok())
}

fn segment(segment: Option<i32>, total: Option<i32>) -> Result<(u32, u32), Error> {
    let text = match (segment, total) {
        (None, None) => return Ok((0, 1)),
        (Some(_), None) => message::query::segment_without_total(),
        (None, Some(_)) => message::query::total_without_segment(),
        (Some(segment), Some(total)) => match (u32::try_from(segment), u32::try_from(total)) {
            (Ok(segment), Ok(total)) if segment < total => return Ok((segment, total)),
            _ => message::query::segment_out_of_range(i64::from(segment), i64::from(total)),
        },
    };
    Err(Error::validation(text))
}

fn key_condition(
    binder: &mut Binder<'_>,
    text: Option<&str>,
    conditions: BTreeMap<String, hashrange_api::Condition>,
    on_index: bool,
) -> Result<KeyCondition, Error> {
    if let Some(text) = text {
        return binder.key_condition(text).map_err(|error| refusal::expression(Operation::Query, &error));
    }
    let conditions = comparisons(conditions);
    let condition =
        legacy::key_conditions(&conditions).map_err(|error| refusal::legacy(Operation::Query, &error))?;
    // The key of a table has two attributes at most, that of a global index more.
    if conditions.is_empty() || (conditions.len() > 2 && !on_index) {
        return Err(Error::validation(message::query::conditions_too_many()));
    }
    Ok(condition)
}

fn filter(
    operation: Operation,
    binder: &mut Binder<'_>,
    text: Option<&str>,
    conditions: Option<BTreeMap<String, hashrange_api::Condition>>,
    joined: Option<ConditionalOperator>,
) -> Result<Option<Condition>, Error> {
    if let Some(text) = text {
        let condition = binder.condition(ExpressionKind::Filter, text);
        return condition.map(Some).map_err(|error| refusal::expression(operation, &error));
    }
    let conditions = conditions.filter(|conditions| !conditions.is_empty());
    let Some(conditions) = conditions else {
        return match joined {
            None => Ok(None),
            Some(_) => Err(refuse(
                operation,
                Family::Legacy,
                message::legacy::conditional_operator_without_expected(),
            )),
        };
    };
    if joined.is_some() && conditions.len() == 1 {
        return Err(refuse(operation, Family::Legacy, message::legacy::conditional_operator_alone()));
    }
    conditions.keys().try_for_each(|name| parameters::check_name(operation, name))?;
    let condition = legacy::query_filter(&comparisons(conditions), joined_by(joined));
    condition.map(Some).map_err(|error| refusal::legacy(operation, &error))
}

fn comparisons(
    conditions: BTreeMap<String, hashrange_api::Condition>,
) -> BTreeMap<String, legacy::Comparison> {
    let comparison = |condition: hashrange_api::Condition| legacy::Comparison {
        operator: legacy::ComparisonOperator::from_name(condition.comparison_operator.as_str())
            .expect("both enumerations list the same thirteen operators"),
        values: condition.attribute_value_list.unwrap_or_default(),
    };
    conditions.into_iter().map(|(name, condition)| (name, comparison(condition))).collect()
}

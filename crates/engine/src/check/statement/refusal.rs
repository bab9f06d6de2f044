//! From what the language says of a statement to what AWS answers.

use hashrange_api::message::{self, Layer, statement as text};
use hashrange_api::{Error, Operation};
use hashrange_item::NumberError;
use hashrange_language::Problem;
use hashrange_language::partiql::{Detail, KeyProblem, StatementError as Fault};

use crate::check::refusal;

/// A statement was refused.
pub(crate) fn statement(error: &Fault) -> Error {
    match error {
        Fault::Expression(Problem::InvalidTypeName(name)) => {
            Error::validation(text::unknown_attribute_type(name))
        }
        Fault::Expression(problem) => {
            let error = hashrange_language::Error { kind: None, problem: problem.clone() };
            refusal::expression(Operation::ExecuteStatement, &error)
        }
        fault => Error::validation(shape(fault).unwrap_or_else(|| literal(fault))),
    }
}

/// What the grammar, a name or a clause is wrong in.
fn shape(fault: &Fault) -> Option<String> {
    Some(match fault {
        Fault::Malformed(detail) => text::malformed(detail_text(*detail)),
        Fault::Alias => text::aliasing(),
        Fault::TypeTestAlone => text::type_test_alone(),
        Fault::LongTablePath => text::long_table_path(),
        Fault::EmptyTableName => text::empty_table_name(),
        Fault::InsertIntoIndex => text::insert_into_index(),
        Fault::WriteToIndex => text::write_to_index(),
        Fault::ColumnNotAPath(place) => text::column_not_a_path(&place.to_string()),
        Fault::ListIndex { index, place } => text::list_index(index, &place.to_string()),
        Fault::Function { name, place } => text::unknown_function(name, &place.to_string()),
        Fault::SetTarget { function, place } => text::set_target(function, &place.to_string()),
        Fault::SetOperand { function, place } => text::set_operand(function, &place.to_string()),
        Fault::SetArguments { function, place } => text::set_arguments(function, &place.to_string()),
        Fault::ReturningOfDelete(clause) => text::returning_of_delete(&clause.to_string()),
        Fault::TooFewParameters => text::too_few_parameters(),
        _ => return None,
    })
}

/// What a literal is wrong in.
fn literal(fault: &Fault) -> String {
    match fault {
        Fault::NotALiteral { what, under, place } => text::not_a_literal(what, under, &place.to_string()),
        Fault::Number { error, under } => text::under(&number(error), under),
        Fault::EmptySet => text::empty_set(),
        Fault::MixedSet => text::mixed_set(),
        Fault::DuplicateStrings(members) => {
            let members: Vec<&str> = members.iter().map(String::as_str).collect();
            message::value::duplicate_strings(Layer::Older, &members)
        }
        Fault::DuplicateNumbers { members, under } => {
            let members: Vec<&str> = members.iter().map(String::as_str).collect();
            text::duplicate_numbers(&members, under)
        }
        Fault::DuplicateKey(key) => text::duplicate_key(key),
        Fault::TooDeep { under } => text::under(&text::too_deep(), under),
        other => unreachable!("every fault has a text: {other:?}"),
    }
}

fn number(error: &NumberError) -> String {
    match error {
        NumberError::NotNumeric(sent) => message::value::not_numeric(Layer::Older, sent),
        NumberError::Overflow => message::value::number_overflow(),
        NumberError::Underflow => message::value::number_underflow(),
        NumberError::TooManyDigits => message::value::number_too_long(),
    }
}

fn detail_text(detail: Detail) -> &'static str {
    match detail {
        Detail::Nothing => "",
        Detail::DataManipulation => text::expected_data_manipulation(),
        Detail::TokenAfterExpression => text::token_after_expression(),
        Detail::Term => text::unexpected_term(),
        Detail::Keyword => text::unexpected_keyword(),
        Detail::Operator => text::unexpected_operator(),
        Detail::RightHandSide => text::missing_right_hand_side(),
        Detail::TypeName => text::expected_type_name(),
        Detail::Identifier => text::expected_identifier(),
        Detail::PathDot => text::invalid_path_dot(),
    }
}

/// A WHERE clause does not go with the keys of its table.
pub(crate) fn key_problem(problem: &KeyProblem) -> Error {
    Error::validation(match problem {
        KeyProblem::MissingEquality => text::missing_key_equality(),
        KeyProblem::Several { attribute } => text::several_keys(attribute),
        KeyProblem::Type { attribute } => text::key_type(attribute),
        KeyProblem::Overlap => text::overlapping(),
        KeyProblem::TooManyReads => text::too_many_reads(),
    })
}

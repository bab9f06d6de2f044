//! From what the language says of a text to what AWS answers.

use hashrange_api::message::{self, Family, expression as text};
use hashrange_api::{Error, ErrorCode, Operation};
use hashrange_item::{AttributeValue, NumberError, Path, Step};
use hashrange_language::legacy::LegacyError;
use hashrange_language::{ExpressionKind, PlaceholderMap, Problem, UpdateError};

/// A validation error in the form that the operation gives to texts of this family.
pub(crate) fn refuse(operation: Operation, family: Family, text: impl AsRef<str>) -> Error {
    Error::validation(message::layered(operation, family, text.as_ref()))
}

/// An expression or a placeholder was refused.
pub(crate) fn expression(operation: Operation, error: &hashrange_language::Error) -> Error {
    let kind = error.kind.map(|kind| kind.to_string()).unwrap_or_default();
    let text = match &error.problem {
        Problem::ExpressionTooLong { size } if sized(operation, error.kind) => {
            text::too_long_with_size(&kind, *size)
        }
        problem => problem_text(&kind, problem),
    };
    refuse(operation, Family::Expression, text)
}

/// Whether the text about an expression's length goes on with its size.
fn sized(operation: Operation, kind: Option<ExpressionKind>) -> bool {
    match operation {
        Operation::Scan => kind == Some(ExpressionKind::Filter),
        Operation::TransactWriteItems => kind == Some(ExpressionKind::Condition),
        _ => false,
    }
}

/// One match, so that the compiler knows that every problem has a text.
fn problem_text(kind: &str, problem: &Problem) -> String {
    use PlaceholderMap::{Names, Values};
    use Problem as P;
    match problem {
        P::EmptyPlaceholderMap(Names) => text::names_empty(),
        P::EmptyPlaceholderMap(Values) => text::values_empty(),
        P::InvalidPlaceholderKey { map: Names, key } => text::name_key(key),
        P::InvalidPlaceholderKey { map: Values, key } => text::value_key(key),
        P::PlaceholderKeyTooLong { map, size } => text::key_too_long(&map.to_string(), &size.to_string()),
        P::EmptyAttributeName { key } => text::name_value_empty(key),
        P::PlaceholdersTooLarge { .. } => text::placeholders_too_large(),
        P::UnusedNames(names) => text::unused_names(&borrowed(names)),
        P::UnusedValues(values) => text::unused_values(&borrowed(values)),
        P::Empty => text::empty(kind),
        P::ExpressionTooLong { .. } => text::too_long(kind),
        P::Syntax { token, near } => text::syntax(kind, token, near),
        P::RedundantParentheses => text::redundant_parentheses(kind),
        P::TooManyOperators { count } => text::too_many_operators(kind, *count),
        P::SectionTwice(section) => text::clause_twice(section),
        P::ReservedWord(word) => text::reserved_word(kind, word),
        P::ListIndexOutOfRange { index } => text::list_index(kind, index),
        P::InvalidFunction(name) => text::unknown_function(kind, name),
        P::FunctionNotAllowed(name) => text::function_not_allowed(kind, name),
        P::FunctionMisplaced(name) => text::function_misplaced(kind, name),
        P::UndefinedName(name) => text::name_not_defined(kind, name),
        P::UndefinedValue(name) => text::value_not_defined(kind, name),
        P::PathTooDeep { levels } => text::path_too_deep(kind, *levels),
        P::OperandCount { name, count } => text::operand_count(kind, name, *count),
        P::TooManyInOperands { count } => text::too_many_in_operands(kind, *count),
        P::RequiresPath { name } => text::path_required(kind, name),
        P::NotDistinct { operator, operand } => {
            with_path(operand, |path| text::same_operand(kind, operator, path))
        }
        P::OperandType { name, kind: operand } => text::operand_type(kind, name, &operand.to_string()),
        P::ActionOperandType { action, kind: given } => {
            text::action_operand_type(kind, action, given.long_name())
        }
        P::InvalidTypeName(name) => text::unknown_attribute_type(kind, name),
        P::BetweenBoundTypes { lower, upper } => text::between_types(kind, &shown(lower), &shown(upper)),
        P::BetweenBoundsReversed { lower, upper } => text::between_bounds(kind, &shown(lower), &shown(upper)),
        P::Overlap { one, two } => {
            with_path(one, |one| with_path(two, |two| text::paths_overlap(kind, one, two)))
        }
        P::Conflict { one, two } => {
            with_path(one, |one| with_path(two, |two| text::paths_conflict(kind, one, two)))
        }
        P::KeyOperator(operator) => text::key_condition_operator(operator),
        P::KeyNestedOperation => text::key_condition_nested_operation(),
        P::KeyNestedAttribute => text::key_condition_nested(),
        P::KeyNotFirstOperand(operator) => text::key_condition_first_operand(operator),
        P::KeyMultipleAttributes => text::key_condition_several_attributes(),
        P::KeyNoAttribute => text::key_condition_no_attribute(),
        P::KeyConditionTwice { .. } => text::key_condition_twice(),
    }
}

fn with_path(path: &Path, text: impl FnOnce(&[&str]) -> String) -> String {
    text(&borrowed(&segments(path)))
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// A path as AWS lists it: `[a, b, [1]]`.
fn segments(path: &Path) -> Vec<String> {
    let rest = path.rest().iter().map(|step| match step {
        Step::Name(name) => name.clone(),
        Step::Index(index) => format!("[{index}]"),
    });
    std::iter::once(path.top().to_owned()).chain(rest).collect()
}

/// A bound as AWS shows it: `{N:2}`.
fn shown(value: &AttributeValue) -> String {
    let content = match value {
        AttributeValue::S(text) => text.clone(),
        AttributeValue::N(number) => number.to_string(),
        AttributeValue::B(bytes) => base64_text(bytes),
        other => format!("{other:?}"),
    };
    format!("{{{}:{content}}}", value.kind())
}

fn base64_text(bytes: &[u8]) -> String {
    let mut quoted = Vec::new();
    hashrange_item::json::write_binary(bytes, &mut quoted);
    String::from_utf8_lossy(&quoted).trim_matches('"').to_owned()
}

/// A legacy parameter was refused.
pub(crate) fn legacy(operation: Operation, error: &LegacyError) -> Error {
    refuse(operation, Family::Legacy, legacy_text(error))
}

fn legacy_text(error: &LegacyError) -> String {
    use message::legacy as text;
    match error {
        LegacyError::ValueAndList { attribute } => text::value_and_list(attribute),
        LegacyError::ExistsAndOperator { attribute } => text::exists_and_comparison(attribute),
        LegacyError::OperatorWithoutValue { operator, attribute } => {
            text::comparison_without_value(operator.name(), attribute)
        }
        LegacyError::ListWithoutOperator { attribute } => text::list_without_comparison(attribute),
        LegacyError::ValueMissing { exists, attribute } => text::value_required(*exists, attribute),
        LegacyError::ValueWithoutExistence { attribute } => text::value_forbidden(attribute),
        LegacyError::ArgumentCount { operator } => text::argument_count(operator.name()),
        LegacyError::MixedTypes => text::comparison_types_differ(),
        LegacyError::ArgumentType { operator, kind } => {
            text::comparison_type(operator.name(), &kind.to_string())
        }
        LegacyError::BoundsReversed => text::bounds_reversed(),
        LegacyError::NotIndexable => text::not_indexable(),
        LegacyError::UpdateWithoutValue => text::update_without_value(),
        LegacyError::AddType(kind) => text::update_type("ADD", &kind.to_string()),
        LegacyError::DeleteType(kind) => text::update_type("DELETE", &kind.to_string()),
        LegacyError::TooManyOperands { count } => text::too_many_operands(*count),
        LegacyError::DuplicateName { attribute } => text::attributes_to_get_twice(attribute),
    }
}

/// An update could not be carried out on the item as it is.
pub(crate) fn update_error(error: &UpdateError) -> Error {
    let (family, text) = match error {
        UpdateError::InvalidPath => (Family::DocumentPath, message::item::bad_path()),
        UpdateError::MissingAttribute => (Family::Operand, message::item::missing_operand()),
        UpdateError::OperandType => (Family::Operand, message::item::operand_type()),
        UpdateError::TypeMismatch => (Family::Operand, message::item::update_type()),
        UpdateError::Number(NumberError::Underflow) => {
            (Family::Arithmetic, message::value::number_underflow())
        }
        UpdateError::Number(_) => (Family::Arithmetic, message::value::number_overflow()),
        UpdateError::TooDeep => (Family::ItemSize, message::value::too_deep()),
        UpdateError::TooLarge => (Family::ItemSize, message::item::update_too_large()),
    };
    refuse(Operation::UpdateItem, family, text)
}

/// A failure below the database: the client may try again.
pub(crate) fn internal(why: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::InternalServerError, why.to_string())
}

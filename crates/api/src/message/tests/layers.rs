//! The table of envelopes, by operation and family.

use crate::Operation;
use crate::message::{Family, is_enveloped, layered, layered_value};

const FAMILIES: [Family; 18] = [
    Family::Set,
    Family::Number,
    Family::NullFalse,
    Family::ExpressionValueDepth,
    Family::Expression,
    Family::Placeholders,
    Family::Mixed,
    Family::ReturnValues,
    Family::Legacy,
    Family::Select,
    Family::Key,
    Family::KeyUpdate,
    Family::DocumentPath,
    Family::Operand,
    Family::EmptyKey,
    Family::ValueShape,
    Family::ItemSize,
    Family::Arithmetic,
];

#[test]
fn the_three_single_writes_envelope_request_validation_and_nothing_else_does() {
    for operation in Operation::ALL {
        let enveloped: Vec<Family> =
            FAMILIES.into_iter().filter(|family| is_enveloped(operation, *family)).collect();
        match operation {
            Operation::PutItem | Operation::UpdateItem | Operation::DeleteItem => {
                assert_eq!(enveloped, FAMILIES[..10], "{}", operation.name());
            }
            Operation::Query => assert_eq!(enveloped, [Family::Select]),
            _ => assert_eq!(enveloped, [], "{}", operation.name()),
        }
    }
}

#[test]
fn a_text_is_enveloped_bare_or_wrapped() {
    assert_eq!(layered(Operation::PutItem, Family::Mixed, "x"), "1 validation error detected: x");
    assert_eq!(layered(Operation::GetItem, Family::Mixed, "x"), "x");
    let value = |operation| layered_value(operation, Family::Set, "x", ":v");
    assert_eq!(value(Operation::UpdateItem), "1 validation error detected: x");
    assert_eq!(value(Operation::Query), "x");
    assert_eq!(value(Operation::Scan), "ExpressionAttributeValues contains invalid value: x for key :v");
}

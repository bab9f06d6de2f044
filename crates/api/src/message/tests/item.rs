//! The texts of `message::item`, word for word.

use super::check;
use crate::message::item;
use crate::message::item::EmptyKind;

#[test]
fn from_table_not_found_to_sort_key_too_long() {
    check(item::table_not_found(), "Requested resource not found");
    check(item::index_not_found("index"), "The table does not have the specified index: index");
    check(item::key_mismatch(), "The provided key element does not match the schema");
    check(
        item::missing_key("attribute"),
        "One or more parameter values were invalid: Missing the key attribute in the item",
    );
    check(
        item::key_type("attribute", "expected", "actual"),
        "One or more parameter values were invalid: Type mismatch for key attribute expected: expected actual: actual",
    );
    check(
        item::index_key_type("attribute", "expected", "actual", "index"),
        "One or more parameter values were invalid: Type mismatch for Index Key attribute Expected: expected Actual: actual IndexName: index",
    );
    check(
        item::empty_key_string("attribute"),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: attribute",
    );
    check(
        item::empty_key_binary("attribute"),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary value. Key: attribute",
    );
    check(
        item::empty_index_key(EmptyKind::String, "index", "attribute"),
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: index, IndexKey: attribute",
    );
    check(
        item::empty_index_key(EmptyKind::Binary, "index", "attribute"),
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty binary value. IndexName: index, IndexKey: attribute",
    );
    check(
        item::empty_index_key_update(EmptyKind::String),
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.",
    );
    check(
        item::empty_index_key_update(EmptyKind::Binary),
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty binary value.",
    );
    check(
        item::partition_key_too_long(),
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
    );
    check(
        item::sort_key_too_long(),
        "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    );
}

#[test]
fn from_too_large_to_batch_write_empty() {
    check(item::too_large(), "Item size has exceeded the maximum allowed size");
    check(
        item::too_large_with_entries(),
        "Item size has exceeded the maximum allowed size, counting its entries in local secondary indexes",
    );
    check(item::update_too_large(), "Item size to update has exceeded the maximum allowed size");
    check(item::condition_failed(), "The conditional request failed");
    check(
        item::key_update("attribute"),
        "One or more parameter values were invalid: Cannot update attribute attribute. This attribute is part of the key",
    );
    check(item::bad_path(), "The document path provided in the update expression is invalid for update");
    check(
        item::missing_operand(),
        "The provided expression refers to an attribute that does not exist in the item",
    );
    check(item::operand_type(), "An operand in the update expression has an incorrect data type");
    check(item::update_type(), "Type mismatch for attribute to update");
    check(item::return_values(), "ReturnValues can only be ALL_OLD or NONE");
    check(item::collection_too_large(), "Collection size exceeded.");
    check(item::transaction_conflict(), "Transaction is ongoing for the item");
    check(item::batch_duplicates(), "Provided list of item keys contains duplicates");
    check(item::batch_too_long("operation"), "Too many items requested for the operation call");
    check(
        item::batch_get_empty(),
        "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
    check(item::batch_write_empty(), "The requestItems parameter is required for BatchWriteItem");
}

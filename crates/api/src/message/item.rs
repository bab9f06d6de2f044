//! Item operations: keys, items, conditions, paths.

use super::invalid;

/// Item operations, batches and transactions on a table that does not exist.
pub fn table_not_found() -> String {
    "Requested resource not found".to_owned()
}

/// A read of an index that does not exist.
pub fn index_not_found(index: &str) -> String {
    format!("The table does not have the specified index: {index}")
}

/// A `Key` with the wrong attributes or types, in every operation but PutItem.
pub fn key_mismatch() -> String {
    "The provided key element does not match the schema".to_owned()
}

/// A put without a key attribute.
pub fn missing_key(attribute: &str) -> String {
    invalid(&format!("Missing the key {attribute} in the item"))
}

/// A put with a key attribute of another type; types are `S`, `N`, `B`, ….
pub fn key_type(attribute: &str, expected: &str, actual: &str) -> String {
    invalid(&format!("Type mismatch for key {attribute} expected: {expected} actual: {actual}"))
}

/// A write with an index key attribute of another type.
pub fn index_key_type(attribute: &str, expected: &str, actual: &str, index: &str) -> String {
    invalid(&format!(
        "Type mismatch for Index Key {attribute} Expected: {expected} Actual: {actual} IndexName: {index}"
    ))
}

/// A key attribute that is an empty string.
pub fn empty_key_string(attribute: &str) -> String {
    format!("{EMPTY_KEY} string value. Key: {attribute}")
}

/// A key attribute that is an empty binary value.
pub fn empty_key_binary(attribute: &str) -> String {
    format!("{EMPTY_KEY} binary value. Key: {attribute}")
}

const EMPTY_KEY: &str = "One or more parameter values are not valid. \
    The AttributeValue for a key attribute cannot contain an empty";

/// The kind of an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyKind {
    /// An empty string.
    String,
    /// An empty binary value.
    Binary,
}

impl EmptyKind {
    fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Binary => "binary",
        }
    }
}

/// A put with an index key attribute that is empty.
pub fn empty_index_key(kind: EmptyKind, index: &str, attribute: &str) -> String {
    let kind = kind.name();
    format!(
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. \
         The AttributeValue for a key attribute cannot contain an empty {kind} value. \
         IndexName: {index}, IndexKey: {attribute}"
    )
}

/// An update that makes an index key attribute empty.
pub fn empty_index_key_update(kind: EmptyKind) -> String {
    let kind = kind.name();
    format!(
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key \
         to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {kind} value."
    )
}

/// A partition key value over 2,048 bytes. The missing space is AWS's.
pub fn partition_key_too_long() -> String {
    invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes")
}

/// A sort key value over 1,024 bytes.
pub fn sort_key_too_long() -> String {
    invalid("Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
}

/// A put of an item over 400 KB.
pub fn too_large() -> String {
    "Item size has exceeded the maximum allowed size".to_owned()
}

/// An update that would make an item larger than 400 KB.
pub fn update_too_large() -> String {
    "Item size to update has exceeded the maximum allowed size".to_owned()
}

/// A condition that does not hold.
pub fn condition_failed() -> String {
    "The conditional request failed".to_owned()
}

/// An update of a key attribute.
pub fn key_update(attribute: &str) -> String {
    invalid(&format!("Cannot update attribute {attribute}. This attribute is part of the key"))
}

/// An update whose path leads through something that is not there, or is no map or list.
pub fn bad_path() -> String {
    "The document path provided in the update expression is invalid for update".to_owned()
}

/// An update whose right-hand side names an attribute that is not there.
pub fn missing_operand() -> String {
    "The provided expression refers to an attribute that does not exist in the item".to_owned()
}

/// An update whose operand has the wrong type in the item.
pub fn operand_type() -> String {
    "An operand in the update expression has an incorrect data type".to_owned()
}

/// `ADD` or `DELETE` on an attribute of another type.
pub fn update_type() -> String {
    "Type mismatch for attribute to update".to_owned()
}

/// `ReturnValues` of PutItem and DeleteItem other than `NONE` and `ALL_OLD`.
pub fn return_values() -> String {
    "ReturnValues can only be ALL_OLD or NONE".to_owned()
}

/// An item collection with local secondary indexes over 10 GB.
pub fn collection_too_large() -> String {
    "Collection size exceeded.".to_owned()
}

/// A write to an item that a transaction holds.
pub fn transaction_conflict() -> String {
    "Transaction is ongoing for the item".to_owned()
}

/// BatchGetItem and BatchWriteItem: one item named twice.
pub fn batch_duplicates() -> String {
    "Provided list of item keys contains duplicates".to_owned()
}

/// More than 100 keys or 25 writes over all tables of a batch; `operation` is the batch's name.
pub fn batch_too_long(operation: &str) -> String {
    format!("Too many items requested for the {operation} call")
}

/// A BatchGetItem without tables. (Newer records: every region but one has moved to it.)
pub fn batch_get_empty() -> String {
    let text = super::constraint::length_at_least(1);
    super::detected(1, &format!("Value at 'RequestItems' failed to satisfy constraint: {text}"))
}

/// A BatchWriteItem without tables.
pub fn batch_write_empty() -> String {
    "The requestItems parameter is required for BatchWriteItem".to_owned()
}

/// An item that is over 400 KB together with its entries in local indexes. The limit is documented, the text is not on
/// record.
pub fn too_large_with_entries() -> String {
    "Item size has exceeded the maximum allowed size, counting its entries in local secondary indexes"
        .to_owned()
}

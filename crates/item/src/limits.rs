//! Every limit of DynamoDB that this database knows, in one table.
//!
//! Sources: *guide* is the Amazon DynamoDB Developer Guide ("Quotas in Amazon DynamoDB" unless named),
//! *model* the API model (shape constraints), *measured* the behaviour of AWS recorded by conformance tests.

// -- items and attributes

/// Largest item, names and values, in bytes; inclusive. Guide; measured (409,601 is refused).
pub const ITEM_SIZE_MAX: usize = 400 * 1024;
/// Nested levels of an attribute, its own value included. Guide; measured (31 maps around a scalar pass, 32 do not).
pub const NESTING_MAX: usize = 32;
/// Longest attribute name, in bytes of UTF-8. Guide; measured (65,536 is refused).
pub const ATTRIBUTE_NAME_MAX: usize = 65_535;
/// Longest name of a key attribute, of an attribute that an index projects by name, and of a TTL attribute, in bytes. Guide.
pub const KEY_ATTRIBUTE_NAME_MAX: usize = 255;
/// Longest partition key value, in bytes. Guide.
pub const PARTITION_KEY_MAX: usize = 2048;
/// Longest sort key value, in bytes (the sum over the sort key attributes of one index). Guide; measured.
pub const SORT_KEY_MAX: usize = 1024;
/// What storage billing adds for each item and each index entry, in bytes. Guide, "Item sizes and formats".
pub const BILLED_ITEM_OVERHEAD: usize = 100;

// -- numbers

/// Significant digits of a number. Guide, "Data types".
pub const NUMBER_DIGITS_MAX: u32 = 38;
/// Largest power of ten of a number's first digit: 9.99…E+125. Guide, "Data types".
pub const NUMBER_MAGNITUDE_MAX: i32 = 125;
/// Smallest power of ten of a number's first digit: 1E-130. Guide, "Data types".
pub const NUMBER_MAGNITUDE_MIN: i32 = -130;

// -- names

/// Shortest name of a table or index, in characters. Guide; model.
pub const TABLE_NAME_MIN: usize = 3;
/// Longest name of a table or index, in characters. Guide; model.
pub const TABLE_NAME_MAX: usize = 255;
/// Longest table name or ARN where a call takes either, in characters. Model (`TableArn`).
pub const TABLE_ARN_MAX: usize = 1024;

// -- tables and indexes

/// Tables of one account in one region, as granted at first. Guide; model.
pub const TABLES_MAX: usize = 2500;
/// Local secondary indexes of a table. Guide.
pub const LOCAL_INDEXES_MAX: usize = 5;
/// Global secondary indexes of a table, as granted at first. Guide.
pub const GLOBAL_INDEXES_MAX: usize = 20;
/// Partition key attributes, and likewise sort key attributes, of a global secondary index. Model.
pub const INDEX_KEY_ATTRIBUTES_MAX: usize = 4;
/// Attributes projected by name, summed over all indexes of a table. Guide.
pub const PROJECTED_ATTRIBUTES_MAX: usize = 100;
/// Items of one partition key value in a table with local secondary indexes, with their index entries, in bytes. Guide.
pub const ITEM_COLLECTION_SIZE_MAX: u64 = 10 * 1024 * 1024 * 1024;
/// Global secondary indexes that one `UpdateTable` may create or delete, and that may be built at a time. Guide.
pub const ONLINE_INDEX_OPERATIONS_MAX: usize = 1;
/// Control-plane operations in progress in one account. Model.
pub const CONTROL_OPERATIONS_MAX: usize = 500;
/// Tables in creation that have indexes, in one account. Model.
pub const CONTROL_OPERATIONS_WITH_INDEXES_MAX: usize = 250;
/// Tags of one resource. Guide.
pub const TAGS_MAX: usize = 50;
/// Longest key of a tag, in characters. Guide; model.
pub const TAG_KEY_MAX: usize = 128;
/// Longest value of a tag, in characters. Guide; model.
pub const TAG_VALUE_MAX: usize = 256;
/// Longest resource policy, in bytes, white space included. Model.
pub const RESOURCE_POLICY_MAX: usize = 20 * 1024;

// -- vector indexes

/// Vector indexes of a table. Guide.
pub const VECTOR_INDEXES_MAX: usize = 5;
/// Dimensions of a vector. Guide; model.
pub const VECTOR_DIMENSIONS_MAX: usize = 4096;
/// Most neighbours that a search returns. Guide.
pub const VECTOR_TOP_K_MAX: usize = 100;
/// Partition key attributes of a vector index. Guide.
pub const VECTOR_HASH_KEYS_MAX: usize = 1;
/// Filter attributes of a vector index. Guide.
pub const VECTOR_FILTERS_MAX: usize = 18;

// -- throughput

/// Read capacity units of a table and, likewise, of each of its indexes. Guide.
pub const TABLE_READ_UNITS_MAX: u64 = 40_000;
/// Write capacity units of a table and, likewise, of each of its indexes. Guide.
pub const TABLE_WRITE_UNITS_MAX: u64 = 40_000;
/// Provisioned read capacity units of an account in one region. Guide.
pub const ACCOUNT_READ_UNITS_MAX: u64 = 80_000;
/// Provisioned write capacity units of an account in one region. Guide.
pub const ACCOUNT_WRITE_UNITS_MAX: u64 = 80_000;
/// Least provisioned read or write capacity. Guide.
pub const PROVISIONED_UNITS_MIN: u64 = 1;
/// Decreases of throughput in the first hour of a day (UTC) of a table or an index. Guide.
pub const DECREASES_IN_FIRST_HOUR_MAX: u32 = 4;
/// Decreases of throughput in one day (UTC): four, then one for each hour without one. Guide.
pub const DECREASES_PER_DAY_MAX: u32 = 27;
/// How many seconds of unused provisioned capacity are kept for later. Guide, "Burst capacity".
pub const BURST_S: u64 = 300;
/// Changes from provisioned to on-demand capacity in a rolling 24 hours. Guide, "Considerations when switching capacity modes".
pub const SWITCHES_TO_ON_DEMAND_PER_DAY_MAX: u32 = 4;

// -- requests

/// Keys of one `BatchGetItem`. Model.
pub const BATCH_GET_KEYS_MAX: usize = 100;
/// Puts and deletes of one `BatchWriteItem`. Model.
pub const BATCH_WRITE_REQUESTS_MAX: usize = 25;
/// Answer of a `BatchGetItem`, in bytes. Model.
pub const BATCH_GET_SIZE_MAX: usize = 16 * 1024 * 1024;
/// What one `BatchGetItem` reads of one partition, in bytes. API reference. (Items with one partition key are in one.)
pub const BATCH_GET_PARTITION_SIZE_MAX: usize = 1024 * 1024;
/// Request of a `BatchWriteItem`, in bytes. Model.
pub const BATCH_WRITE_SIZE_MAX: usize = 16 * 1024 * 1024;
/// What one page of `Query` or `Scan` reads, before its filter, in bytes. Guide.
pub const PAGE_SIZE_MAX: usize = 1024 * 1024;
/// Segments of a parallel scan. Model.
pub const SCAN_SEGMENTS_MAX: u32 = 1_000_000;
/// Actions of one transaction. Guide; model.
pub const TRANSACTION_ACTIONS_MAX: usize = 100;
/// Payload of one transaction, in bytes. Guide; measured.
pub const TRANSACTION_SIZE_MAX: usize = 4 * 1024 * 1024;
/// Longest `ClientRequestToken`, in characters. Model.
pub const CLIENT_TOKEN_MAX: usize = 36;
/// How long a `ClientRequestToken` is remembered after its transaction, in milliseconds. Model; guide.
pub const CLIENT_TOKEN_LIFE_MS: u64 = 10 * 60 * 1000;
/// Longest PartiQL statement, in characters. Model.
pub const STATEMENT_LENGTH_MAX: usize = 8192;
/// Statements of one `BatchExecuteStatement`. Model.
pub const BATCH_STATEMENTS_MAX: usize = 25;
/// Most table names that one `ListTables` returns. Model.
pub const LIST_TABLES_MAX: usize = 100;
/// Most streams, or shards, that one `ListStreams` or `DescribeStream` returns. Model.
pub const LIST_STREAMS_MAX: usize = 100;
/// Records that one `GetRecords` returns. Model.
pub const GET_RECORDS_MAX: usize = 1000;
/// Records that one `GetRecords` returns, in bytes. Guide.
pub const GET_RECORDS_SIZE_MAX: usize = 1024 * 1024;

// -- expressions

/// Longest expression, in bytes. Guide; measured (4,097 is refused).
pub const EXPRESSION_LENGTH_MAX: usize = 4096;
/// Operators of one expression; functions and parentheses do not count. Guide; measured.
pub const EXPRESSION_OPERATORS_MAX: usize = 300;
/// Operands of `IN`, its left side included. Guide; measured (99 values pass).
pub const IN_OPERANDS_MAX: usize = 100;
/// Conditions and values of one legacy `Expected`, `QueryFilter` or `ScanFilter`. Ours: as many as the longest expression
/// can name (`:a` and a comma each), so that neither form may cost more for each item than the other.
pub const LEGACY_OPERANDS_MAX: usize = EXPRESSION_LENGTH_MAX / 3;
/// Longest placeholder (`#name`, `:value`), in bytes. Guide.
pub const PLACEHOLDER_LENGTH_MAX: usize = 255;
/// Sum of all expression attribute names and values of a request, in bytes. Guide.
pub const PLACEHOLDERS_SIZE_MAX: usize = 2 * 1024 * 1024;
/// Steps of a document path. Measured (`nesting levels: 33` is refused).
pub const PATH_DEPTH_MAX: usize = 32;

// -- capacity units

/// Bytes that one read unit covers. Guide, capacity unit calculations.
pub const READ_UNIT_BYTES: usize = 4096;
/// Bytes that one write unit covers. Guide, capacity unit calculations.
pub const WRITE_UNIT_BYTES: usize = 1024;

const _: () = assert!(SORT_KEY_MAX < PARTITION_KEY_MAX && PARTITION_KEY_MAX < ITEM_SIZE_MAX);
const _: () = assert!(10_u128.pow(NUMBER_DIGITS_MAX) < u128::MAX / 3);

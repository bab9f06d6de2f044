//! The access patterns of the shop.

use hashrange_api::Operation;

/// One access pattern.
pub(super) struct Pattern {
    /// What the application wants.
    pub(super) name: &'static str,
    /// Why the request looks so.
    pub(super) why: &'static str,
    pub(super) operation: Operation,
    /// The body, as `aws dynamodb .. --cli-input-json` takes it.
    pub(super) request: &'static str,
}

pub(super) const INTRODUCTION: &str = "\
# A shop in one table

Users, orders and order items live in one table. The partition key says whose, the sort key says what:

  USER#..   PROFILE         a user
  USER#..   ORDER#..        an order of that user, newest last
  ORDER#..  ITEM#..         an item of that order
  PRODUCT#.. PRODUCT        a product of the catalogue

The index GSI1 is overloaded: each kind of item puts into GSI1PK and GSI1SK what it wants to be found by. A user is
found by e-mail address, an order by its number, a product by its category; an order item is in no second place, so it
leaves both out. The index PENDING is sparse: only an order that waits for its shipment has pendingSince, so the index
holds nothing else.

Each request below is what you can give to `aws dynamodb .. --cli-input-json`; its plan is what
`hashrange explain OPERATION 'REQUEST'` prints.
";

/// In the order of the walk: later ones see what earlier ones wrote.
pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        name: "Create the table",
        why: "Keys have general names, because each kind of item fills them differently.",
        operation: Operation::CreateTable,
        request: r#"{
            "TableName": "shop", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"},
                {"AttributeName": "GSI1PK", "AttributeType": "S"}, {"AttributeName": "GSI1SK", "AttributeType": "S"},
                {"AttributeName": "warehouse", "AttributeType": "S"}, {"AttributeName": "pendingSince", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            "GlobalSecondaryIndexes": [{
                "IndexName": "GSI1",
                "KeySchema": [
                    {"AttributeName": "GSI1PK", "KeyType": "HASH"}, {"AttributeName": "GSI1SK", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "ALL"}}, {
                "IndexName": "PENDING",
                "KeySchema": [
                    {"AttributeName": "warehouse", "KeyType": "HASH"}, {"AttributeName": "pendingSince", "KeyType": "RANGE"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["amount"]}}]}"#,
    },
    Pattern {
        name: "Register a user, if the number is free",
        why: "The condition makes the put an insert. The e-mail address goes into the index key.",
        operation: Operation::PutItem,
        request: r#"{
            "TableName": "shop",
            "Item": {
                "PK": {"S": "USER#ann"}, "SK": {"S": "PROFILE"},
                "GSI1PK": {"S": "EMAIL#ann@example.com"}, "GSI1SK": {"S": "USER#ann"},
                "name": {"S": "Ann"}, "email": {"S": "ann@example.com"},
                "addresses": {"M": {"home": {"S": "12 Elm Street"}, "office": {"S": "1 Main Square"}}}},
            "ConditionExpression": "attribute_not_exists(PK)",
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Register the same user again",
        why: "The condition fails, and the answer brings the user that is there. A failed write consumes too.",
        operation: Operation::PutItem,
        request: r#"{
            "TableName": "shop",
            "Item": {"PK": {"S": "USER#ann"}, "SK": {"S": "PROFILE"}, "name": {"S": "Anna"}},
            "ConditionExpression": "attribute_not_exists(PK)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Read a user by number",
        why: "The whole key is known, so it is one GetItem. An eventually consistent read costs half.",
        operation: Operation::GetItem,
        request: r##"{
            "TableName": "shop",
            "Key": {"PK": {"S": "USER#ann"}, "SK": {"S": "PROFILE"}},
            "ProjectionExpression": "#n, addresses.home",
            "ExpressionAttributeNames": {"#n": "name"},
            "ReturnConsumedCapacity": "INDEXES"}"##,
    },
    Pattern {
        name: "Place an order",
        why: "The date in the sort key keeps a user's orders in order; the index finds the order by its number.",
        operation: Operation::PutItem,
        request: r#"{
            "TableName": "shop",
            "Item": {
                "PK": {"S": "USER#ann"}, "SK": {"S": "ORDER#2026-11-30#1001"},
                "GSI1PK": {"S": "ORDER#1001"}, "GSI1SK": {"S": "ORDER#1001"},
                "status": {"S": "PLACED"}, "pieces": {"N": "0"}, "amount": {"N": "0"},
                "warehouse": {"S": "north"}, "pendingSince": {"S": "2026-11-30T09:00"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Place a second order",
        why: "It is newer, so it sorts after the first.",
        operation: Operation::PutItem,
        request: r#"{
            "TableName": "shop",
            "Item": {
                "PK": {"S": "USER#ann"}, "SK": {"S": "ORDER#2026-12-01#1002"},
                "GSI1PK": {"S": "ORDER#1002"}, "GSI1SK": {"S": "ORDER#1002"},
                "status": {"S": "PLACED"}, "pieces": {"N": "1"}, "amount": {"N": "5"},
                "warehouse": {"S": "north"}, "pendingSince": {"S": "2026-12-01T10:30"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Add a first item to the order",
        why: "Items of an order share a partition key: one item collection, read together.",
        operation: Operation::PutItem,
        request: r#"{
            "TableName": "shop",
            "Item": {
                "PK": {"S": "ORDER#1001"}, "SK": {"S": "ITEM#001"},
                "product": {"S": "lamp"}, "quantity": {"N": "2"}, "price": {"N": "19.99"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Add a second item to the order",
        why: "It has no index keys, so it is not in GSI1 and costs nothing there: the index is sparse.",
        operation: Operation::PutItem,
        request: r#"{
            "TableName": "shop",
            "Item": {
                "PK": {"S": "ORDER#1001"}, "SK": {"S": "ITEM#002"},
                "product": {"S": "bulb"}, "quantity": {"N": "4"}, "price": {"N": "2.50"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Sum the order up",
        why: "ADD counts without reading first; numbers are exact to 38 digits. The index holds a copy, updated with it.",
        operation: Operation::UpdateItem,
        request: r#"{
            "TableName": "shop",
            "Key": {"PK": {"S": "USER#ann"}, "SK": {"S": "ORDER#2026-11-30#1001"}},
            "UpdateExpression": "ADD pieces :pieces, amount :amount",
            "ExpressionAttributeValues": {":pieces": {"N": "6"}, ":amount": {"N": "49.98"}},
            "ReturnValues": "UPDATED_NEW",
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Ship the order, if it is placed and not empty",
        why: "A state machine in one conditional update: two workers cannot both ship it. Without pendingSince it leaves PENDING.",
        operation: Operation::UpdateItem,
        request: r##"{
            "TableName": "shop",
            "Key": {"PK": {"S": "USER#ann"}, "SK": {"S": "ORDER#2026-11-30#1001"}},
            "UpdateExpression": "SET #s = :shipped, shipped = list_append(if_not_exists(shipped, :none), :parcel) REMOVE pendingSince",
            "ConditionExpression": "#s = :placed AND pieces > :zero",
            "ExpressionAttributeNames": {"#s": "status"},
            "ExpressionAttributeValues": {
                ":placed": {"S": "PLACED"}, ":shipped": {"S": "SHIPPED"}, ":zero": {"N": "0"},
                ":none": {"L": []}, ":parcel": {"L": [{"S": "parcel-77"}]}},
            "ReturnValues": "ALL_NEW",
            "ReturnConsumedCapacity": "INDEXES"}"##,
    },
    Pattern {
        name: "Move a user to a new e-mail address",
        why: "The index key changes, so the index deletes one row and writes another: two index writes.",
        operation: Operation::UpdateItem,
        request: r#"{
            "TableName": "shop",
            "Key": {"PK": {"S": "USER#ann"}, "SK": {"S": "PROFILE"}},
            "UpdateExpression": "SET email = :email, GSI1PK = :key REMOVE addresses.office",
            "ExpressionAttributeValues": {":email": {"S": "ann@example.org"}, ":key": {"S": "EMAIL#ann@example.org"}},
            "ReturnValues": "UPDATED_OLD",
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Take an item out of the order",
        why: "The answer brings what was deleted.",
        operation: Operation::DeleteItem,
        request: r#"{
            "TableName": "shop",
            "Key": {"PK": {"S": "ORDER#1001"}, "SK": {"S": "ITEM#002"}},
            "ReturnValues": "ALL_OLD",
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Fill the catalogue",
        why: "Up to 25 writes in one request, each by itself. A category is an item collection of GSI1.",
        operation: Operation::BatchWriteItem,
        request: r#"{
            "RequestItems": {"shop": [
                {"PutRequest": {"Item": {
                    "PK": {"S": "PRODUCT#lamp"}, "SK": {"S": "PRODUCT"},
                    "GSI1PK": {"S": "CATEGORY#light"}, "GSI1SK": {"S": "PRICE#000019.99#lamp"}, "price": {"N": "19.99"}}}},
                {"PutRequest": {"Item": {
                    "PK": {"S": "PRODUCT#bulb"}, "SK": {"S": "PRODUCT"},
                    "GSI1PK": {"S": "CATEGORY#light"}, "GSI1SK": {"S": "PRICE#000002.50#bulb"}, "price": {"N": "2.50"}}}},
                {"PutRequest": {"Item": {
                    "PK": {"S": "PRODUCT#desk"}, "SK": {"S": "PRODUCT"},
                    "GSI1PK": {"S": "CATEGORY#furniture"}, "GSI1SK": {"S": "PRICE#000249.00#desk"}, "price": {"N": "249"}}}}]},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Find a user by e-mail address",
        why: "The overloaded index: the e-mail address is the partition key of GSI1.",
        operation: Operation::Query,
        request: r#"{
            "TableName": "shop", "IndexName": "GSI1",
            "KeyConditionExpression": "GSI1PK = :email",
            "ExpressionAttributeValues": {":email": {"S": "EMAIL#ann@example.org"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Find an order by its number",
        why: "The same index with another kind of key.",
        operation: Operation::Query,
        request: r#"{
            "TableName": "shop", "IndexName": "GSI1",
            "KeyConditionExpression": "GSI1PK = :order",
            "ExpressionAttributeValues": {":order": {"S": "ORDER#1001"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "List a user's newest orders",
        why: "The sort key starts with the date, so the newest ones are the end of the range, read backwards.",
        operation: Operation::Query,
        request: r#"{
            "TableName": "shop",
            "KeyConditionExpression": "PK = :user AND begins_with(SK, :order)",
            "ExpressionAttributeValues": {":user": {"S": "USER#ann"}, ":order": {"S": "ORDER#"}},
            "ScanIndexForward": false, "Limit": 10,
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Read an order's items",
        why: "One item collection, one Query.",
        operation: Operation::Query,
        request: r#"{
            "TableName": "shop",
            "KeyConditionExpression": "PK = :order AND begins_with(SK, :item)",
            "ExpressionAttributeValues": {":order": {"S": "ORDER#1001"}, ":item": {"S": "ITEM#"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Read a user with all orders",
        why: "Profile and orders share a partition key: one item collection, one Query, no join.",
        operation: Operation::Query,
        request: r#"{
            "TableName": "shop",
            "KeyConditionExpression": "PK = :user",
            "ProjectionExpression": "SK, email, amount",
            "ExpressionAttributeValues": {":user": {"S": "USER#ann"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "List orders that wait for their shipment",
        why: "The sparse index holds only those, oldest first: the read never grows with the orders that were shipped.",
        operation: Operation::Query,
        request: r#"{
            "TableName": "shop", "IndexName": "PENDING",
            "KeyConditionExpression": "warehouse = :north",
            "ExpressionAttributeValues": {":north": {"S": "north"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Browse a category up to a price",
        why: "Prices in the sort key are padded, so that text sorts as numbers do.",
        operation: Operation::Query,
        request: r#"{
            "TableName": "shop", "IndexName": "GSI1",
            "KeyConditionExpression": "GSI1PK = :category AND GSI1SK < :price",
            "ProjectionExpression": "PK, price",
            "ExpressionAttributeValues": {":category": {"S": "CATEGORY#light"}, ":price": {"S": "PRICE#000010.00"}},
            "ReturnConsumedCapacity": "INDEXES"}"#,
    },
    Pattern {
        name: "Look at the table",
        why: "Counts and sizes are exact and current.",
        operation: Operation::DescribeTable,
        request: r#"{"TableName": "shop"}"#,
    },
];

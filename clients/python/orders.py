"""Steps 10 to 18 of clients/README.md with boto3: collections, indexes, batches, and the paginators."""

import time

from botocore.exceptions import ClientError

TABLE = "walk-python-orders"
CUSTOMERS, ORDERS_EACH = 4, 30
BATCH_MAX = 25


def order(customer, number):
    """Order `number` of a customer. A third is open, the amounts of a customer are 0 to 29, one customer has cities."""
    item = {
        "pk": {"S": f"customer#{customer}"},
        "sk": {"S": f"order#{number:02}"},
        "status": {"S": "open" if number % 3 == 0 else "shipped"},
        "placed": {"S": f"{number:02}#{customer}"},
        "amount": {"N": str(number * 7 % ORDERS_EACH)},
        "note": {"S": f"note {customer}/{number}"},
    }
    if customer == 0 and number % 2 == 0:
        item["city"] = {"S": "Oslo"}
    return item


ORDERS = [order(customer, number) for customer in range(CUSTOMERS) for number in range(ORDERS_EACH)]
OF_ONE = {
    "TableName": TABLE,
    "KeyConditionExpression": "pk = :pk",
    "ExpressionAttributeValues": {":pk": {"S": "customer#1"}},
}
OPEN = {
    "TableName": TABLE,
    "IndexName": "by-status",
    "KeyConditionExpression": "#s = :s",
    "ExpressionAttributeNames": {"#s": "status"},
    "ExpressionAttributeValues": {":s": {"S": "open"}},
}


def narrowed(query, condition, **values):
    """The query with a condition more on its sort key, whose values are texts."""
    values = {f":{name}": {"S": value} for name, value in values.items()}
    return query | {
        "KeyConditionExpression": f"{query['KeyConditionExpression']} AND {condition}",
        "ExpressionAttributeValues": query["ExpressionAttributeValues"] | values,
    }


def filtered(query, condition, **values):
    """The query with a filter."""
    values = {f":{name}": value for name, value in values.items()}
    return query | {
        "FilterExpression": condition,
        "ExpressionAttributeValues": query["ExpressionAttributeValues"] | values,
    }


def pages_of(client, operation, size, **request):
    paginator = client.get_paginator(operation)
    return list(paginator.paginate(PaginationConfig={"PageSize": size}, **request))


def items_in(pages):
    return [item for page in pages for item in page["Items"]]


def counts_in(pages):
    return [page["Count"] for page in pages]


def equal(found, expected):
    assert found == expected, f"found {found}\nexpected {expected}"


def keys_of(items):
    return sorted((item["pk"]["S"], item["sk"]["S"]) for item in items)


def create(client):
    attributes = {"pk": "S", "sk": "S", "status": "S", "placed": "S", "amount": "N"}
    client.create_table(
        TableName=TABLE,
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()],
        KeySchema=key_schema("pk", "sk"),
        LocalSecondaryIndexes=[
            {
                "IndexName": "by-amount",
                "KeySchema": key_schema("pk", "amount"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-status",
                "KeySchema": key_schema("status", "placed"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})


def key_schema(hash_key, range_key):
    return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]


def write_in_batches(client):
    for start in range(0, len(ORDERS), BATCH_MAX):
        puts = [{"PutRequest": {"Item": item}} for item in ORDERS[start : start + BATCH_MAX]]
        equal(client.batch_write_item(RequestItems={TABLE: puts})["UnprocessedItems"], {})


def query_table(client):
    of_one = ORDERS[30:60]
    pages = pages_of(client, "query", 7, **OF_ONE)
    equal(counts_in(pages), [7, 7, 7, 7, 2])
    equal(items_in(pages), of_one)
    equal(items_in(pages_of(client, "query", 7, ScanIndexForward=False, **OF_ONE)), of_one[::-1])

    teens = narrowed(OF_ONE, "begins_with(sk, :prefix)", prefix="order#1")
    equal(items_in(pages_of(client, "query", 4, **teens)), of_one[10:20])
    between = narrowed(OF_ONE, "sk BETWEEN :from AND :to", **{"from": "order#05", "to": "order#14"})
    equal(items_in(pages_of(client, "query", 4, ScanIndexForward=False, **between)), of_one[14:4:-1])


def query_with_filter_and_count(client):
    expensive = filtered(OF_ONE, "amount >= :least", least={"N": "20"})
    pages = pages_of(client, "query", 7, **expensive)
    equal(items_in(pages), [item for item in ORDERS[30:60] if int(item["amount"]["N"]) >= 20])
    equal((sum(counts_in(pages)), sum(page["ScannedCount"] for page in pages)), (10, 30))

    pages = pages_of(client, "query", 7, Select="COUNT", **expensive)
    equal((sum(counts_in(pages)), sum(page["ScannedCount"] for page in pages)), (10, 30))
    assert all("Items" not in page for page in pages), pages


def query_global_index(client):
    by_placed = sorted((item for item in ORDERS if item["status"]["S"] == "open"), key=lambda item: item["placed"]["S"])
    pages = pages_of(client, "query", 9, **OPEN)
    equal(counts_in(pages), [9, 9, 9, 9, 4])
    equal(items_in(pages), by_placed)
    equal(set(pages[0]["LastEvaluatedKey"]), {"pk", "sk", "status", "placed"})
    equal(items_in(pages_of(client, "query", 9, ScanIndexForward=False, **OPEN)), by_placed[::-1])

    first_ten = narrowed(OPEN, "begins_with(placed, :prefix)", prefix="0")
    equal(items_in(pages_of(client, "query", 5, **first_ten)), by_placed[:16])
    between = narrowed(OPEN, "placed BETWEEN :from AND :to", **{"from": "06", "to": "15"})
    equal(items_in(pages_of(client, "query", 5, **between)), by_placed[8:20])
    of_last = filtered(OPEN, "pk = :pk", pk={"S": "customer#3"})
    pages = pages_of(client, "query", 9, Select="COUNT", **of_last)
    equal((sum(counts_in(pages)), sum(page["ScannedCount"] for page in pages)), (10, 40))


def scan(client):
    pages = pages_of(client, "scan", 25, TableName=TABLE)
    equal(counts_in(pages), [25, 25, 25, 25, 20])
    equal(keys_of(items_in(pages)), keys_of(ORDERS))

    segments = [
        items_in(pages_of(client, "scan", 10, TableName=TABLE, Segment=segment, TotalSegments=3))
        for segment in range(3)
    ]
    # Disjoint, for together they are as many as there are.
    equal(keys_of(item for segment in segments for item in segment), keys_of(ORDERS))


def batch_get(client):
    missing = [{"pk": {"S": "customer#9"}, "sk": {"S": f"order#{number:02}"}} for number in range(5)]
    present = [{"pk": item["pk"], "sk": item["sk"]} for item in ORDERS[::3]]
    request = {"Keys": missing + present, "ConsistentRead": True}
    answer = client.batch_get_item(RequestItems={TABLE: request})
    equal(sorted(answer["Responses"][TABLE], key=lambda item: (item["pk"]["S"], item["sk"]["S"])), ORDERS[::3])
    equal(answer["UnprocessedKeys"], {})


def list_tables(client):
    pages = list(client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1}))
    assert all(len(page["TableNames"]) <= 1 for page in pages), pages
    names = [name for page in pages for name in page["TableNames"]]
    equal(names, sorted(names))
    assert TABLE in names, names


def query_local_index(client):
    by_amount = sorted(ORDERS[30:60], key=lambda item: int(item["amount"]["N"]))
    query = OF_ONE | {"IndexName": "by-amount", "ConsistentRead": True}
    projected = [{name: item[name] for name in ("pk", "sk", "amount")} for item in by_amount]
    equal(items_in(pages_of(client, "query", 8, **query)), projected)

    pages = pages_of(client, "query", 8, Select="ALL_ATTRIBUTES", ReturnConsumedCapacity="TOTAL", **query)
    equal(items_in(pages), by_amount)
    # The entries of a page are one unit, and each item that is fetched for its note is one more.
    equal([page["ConsumedCapacity"]["CapacityUnits"] for page in pages], [9.0, 9.0, 9.0, 7.0])


def add_an_index(client):
    """To a table with items; some of them have its key."""
    create_index = {
        "IndexName": "by-city",
        "KeySchema": key_schema("city", "placed"),
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["amount"]},
    }
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ("city", "placed")]
    updated = client.update_table(
        TableName=TABLE, AttributeDefinitions=attributes, GlobalSecondaryIndexUpdates=[{"Create": create_index}]
    )
    equal(index_status(updated["TableDescription"], "by-city"), "CREATING")
    deadline = time.monotonic() + 60
    while index_status(client.describe_table(TableName=TABLE)["Table"], "by-city") != "ACTIVE":
        assert time.monotonic() < deadline, "the index is not active after a minute"
        time.sleep(0.2)

    in_oslo = {
        "TableName": TABLE,
        "IndexName": "by-city",
        "KeyConditionExpression": "city = :city",
        "ExpressionAttributeValues": {":city": {"S": "Oslo"}},
    }
    projected = [{name: item[name] for name in ("pk", "sk", "city", "placed", "amount")} for item in ORDERS[:30:2]]
    equal(items_in(pages_of(client, "query", 4, **in_oslo)), projected)


def index_status(table, name):
    return next(index["IndexStatus"] for index in table["GlobalSecondaryIndexes"] if index["IndexName"] == name)


def errors(client):
    refused(client, "Consistent reads are not supported on global secondary indexes", ConsistentRead=True, **OPEN)
    unknown = OPEN | {"IndexName": "by-nothing"}
    refused(client, "The table does not have the specified index: by-nothing", **unknown)


def refused(client, message, **query):
    try:
        pages_of(client, "query", 5, **query)
    except ClientError as error:
        equal(error.response["Error"], {"Code": "ValidationException", "Message": message})
    else:
        raise AssertionError(f"should have been refused: {message}")


def walk(client):
    create(client)
    write_in_batches(client)
    query_table(client)
    query_with_filter_and_count(client)
    query_global_index(client)
    scan(client)
    batch_get(client)
    list_tables(client)
    query_local_index(client)
    add_an_index(client)
    errors(client)
    client.delete_table(TableName=TABLE)
    client.get_waiter("table_not_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})

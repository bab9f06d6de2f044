"""Steps 10 to 18 of clients/README.md with the AWS CLI, which pages by itself: `--page-size`, `--max-items`."""

import time

TABLE = "walk-cli-orders"
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
    "table_name": TABLE,
    "key_condition_expression": "pk = :pk",
    "expression_attribute_values": {":pk": {"S": "customer#1"}},
}
OPEN = {
    "table_name": TABLE,
    "index_name": "by-status",
    "key_condition_expression": "#s = :s",
    "expression_attribute_names": {"#s": "status"},
    "expression_attribute_values": {":s": {"S": "open"}},
}


def narrowed(query, condition, **values):
    """The query with a condition more on its sort key, whose values are texts."""
    values = {f":{name}": {"S": value} for name, value in values.items()}
    return query | {
        "key_condition_expression": f"{query['key_condition_expression']} AND {condition}",
        "expression_attribute_values": query["expression_attribute_values"] | values,
    }


def filtered(query, condition, **values):
    """The query with a filter."""
    values = {f":{name}": value for name, value in values.items()}
    return query | {
        "filter_expression": condition,
        "expression_attribute_values": query["expression_attribute_values"] | values,
    }


def equal(found, expected):
    assert found == expected, f"found {found}\nexpected {expected}"


def keys_of(items):
    return sorted((item["pk"]["S"], item["sk"]["S"]) for item in items)


def key_schema(hash_key, range_key):
    return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]


class Orders:
    """The steps, over a `call` that gives an answer and a `refused` that gives the text of an error."""

    def __init__(self, call, refused):
        self.call = call
        self.refused = refused

    def query(self, page_size, **options):
        """All pages of a query, which the CLI puts together."""
        return self.call("query", page_size=str(page_size), **options)

    def create(self):
        attributes = {"pk": "S", "sk": "S", "status": "S", "placed": "S", "amount": "N"}
        by_amount = {
            "IndexName": "by-amount",
            "KeySchema": key_schema("pk", "amount"),
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
        by_status = {
            "IndexName": "by-status",
            "KeySchema": key_schema("status", "placed"),
            "Projection": {"ProjectionType": "ALL"},
        }
        self.call(
            "create-table",
            table_name=TABLE,
            attribute_definitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()],
            key_schema=key_schema("pk", "sk"),
            local_secondary_indexes=[by_amount],
            global_secondary_indexes=[by_status],
            billing_mode="PAY_PER_REQUEST",
        )

    def write_in_batches(self):
        for start in range(0, len(ORDERS), BATCH_MAX):
            puts = [{"PutRequest": {"Item": item}} for item in ORDERS[start : start + BATCH_MAX]]
            equal(self.call("batch-write-item", request_items={TABLE: puts})["UnprocessedItems"], {})

    def query_table(self):
        of_one = ORDERS[30:60]
        equal(self.query(7, **OF_ONE)["Items"], of_one)
        equal(self.query(7, no_scan_index_forward=True, **OF_ONE)["Items"], of_one[::-1])
        teens = narrowed(OF_ONE, "begins_with(sk, :prefix)", prefix="order#1")
        equal(self.query(4, **teens)["Items"], of_one[10:20])
        between = narrowed(OF_ONE, "sk BETWEEN :from AND :to", **{"from": "order#05", "to": "order#14"})
        equal(self.query(4, no_scan_index_forward=True, **between)["Items"], of_one[14:4:-1])

    def query_with_filter_and_count(self):
        expensive = filtered(OF_ONE, "amount >= :least", least={"N": "20"})
        found = self.query(7, **expensive)
        equal(found["Items"], [item for item in ORDERS[30:60] if int(item["amount"]["N"]) >= 20])
        equal((found["Count"], found["ScannedCount"]), (10, 30))
        counted = self.query(7, select="COUNT", **expensive)
        equal((counted["Count"], counted["ScannedCount"], counted.get("Items")), (10, 30, None))

    def query_part_by_part(self):
        """As a script does that shows some items and goes on later, with the token of the CLI."""
        parts, token = [], {}
        while token is not None:
            part = self.query(5, max_items="12", **OF_ONE, **token)
            parts.append(part["Items"])
            token = {"starting_token": part["NextToken"]} if "NextToken" in part else None
        equal([len(part) for part in parts], [12, 12, 6])
        equal([item for part in parts for item in part], ORDERS[30:60])

    def query_global_index(self):
        is_open = (item for item in ORDERS if item["status"]["S"] == "open")
        by_placed = sorted(is_open, key=lambda item: item["placed"]["S"])
        equal(self.query(9, **OPEN)["Items"], by_placed)
        equal(self.query(9, no_scan_index_forward=True, **OPEN)["Items"], by_placed[::-1])
        first_ten = narrowed(OPEN, "begins_with(placed, :prefix)", prefix="0")
        equal(self.query(5, **first_ten)["Items"], by_placed[:16])
        between = narrowed(OPEN, "placed BETWEEN :from AND :to", **{"from": "06", "to": "15"})
        equal(self.query(5, **between)["Items"], by_placed[8:20])
        counted = self.query(9, select="COUNT", **filtered(OPEN, "pk = :pk", pk={"S": "customer#3"}))
        equal((counted["Count"], counted["ScannedCount"]), (10, 40))

    def scan(self):
        whole = self.call("scan", table_name=TABLE, page_size="25")
        equal(keys_of(whole["Items"]), keys_of(ORDERS))
        equal((whole["Count"], whole["ScannedCount"]), (120, 120))
        segments = [
            self.call("scan", table_name=TABLE, page_size="10", segment=str(segment), total_segments="3")["Items"]
            for segment in range(3)
        ]
        # Disjoint, for together they are as many as there are.
        equal(keys_of(item for segment in segments for item in segment), keys_of(ORDERS))

    def batch_get(self):
        missing = [{"pk": {"S": "customer#9"}, "sk": {"S": f"order#{number:02}"}} for number in range(5)]
        present = [{"pk": item["pk"], "sk": item["sk"]} for item in ORDERS[::3]]
        request = {TABLE: {"Keys": missing + present, "ConsistentRead": True}}
        answer = self.call("batch-get-item", request_items=request)
        found = sorted(answer["Responses"][TABLE], key=lambda item: (item["pk"]["S"], item["sk"]["S"]))
        equal(found, ORDERS[::3])
        equal(answer["UnprocessedKeys"], {})

    def list_tables(self):
        names = self.call("list-tables", page_size="1")["TableNames"]
        equal(names, sorted(names))
        assert TABLE in names, names

    def query_local_index(self):
        by_amount = sorted(ORDERS[30:60], key=lambda item: int(item["amount"]["N"]))
        local = OF_ONE | {"index_name": "by-amount", "consistent_read": True}
        projected = [{name: item[name] for name in ("pk", "sk", "amount")} for item in by_amount]
        equal(self.query(8, **local)["Items"], projected)
        equal(self.query(8, select="ALL_ATTRIBUTES", **local)["Items"], by_amount)

    def add_an_index(self):
        """To a table with items; some of them have its key."""
        create_index = {
            "IndexName": "by-city",
            "KeySchema": key_schema("city", "placed"),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["amount"]},
        }
        attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ("city", "placed")]
        updated = self.call(
            "update-table",
            table_name=TABLE,
            attribute_definitions=attributes,
            global_secondary_index_updates=[{"Create": create_index}],
        )
        equal(index_status(updated["TableDescription"], "by-city"), "CREATING")
        deadline = time.monotonic() + 60
        while index_status(self.call("describe-table", table_name=TABLE)["Table"], "by-city") != "ACTIVE":
            assert time.monotonic() < deadline, "the index is not active after a minute"

        in_oslo = {
            "table_name": TABLE,
            "index_name": "by-city",
            "key_condition_expression": "city = :city",
            "expression_attribute_values": {":city": {"S": "Oslo"}},
        }
        projected = [{name: item[name] for name in ("pk", "sk", "city", "placed", "amount")} for item in ORDERS[:30:2]]
        equal(self.query(4, **in_oslo)["Items"], projected)

    def errors(self):
        message = self.refused("ValidationException", "query", consistent_read=True, **OPEN)
        assert message.strip().endswith("Consistent reads are not supported on global secondary indexes"), message
        unknown = OPEN | {"index_name": "by-nothing"}
        message = self.refused("ValidationException", "query", **unknown)
        assert message.strip().endswith("The table does not have the specified index: by-nothing"), message


def index_status(table, name):
    return next(index["IndexStatus"] for index in table["GlobalSecondaryIndexes"] if index["IndexName"] == name)


def walk(call, refused, wait):
    orders = Orders(call, refused)
    orders.create()
    wait("table-exists", TABLE)
    orders.write_in_batches()
    orders.query_table()
    orders.query_with_filter_and_count()
    orders.query_part_by_part()
    orders.query_global_index()
    orders.scan()
    orders.batch_get()
    orders.list_tables()
    orders.query_local_index()
    orders.add_an_index()
    orders.errors()
    call("delete-table", table_name=TABLE)
    wait("table-not-exists", TABLE)

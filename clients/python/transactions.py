"""Steps 19 to 24 of clients/README.md with boto3: transactions, their tokens and cancellations, and statements."""

TABLE = "walk-python-accounts"


def put(**item):
    return {"Put": {"TableName": TABLE, "Item": item}}


def get(name, **options):
    return {"Get": {"TableName": TABLE, "Key": {"pk": {"S": name}}} | options}


def transfer(amount):
    """From Ann to Bob, once; one action of each kind, and two updates."""
    amount = {"N": str(amount)}
    from_ann = {
        "TableName": TABLE,
        "Key": {"pk": {"S": "ann"}},
        "UpdateExpression": "SET balance = balance - :amount",
        "ConditionExpression": "balance >= :amount",
        "ExpressionAttributeValues": {":amount": amount},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    to_bob = {
        "TableName": TABLE,
        "Key": {"pk": {"S": "bob"}},
        "UpdateExpression": "SET balance = balance + :amount",
        "ExpressionAttributeValues": {":amount": amount},
    }
    record = put(pk={"S": "transfer"}, amount=amount)["Put"] | {"ConditionExpression": "attribute_not_exists(pk)"}
    not_frozen = {"TableName": TABLE, "Key": {"pk": {"S": "frozen"}}, "ConditionExpression": "attribute_not_exists(pk)"}
    return [
        {"Update": from_ann},
        {"Update": to_bob},
        {"Put": record},
        {"ConditionCheck": not_frozen},
        {"Delete": {"TableName": TABLE, "Key": {"pk": {"S": "pending"}}}},
    ]


def create(client):
    client.create_table(
        TableName=TABLE,
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
    ann = put(pk={"S": "ann"}, balance={"N": "100"})
    bob = put(pk={"S": "bob"}, balance={"N": "50"})
    client.transact_write_items(TransactItems=[ann, bob, put(pk={"S": "pending"})])


def read(client):
    """What a transfer touches: the two balances, its record, and what it deleted."""
    answer = client.transact_get_items(
        TransactItems=[
            get("ann", ProjectionExpression="#b", ExpressionAttributeNames={"#b": "balance"}),
            get("bob", ProjectionExpression="balance"),
            get("transfer"),
            get("pending"),
        ],
        ReturnConsumedCapacity="TOTAL",
    )
    expected = {"TableName": TABLE, "CapacityUnits": 8.0, "ReadCapacityUnits": 8.0}
    assert answer["ConsumedCapacity"] == [expected], answer
    return [found.get("Item") for found in answer["Responses"]]


AFTER = [
    {"balance": {"N": "70"}},
    {"balance": {"N": "80"}},
    {"pk": {"S": "transfer"}, "amount": {"N": "30"}},
    None,
]


def write_with_a_token(client):
    request = {
        "TransactItems": transfer(30),
        "ClientRequestToken": "walk-python-transfer",
        "ReturnConsumedCapacity": "TOTAL",
    }
    done = client.transact_write_items(**request)["ConsumedCapacity"]
    assert done == [{"TableName": TABLE, "CapacityUnits": 10.0, "WriteCapacityUnits": 10.0}], done
    assert read(client) == AFTER

    again = client.transact_write_items(**request)["ConsumedCapacity"]
    assert again == [{"TableName": TABLE, "CapacityUnits": 10.0, "ReadCapacityUnits": 10.0}], again
    assert read(client) == AFTER

    try:
        client.transact_write_items(**request | {"TransactItems": transfer(40)})
    except client.exceptions.IdempotentParameterMismatchException as error:
        assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 400, error.response
    else:
        raise AssertionError("the token should be that of another transaction")
    assert read(client) == AFTER


def cancelled(client):
    try:
        client.transact_write_items(TransactItems=transfer(1000))
    except client.exceptions.TransactionCanceledException as error:
        response = error.response
    else:
        raise AssertionError("the transaction should be cancelled")
    codes = "[ConditionalCheckFailed, None, ConditionalCheckFailed, None, None]"
    message = f"Transaction cancelled, please refer cancellation reasons for specific reasons {codes}"
    assert response["Error"]["Message"] == message, response
    failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    none = {"Code": "None"}
    poor = failed | {"Item": {"pk": {"S": "ann"}, "balance": {"N": "70"}}}
    assert response["CancellationReasons"] == [poor, none, failed, none, none], response
    assert read(client) == AFTER


def statements(client):
    insert = {
        "Statement": f"INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'balance': ?}}",
        "Parameters": [{"S": "eve"}, {"N": "5"}],
    }
    client.execute_statement(**insert)
    select = f'SELECT balance FROM "{TABLE}" WHERE pk = ?'
    found = client.execute_statement(Statement=select, Parameters=[{"S": "eve"}])
    assert found["Items"] == [{"balance": {"N": "5"}}], found
    try:
        client.execute_statement(**insert)
    except client.exceptions.DuplicateItemException as error:
        assert error.response["Error"]["Message"] == "Duplicate primary key exists in table", error.response
    else:
        raise AssertionError("the item should be there")


def transactions_of_statements(client):
    def run(*statements):
        return client.execute_transaction(TransactStatements=[dict(statement) for statement in statements])

    def insert(name):
        return {"Statement": f"INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'balance': ?}}", "Parameters": [{"S": name}, {"N": "1"}]}

    def pay(amount, least):
        return {
            "Statement": f'UPDATE "{TABLE}" SET balance = balance + ? WHERE pk = ? AND balance >= ?',
            "Parameters": [{"N": amount}, {"S": "eve"}, {"N": least}],
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def select(name):
        return {"Statement": f'SELECT balance FROM "{TABLE}" WHERE pk = ?', "Parameters": [{"S": name}]}

    run(insert("fay"), pay("2", "5"))
    found = run(select("eve"), select("fay"), select("gil"))["Responses"]
    assert found == [{"Item": {"balance": {"N": "7"}}}, {"Item": {"balance": {"N": "1"}}}, {}], found
    try:
        run(insert("fay"), pay("1", "1000"), insert("gil"))
    except client.exceptions.TransactionCanceledException as error:
        response = error.response
    else:
        raise AssertionError("the transaction should be cancelled")
    message = "Transaction cancelled, please refer cancellation reasons for specific reasons"
    assert response["Error"]["Message"] == f"{message} [DuplicateItem, ConditionalCheckFailed, None]", response
    there = {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}
    poor = {
        "Code": "ConditionalCheckFailed",
        "Message": "The conditional request failed",
        "Item": {"pk": {"S": "eve"}, "balance": {"N": "7"}},
    }
    assert response["CancellationReasons"] == [there, poor, {"Code": "None"}], response
    assert run(select("gil"))["Responses"] == [{}]


def walk(client):
    create(client)
    write_with_a_token(client)
    cancelled(client)
    statements(client)
    transactions_of_statements(client)
    client.delete_table(TableName=TABLE)
    client.get_waiter("table_not_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})

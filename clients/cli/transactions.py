"""Steps 19 to 24 of clients/README.md with the AWS CLI: transactions, their tokens and cancellations, and statements."""

TABLE = "walk-cli-accounts"


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


def create(call, wait):
    call(
        "create-table",
        table_name=TABLE,
        attribute_definitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        key_schema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        billing_mode="PAY_PER_REQUEST",
    )
    wait("table-exists", TABLE)
    ann = put(pk={"S": "ann"}, balance={"N": "100"})
    bob = put(pk={"S": "bob"}, balance={"N": "50"})
    call("transact-write-items", transact_items=[ann, bob, put(pk={"S": "pending"})])


def check_balances(call):
    """What the transfer touched: the two balances, its record, and what it deleted."""
    answer = call(
        "transact-get-items",
        transact_items=[
            get("ann", ProjectionExpression="#b", ExpressionAttributeNames={"#b": "balance"}),
            get("bob", ProjectionExpression="balance"),
            get("transfer"),
            get("pending"),
        ],
        return_consumed_capacity="TOTAL",
    )
    capacity = {"TableName": TABLE, "CapacityUnits": 8.0, "ReadCapacityUnits": 8.0}
    assert answer["ConsumedCapacity"] == [capacity], answer
    record = {"pk": {"S": "transfer"}, "amount": {"N": "30"}}
    found = [response.get("Item") for response in answer["Responses"]]
    assert found == [{"balance": {"N": "70"}}, {"balance": {"N": "80"}}, record, None], answer


def write_with_a_token(call, refused):
    request = {"client_request_token": "walk-cli-transfer", "return_consumed_capacity": "TOTAL"}
    done = call("transact-write-items", transact_items=transfer(30), **request)["ConsumedCapacity"]
    assert done == [{"TableName": TABLE, "CapacityUnits": 10.0, "WriteCapacityUnits": 10.0}], done
    check_balances(call)

    again = call("transact-write-items", transact_items=transfer(30), **request)["ConsumedCapacity"]
    assert again == [{"TableName": TABLE, "CapacityUnits": 10.0, "ReadCapacityUnits": 10.0}], again
    check_balances(call)
    refused("IdempotentParameterMismatchException", "transact-write-items", transact_items=transfer(40), **request)
    check_balances(call)


def cancelled(call, refused):
    message = refused("TransactionCanceledException", "transact-write-items", transact_items=transfer(1000))
    codes = "[ConditionalCheckFailed, None, ConditionalCheckFailed, None, None]"
    expected = f"Transaction cancelled, please refer cancellation reasons for specific reasons {codes}"
    assert expected in message, message
    check_balances(call)


def statements(call, refused):
    insert = {
        "statement": f"INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'balance': ?}}",
        "parameters": [{"S": "eve"}, {"N": "5"}],
    }
    call("execute-statement", **insert)
    select = f'SELECT balance FROM "{TABLE}" WHERE pk = ?'
    found = call("execute-statement", statement=select, parameters=[{"S": "eve"}])
    assert found["Items"] == [{"balance": {"N": "5"}}], found
    message = refused("DuplicateItemException", "execute-statement", **insert)
    assert "Duplicate primary key exists in table" in message, message


def transactions_of_statements(call, refused):
    def insert(name):
        return {"Statement": f"INSERT INTO \"{TABLE}\" VALUE {{'pk': ?, 'balance': ?}}", "Parameters": [{"S": name}, {"N": "1"}]}

    def pay(amount, least):
        return {
            "Statement": f'UPDATE "{TABLE}" SET balance = balance + ? WHERE pk = ? AND balance >= ?',
            "Parameters": [{"N": amount}, {"S": "eve"}, {"N": least}],
        }

    def select(name):
        return {"Statement": f'SELECT balance FROM "{TABLE}" WHERE pk = ?', "Parameters": [{"S": name}]}

    call("execute-transaction", transact_statements=[insert("fay"), pay("2", "5")])
    found = call("execute-transaction", transact_statements=[select("eve"), select("fay"), select("gil")])
    assert found["Responses"] == [{"Item": {"balance": {"N": "7"}}}, {"Item": {"balance": {"N": "1"}}}, {}], found
    statements = [insert("fay"), pay("1", "1000"), insert("gil")]
    message = refused("TransactionCanceledException", "execute-transaction", transact_statements=statements)
    assert "specific reasons [DuplicateItem, ConditionalCheckFailed, None]" in message, message
    assert call("execute-transaction", transact_statements=[select("gil")])["Responses"] == [{}]


def walk(call, refused, wait):
    create(call, wait)
    write_with_a_token(call, refused)
    cancelled(call, refused)
    statements(call, refused)
    transactions_of_statements(call, refused)
    call("delete-table", table_name=TABLE)
    wait("table-not-exists", TABLE)

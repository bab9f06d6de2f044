"""The walk of clients/README.md with boto3."""

import os
from decimal import Decimal

import boto3
import orders
import transactions
from boto3.dynamodb.types import Binary
from botocore.exceptions import ClientError

TABLE = "walk-python"
EVERY_TYPE = {
    "pk": {"S": "user#1"},
    "sk": {"N": "1"},
    "text": {"S": "naïve \U0001F600 \" \\ \u0007"},
    "empty": {"S": ""},
    "large": {"N": "12345678901234567890123456789012345678"},
    "small": {"N": "-0.000012345678901234567890123456789012345678"},
    "binary": {"B": bytes(range(256))},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "labels": {"SS": ["blue", "green", "red"]},
    "numbers": {"NS": ["1", "2.5"]},
    "binaries": {"BS": [b"\x00", b"\xff"]},
    "list": {"L": [{"S": "first"}, {"N": "2"}, {"L": []}]},
    "nested": {"M": {"list": {"L": [{"S": "deep"}]}, "empty": {"M": {}}}},
    "note": {"S": "to be removed"},
    "score": {"N": "1"},
    "email": {"S": "ann@example.com"},
}
KEY = {"pk": {"S": "user#1"}, "sk": {"N": "1"}}


class Client:
    """The SDK's client, counting retries."""

    def __init__(self):
        self.inner = boto3.client("dynamodb", endpoint_url=os.environ["HASHRANGE_ENDPOINT"], region_name="us-east-1")
        self.exceptions = self.inner.exceptions
        self.retries = 0
        self.inner.meta.events.register("needs-retry.dynamodb", self.count, unique_id="count")

    def count(self, attempts, **_):
        self.retries += attempts - 1

    def __getattr__(self, operation):
        return getattr(self.inner, operation)


def create(client):
    created = client.create_table(
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
            {"AttributeName": "email", "AttributeType": "S"},
        ],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by-email",
                "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]},
            }
        ],
        BillingMode="PAY_PER_REQUEST",
        Tags=[{"Key": "purpose", "Value": "walk"}],
    )
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
    return created["TableDescription"]["TableArn"]


def describe(client, arn):
    table = client.describe_table(TableName=TABLE)["Table"]
    assert table["TableStatus"] == "ACTIVE", table
    assert table["TableArn"] == arn and arn.endswith(f":table/{TABLE}"), arn
    assert table["GlobalSecondaryIndexes"][0]["IndexName"] == "by-email", table
    pages = client.get_paginator("list_tables").paginate()
    assert TABLE in [name for page in pages for name in page["TableNames"]]

    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "test"}])
    client.untag_resource(ResourceArn=arn, TagKeys=["purpose"])
    tags = client.list_tags_of_resource(ResourceArn=arn)["Tags"]
    assert tags == [{"Key": "stage", "Value": "test"}], tags

    specification = {"Enabled": True, "AttributeName": "expires"}
    client.update_time_to_live(TableName=TABLE, TimeToLiveSpecification=specification)
    ttl = client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
    assert ttl["TimeToLiveStatus"] in ("ENABLING", "ENABLED") and ttl["AttributeName"] == "expires", ttl


def sorted_sets(item):
    """The item with its sets in one order: a set has none."""
    return {
        name: {kind: sorted(value) if kind in ("SS", "NS", "BS") else value for kind, value in attribute.items()}
        for name, attribute in item.items()
    }


def round_trip(client):
    client.put_item(TableName=TABLE, Item=EVERY_TYPE)
    found = client.get_item(TableName=TABLE, Key=KEY, ConsistentRead=True)["Item"]
    assert sorted_sets(found) == EVERY_TYPE, found


def resource_round_trip():
    """The same through the resource layer, with Python's own types."""
    resource = boto3.resource("dynamodb", endpoint_url=os.environ["HASHRANGE_ENDPOINT"], region_name="us-east-1")
    table = resource.Table(TABLE)
    item = {"pk": "resource", "sk": Decimal(2), "price": Decimal("19.99"), "tags": {"a", "b"}, "raw": Binary(b"\x01")}
    table.put_item(Item=item)
    assert table.get_item(Key={"pk": "resource", "sk": Decimal(2)}, ConsistentRead=True)["Item"] == item


def conditional_put(client):
    try:
        client.put_item(
            TableName=TABLE,
            Item=KEY,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    except client.exceptions.ConditionalCheckFailedException as error:
        assert error.response["Error"]["Message"] == "The conditional request failed", error.response
        assert error.response["Item"]["text"] == EVERY_TYPE["text"], error.response
    else:
        raise AssertionError("the conditional put should have failed")


def update(client):
    new = client.update_item(
        TableName=TABLE,
        Key=KEY,
        UpdateExpression="SET #t = :t, visits = if_not_exists(visits, :zero) + :one REMOVE note "
        "ADD score :five DELETE labels :red",
        ExpressionAttributeNames={"#t": "text"},
        ExpressionAttributeValues={
            ":t": {"S": "new"},
            ":zero": {"N": "0"},
            ":one": {"N": "1"},
            ":five": {"N": "5"},
            ":red": {"SS": ["red"]},
        },
        ReturnValues="ALL_NEW",
    )["Attributes"]
    assert new["text"] == {"S": "new"} and new["visits"] == {"N": "1"} and new["score"] == {"N": "6"}, new
    assert "note" not in new and sorted(new["labels"]["SS"]) == ["blue", "green"], new


def projection(client):
    answer = client.get_item(
        TableName=TABLE,
        Key=KEY,
        ConsistentRead=True,
        ProjectionExpression="#t, nested.#l[0]",
        ExpressionAttributeNames={"#t": "text", "#l": "list"},
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["Item"] == {"text": {"S": "new"}, "nested": {"M": {"list": {"L": [{"S": "deep"}]}}}}, answer
    assert answer["ConsumedCapacity"] == {"TableName": TABLE, "CapacityUnits": 1.0}, answer


def delete(client):
    old = client.delete_item(TableName=TABLE, Key=KEY, ReturnValues="ALL_OLD")["Attributes"]
    assert old["score"] == {"N": "6"}, old
    assert "Item" not in client.get_item(TableName=TABLE, Key=KEY, ConsistentRead=True)


def errors(client):
    try:
        client.get_item(TableName="walk-missing", Key=KEY)
    except client.exceptions.ResourceNotFoundException as error:
        assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 400, error.response
    else:
        raise AssertionError("the table should be missing")
    try:
        create(client)
    except client.exceptions.ResourceInUseException:
        pass
    else:
        raise AssertionError("the table should exist")
    try:
        client.get_item(TableName=TABLE, Key={"pk": {"S": "user#1"}})
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ValidationException", error.response
    else:
        raise AssertionError("the key should be incomplete")


def drop(client):
    client.delete_table(TableName=TABLE)
    client.get_waiter("table_not_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})


def main():
    client = Client()
    arn = create(client)
    describe(client, arn)
    round_trip(client)
    resource_round_trip()
    conditional_put(client)
    update(client)
    projection(client)
    delete(client)
    errors(client)
    drop(client)
    orders.walk(client)
    transactions.walk(client)
    assert client.retries == 0, f"{client.retries} calls were retried"


main()

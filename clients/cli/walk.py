"""The walk of clients/README.md with the AWS CLI, run as people run it: one process per call."""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import orders
import transactions

TABLE = "walk-cli"
# One attempt only: a call that needs a retry fails the walk.
ENVIRONMENT = os.environ | {"AWS_MAX_ATTEMPTS": "1", "AWS_DEFAULT_OUTPUT": "json", "AWS_PAGER": ""}
BESIDE_PYTHON = Path(sys.executable).parent / "aws"
AWS = str(BESIDE_PYTHON) if BESIDE_PYTHON.exists() else shutil.which("aws")
KEY = {"pk": {"S": "user#1"}, "sk": {"N": "1"}}
# Version 1 of the CLI takes binary values as text and prints them in base64.
EVERY_TYPE = KEY | {
    "text": {"S": "naïve \U0001F600 \" \\"},
    "large": {"N": "12345678901234567890123456789012345678"},
    "small": {"N": "-0.000012345678901234567890123456789012345678"},
    "binary": {"B": "raw bytes"},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "labels": {"SS": ["blue", "green", "red"]},
    "numbers": {"NS": ["1", "2.5"]},
    "binaries": {"BS": ["one", "two"]},
    "list": {"L": [{"S": "first"}, {"N": "2"}]},
    "nested": {"M": {"list": {"L": [{"S": "deep"}]}}},
    "note": {"S": "to be removed"},
    "score": {"N": "1"},
    "email": {"S": "ann@example.com"},
}


def run(operation, **options):
    """One call: `key_schema=[..]` becomes `--key-schema JSON`, `flag=True` becomes `--flag`."""
    words = [AWS, "dynamodb", operation, "--endpoint-url", os.environ["HASHRANGE_ENDPOINT"], "--region", "us-east-1"]
    for name, value in options.items():
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(value if isinstance(value, str) else json.dumps(value))
    return subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def call(operation, **options):
    done = run(operation, **options)
    assert done.returncode == 0, f"aws dynamodb {operation}: {done.stderr}"
    return json.loads(done.stdout) if done.stdout.strip() else {}


def refused(code, operation, **options):
    done = run(operation, **options)
    assert done.returncode != 0, f"aws dynamodb {operation} should have failed with {code}"
    assert f"({code})" in done.stderr, f"aws dynamodb {operation}: {done.stderr}"
    return done.stderr


TABLE_OPTIONS = {
    "table_name": TABLE,
    "attribute_definitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "email", "AttributeType": "S"},
    ],
    "key_schema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "global_secondary_indexes": [
        {
            "IndexName": "by-email",
            "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "billing_mode": "PAY_PER_REQUEST",
    "tags": [{"Key": "purpose", "Value": "walk"}],
}


def tables():
    arn = call("create-table", **TABLE_OPTIONS)["TableDescription"]["TableArn"]
    wait("table-exists", TABLE)
    table = call("describe-table", table_name=TABLE)["Table"]
    assert table["TableStatus"] == "ACTIVE" and table["TableArn"] == arn, table
    assert table["GlobalSecondaryIndexes"][0]["IndexName"] == "by-email", table
    assert TABLE in call("list-tables")["TableNames"]

    call("tag-resource", resource_arn=arn, tags=[{"Key": "stage", "Value": "test"}])
    call("untag-resource", resource_arn=arn, tag_keys="purpose")
    tags = call("list-tags-of-resource", resource_arn=arn)["Tags"]
    assert tags == [{"Key": "stage", "Value": "test"}], tags

    specification = {"Enabled": True, "AttributeName": "expires"}
    call("update-time-to-live", table_name=TABLE, time_to_live_specification=specification)
    ttl = call("describe-time-to-live", table_name=TABLE)["TimeToLiveDescription"]
    assert ttl["TimeToLiveStatus"] in ("ENABLING", "ENABLED") and ttl["AttributeName"] == "expires", ttl


def wait(state, table):
    words = [AWS, "dynamodb", "wait", state, "--table-name", table, "--endpoint-url", os.environ["HASHRANGE_ENDPOINT"]]
    subprocess.run(words + ["--region", "us-east-1"], env=ENVIRONMENT, check=True)


def sorted_sets(item):
    """The item with its sets in one order: a set has none."""
    return {
        name: {kind: sorted(value) if kind in ("SS", "NS", "BS") else value for kind, value in attribute.items()}
        for name, attribute in item.items()
    }


def in_base64(text):
    return base64.b64encode(text.encode()).decode()


def items():
    call("put-item", table_name=TABLE, item=EVERY_TYPE)
    found = call("get-item", table_name=TABLE, key=KEY, consistent_read=True)["Item"]
    printed = EVERY_TYPE | {"binary": {"B": in_base64("raw bytes")}, "binaries": {"BS": [in_base64("one"), in_base64("two")]}}
    assert sorted_sets(found) == sorted_sets(printed), found

    message = refused(
        "ConditionalCheckFailedException",
        "put-item",
        table_name=TABLE,
        item=KEY,
        condition_expression="attribute_not_exists(pk)",
    )
    assert "The conditional request failed" in message, message

    new = call(
        "update-item",
        table_name=TABLE,
        key=KEY,
        update_expression="SET #t = :t, visits = if_not_exists(visits, :zero) + :one REMOVE note "
        "ADD score :five DELETE labels :red",
        expression_attribute_names={"#t": "text"},
        expression_attribute_values={
            ":t": {"S": "new"},
            ":zero": {"N": "0"},
            ":one": {"N": "1"},
            ":five": {"N": "5"},
            ":red": {"SS": ["red"]},
        },
        return_values="ALL_NEW",
    )["Attributes"]
    assert new["text"] == {"S": "new"} and new["visits"] == {"N": "1"} and new["score"] == {"N": "6"}, new
    assert "note" not in new and sorted(new["labels"]["SS"]) == ["blue", "green"], new


def projection_and_delete():
    answer = call(
        "get-item",
        table_name=TABLE,
        key=KEY,
        consistent_read=True,
        projection_expression="#t, nested.#l[0]",
        expression_attribute_names={"#t": "text", "#l": "list"},
        return_consumed_capacity="TOTAL",
    )
    assert answer["Item"] == {"text": {"S": "new"}, "nested": {"M": {"list": {"L": [{"S": "deep"}]}}}}, answer
    assert answer["ConsumedCapacity"] == {"TableName": TABLE, "CapacityUnits": 1.0}, answer
    old = call("delete-item", table_name=TABLE, key=KEY, return_values="ALL_OLD")["Attributes"]
    assert old["score"] == {"N": "6"}, old
    assert "Item" not in call("get-item", table_name=TABLE, key=KEY, consistent_read=True)


def errors():
    refused("ResourceNotFoundException", "get-item", table_name="walk-missing", key=KEY)
    refused("ResourceInUseException", "create-table", **TABLE_OPTIONS)
    refused("ValidationException", "get-item", table_name=TABLE, key={"pk": {"S": "user#1"}})


def main():
    tables()
    items()
    projection_and_delete()
    errors()
    call("delete-table", table_name=TABLE)
    wait("table-not-exists", TABLE)
    orders.walk(call, refused, wait)
    transactions.walk(call, refused, wait)


main()

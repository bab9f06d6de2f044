"""The walk of clients/libraries/README.md with PynamoDB."""

import os
import time
from datetime import datetime, timedelta, timezone

from pynamodb.attributes import (
    BooleanAttribute,
    DiscriminatorAttribute,
    JSONAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.exceptions import (
    DeleteError,
    DoesNotExist,
    GetError,
    PutError,
    QueryError,
    TableDoesNotExist,
    UpdateError,
)
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, IncludeProjection, LocalSecondaryIndex
from pynamodb.models import Model


class ByEntity(GlobalSecondaryIndex):
    """Overloaded: users by e-mail, orders with their items by the order's number."""

    class Meta:
        index_name = "gsi1"
        projection = AllProjection()

    gsi1pk = UnicodeAttribute(hash_key=True)
    gsi1sk = UnicodeAttribute(range_key=True)


class Pending(GlobalSecondaryIndex):
    """Sparse: only pending orders have its keys."""

    class Meta:
        index_name = "gsi2"
        # What makes an order of an entry, and no more: PynamoDB filters by the class.
        projection = IncludeProjection(["cls", "order_id"])

    gsi2pk = UnicodeAttribute(hash_key=True)
    gsi2sk = UTCDateTimeAttribute(range_key=True)


class ByTotal(LocalSecondaryIndex):
    """A user's orders by what they cost."""

    class Meta:
        index_name = "lsi1"
        projection = AllProjection()

    pk = UnicodeAttribute(hash_key=True)
    total = NumberAttribute(range_key=True)


class Record(Model):
    """What all entities of the table have in common."""

    class Meta:
        table_name = "walk-pynamodb"
        host = os.environ["HASHRANGE_ENDPOINT"]
        region = "us-east-1"
        billing_mode = "PAY_PER_REQUEST"
        max_retry_attempts = 0

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    cls = DiscriminatorAttribute()
    gsi1pk = UnicodeAttribute(null=True)
    gsi1sk = UnicodeAttribute(null=True)
    gsi2pk = UnicodeAttribute(null=True)
    gsi2sk = UTCDateTimeAttribute(null=True)
    total = NumberAttribute(null=True)
    expires = TTLAttribute(null=True)

    by_entity = ByEntity()
    pending = Pending()
    by_total = ByTotal()


class Address(MapAttribute):
    city = UnicodeAttribute()
    zip_code = UnicodeAttribute(attr_name="zip")


class User(Record, discriminator="User"):
    name = UnicodeAttribute()
    email = UnicodeAttribute()
    visits = NumberAttribute(default=0)
    active = BooleanAttribute(default=True)
    nickname = UnicodeAttribute(null=True)
    labels = UnicodeSetAttribute(null=True)
    addresses = ListAttribute(of=Address, null=True)
    settings = JSONAttribute(null=True)
    version = VersionAttribute()

    @staticmethod
    def of(user_id, email, name, **attributes):
        keys = {"gsi1pk": f"email#{email}", "gsi1sk": "user"}
        return User(f"user#{user_id}", "profile", email=email, name=name, **keys, **attributes)


class Order(Record, discriminator="Order"):
    order_id = UnicodeAttribute()
    placed = UTCDateTimeAttribute()
    status = UnicodeAttribute()

    @staticmethod
    def of(user_id, order_id, placed, status, total):
        sort = f"order#{placed:%Y-%m-%d}#{order_id}"
        order = Order(f"user#{user_id}", sort, order_id=order_id, placed=placed, status=status, total=total)
        order.gsi1pk, order.gsi1sk = f"order#{order_id}", "order"
        if status == "pending":
            order.gsi2pk, order.gsi2sk = "pending", placed
        return order


class OrderItem(Record, discriminator="OrderItem"):
    order_id = UnicodeAttribute()
    line = NumberAttribute()
    product = UnicodeAttribute()

    @staticmethod
    def of(order_id, line):
        key, sort = f"order#{order_id}", f"item#{line:03}"
        return OrderItem(key, sort, gsi1pk=key, gsi1sk=sort, order_id=order_id, line=line, product=f"p{line}")


ANN = User.of(
    "ann",
    "ann@example.com",
    "Ann",
    addresses=[Address(city="Oslo", zip_code="0150")],
    settings={"theme": "dark", "ratio": 1.5},
)
BOB = User.of("bob", "bob@example.com", "Bob", labels={"new"})
# Twelve orders of Ann, one each month; every third is pending; the newest is the cheapest.
ORDERS = [
    Order.of(
        "ann",
        f"o{month}",
        datetime(2026, month, 5, 12, 30, tzinfo=timezone.utc),
        "shipped" if month % 3 else "pending",
        10 * (13 - month),
    )
    for month in range(1, 13)
]
# More than one request takes, both for writes and for reads.
ITEMS = [OrderItem.of("o1", line) for line in range(1, 131)]


def months(orders):
    return [order.placed.month for order in orders]


def lines(items):
    return [item.line for item in items]


def same(found, expected):
    """Whether both are the same items, attribute by attribute."""
    return [item.serialize() for item in found] == [item.serialize() for item in expected]


def refused(kind, call, code="ConditionalCheckFailedException"):
    """Checks that the call fails with this exception of PynamoDB, caused by this error of AWS."""
    try:
        call()
    except kind as error:
        assert error.cause_response_code == code, error
    else:
        raise AssertionError(f"the call should have failed with {kind.__name__}")


def create_table():
    assert not Record.exists()
    Record.create_table(wait=True)
    assert Record.exists()
    table = Record.describe_table()
    assert table["TableStatus"] == "ACTIVE", table
    assert sorted(index["IndexName"] for index in table["GlobalSecondaryIndexes"]) == ["gsi1", "gsi2"], table
    assert [index["IndexName"] for index in table["LocalSecondaryIndexes"]] == ["lsi1"], table


def create():
    ANN.expires = timedelta(days=1)
    ANN.save(User.pk.does_not_exist())
    assert ANN.version == 1
    again = User.of("ann", "ann@example.com", "Another")
    refused(PutError, lambda: again.save(User.pk.does_not_exist()))
    # Of the version attribute alone, a new object must not overwrite an item.
    refused(PutError, again.save)
    BOB.save()
    BOB.name = "Bobby"
    BOB.save()
    assert BOB.version == 2
    found = User.get("user#ann", "profile", consistent_read=True)
    assert same([found], [ANN]), found.serialize()
    assert found.settings == {"theme": "dark", "ratio": 1.5} and found.addresses[0].zip_code == "0150"
    assert 0 < (found.expires - datetime.now(timezone.utc)).total_seconds() <= 86_400
    part = User.get("user#ann", "profile", attributes_to_get=["name", "visits"])
    assert (part.name, part.visits, part.email) == ("Ann", 0, None)
    try:
        User.get("user#nobody", "profile")
    except User.DoesNotExist as error:
        assert isinstance(error, DoesNotExist)
    else:
        raise AssertionError("nobody should not exist")


def update():
    ANN.update(
        actions=[
            User.nickname.set("annie"),
            User.visits.add(2),
            User.labels.add({"new", "vip"}),
            User.addresses.set(User.addresses.append([Address(city="Bergen", zip_code="5003")])),
        ]
    )
    assert (ANN.nickname, ANN.visits, ANN.labels, ANN.version) == ("annie", 2, {"new", "vip"}, 2)
    assert [address.city for address in ANN.addresses] == ["Oslo", "Bergen"]
    stale = User.get("user#ann", "profile")
    ANN.update(
        actions=[
            User.nickname.remove(),
            User.visits.set(User.visits - 1),
            User.labels.delete({"new"}),
            User.addresses[0].zip_code.set("0151"),
            User.active.set(User.active | False),
        ],
        condition=(User.visits == 2) & User.name.startswith("A") & User.labels.contains("vip"),
    )
    assert (ANN.nickname, ANN.visits, ANN.labels) == (None, 1, {"vip"})
    assert ANN.addresses[0].zip_code == "0151" and ANN.active is True
    # The object read before has an old version.
    refused(UpdateError, lambda: stale.update(actions=[User.name.set("N")]))
    refused(UpdateError, lambda: ANN.update(actions=[User.name.set("N")], condition=User.visits > 10))
    ghost = User("user#nobody", "profile")
    refused(UpdateError, lambda: ghost.update(actions=[User.name.set("N")], condition=User.pk.exists()))
    stale.refresh(consistent_read=True)
    assert same([stale], [ANN])


def batches():
    with Record.batch_write() as batch:
        for record in ORDERS + ITEMS:
            batch.save(record)
    keys = [(item.pk, item.sk) for item in ITEMS]
    found = list(OrderItem.batch_get(keys + [("order#o9", "item#001")], consistent_read=True))
    assert same(sorted(found, key=lambda item: item.line), ITEMS)


def collections():
    account = list(Record.query("user#ann"))
    assert [type(record) for record in account] == [Order] * 12 + [User], account
    assert same(account, ORDERS + [ANN])
    contents = list(Record.by_entity.query("order#o1"))
    assert same(contents, ITEMS + ORDERS[:1])


def ranges():
    assert months(Order.query("user#ann", Order.sk.startswith("order#2026-1"))) == [10, 11, 12]
    assert months(Order.query("user#ann", Order.sk.between("order#2026-03", "order#2026-05-06"))) == [3, 4, 5]
    assert months(Order.query("user#ann", Order.sk < "order#2026-03")) == [1, 2]
    assert months(Order.query("user#ann", Order.sk >= "order#2026-11-05#o11")) == [11, 12]
    assert months(Order.query("user#ann", Order.sk == ORDERS[6].sk)) == [7]
    large = Order.query("user#ann", filter_condition=(Order.total >= 50) & (Order.status == "pending"))
    assert months(large) == [3, 6]
    chosen = Order.query("user#ann", filter_condition=Order.total.is_in(10, 20) | Order.order_id.contains("o1"))
    assert months(chosen) == [1, 10, 11, 12]
    assert Order.count("user#ann", Order.sk.startswith("order#")) == 12
    cheapest = Order.by_total.query("user#ann", Order.total < 40, consistent_read=True)
    assert months(cheapest) == [12, 11, 10]
    part = list(Order.query("user#ann", Order.sk.startswith("order#"), attributes_to_get=["cls", "total"]))
    assert [order.total for order in part] == [order.total for order in ORDERS] and part[0].status is None


def pages():
    found, cursor, count = [], None, 0
    while count == 0 or cursor is not None:
        arguments = {"scan_index_forward": False, "limit": 5, "last_evaluated_key": cursor}
        page = Order.query("user#ann", Order.sk.startswith("order#"), **arguments)
        found += list(page)
        cursor, count = page.last_evaluated_key, count + 1
    assert months(found) == list(range(12, 0, -1)) and count == 3, (found, count)
    # The library turns pages by itself; an index's cursor holds the keys of the table too.
    assert lines(OrderItem.by_entity.query("order#o1", page_size=10)) == lines(ITEMS)
    first = OrderItem.by_entity.query("order#o1", limit=1)
    assert lines(first) == [1]
    assert sorted(first.last_evaluated_key) == ["gsi1pk", "gsi1sk", "pk", "sk"]
    assert months(Order.by_total.query("user#ann", page_size=2)) == list(range(12, 0, -1))


def indexes():
    (user,) = User.by_entity.query("email#ann@example.com")
    assert same([user], [ANN])
    assert list(User.by_entity.query("email#no@example.com")) == []
    BOB.update(actions=[User.email.set("bobby@example.com"), User.gsi1pk.set("email#bobby@example.com")])
    assert User.by_entity.count("email#bob@example.com") == 0
    assert User.by_entity.count("email#bobby@example.com") == 1

    newest = list(Order.pending.query("pending", scan_index_forward=False, limit=1))
    assert [order.order_id for order in newest] == ["o12"] and newest[0].status is None
    assert [order.order_id for order in Order.pending.query("pending")] == ["o3", "o6", "o9", "o12"]
    # A shipped order leaves the index.
    ORDERS[2].update(actions=[Order.status.set("shipped"), Order.gsi2pk.remove(), Order.gsi2sk.remove()])
    since = datetime(2026, 8, 1, tzinfo=timezone.utc)
    assert [order.order_id for order in Order.pending.query("pending", Order.gsi2sk > since)] == ["o9", "o12"]
    assert sorted(order.order_id for order in Order.pending.scan()) == ["o12", "o6", "o9"]


def scans():
    assert sorted(lines(OrderItem.scan(OrderItem.line > 127, page_size=7))) == [128, 129, 130]
    assert sorted(months(Order.scan(page_size=50))) == list(range(1, 13))
    segments = [list(Record.scan(segment=segment, total_segments=4, page_size=9)) for segment in range(4)]
    keys = [(record.pk, record.sk) for segment in segments for record in segment]
    assert len(keys) == len(set(keys)) == 2 + len(ORDERS) + len(ITEMS)


def deletes():
    stale = User.of("bob", "bob@example.com", "Bob", version=1)
    refused(DeleteError, stale.delete)
    refused(DeleteError, lambda: BOB.delete(User.name == "Bob"))
    BOB.delete(User.name == "Bobby")
    refused(DeleteError, lambda: BOB.delete(User.pk.exists(), add_version_condition=False))
    assert User.by_entity.count("email#bobby@example.com") == 0
    with OrderItem.batch_write() as batch:
        for item in ITEMS:
            batch.delete(item)
    assert same(Record.by_entity.query("order#o1"), ORDERS[:1])


def drop_table():
    Record.delete_table()
    while Record.exists():
        time.sleep(0.2)
    refused(GetError, lambda: User.get("user#ann", "profile"), "ResourceNotFoundException")
    refused(QueryError, lambda: list(User.query("user#ann")), "ResourceNotFoundException")
    try:
        Record.describe_table()
    except TableDoesNotExist:
        pass
    else:
        raise AssertionError("the table should be gone")


def main():
    create_table()
    create()
    update()
    batches()
    collections()
    ranges()
    pages()
    indexes()
    scans()
    deletes()
    drop_table()


main()

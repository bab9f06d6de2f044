// The walk of clients/libraries/README.md with OneTable.

import assert from "node:assert/strict";
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  ResourceNotFoundException,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { OneTableError, Table } from "dynamodb-onetable";

const name = "walk-onetable";
const client = new DynamoDBClient({ endpoint: process.env.HASHRANGE_ENDPOINT, region: "us-east-1" });
/** Calls of the library, and requests sent for them; a retry makes the difference. */
const counts = { calls: 0, requests: 0 };
const count = (what) => (next) => (request) => {
  counts[what] += 1;
  return next(request);
};
client.middlewareStack.add(count("calls"), { step: "initialize", name: "countCalls" });
client.middlewareStack.add(count("requests"), { step: "deserialize", name: "countRequests" });

const schema = {
  format: "onetable:1.1.0",
  version: "0.0.1",
  indexes: {
    primary: { hash: "pk", sort: "sk" },
    gs1: { hash: "gs1pk", sort: "gs1sk", project: "all" },
    gs2: { hash: "gs2pk", sort: "gs2sk", project: "keys" },
    ls1: { type: "local", sort: "total", project: ["orderId", "status"] },
  },
  models: {
    User: {
      pk: { type: String, value: "user#${userId}" },
      sk: { type: String, value: "user#" },
      userId: { type: String, required: true },
      email: { type: String, required: true },
      name: { type: String, required: true },
      visits: { type: Number, default: 0 },
      nickname: { type: String },
      labels: { type: Set },
      cities: { type: Array },
      address: { type: Object, schema: { city: { type: String }, zip: { type: String } } },
      joined: { type: Date },
      gs1pk: { type: String, value: "email#${email}" },
      gs1sk: { type: String, value: "user#" },
    },
    Order: {
      pk: { type: String, value: "user#${userId}" },
      sk: { type: String, value: "order#${placed}#${orderId}" },
      userId: { type: String, required: true },
      orderId: { type: String, required: true },
      placed: { type: String, required: true },
      status: { type: String, enum: ["pending", "shipped"], default: "pending" },
      total: { type: Number, required: true },
      waiting: { type: String },
      gs1pk: { type: String, value: "order#${orderId}" },
      gs1sk: { type: String, value: "order#" },
      // Both are left out while `waiting` is: the index is sparse.
      gs2pk: { type: String, value: "waiting#${waiting}" },
      gs2sk: { type: String, value: "order#${placed}" },
    },
    OrderItem: {
      pk: { type: String, value: "order#${orderId}" },
      sk: { type: String, value: "item#${line:3:0}" },
      orderId: { type: String, required: true },
      line: { type: Number, required: true },
      product: { type: String, required: true },
      quantity: { type: Number, default: 1 },
      gs1pk: { type: String, value: "order#${orderId}" },
      gs1sk: { type: String, value: "item#${line:3:0}" },
    },
  },
  params: { isoDates: true, timestamps: false },
};

const table = new Table({
  client,
  name,
  schema,
  partial: true,
  logger() {}, // it would print each refusal that the walk expects
});
const User = table.getModel("User");
const Order = table.getModel("Order");
const OrderItem = table.getModel("OrderItem");

const ann = {
  userId: "ann",
  email: "ann@example.com",
  name: "Ann",
  labels: new Set(["new"]),
  address: { city: "Oslo", zip: "0150" },
  joined: new Date("2026-01-02T03:04:05.678Z"),
};
const bob = { userId: "bob", email: "bob@example.com", name: "Bob" };
/** Twelve orders of Ann, one each month; every third is pending. */
const orders = Array.from({ length: 12 }, (_, index) => ({
  userId: "ann",
  orderId: `o${index + 1}`,
  placed: `2026-${String(index + 1).padStart(2, "0")}-05`,
  total: 120 - 10 * index,
  ...(index % 3 === 2 ? { status: "pending", waiting: "yes" } : { status: "shipped" }),
}));
const items = Array.from({ length: 25 }, (_, index) => ({
  orderId: "o1",
  line: index + 1,
  product: `p${index + 1}`,
  quantity: index + 1,
}));

const ids = (found) => found.map(({ orderId }) => orderId);
const lines = (found) => found.map(({ line }) => line);
const orderIds = (...numbers) => numbers.map((number) => `o${number}`);
/** The items without OneTable's mark of being a page. */
const plain = (found) => found.map((item) => ({ ...item }));
const byLine = (a, b) => a.line - b.line;

/** Checks that OneTable passes on AWS's refusal of a condition, with its type. */
const conditionFailed = (error) => {
  assert.ok(error instanceof OneTableError, error);
  assert.equal(error.code, "ConditionalCheckFailedException");
  assert.ok(error.context.err instanceof ConditionalCheckFailedException, error.context.err);
  return true;
};

async function createTable() {
  assert.equal(await table.exists(), false);
  await table.createTable({ wait: 60 });
  assert.equal(await table.exists(), true);
  const { Table: described } = await table.describeTable();
  assert.equal(described.TableStatus, "ACTIVE");
  assert.deepEqual(described.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort(), ["gs1", "gs2"]);
  assert.deepEqual(described.LocalSecondaryIndexes.map(({ IndexName }) => IndexName), ["ls1"]);
}

async function create() {
  const created = await User.create(ann);
  assert.deepEqual(created, { ...ann, visits: 0 });
  await assert.rejects(User.create({ ...ann, name: "Another" }), conditionFailed);
  await User.create(bob, { exists: null });
  await User.upsert({ ...bob, name: "Bobby" });
  const read = await User.get({ userId: "ann" }, { consistent: true });
  assert.deepEqual(read, { ...ann, visits: 0 });
  assert.equal((await User.get({ userId: "bob" })).name, "Bobby");
  assert.equal(await User.get({ userId: "nobody" }), undefined);
  const fields = await User.get({ userId: "ann" }, { fields: ["name", "email"] });
  assert.deepEqual(fields, { name: "Ann", email: ann.email });
}

async function update() {
  const changed = await User.update(
    { userId: "ann", nickname: "annie", address: { zip: "0151" } },
    { add: { visits: 2 }, push: { cities: ["Bergen"] }, return: "get" },
  );
  const expected = { ...ann, visits: 2, nickname: "annie", cities: ["Bergen"], address: { city: "Oslo", zip: "0151" } };
  assert.deepEqual(changed, expected);
  await User.update({ userId: "ann" }, { push: { cities: ["Oslo", "Paris"] }, remove: ["nickname"] });
  await User.update({ userId: "ann" }, { set: { visits: "${visits} + {5}", "cities[0]": "Tromsø" } });
  await User.update({ userId: "ann" }, { delete: { labels: new Set(["new"]) }, where: "${visits} = {7}" });
  const after = await User.get({ userId: "ann" });
  assert.deepEqual(after.cities, ["Tromsø", "Oslo", "Paris"]);
  assert.equal(after.visits, 7);
  assert.equal("nickname" in after || "labels" in after, false);
  await assert.rejects(User.update({ userId: "nobody", name: "N" }), conditionFailed);
  await assert.rejects(User.update({ userId: "ann", name: "N" }, { where: "${visits} > {10}" }), conditionFailed);
}

async function batches() {
  const write = {};
  for (const order of orders) await Order.create(order, { batch: write, exists: null });
  assert.equal(await table.batchWrite(write), true);
  const more = {};
  for (const item of items) await OrderItem.create(item, { batch: more, exists: null });
  assert.equal(await table.batchWrite(more), true);

  const read = {};
  for (const { orderId, line } of items) await OrderItem.get({ orderId, line }, { batch: read });
  await User.get({ userId: "ann" }, { batch: read });
  await User.get({ userId: "nobody" }, { batch: read });
  const found = await table.batchGet(read, { parse: true, hidden: false, consistent: true });
  assert.equal(found.length, items.length + 1);
  assert.deepEqual(found.filter(({ line }) => line).sort(byLine), items);
  assert.equal(found.find(({ userId }) => userId).name, "Ann");
}

async function collections() {
  const account = await table.fetch(["User", "Order"], { pk: "user#ann" });
  assert.deepEqual(account.User.map(({ userId }) => userId), ["ann"]);
  assert.deepEqual(ids(account.Order), ids(orders));
  const all = await table.queryItems({ pk: "user#ann" }, { parse: true, hidden: false });
  assert.deepEqual(plain(all.slice(0, -1)), orders);
  const ofOrder = await table.queryItems({ gs1pk: "order#o1" }, { index: "gs1", parse: true, hidden: true });
  const contents = table.groupByType(ofOrder);
  assert.deepEqual(lines(contents.OrderItem), lines(items));
  assert.deepEqual(ids(contents.Order), ["o1"]);
}

async function ranges() {
  assert.deepEqual(plain(await Order.find({ userId: "ann", sk: { begins: "order#" } })), orders);
  const begins = await Order.find({ userId: "ann", sk: { begins: "order#2026-1" } });
  assert.deepEqual(ids(begins), orderIds(10, 11, 12));
  const between = await Order.find({ userId: "ann", sk: { between: ["order#2026-03", "order#2026-05-06"] } });
  assert.deepEqual(ids(between), orderIds(3, 4, 5));
  const before = await Order.find({ userId: "ann", sk: { "<": "order#2026-03" } });
  assert.deepEqual(ids(before), orderIds(1, 2));
  const where = "${total} >= {50} AND ${status} = {pending}";
  const large = await Order.find({ userId: "ann", sk: { begins: "order#" } }, { where });
  assert.deepEqual(ids(large), orderIds(3, 6));
  const stats = {};
  const pending = { userId: "ann", status: "pending", sk: { begins: "order#" } };
  const counted = await Order.find(pending, { count: true, stats });
  assert.equal(counted.count, 4);
  assert.equal(stats.capacity, 0.5);
  // The local index sorts by total; the cheapest are the newest.
  const cheapest = await Order.find({ userId: "ann", total: { "<": 40 } }, { index: "ls1", consistent: true });
  assert.deepEqual(ids(cheapest), orderIds(12, 11, 10));
}

async function pages() {
  const newest = { reverse: true, limit: 5 };
  const key = { userId: "ann", sk: { begins: "order#" } };
  const found = [];
  let next;
  let count = 0;
  do {
    const page = await Order.find(key, { ...newest, next });
    found.push(...page);
    next = page.next;
    count += 1;
  } while (next);
  assert.deepEqual(ids(found), ids(orders).reverse());
  assert.equal(count, 3);

  const first = await Order.find(key, { limit: 4 });
  const second = await Order.find(key, { limit: 4, next: first.next });
  assert.deepEqual(ids(second), orderIds(5, 6, 7, 8));
  const back = await Order.find(key, { limit: 4, prev: second.prev });
  assert.deepEqual(ids(back), orderIds(1, 2, 3, 4));

  // An index's cursor holds the keys of the table too.
  const contents = await OrderItem.find({ orderId: "o1", gs1sk: { begins: "item#" } }, { index: "gs1", limit: 10 });
  const cursor = { index: "gs1", next: contents.next };
  const rest = await OrderItem.find({ orderId: "o1", gs1sk: { begins: "item#" } }, cursor);
  assert.deepEqual(lines([...contents, ...rest]), lines(items));
}

async function indexes() {
  const user = await User.get({ email: "ann@example.com" }, { index: "gs1", follow: true });
  assert.equal(user.userId, "ann");
  assert.deepEqual(user.address, { city: "Oslo", zip: "0151" });
  assert.equal((await User.find({ email: "no@example.com" }, { index: "gs1" })).length, 0);
  await User.update({ userId: "bob", email: "bobby@example.com" });
  assert.equal((await User.find({ email: "bob@example.com" }, { index: "gs1" })).length, 0);
  assert.equal((await User.find({ email: "bobby@example.com" }, { index: "gs1" })).length, 1);

  // Newest waiting order first, from the sparse index; the table's items follow.
  const waiting = (params) => Order.find({ waiting: "yes" }, { index: "gs2", follow: true, ...params });
  assert.deepEqual(plain(await waiting({ reverse: true, limit: 1 })), [orders[11]]);
  assert.deepEqual(ids(await waiting()), orderIds(3, 6, 9, 12));
  // A shipped order leaves the index.
  const { userId, orderId, placed } = orders[2];
  await Order.update({ userId, orderId, placed, status: "shipped" }, { remove: ["waiting", "gs2pk", "gs2sk"] });
  assert.deepEqual(ids(await waiting()), orderIds(6, 9, 12));
  const since = { waiting: "yes", gs2sk: { ">=": "order#2026-08" } };
  assert.deepEqual(ids(await Order.find(since, { index: "gs2", follow: true })), orderIds(9, 12));
}

async function scans() {
  const filtered = await OrderItem.scan({}, { where: "${quantity} > {22}" });
  assert.deepEqual(lines(filtered).sort((a, b) => a - b), [23, 24, 25]);
  assert.equal((await User.scan({ name: "Bobby" })).length, 1);
  const found = [];
  let next;
  do {
    const page = await Order.scan({}, { limit: 4, next });
    found.push(...page);
    next = page.next;
  } while (next);
  assert.deepEqual(ids(found).sort(), ids(orders).sort());
  const segments = [0, 1, 2].map((segment) => table.scanItems({}, { segments: 3, segment, parse: true, hidden: true }));
  assert.equal((await Promise.all(segments)).flat().length, 2 + orders.length + items.length);
}

async function deletes() {
  const old = await User.remove({ userId: "bob" }, { return: "ALL_OLD" });
  assert.equal(old.name, "Bobby");
  await assert.rejects(User.remove({ userId: "bob" }, { exists: true }), conditionFailed);
  assert.equal(await User.get({ userId: "bob" }), undefined);
  assert.equal((await User.find({ email: "bobby@example.com" }, { index: "gs1" })).length, 0);
  const remove = {};
  for (const { orderId, line } of items) await OrderItem.remove({ orderId, line }, { batch: remove });
  assert.equal(await table.batchWrite(remove), true);
  assert.equal((await table.queryItems({ gs1pk: "order#o1" }, { index: "gs1" })).length, 1);
  // `many` finds the items first and then deletes one by one.
  await Order.remove({ userId: "ann" }, { many: true });
  assert.equal((await table.queryItems({ pk: "user#ann" })).length, 1);
}

async function dropTable() {
  await table.deleteTable("DeleteTableForever");
  await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
  await assert.rejects(User.get({ userId: "ann" }), (error) => {
    assert.equal(error.code, "ResourceNotFoundException");
    return error.context.err instanceof ResourceNotFoundException;
  });
}

await createTable();
await create();
await update();
await batches();
await collections();
await ranges();
await pages();
await indexes();
await scans();
await deletes();
await dropTable();
assert.ok(counts.calls > 50, "the walk should have made calls");
assert.equal(counts.requests, counts.calls, "a call was retried");

// The walk of clients/libraries/README.md with ElectroDB.

import assert from "node:assert/strict";
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { ElectroError, Entity, Service } from "electrodb";

const table = "walk-electrodb";
const client = new DynamoDBClient({ endpoint: process.env.HASHRANGE_ENDPOINT, region: "us-east-1" });
/** Calls of the library, and requests sent for them; a retry makes the difference. */
const counts = { calls: 0, requests: 0 };
const count = (what) => (next) => (request) => {
  counts[what] += 1;
  return next(request);
};
client.middlewareStack.add(count("calls"), { step: "initialize", name: "countCalls" });
client.middlewareStack.add(count("requests"), { step: "deserialize", name: "countRequests" });
const ERROR_OF_AWS = 4001;

const User = new Entity(
  {
    model: { entity: "user", version: "1", service: "shop" },
    attributes: {
      userId: { type: "string", required: true },
      email: { type: "string", required: true },
      name: { type: "string", required: true },
      visits: { type: "number", default: 0 },
      nickname: { type: "string" },
      labels: { type: "set", items: "string" },
      addresses: {
        type: "list",
        items: { type: "map", properties: { city: { type: "string" }, zip: { type: "string" } } },
      },
    },
    indexes: {
      profile: {
        collection: "account",
        pk: { field: "pk", composite: ["userId"] },
        sk: { field: "sk", composite: [] },
      },
      byEmail: {
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["email"] },
        sk: { field: "gsi1sk", composite: [] },
      },
    },
  },
  { client, table },
);

const Order = new Entity(
  {
    model: { entity: "order", version: "1", service: "shop" },
    attributes: {
      userId: { type: "string", required: true },
      orderId: { type: "string", required: true },
      placed: { type: "string", required: true },
      status: { type: ["pending", "shipped"], default: "pending" },
      total: { type: "number", required: true },
    },
    indexes: {
      ofUser: {
        collection: "account",
        pk: { field: "pk", composite: ["userId"] },
        sk: { field: "sk", composite: ["placed", "orderId"] },
      },
      byId: {
        collection: "contents",
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["orderId"] },
        sk: { field: "gsi1sk", composite: [] },
      },
      pending: {
        index: "gsi2",
        condition: ({ status }) => status === "pending",
        pk: { field: "gsi2pk", composite: ["status"] },
        sk: { field: "gsi2sk", composite: ["placed"] },
      },
      // Keys of several attributes: the attributes themselves, not a text made of them.
      byStatus: {
        type: "composite",
        index: "gsi3",
        pk: { composite: ["userId", "status"] },
        sk: { composite: ["placed", "total"] },
      },
    },
  },
  { client, table },
);

const OrderItem = new Entity(
  {
    model: { entity: "orderItem", version: "1", service: "shop" },
    attributes: {
      orderId: { type: "string", required: true },
      line: { type: "number", required: true, padding: { length: 3, char: "0" } },
      product: { type: "string", required: true },
      quantity: { type: "number", default: 1 },
    },
    indexes: {
      ofOrder: {
        pk: { field: "pk", composite: ["orderId"] },
        sk: { field: "sk", composite: ["line"] },
      },
      contents: {
        collection: "contents",
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["orderId"] },
        sk: { field: "gsi1sk", composite: ["line"] },
      },
    },
  },
  { client, table },
);

const shop = new Service({ user: User, order: Order, orderItem: OrderItem });

const ann = { userId: "ann", email: "ann@example.com", name: "Ann", addresses: [{ city: "Oslo", zip: "0150" }] };
const bob = { userId: "bob", email: "bob@example.com", name: "Bob" };
/** Twelve orders of Ann, one each month; every third is pending. */
const orders = Array.from({ length: 12 }, (_, index) => ({
  userId: "ann",
  orderId: `o${index + 1}`,
  placed: `2026-${String(index + 1).padStart(2, "0")}-05`,
  status: index % 3 === 2 ? "pending" : "shipped",
  total: 10 * (index + 1),
}));
const items = Array.from({ length: 30 }, (_, index) => ({
  orderId: "o1",
  line: index + 1,
  product: `p${index + 1}`,
  quantity: index + 1,
}));

const ids = (found) => found.map(({ orderId }) => orderId);
const lines = (found) => found.map(({ line }) => line);
const orderIds = (...numbers) => numbers.map((number) => `o${number}`);

/** Checks that ElectroDB passes on AWS's refusal of a condition, with its type. */
const conditionFailed = (error) => {
  assert.ok(error instanceof ElectroError, error);
  assert.equal(error.code, ERROR_OF_AWS);
  assert.ok(error.cause instanceof ConditionalCheckFailedException, error.cause);
  return true;
};

async function createTable() {
  const names = ["pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk", "userId", "status", "placed"];
  const key = (KeyType) => (AttributeName) => ({ AttributeName, KeyType });
  const keys = (hash, range) => [...[hash].flat().map(key("HASH")), ...[range].flat().map(key("RANGE"))];
  const index = (IndexName, ProjectionType) => ({
    IndexName,
    KeySchema: keys(`${IndexName}pk`, `${IndexName}sk`),
    Projection: { ProjectionType },
  });
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        ...names.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
        { AttributeName: "total", AttributeType: "N" },
      ],
      KeySchema: keys("pk", "sk"),
      GlobalSecondaryIndexes: [
        index("gsi1", "ALL"),
        index("gsi2", "KEYS_ONLY"),
        { ...index("gsi3", "ALL"), KeySchema: keys(["userId", "status"], ["placed", "total"]) },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: table });
}

async function create() {
  const { data } = await User.create(ann).go();
  assert.deepEqual(data, { ...ann, visits: 0 });
  await assert.rejects(User.create({ ...ann, name: "Another" }).go(), conditionFailed);
  const refused = await User.create(ann).go({ returnOnConditionCheckFailure: "all_old" });
  assert.equal(refused.rejected, true);
  assert.equal(refused.data.name, "Ann");
  await User.put(bob).go();
  await User.upsert({ ...bob, name: "Bobby" }).go();
  assert.equal((await User.get({ userId: "bob" }).go({ consistent: true })).data.name, "Bobby");
  assert.equal((await User.get({ userId: "nobody" }).go()).data, null);
}

async function update() {
  const changed = await User.patch({ userId: "ann" })
    .set({ nickname: "annie" })
    .add({ visits: 2, labels: ["new", "vip"] })
    .append({ addresses: [{ city: "Bergen", zip: "5003" }] })
    .go({ response: "all_new" });
  const addresses = [...ann.addresses, { city: "Bergen", zip: "5003" }];
  assert.deepEqual(changed.data, { ...ann, visits: 2, nickname: "annie", labels: ["new", "vip"], addresses });
  const nested = await User.patch({ userId: "ann" })
    .data((attributes, { set }) => set(attributes.addresses[0].zip, "0151"))
    .go({ response: "all_new" });
  assert.deepEqual(nested.data.addresses[0], { city: "Oslo", zip: "0151" });
  const removed = await User.update({ userId: "ann" })
    .remove(["nickname"])
    .delete({ labels: ["new"] })
    .subtract({ visits: 1 })
    .where(({ visits }, { eq }) => eq(visits, 2))
    .go({ response: "updated_new" });
  assert.deepEqual(removed.data, { userId: "ann", labels: ["vip"], visits: 1 });
  await assert.rejects(User.patch({ userId: "nobody" }).set({ name: "N" }).go(), conditionFailed);
  const unmet = User.update({ userId: "ann" }).set({ name: "N" });
  await assert.rejects(unmet.where(({ visits }, { gt }) => gt(visits, 5)).go(), conditionFailed);
}

async function batches() {
  assert.deepEqual((await Order.put(orders).go()).unprocessed, []);
  // More than one request's worth of writes, and an order that every page must keep.
  assert.deepEqual((await OrderItem.put(items).go()).unprocessed, []);
  const { data, unprocessed } = await OrderItem.get(items.map(({ orderId, line }) => ({ orderId, line }))).go({
    preserveBatchOrder: true,
  });
  assert.deepEqual(unprocessed, []);
  assert.deepEqual(data, items);
  const absent = await OrderItem.get([{ orderId: "o1", line: 1 }, { orderId: "o9", line: 1 }]).go();
  assert.deepEqual(absent.data, [items[0]]);
}

async function collections() {
  const account = await shop.collections.account({ userId: "ann" }).go();
  assert.deepEqual(account.data.user.map(({ name }) => name), ["Ann"]);
  assert.deepEqual(ids(account.data.order), ids(orders));
  const contents = await shop.collections.contents({ orderId: "o1" }).go();
  assert.deepEqual(contents.data.order, [orders[0]]);
  assert.deepEqual(contents.data.orderItem, items);
}

async function ranges() {
  const ofAnn = Order.query.ofUser({ userId: "ann" });
  assert.deepEqual((await ofAnn.go()).data, orders);
  const begins = await Order.query.ofUser({ userId: "ann" }).begins({ placed: "2026-1" }).go();
  assert.deepEqual(ids(begins.data), orderIds(10, 11, 12));
  // ElectroDB compares whole sort keys: an upper bound includes an order only with all of its key.
  const fifth = { placed: "2026-05-05", orderId: "o5" };
  const between = await Order.query.ofUser({ userId: "ann" }).between({ placed: "2026-03" }, fifth).go();
  assert.deepEqual(ids(between.data), orderIds(3, 4, 5));
  const after = await Order.query.ofUser({ userId: "ann" }).gt({ placed: "2026-10-05", orderId: "o10" }).go();
  assert.deepEqual(ids(after.data), orderIds(11, 12));
  const until = await Order.query.ofUser({ userId: "ann" }).lte({ placed: "2026-02-05", orderId: "o2" }).go();
  assert.deepEqual(ids(until.data), orderIds(1, 2));
  const large = await Order.query
    .ofUser({ userId: "ann" })
    .where(({ total, status }, { gte, eq }) => `${gte(total, 60)} AND ${eq(status, "pending")}`)
    .go();
  assert.deepEqual(ids(large.data), orderIds(6, 9, 12));
  const attributes = await ofAnn.go({ attributes: ["orderId", "total"], limit: 1 });
  assert.deepEqual(attributes.data, [{ orderId: "o1", total: 10 }]);
}

async function pages() {
  const found = [];
  let cursor = null;
  let count = 0;
  do {
    const page = await Order.query.ofUser({ userId: "ann" }).go({ order: "desc", limit: 5, cursor });
    found.push(...page.data);
    cursor = page.cursor;
    count += 1;
  } while (cursor !== null);
  assert.deepEqual(ids(found), ids(orders).reverse());
  assert.equal(count, 3);
  // An index's cursor holds the keys of the table too.
  const first = await OrderItem.query.contents({ orderId: "o1" }).go({ limit: 10 });
  const rest = await OrderItem.query.contents({ orderId: "o1" }).go({ limit: 10, cursor: first.cursor, pages: "all" });
  assert.deepEqual(lines([...first.data, ...rest.data]), lines(items));
  // Newest pending order first, from the sparse index; a cursor crosses pages there too.
  const newest = await Order.query.pending({ status: "pending" }).go({ order: "desc", limit: 1, hydrate: true });
  assert.deepEqual(newest.data, [orders[11]]);
  const older = { order: "desc", hydrate: true, cursor: newest.cursor, pages: "all" };
  assert.deepEqual(ids((await Order.query.pending({ status: "pending" }).go(older)).data), orderIds(9, 6, 3));
}

async function indexes() {
  const [user] = (await User.query.byEmail({ email: "ann@example.com" }).go()).data;
  assert.equal(user.userId, "ann");
  assert.equal((await User.query.byEmail({ email: "no@example.com" }).go()).data.length, 0);
  await User.patch({ userId: "bob" }).set({ email: "bobby@example.com" }).go();
  assert.equal((await User.query.byEmail({ email: "bob@example.com" }).go()).data.length, 0);
  assert.equal((await User.query.byEmail({ email: "bobby@example.com" }).go()).data.length, 1);

  // A shipped order leaves the sparse index.
  const { userId, placed, orderId } = orders[2];
  await Order.patch({ userId, placed, orderId }).set({ status: "shipped" }).go();
  const pending = await Order.query.pending({ status: "pending" }).go({ hydrate: true });
  assert.deepEqual(ids(pending.data), orderIds(6, 9, 12));
  const since = await Order.query.pending({ status: "pending" }).gte({ placed: "2026-08" }).go({ hydrate: true });
  assert.deepEqual(ids(since.data), orderIds(9, 12));
}

async function keysOfSeveralAttributes() {
  const shipped = { userId: "ann", status: "shipped" };
  const all = orderIds(1, 2, 3, 4, 5, 7, 8, 10, 11);
  assert.deepEqual(ids((await Order.query.byStatus(shipped).go()).data), all);
  const spring = await Order.query.byStatus(shipped).between({ placed: "2026-03" }, { placed: "2026-05-05" }).go();
  assert.deepEqual(ids(spring.data), orderIds(3, 4, 5));
  const october = await Order.query.byStatus(shipped).begins({ placed: "2026-1" }).go({ order: "desc" });
  assert.deepEqual(ids(october.data), orderIds(11, 10));
  const dear = (total) => Order.query.byStatus({ ...shipped, placed: "2026-07-05" }).gt({ total }).go();
  assert.deepEqual(ids((await dear(60)).data), orderIds(7));
  assert.deepEqual(ids((await dear(70)).data), []);
  const found = [];
  let cursor = null;
  do {
    const page = await Order.query.byStatus(shipped).go({ order: "desc", limit: 2, cursor });
    found.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== null);
  assert.deepEqual(ids(found), all.reverse());
}

async function scans() {
  const filtered = await OrderItem.scan.where(({ quantity }, { gt }) => gt(quantity, 27)).go({ pages: "all" });
  assert.deepEqual(lines(filtered.data).sort((a, b) => a - b), [28, 29, 30]);
  const found = [];
  let cursor = null;
  do {
    const page = await Order.scan.go({ limit: 4, cursor });
    found.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== null);
  assert.deepEqual(ids(found).sort(), ids(orders).sort());
  const matched = await User.match({ name: "Bobby" }).go({ pages: "all" });
  assert.deepEqual(matched.data.map(({ userId }) => userId), ["bob"]);
}

async function deletes() {
  const old = await User.delete({ userId: "bob" }).go({ response: "all_old" });
  assert.equal(old.data.name, "Bobby");
  await assert.rejects(User.remove({ userId: "bob" }).go(), conditionFailed);
  assert.equal((await User.get({ userId: "bob" }).go()).data, null);
  assert.equal((await User.query.byEmail({ email: "bobby@example.com" }).go()).data.length, 0);
  const keys = items.map(({ orderId, line }) => ({ orderId, line }));
  assert.deepEqual((await OrderItem.delete(keys).go()).unprocessed, []);
  const contents = await shop.collections.contents({ orderId: "o1" }).go();
  assert.deepEqual(contents.data.orderItem, []);
  assert.deepEqual(ids(contents.data.order), ["o1"]);
}

async function dropTable() {
  await client.send(new DeleteTableCommand({ TableName: table }));
  await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: table });
  await assert.rejects(User.get({ userId: "ann" }).go(), (error) => error.cause instanceof ResourceNotFoundException);
}

await createTable();
await create();
await update();
await batches();
await collections();
await ranges();
await pages();
await indexes();
await keysOfSeveralAttributes();
await scans();
await deletes();
await dropTable();
assert.ok(counts.calls > 50, "the walk should have made calls");
assert.equal(counts.requests, counts.calls, "a call was retried");

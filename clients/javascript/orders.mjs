// Steps 10 to 18 of clients/README.md: collections, indexes and batches, with the paginators of the document client.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  paginateListTables,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, BatchWriteCommand, paginateQuery, paginateScan } from "@aws-sdk/lib-dynamodb";

const TABLE = "walk-javascript-orders";
const BATCH_MAX = 25;

const range = (length) => Array.from({ length }, (_, index) => index);
const twoDigits = (number) => String(number).padStart(2, "0");

/** Order `number` of a customer. A third is open, the amounts of a customer are 0 to 29, one customer has cities. */
function order(customer, number) {
  const item = {
    pk: `customer#${customer}`,
    sk: `order#${twoDigits(number)}`,
    status: number % 3 === 0 ? "open" : "shipped",
    placed: `${twoDigits(number)}#${customer}`,
    amount: (number * 7) % 30,
    note: `note ${customer}/${number}`,
  };
  return customer === 0 && number % 2 === 0 ? { ...item, city: "Oslo" } : item;
}

const ORDERS = range(4).flatMap((customer) => range(30).map((number) => order(customer, number)));
const OF_ONE = {
  TableName: TABLE,
  KeyConditionExpression: "pk = :pk",
  ExpressionAttributeValues: { ":pk": "customer#1" },
};
const OPEN = {
  TableName: TABLE,
  IndexName: "by-status",
  KeyConditionExpression: "#s = :s",
  ExpressionAttributeNames: { "#s": "status" },
  ExpressionAttributeValues: { ":s": "open" },
};

/** The query with a condition more on its sort key. */
const narrowed = (query, condition, values) => ({
  ...query,
  KeyConditionExpression: `${query.KeyConditionExpression} AND ${condition}`,
  ExpressionAttributeValues: { ...query.ExpressionAttributeValues, ...values },
});

/** The query with a filter. */
const filtered = (query, condition, values) => ({
  ...query,
  FilterExpression: condition,
  ExpressionAttributeValues: { ...query.ExpressionAttributeValues, ...values },
});

const pick = (item, names) => Object.fromEntries(names.map((name) => [name, item[name]]));
const by = (name) => (a, b) => (a[name] < b[name] ? -1 : 1);
const inKeyOrder = (items) => items.toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));
const itemsIn = (pages) => pages.flatMap((page) => page.Items);
const countsIn = (pages) => pages.map((page) => page.Count);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const keySchema = (hash, sort) => [
  { AttributeName: hash, KeyType: "HASH" },
  { AttributeName: sort, KeyType: "RANGE" },
];
const definitions = (types) =>
  Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
const statusOf = (table, index) =>
  table.GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === index).IndexStatus;

/** All pages that a paginator gives. */
async function collect(paginator) {
  const pages = [];
  for await (const page of paginator) {
    pages.push(page);
  }
  return pages;
}

/** All steps, with the client and the document client of the walk. */
export async function walkOrders(client, documents) {
  // The paginator writes the start key of its next page into the request it is given: hence a copy.
  const pagesOf = (paginate, pageSize, request) => collect(paginate({ client: documents, pageSize }, { ...request }));
  const query = (pageSize, request) => pagesOf(paginateQuery, pageSize, request);
  const scan = (pageSize, request) => pagesOf(paginateScan, pageSize, { TableName: TABLE, ...request });

  async function create() {
    await client.send(
      new CreateTableCommand({
        TableName: TABLE,
        AttributeDefinitions: definitions({ pk: "S", sk: "S", status: "S", placed: "S", amount: "N" }),
        KeySchema: keySchema("pk", "sk"),
        LocalSecondaryIndexes: [
          {
            IndexName: "by-amount",
            KeySchema: keySchema("pk", "amount"),
            Projection: { ProjectionType: "KEYS_ONLY" },
          },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: "by-status",
            KeySchema: keySchema("status", "placed"),
            Projection: { ProjectionType: "ALL" },
          },
        ],
        BillingMode: "PAY_PER_REQUEST",
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: TABLE });
  }

  async function writeInBatches() {
    for (let start = 0; start < ORDERS.length; start += BATCH_MAX) {
      const puts = ORDERS.slice(start, start + BATCH_MAX).map((Item) => ({ PutRequest: { Item } }));
      const { UnprocessedItems } = await documents.send(new BatchWriteCommand({ RequestItems: { [TABLE]: puts } }));
      assert.deepEqual(UnprocessedItems, {});
    }
  }

  async function queryTable() {
    const ofOne = ORDERS.slice(30, 60);
    const pages = await query(7, OF_ONE);
    assert.deepEqual(countsIn(pages), [7, 7, 7, 7, 2]);
    assert.deepEqual(itemsIn(pages), ofOne);
    const backwards = await query(7, { ...OF_ONE, ScanIndexForward: false });
    assert.deepEqual(itemsIn(backwards), ofOne.toReversed());

    const teens = narrowed(OF_ONE, "begins_with(sk, :prefix)", { ":prefix": "order#1" });
    assert.deepEqual(itemsIn(await query(4, teens)), ofOne.slice(10, 20));
    const between = narrowed(OF_ONE, "sk BETWEEN :from AND :to", { ":from": "order#05", ":to": "order#14" });
    const found = await query(4, { ...between, ScanIndexForward: false });
    assert.deepEqual(itemsIn(found), ofOne.slice(5, 15).toReversed());
  }

  async function queryWithFilterAndCount() {
    const expensive = filtered(OF_ONE, "amount >= :least", { ":least": 20 });
    const pages = await query(7, expensive);
    const expected = ORDERS.slice(30, 60).filter(({ amount }) => amount >= 20);
    assert.deepEqual(itemsIn(pages), expected);
    const counted = await query(7, { ...expensive, Select: "COUNT" });
    for (const kind of [pages, counted]) {
      assert.equal(sum(countsIn(kind)), 10);
      assert.equal(sum(kind.map((page) => page.ScannedCount)), 30);
    }
    assert.ok(counted.every((page) => page.Items === undefined));
  }

  async function queryGlobalIndex() {
    const byPlaced = ORDERS.filter(({ status }) => status === "open").sort(by("placed"));
    const pages = await query(9, OPEN);
    assert.deepEqual(countsIn(pages), [9, 9, 9, 9, 4]);
    assert.deepEqual(itemsIn(pages), byPlaced);
    assert.deepEqual(Object.keys(pages[0].LastEvaluatedKey).sort(), ["pk", "placed", "sk", "status"]);
    const backwards = await query(9, { ...OPEN, ScanIndexForward: false });
    assert.deepEqual(itemsIn(backwards), byPlaced.toReversed());

    const firstTen = narrowed(OPEN, "begins_with(placed, :prefix)", { ":prefix": "0" });
    assert.deepEqual(itemsIn(await query(5, firstTen)), byPlaced.slice(0, 16));
    const between = narrowed(OPEN, "placed BETWEEN :from AND :to", { ":from": "06", ":to": "15" });
    assert.deepEqual(itemsIn(await query(5, between)), byPlaced.slice(8, 20));
    const ofLast = filtered(OPEN, "pk = :pk", { ":pk": "customer#3" });
    assert.equal(sum(countsIn(await query(9, { ...ofLast, Select: "COUNT" }))), 10);
  }

  async function scanInPagesAndSegments() {
    const pages = await scan(25, {});
    assert.deepEqual(countsIn(pages), [25, 25, 25, 25, 20]);
    assert.deepEqual(inKeyOrder(itemsIn(pages)), ORDERS);
    const segments = await Promise.all(range(3).map((Segment) => scan(10, { Segment, TotalSegments: 3 })));
    // Disjoint, for together they are as many as there are.
    assert.deepEqual(inKeyOrder(segments.flatMap(itemsIn)), ORDERS);
  }

  async function batchGet() {
    const expected = ORDERS.filter((_, index) => index % 3 === 0);
    const missing = range(5).map((number) => ({ pk: "customer#9", sk: `order#${number}` }));
    const Keys = [...missing, ...expected.map((item) => pick(item, ["pk", "sk"]))];
    const get = new BatchGetCommand({ RequestItems: { [TABLE]: { Keys, ConsistentRead: true } } });
    const answer = await documents.send(get);
    assert.deepEqual(inKeyOrder(answer.Responses[TABLE]), expected);
    assert.deepEqual(answer.UnprocessedKeys, {});
  }

  async function listTables() {
    const pages = await collect(paginateListTables({ client, pageSize: 1 }, {}));
    assert.ok(pages.every((page) => page.TableNames.length <= 1));
    const names = pages.flatMap((page) => page.TableNames);
    assert.deepEqual(names, names.toSorted());
    assert.ok(names.includes(TABLE));
  }

  async function queryLocalIndex() {
    const byAmount = ORDERS.slice(30, 60).sort(by("amount"));
    const local = { ...OF_ONE, IndexName: "by-amount", ConsistentRead: true };
    const projected = byAmount.map((item) => pick(item, ["pk", "sk", "amount"]));
    assert.deepEqual(itemsIn(await query(8, local)), projected);

    const pages = await query(8, { ...local, Select: "ALL_ATTRIBUTES", ReturnConsumedCapacity: "TOTAL" });
    assert.deepEqual(itemsIn(pages), byAmount);
    // The entries of a page are one unit, and each item that is fetched for its note is one more.
    assert.deepEqual(pages.map((page) => page.ConsumedCapacity.CapacityUnits), [9, 9, 9, 7]);
  }

  /** To a table with items; some of them have its key. */
  async function addAnIndex() {
    const Create = {
      IndexName: "by-city",
      KeySchema: keySchema("city", "placed"),
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["amount"] },
    };
    const update = new UpdateTableCommand({
      TableName: TABLE,
      AttributeDefinitions: definitions({ city: "S", placed: "S" }),
      GlobalSecondaryIndexUpdates: [{ Create }],
    });
    assert.equal(statusOf((await client.send(update)).TableDescription, "by-city"), "CREATING");
    await untilActive("by-city");

    const inOslo = {
      TableName: TABLE,
      IndexName: "by-city",
      KeyConditionExpression: "city = :city",
      ExpressionAttributeValues: { ":city": "Oslo" },
    };
    const cities = ORDERS.filter(({ city }) => city === "Oslo");
    const projected = cities.map((item) => pick(item, ["pk", "sk", "city", "placed", "amount"]));
    assert.equal(projected.length, 15);
    assert.deepEqual(itemsIn(await query(4, inOslo)), projected);
  }

  async function untilActive(index) {
    const deadline = performance.now() + 60_000;
    const describe = () => client.send(new DescribeTableCommand({ TableName: TABLE }));
    while (statusOf((await describe()).Table, index) !== "ACTIVE") {
      assert.ok(performance.now() < deadline, "the index is not active after a minute");
      await sleep(200);
    }
  }

  async function errors() {
    const refused = (request, message) => assert.rejects(query(5, request), { name: "ValidationException", message });
    await refused(
      { ...OPEN, ConsistentRead: true },
      "Consistent reads are not supported on global secondary indexes",
    );
    await refused({ ...OPEN, IndexName: "by-nothing" }, "The table does not have the specified index: by-nothing");
  }

  await create();
  await writeInBatches();
  await queryTable();
  await queryWithFilterAndCount();
  await queryGlobalIndex();
  await scanInPagesAndSegments();
  await batchGet();
  await listTables();
  await queryLocalIndex();
  await addAnIndex();
  await errors();
  await client.send(new DeleteTableCommand({ TableName: TABLE }));
  await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: TABLE });
}

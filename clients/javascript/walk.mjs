// The walk of clients/README.md with the AWS SDK for JavaScript v3 and its document client.

import assert from "node:assert/strict";
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  PutItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { walkOrders } from "./orders.mjs";
import { walkTransactions } from "./transactions.mjs";

const TABLE = "walk-javascript";
const TYPED_KEY = { pk: { S: "user#1" }, sk: { N: "1" } };
const KEY = { pk: "user#1", sk: 1 };
const EVERY_TYPE = {
  ...TYPED_KEY,
  text: { S: "naïve \u{1F600} \" \\ \u0007" },
  empty: { S: "" },
  large: { N: "12345678901234567890123456789012345678" },
  small: { N: "-0.000012345678901234567890123456789012345678" },
  binary: { B: Uint8Array.from({ length: 256 }, (_, index) => index) },
  yes: { BOOL: true },
  nothing: { NULL: true },
  labels: { SS: ["blue", "green", "red"] },
  numbers: { NS: ["1", "2.5"] },
  binaries: { BS: [Uint8Array.of(0), Uint8Array.of(255)] },
  list: { L: [{ S: "first" }, { N: "2" }, { L: [] }] },
  nested: { M: { list: { L: [{ S: "deep" }] }, empty: { M: {} } } },
  note: { S: "to be removed" },
  score: { N: "1" },
  email: { S: "ann@example.com" },
};

let attempts = 0;
let calls = 0;

/** A client that counts what it was asked and what it sent. */
function connect() {
  const client = new DynamoDBClient({ endpoint: process.env.HASHRANGE_ENDPOINT, region: "us-east-1" });
  const asked = (next) => (request) => {
    calls += 1;
    return next(request);
  };
  const sent = (next) => (request) => {
    attempts += 1;
    return next(request);
  };
  client.middlewareStack.add(asked, { step: "initialize", name: "countCalls" });
  client.middlewareStack.add(sent, { step: "deserialize", name: "countAttempts" });
  return client;
}

const client = connect();
const documents = DynamoDBDocumentClient.from(client);

const create = () =>
  client.send(
    new CreateTableCommand({
      TableName: TABLE,
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "N" },
        { AttributeName: "email", AttributeType: "S" },
      ],
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "by-email",
          KeySchema: [{ AttributeName: "email", KeyType: "HASH" }],
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
      BillingMode: "PAY_PER_REQUEST",
      Tags: [{ Key: "purpose", Value: "walk" }],
    }),
  );

async function tables() {
  const arn = (await create()).TableDescription.TableArn;
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: TABLE });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLE }));
  assert.equal(Table.TableStatus, "ACTIVE");
  assert.ok(Table.CreationDateTime instanceof Date);
  assert.equal(Table.GlobalSecondaryIndexes[0].IndexName, "by-email");
  assert.ok((await client.send(new ListTablesCommand({}))).TableNames.includes(TABLE));

  await client.send(new TagResourceCommand({ ResourceArn: arn, Tags: [{ Key: "stage", Value: "test" }] }));
  await client.send(new UntagResourceCommand({ ResourceArn: arn, TagKeys: ["purpose"] }));
  const { Tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: arn }));
  assert.deepEqual(Tags, [{ Key: "stage", Value: "test" }]);

  const TimeToLiveSpecification = { Enabled: true, AttributeName: "expires" };
  await client.send(new UpdateTimeToLiveCommand({ TableName: TABLE, TimeToLiveSpecification }));
  const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName: TABLE }));
  assert.match(ttl.TimeToLiveDescription.TimeToLiveStatus, /^ENABL(ING|ED)$/);
}

/** The item with its sets in one order: a set has none. */
function sortedSets(item) {
  const sorted = Object.entries(item).map(([name, value]) => {
    const [kind] = Object.keys(value);
    const text = (element) => (typeof element === "string" ? element : Buffer.from(element).toString("hex"));
    return [name, kind.length === 2 ? { [kind]: value[kind].map(text).sort() } : value];
  });
  return Object.fromEntries(sorted.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function roundTrips() {
  await client.send(new PutItemCommand({ TableName: TABLE, Item: EVERY_TYPE }));
  const found = await client.send(new GetItemCommand({ TableName: TABLE, Key: TYPED_KEY, ConsistentRead: true }));
  assert.deepEqual(sortedSets(found.Item), sortedSets(EVERY_TYPE));

  const exact = NumberValue.from("12345678901234567890123456789012345678");
  const document = { pk: "document", sk: 2, exact, tags: new Set(["a", "b"]), deep: { list: [1, null, true] } };
  await documents.send(new PutCommand({ TableName: TABLE, Item: document }));
  const large = DynamoDBDocumentClient.from(connect(), { unmarshallOptions: { wrapNumbers: true } });
  const read = await large.send(new GetCommand({ TableName: TABLE, Key: { pk: "document", sk: 2 } }));
  assert.equal(read.Item.exact.toString(), exact.toString());
  assert.deepEqual(read.Item.tags, document.tags);
}

async function conditionalPut() {
  const put = new PutCommand({
    TableName: TABLE,
    Item: KEY,
    ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(documents.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException, error);
    assert.equal(error.message, "The conditional request failed");
    assert.deepEqual(error.Item.text, EVERY_TYPE.text);
    return true;
  });
}

async function update() {
  const { Attributes } = await documents.send(
    new UpdateCommand({
      TableName: TABLE,
      Key: KEY,
      UpdateExpression:
        "SET #t = :t, visits = if_not_exists(visits, :zero) + :one REMOVE note ADD score :five DELETE labels :red",
      ExpressionAttributeNames: { "#t": "text" },
      ExpressionAttributeValues: { ":t": "new", ":zero": 0, ":one": 1, ":five": 5, ":red": new Set(["red"]) },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(Attributes, { text: "new", visits: 1, score: 6, labels: new Set(["blue", "green"]) });
}

async function projectionAndDelete() {
  const answer = await documents.send(
    new GetCommand({
      TableName: TABLE,
      Key: KEY,
      ConsistentRead: true,
      ProjectionExpression: "#t, nested.#l[0]",
      ExpressionAttributeNames: { "#t": "text", "#l": "list" },
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  assert.deepEqual(answer.Item, { text: "new", nested: { list: ["deep"] } });
  assert.deepEqual(answer.ConsumedCapacity, { TableName: TABLE, CapacityUnits: 1 });

  const old = await documents.send(new DeleteCommand({ TableName: TABLE, Key: KEY, ReturnValues: "ALL_OLD" }));
  assert.equal(old.Attributes.score, 6);
  assert.equal(old.Attributes.note, undefined);
  const gone = await documents.send(new GetCommand({ TableName: TABLE, Key: KEY, ConsistentRead: true }));
  assert.equal(gone.Item, undefined);
}

async function errors() {
  await assert.rejects(documents.send(new GetCommand({ TableName: "walk-missing", Key: KEY })), ResourceNotFoundException);
  await assert.rejects(create(), ResourceInUseException);
  const incomplete = new GetCommand({ TableName: TABLE, Key: { pk: "user#1" } });
  await assert.rejects(documents.send(incomplete), { name: "ValidationException" });
}

await tables();
await roundTrips();
await conditionalPut();
await update();
await projectionAndDelete();
await errors();
await client.send(new DeleteTableCommand({ TableName: TABLE }));
await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: TABLE });
await walkOrders(client, documents);
await walkTransactions(client, documents);
assert.ok(calls > 20, "the walk should have made calls");
assert.equal(attempts, calls, "a call was retried");

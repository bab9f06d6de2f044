// Steps 19 to 24 of clients/README.md: transactions, their tokens and cancellations, and statements.

import assert from "node:assert/strict";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DuplicateItemException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  TransactGetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";

const TableName = "walk-javascript-accounts";
const AFTER = [{ balance: 70 }, { balance: 80 }, { pk: "transfer", amount: 30 }, undefined];

const put = (Item) => ({ Put: { TableName, Item } });
const get = (pk, options) => ({ Get: { TableName, Key: { pk }, ...options } });

/** From Ann to Bob, once; one action of each kind, and two updates. */
function transfer(amount) {
  const fromAnn = {
    TableName,
    Key: { pk: "ann" },
    UpdateExpression: "SET balance = balance - :amount",
    ConditionExpression: "balance >= :amount",
    ExpressionAttributeValues: { ":amount": amount },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
  const toBob = {
    TableName,
    Key: { pk: "bob" },
    UpdateExpression: "SET balance = balance + :amount",
    ExpressionAttributeValues: { ":amount": amount },
  };
  const ConditionExpression = "attribute_not_exists(pk)";
  return [
    { Update: fromAnn },
    { Update: toBob },
    { Put: { TableName, Item: { pk: "transfer", amount }, ConditionExpression } },
    { ConditionCheck: { TableName, Key: { pk: "frozen" }, ConditionExpression } },
    { Delete: { TableName, Key: { pk: "pending" } } },
  ];
}

/** The steps, with the client and the document client on top of it. */
export async function walkTransactions(client, documents) {
  const write = (TransactItems, options) => documents.send(new TransactWriteCommand({ TransactItems, ...options }));

  async function create() {
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        BillingMode: "PAY_PER_REQUEST",
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
    await write([put({ pk: "ann", balance: 100 }), put({ pk: "bob", balance: 50 }), put({ pk: "pending" })]);
  }

  /** What a transfer touches: the two balances, its record, and what it deleted. */
  async function read() {
    const TransactItems = [
      get("ann", { ProjectionExpression: "#b", ExpressionAttributeNames: { "#b": "balance" } }),
      get("bob", { ProjectionExpression: "balance" }),
      get("transfer"),
      get("pending"),
    ];
    const answer = await documents.send(new TransactGetCommand({ TransactItems, ReturnConsumedCapacity: "TOTAL" }));
    assert.deepEqual(answer.ConsumedCapacity, [{ TableName, CapacityUnits: 8, ReadCapacityUnits: 8 }]);
    return answer.Responses.map(({ Item }) => Item);
  }

  async function writeWithAToken() {
    const options = { ClientRequestToken: "walk-javascript-transfer", ReturnConsumedCapacity: "TOTAL" };
    const done = await write(transfer(30), options);
    assert.deepEqual(done.ConsumedCapacity, [{ TableName, CapacityUnits: 10, WriteCapacityUnits: 10 }]);
    assert.deepEqual(await read(), AFTER);

    const again = await write(transfer(30), options);
    assert.deepEqual(again.ConsumedCapacity, [{ TableName, CapacityUnits: 10, ReadCapacityUnits: 10 }]);
    assert.deepEqual(await read(), AFTER);

    await assert.rejects(write(transfer(40), options), IdempotentParameterMismatchException);
    assert.deepEqual(await read(), AFTER);
  }

  async function cancelled() {
    await assert.rejects(write(transfer(1000)), (error) => {
      assert.ok(error instanceof TransactionCanceledException, error);
      const codes = "[ConditionalCheckFailed, None, ConditionalCheckFailed, None, None]";
      const message = `Transaction cancelled, please refer cancellation reasons for specific reasons ${codes}`;
      assert.equal(error.message, message);
      const none = { Code: "None" };
      const failed = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
      const poor = { ...failed, Item: { pk: { S: "ann" }, balance: { N: "70" } } };
      assert.deepEqual(error.CancellationReasons, [poor, none, failed, none, none]);
      return true;
    });
    assert.deepEqual(await read(), AFTER);
  }

  async function statements() {
    const execute = (Statement, Parameters) => documents.send(new ExecuteStatementCommand({ Statement, Parameters }));
    const insert = () => execute(`INSERT INTO "${TableName}" VALUE {'pk': ?, 'balance': ?}`, ["eve", 5]);
    await insert();
    const { Items } = await execute(`SELECT balance FROM "${TableName}" WHERE pk = ?`, ["eve"]);
    assert.deepEqual(Items, [{ balance: 5 }]);
    await assert.rejects(insert(), DuplicateItemException);
  }

  async function transactionsOfStatements() {
    const run = (...TransactStatements) => documents.send(new ExecuteTransactionCommand({ TransactStatements }));
    const insert = (name) => ({ Statement: `INSERT INTO "${TableName}" VALUE {'pk': ?, 'balance': ?}`, Parameters: [name, 1] });
    const pay = (amount, least) => ({
      Statement: `UPDATE "${TableName}" SET balance = balance + ? WHERE pk = ? AND balance >= ?`,
      Parameters: [amount, "eve", least],
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    const select = (name) => ({ Statement: `SELECT balance FROM "${TableName}" WHERE pk = ?`, Parameters: [name] });

    await run(insert("fay"), pay(2, 5));
    const { Responses } = await run(select("eve"), select("fay"), select("gil"));
    assert.deepEqual(Responses, [{ Item: { balance: 7 } }, { Item: { balance: 1 } }, {}]);
    await assert.rejects(run(insert("fay"), pay(1, 1000), insert("gil")), (error) => {
      assert.ok(error instanceof TransactionCanceledException, error);
      const codes = "[DuplicateItem, ConditionalCheckFailed, None]";
      const message = `Transaction cancelled, please refer cancellation reasons for specific reasons ${codes}`;
      assert.equal(error.message, message);
      const there = { Code: "DuplicateItem", Message: "Duplicate primary key exists in table" };
      const failed = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
      const poor = { ...failed, Item: { pk: { S: "eve" }, balance: { N: "7" } } };
      assert.deepEqual(error.CancellationReasons, [there, poor, { Code: "None" }]);
      return true;
    });
    assert.deepEqual((await run(select("gil"))).Responses, [{}]);
  }

  await create();
  await writeWithAToken();
  await cancelled();
  await statements();
  await transactionsOfStatements();
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
}

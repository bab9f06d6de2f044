import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.*;

/** Steps 19 to 24 of clients/README.md: transactions, their tokens and cancellations, and statements. */
final class Transactions {
    private static final String TABLE = "walk-java-accounts";
    private static final String NOT_THERE = "attribute_not_exists(pk)";

    private final DynamoDbClient client;
    private final Walk walk;

    Transactions(DynamoDbClient client, Walk walk) {
        this.client = client;
        this.walk = walk;
    }

    void walk() {
        create();
        writeWithAToken();
        cancelled();
        statements();
        transactionsOfStatements();
        walk.drop(TABLE);
    }

    private static Map<String, AttributeValue> key(String name) {
        return Map.of("pk", Walk.text(name));
    }

    private static TransactWriteItem put(Map<String, AttributeValue> item) {
        return TransactWriteItem.builder().put(put -> put.tableName(TABLE).item(item)).build();
    }

    private static Map<String, AttributeValue> account(String name, String balance) {
        return Map.of("pk", Walk.text(name), "balance", Walk.number(balance));
    }

    private void create() {
        client.createTable(request -> request
                .tableName(TABLE)
                .attributeDefinitions(Walk.attribute("pk", ScalarAttributeType.S))
                .keySchema(Walk.keyElement("pk", KeyType.HASH))
                .billingMode(BillingMode.PAY_PER_REQUEST));
        walk.untilExists(TABLE);
        client.transactWriteItems(request ->
                request.transactItems(put(account("ann", "100")), put(account("bob", "50")), put(key("pending"))));
    }

    /** From Ann to Bob, once; one action of each kind, and two updates. */
    private static List<TransactWriteItem> transfer(String amount) {
        AttributeValue number = Walk.number(amount);
        Consumer<Update.Builder> fromAnn = update -> update.tableName(TABLE)
                .key(key("ann"))
                .updateExpression("SET balance = balance - :amount")
                .conditionExpression("balance >= :amount")
                .expressionAttributeValues(Map.of(":amount", number))
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
        Consumer<Update.Builder> toBob = update -> update.tableName(TABLE)
                .key(key("bob"))
                .updateExpression("SET balance = balance + :amount")
                .expressionAttributeValues(Map.of(":amount", number));
        Consumer<Put.Builder> record = put -> put.tableName(TABLE)
                .item(Map.of("pk", Walk.text("transfer"), "amount", number))
                .conditionExpression(NOT_THERE);
        Consumer<ConditionCheck.Builder> notFrozen =
                check -> check.tableName(TABLE).key(key("frozen")).conditionExpression(NOT_THERE);
        return List.of(
                TransactWriteItem.builder().update(fromAnn).build(),
                TransactWriteItem.builder().update(toBob).build(),
                TransactWriteItem.builder().put(record).build(),
                TransactWriteItem.builder().conditionCheck(notFrozen).build(),
                TransactWriteItem.builder()
                        .delete(delete -> delete.tableName(TABLE).key(key("pending")))
                        .build());
    }

    private static TransactGetItem get(String name, Consumer<Get.Builder> options) {
        return TransactGetItem.builder()
                .get(get -> options.accept(get.tableName(TABLE).key(key(name))))
                .build();
    }

    /** What the transfer touched: the two balances, its record, and what it deleted. */
    private void checkBalances() {
        TransactGetItemsResponse read = client.transactGetItems(request -> request
                .transactItems(
                        get("ann", get -> get.projectionExpression("#b")
                                .expressionAttributeNames(Map.of("#b", "balance"))),
                        get("bob", get -> get.projectionExpression("balance")),
                        get("transfer", get -> {}),
                        get("pending", get -> {}))
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
        List<Map<String, AttributeValue>> items =
                read.responses().stream().map(ItemResponse::item).toList();
        Walk.equal(items, List.of(
                Map.of("balance", Walk.number("70")),
                Map.of("balance", Walk.number("80")),
                Map.of("pk", Walk.text("transfer"), "amount", Walk.number("30")),
                Map.of()));
        Walk.equal(read.responses().get(3).hasItem(), false);
        Walk.equal(read.consumedCapacity(), List.of(ConsumedCapacity.builder()
                .tableName(TABLE).capacityUnits(8.0).readCapacityUnits(8.0).build()));
    }

    private TransactWriteItemsResponse transferWithToken(String amount) {
        return client.transactWriteItems(request -> request
                .transactItems(transfer(amount))
                .clientRequestToken("walk-java-transfer")
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
    }

    private void writeWithAToken() {
        ConsumedCapacity tenUnits =
                ConsumedCapacity.builder().tableName(TABLE).capacityUnits(10.0).build();
        Walk.equal(transferWithToken("30").consumedCapacity(),
                List.of(tenUnits.copy(capacity -> capacity.writeCapacityUnits(10.0))));
        checkBalances();
        Walk.equal(transferWithToken("30").consumedCapacity(),
                List.of(tenUnits.copy(capacity -> capacity.readCapacityUnits(10.0))));
        checkBalances();
        Walk.refused(IdempotentParameterMismatchException.class, () -> transferWithToken("40"));
        checkBalances();
    }

    private void cancelled() {
        var cancelled = Walk.refused(TransactionCanceledException.class,
                () -> client.transactWriteItems(request -> request.transactItems(transfer("1000"))));
        Walk.equal(cancelled.awsErrorDetails().errorMessage(),
                "Transaction cancelled, please refer cancellation reasons for specific reasons "
                        + "[ConditionalCheckFailed, None, ConditionalCheckFailed, None, None]");
        CancellationReason none = CancellationReason.builder().code("None").build();
        CancellationReason failed = CancellationReason.builder()
                .code("ConditionalCheckFailed").message("The conditional request failed").build();
        CancellationReason poor = failed.copy(reason -> reason.item(account("ann", "70")));
        Walk.equal(cancelled.cancellationReasons(), List.of(poor, none, failed, none, none));
        checkBalances();
    }

    private void statements() {
        Runnable insert = () -> client.executeStatement(request -> request
                .statement("INSERT INTO \"" + TABLE + "\" VALUE {'pk': ?, 'balance': ?}")
                .parameters(Walk.text("eve"), Walk.number("5")));
        insert.run();
        ExecuteStatementResponse found = client.executeStatement(request -> request
                .statement("SELECT balance FROM \"" + TABLE + "\" WHERE pk = ?")
                .parameters(Walk.text("eve")));
        Walk.equal(found.items(), List.of(Map.of("balance", Walk.number("5"))));
        Walk.refused(DuplicateItemException.class, insert);
    }

    private static ParameterizedStatement statement(String text, AttributeValue... parameters) {
        return ParameterizedStatement.builder().statement(text).parameters(parameters).build();
    }

    private static ParameterizedStatement insert(String name) {
        String text = "INSERT INTO \"" + TABLE + "\" VALUE {'pk': ?, 'balance': ?}";
        return statement(text, Walk.text(name), Walk.number("1"));
    }

    private static ParameterizedStatement pay(String amount, String least) {
        String text = "UPDATE \"" + TABLE + "\" SET balance = balance + ? WHERE pk = ? AND balance >= ?";
        return statement(text, Walk.number(amount), Walk.text("eve"), Walk.number(least))
                .copy(pay -> pay.returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD));
    }

    private static ParameterizedStatement select(String name) {
        return statement("SELECT balance FROM \"" + TABLE + "\" WHERE pk = ?", Walk.text(name));
    }

    private List<Map<String, AttributeValue>> run(ParameterizedStatement... statements) {
        List<ItemResponse> responses =
                client.executeTransaction(request -> request.transactStatements(statements)).responses();
        return responses.stream().map(ItemResponse::item).toList();
    }

    private void transactionsOfStatements() {
        run(insert("fay"), pay("2", "5"));
        Walk.equal(run(select("eve"), select("fay"), select("gil")),
                List.of(Map.of("balance", Walk.number("7")), Map.of("balance", Walk.number("1")), Map.of()));
        var cancelled = Walk.refused(TransactionCanceledException.class,
                () -> run(insert("fay"), pay("1", "1000"), insert("gil")));
        Walk.equal(cancelled.awsErrorDetails().errorMessage(),
                "Transaction cancelled, please refer cancellation reasons for specific reasons "
                        + "[DuplicateItem, ConditionalCheckFailed, None]");
        CancellationReason there = CancellationReason.builder()
                .code("DuplicateItem").message("Duplicate primary key exists in table").build();
        CancellationReason poor = CancellationReason.builder()
                .code("ConditionalCheckFailed").message("The conditional request failed")
                .item(account("eve", "7")).build();
        CancellationReason none = CancellationReason.builder().code("None").build();
        Walk.equal(cancelled.cancellationReasons(), List.of(there, poor, none));
        Walk.equal(run(select("gil")), List.of(Map.of()));
    }
}

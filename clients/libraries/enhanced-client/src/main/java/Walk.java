import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.keyEqualTo;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.sortBeginsWith;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.sortBetween;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.sortGreaterThanOrEqualTo;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.sortLessThan;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.waiters.WaiterOverrideConfiguration;
import software.amazon.awssdk.enhanced.dynamodb.AttributeConverterProvider;
import software.amazon.awssdk.enhanced.dynamodb.AttributeValueType;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableMetadata;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.enhanced.dynamodb.model.BatchGetResultPageIterable;
import software.amazon.awssdk.enhanced.dynamodb.model.BatchWriteResult;
import software.amazon.awssdk.enhanced.dynamodb.model.IgnoreNullsMode;
import software.amazon.awssdk.enhanced.dynamodb.model.Page;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.ReadBatch;
import software.amazon.awssdk.enhanced.dynamodb.model.WriteBatch;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.waiters.DynamoDbWaiter;

/** The walk of clients/libraries/README.md with the enhanced client of the AWS SDK for Java v2. */
public final class Walk {
    private static final String TABLE = "walk-enhanced-client";
    private static final int WRITES_MAX = 25;

    private final Attempts attempts = new Attempts();
    private final DynamoDbClient client =
            DynamoDbClient.builder()
                    .endpointOverride(URI.create(System.getenv("HASHRANGE_ENDPOINT")))
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                    .overrideConfiguration(configuration -> configuration.addExecutionInterceptor(attempts))
                    .build();
    private final DynamoDbEnhancedClient enhanced = DynamoDbEnhancedClient.builder().dynamoDbClient(client).build();
    private final DynamoDbTable<Entry> entries = enhanced.table(TABLE, TableSchema.fromBean(Entry.class));
    private final DynamoDbTable<User> users = enhanced.table(TABLE, TableSchema.fromBean(User.class));
    private final DynamoDbTable<Order> orders = enhanced.table(TABLE, TableSchema.fromBean(Order.class));
    private final DynamoDbTable<OrderItem> items = enhanced.table(TABLE, TableSchema.fromBean(OrderItem.class));
    private final DynamoDbTable<EnhancedDocument> documents = enhanced.table(TABLE, documentSchema());

    private final User ann = User.of("ann", "ann@example.com", "Ann");
    private final User bob = User.of("bob", "bob@example.com", "Bob");
    /** Twelve orders of Ann, one each month; every third is pending; the newest is the cheapest. */
    private final List<Order> annsOrders = IntStream.rangeClosed(1, 12).mapToObj(Walk::orderOf).toList();
    /** More than one batch takes. */
    private final List<OrderItem> orderItems =
            IntStream.rangeClosed(1, 30).mapToObj(line -> OrderItem.of("o1", line)).toList();

    public static void main(String[] arguments) {
        try {
            new Walk().run();
        } catch (Exception | AssertionError error) {
            // Maven would unload the SDK's classes before it prints what was thrown.
            error.printStackTrace();
            System.exit(1);
        }
    }

    private void run() {
        createTable();
        create();
        update();
        batches();
        collections();
        ranges();
        pages();
        indexes();
        keysOfSeveralAttributes();
        scans();
        deletes();
        dropTable();
        equal(attempts.sent.get(), attempts.asked.get());
        client.close();
    }

    /** Counts what the client was asked and what it sent; a retry makes the difference. */
    private static final class Attempts implements ExecutionInterceptor {
        final AtomicInteger asked = new AtomicInteger();
        final AtomicInteger sent = new AtomicInteger();

        @Override
        public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
            asked.incrementAndGet();
        }

        @Override
        public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
            sent.incrementAndGet();
        }
    }

    private static TableSchema<EnhancedDocument> documentSchema() {
        return TableSchema.documentSchemaBuilder()
                .addIndexPartitionKey(TableMetadata.primaryIndexName(), "pk", AttributeValueType.S)
                .addIndexSortKey(TableMetadata.primaryIndexName(), "sk", AttributeValueType.S)
                .addIndexPartitionKey("gsi1", "gsi1pk", AttributeValueType.S)
                .addIndexSortKey("gsi1", "gsi1sk", AttributeValueType.S)
                .attributeConverterProviders(AttributeConverterProvider.defaultProvider())
                .build();
    }

    private static Order orderOf(int month) {
        Instant placed = Instant.parse("2026-%02d-05T12:30:00Z".formatted(month));
        return Order.of("ann", "o" + month, placed, month % 3 == 0 ? "pending" : "shipped", 10L * (13 - month));
    }

    private void createTable() {
        Runnable create = () -> orders.createTable(request -> request
                .globalSecondaryIndices(
                        index -> index.indexName("gsi1").projection(of -> of.projectionType(ProjectionType.ALL)),
                        index -> index.indexName("gsi2").projection(of -> of.projectionType(ProjectionType.KEYS_ONLY)),
                        index -> index.indexName("gsi3").projection(of -> of.projectionType(ProjectionType.ALL)))
                .localSecondaryIndices(
                        index -> index.indexName("lsi1").projection(of -> of.projectionType(ProjectionType.ALL))));
        create.run();
        try (DynamoDbWaiter waiter = waiter()) {
            waiter.waitUntilTableExists(request -> request.tableName(TABLE));
        }
        equal(entries.describeTable().table().tableStatus(), TableStatus.ACTIVE);
        refused(ResourceInUseException.class, create);
    }

    private DynamoDbWaiter waiter() {
        var eager = WaiterOverrideConfiguration.builder()
                .backoffStrategyV2(attempt -> Duration.ofMillis(200))
                .build();
        return DynamoDbWaiter.builder().client(client).overrideConfiguration(eager).build();
    }

    private void create() {
        ann.setAddresses(List.of(Address.of("Oslo", "0150")));
        Expression absent = condition("attribute_not_exists(pk)", Map.of());
        users.putItem(request -> request.item(ann).conditionExpression(absent));
        User another = User.of("ann", "ann@example.com", "Another");
        var failed = refused(ConditionalCheckFailedException.class, () -> users.putItem(request -> request
                .item(another)
                .conditionExpression(absent)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)));
        equal(failed.item().get("name"), text("Ann"));
        // Of the version attribute alone, a new object must not overwrite an item.
        refused(ConditionalCheckFailedException.class, () -> users.putItem(another));

        users.putItem(bob);
        User found = users.getItem(request -> request.key(keyOf(ann)).consistentRead(true));
        equal(List.of(found.getName(), found.getVersion(), found.getChanges()), List.of("Ann", 1L, 0L));
        equal(found.getAddresses().get(0).getZip(), "0150");
        equal(users.getItem(key("user#nobody", "profile")), null);
    }

    private void update() {
        User changed = users.getItem(keyOf(ann));
        changed.setNickname("annie");
        changed.setLabels(Set.of("new", "vip"));
        changed.setAddresses(List.of(Address.of("Oslo", "0151"), Address.of("Bergen", "5003")));
        User updated = users.updateItem(changed);
        equal(List.of(updated.getNickname(), updated.getVersion(), updated.getChanges()), List.of("annie", 2L, 1L));
        equal(updated.getLabels(), Set.of("new", "vip"));
        equal(updated.getAddresses().size(), 2);

        // The object read before has an old version.
        refused(ConditionalCheckFailedException.class, () -> users.updateItem(changed));
        // What is null is removed, unless the caller says that it means nothing.
        updated.setNickname(null);
        equal(users.updateItem(updated).getNickname(), null);
        User part = User.of("ann", "ann@example.com", "Anna");
        part.setVersion(3L);
        Expression vip = condition("contains(labels, :label)", Map.of(":label", text("vip")));
        User merged = users.updateItem(request -> request
                .item(part)
                .ignoreNullsMode(IgnoreNullsMode.SCALAR_ONLY)
                .conditionExpression(vip));
        equal(List.of(merged.getName(), merged.getVersion(), merged.getChanges()), List.of("Anna", 4L, 3L));
        equal(merged.getAddresses().get(1).getCity(), "Bergen");

        Expression many = condition("changes > :limit", Map.of(":limit", number(10)));
        refused(ConditionalCheckFailedException.class,
                () -> users.updateItem(request -> request.item(merged).conditionExpression(many)));
        User nobody = User.of("nobody", "nobody@example.com", "N");
        Expression present = condition("attribute_exists(pk)", Map.of());
        refused(ConditionalCheckFailedException.class,
                () -> users.updateItem(request -> request.item(nobody).conditionExpression(present)));
    }

    private void batches() {
        write(orders, Order.class, annsOrders);
        write(items, OrderItem.class, orderItems.subList(0, WRITES_MAX));
        write(items, OrderItem.class, orderItems.subList(WRITES_MAX, orderItems.size()));

        ReadBatch.Builder<OrderItem> batch = ReadBatch.builder(OrderItem.class).mappedTableResource(items);
        orderItems.forEach(item -> batch.addGetItem(request -> request.key(keyOf(item)).consistentRead(true)));
        batch.addGetItem(request -> request.key(key("order#o9", "item#001")).consistentRead(true));
        ReadBatch anns = ReadBatch.builder(User.class).mappedTableResource(users).addGetItem(keyOf(bob)).build();
        BatchGetResultPageIterable found = enhanced.batchGetItem(request -> request.readBatches(batch.build()));
        equal(lines(found.resultsForTable(items)).stream().sorted().toList(), lines(orderItems));
        found = enhanced.batchGetItem(request -> request.readBatches(anns));
        equal(found.resultsForTable(users).stream().map(User::getName).toList(), List.of("Bob"));
    }

    private <T> void write(DynamoDbTable<T> table, Class<T> type, List<T> things) {
        WriteBatch.Builder<T> batch = WriteBatch.builder(type).mappedTableResource(table);
        things.forEach(batch::addPutItem);
        BatchWriteResult result = enhanced.batchWriteItem(request -> request.addWriteBatch(batch.build()));
        equal(result.unprocessedPutItemsForTable(table), List.of());
    }

    private void collections() {
        List<EnhancedDocument> account = documents.query(keyEqualTo(key("user#ann"))).items().stream().toList();
        equal(each(account, document -> document.getString("kind")),
                Stream.concat(annsOrders.stream().map(Order::getKind), Stream.of("user")).toList());
        TableSchema<Order> schema = orders.tableSchema();
        equal(each(account.subList(0, 12), document -> schema.itemToMap(schema.mapToItem(document.toMap()), true)),
                each(annsOrders, order -> schema.itemToMap(order, true)));
        var contents = documents.index("gsi1").query(keyEqualTo(key("order#o1"))).stream().flatMap(Walk::itemsOf);
        List<String> expected = new ArrayList<>(each(orderItems, OrderItem::getSort));
        expected.add("order");
        equal(contents.map(document -> document.getString("gsi1sk")).toList(), expected);
    }

    private void ranges() {
        equal(found(sortBeginsWith(key("user#ann", "order#2026-1"))), months(10, 11, 12));
        Key third = key("user#ann", "order#2026-03");
        equal(found(sortBetween(third, key("user#ann", "order#2026-05-06"))), months(3, 4, 5));
        equal(found(sortLessThan(third)), months(1, 2));
        equal(found(keyEqualTo(keyOf(annsOrders.get(6)))), months(7));
        Expression large = condition("#total >= :least AND #status = :status",
                Map.of(":least", number(50), ":status", text("pending")),
                Map.of("#total", "total", "#status", "status"));
        equal(found(request -> request.queryConditional(annsOrder()).filterExpression(large)), months(3, 6));

        var part = orders.query(request -> request
                .queryConditional(annsOrder()).attributesToProject("total").limit(1)).items().iterator().next();
        equal(part.getTotal(), 120L);
        equal(part.getStatus(), null);
        Key forty = Key.builder().partitionValue("user#ann").sortValue(40).build();
        var cheapest = orders.index("lsi1").query(request -> request
                .queryConditional(sortLessThan(forty)).consistentRead(true));
        equal(ids(cheapest.stream().flatMap(Walk::itemsOf).toList()), months(12, 11, 10));
    }

    private void pages() {
        List<Order> found = new ArrayList<>();
        Map<String, AttributeValue> cursor = null;
        int count = 0;
        do {
            Map<String, AttributeValue> start = cursor;
            Page<Order> page = orders.query(request -> request
                    .queryConditional(annsOrder())
                    .scanIndexForward(false)
                    .limit(5)
                    .exclusiveStartKey(start)
                    .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)).iterator().next();
            equal(page.consumedCapacity().capacityUnits(), 0.5);
            found.addAll(page.items());
            cursor = page.lastEvaluatedKey();
            count += 1;
        } while (cursor != null);
        equal(ids(found), months(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
        equal(count, 3);

        // The library turns pages by itself; an index's cursor holds the keys of the table too.
        QueryConditional contents = sortBeginsWith(key("order#o1", "item#"));
        var pages = items.index("gsi1").query(request -> request.queryConditional(contents).limit(7));
        List<Page<OrderItem>> turned = pages.stream().toList();
        equal(lines(turned.stream().flatMap(Walk::itemsOf).toList()), lines(orderItems));
        equal(turned.size(), 5);
        equal(turned.get(0).lastEvaluatedKey().keySet(), Set.of("pk", "sk", "gsi1pk", "gsi1sk"));
    }

    private void indexes() {
        equal(named("email#ann@example.com"), List.of("Anna"));
        equal(named("email#no@example.com"), List.of());
        User moved = users.getItem(keyOf(bob));
        moved.setEntity("email#bobby@example.com");
        users.updateItem(moved);
        equal(named("email#bob@example.com"), List.of());
        equal(named("email#bobby@example.com"), List.of("Bob"));

        Key pending = key("pending");
        var newest = orders.index("gsi2").query(request -> request
                .queryConditional(keyEqualTo(pending))
                .scanIndexForward(false)
                .limit(1)).iterator().next().items().get(0);
        // The index has keys only; the table has the rest.
        equal(newest.getStatus(), null);
        equal(orders.getItem(newest).getStatus(), "pending");
        equal(pendingOrders(keyEqualTo(pending)), months(3, 6, 9, 12));
        // A shipped order leaves the index.
        Order third = orders.getItem(keyOf(annsOrders.get(2)));
        third.setStatus("shipped");
        third.setPending(null);
        third.setPendingSince(null);
        orders.updateItem(third);
        equal(pendingOrders(keyEqualTo(pending)), months(6, 9, 12));
        Key since = Key.builder().partitionValue("pending").sortValue("2026-08-01T00:00:00Z").build();
        equal(pendingOrders(sortGreaterThanOrEqualTo(since)), months(9, 12));
    }

    private void keysOfSeveralAttributes() {
        equal(shipped(keyEqualTo(shippedKey().build()), true), months(1, 2, 3, 4, 5, 7, 8, 10, 11));
        equal(shipped(sortBeginsWith(shippedKey().addSortValue("2026-1").build()), false), months(11, 10));
        Key seventh = shippedKey().addSortValue("2026-07-05T12:30:00Z").addSortValue(60L).build();
        equal(shipped(keyEqualTo(seventh), true), months(7));
        equal(shipped(sortLessThan(seventh), true), List.of());
    }

    private static Key.Builder shippedKey() {
        return Key.builder().addPartitionValue("ann").addPartitionValue("shipped");
    }

    private List<String> shipped(QueryConditional conditional, boolean forward) {
        var pages = orders.index("gsi3").query(request -> request
                .queryConditional(conditional).scanIndexForward(forward).limit(2));
        return ids(pages.stream().flatMap(Walk::itemsOf).toList());
    }

    private void scans() {
        Expression last = condition("line > :line", Map.of(":line", number(27)));
        equal(lines(items.scan(request -> request.filterExpression(last).limit(4)).items()).stream().sorted().toList(),
                List.of(28, 29, 30));
        Set<String> keys = new HashSet<>();
        int count = 0;
        for (int segment = 0; segment < 3; segment += 1) {
            int number = segment;
            for (Entry entry : entries.scan(request -> request.segment(number).totalSegments(3).limit(5)).items()) {
                keys.add(entry.getKey() + "/" + entry.getSort());
                count += 1;
            }
        }
        equal(count, 2 + annsOrders.size() + orderItems.size());
        equal(keys.size(), count);
        var sparse = orders.index("gsi2").scan().stream().flatMap(Walk::itemsOf);
        List<Instant> expected = each(List.of(6, 9, 12), month -> orderOf(month).getPlaced());
        equal(sparse.map(Order::getPendingSince).sorted().toList(), expected);
    }

    private void deletes() {
        Expression bobby = condition("#name = :name", Map.of(":name", text("Bobby")), Map.of("#name", "name"));
        refused(ConditionalCheckFailedException.class,
                () -> users.deleteItem(request -> request.key(keyOf(bob)).conditionExpression(bobby)));
        equal(users.deleteItem(keyOf(bob)).getName(), "Bob");
        equal(users.deleteItem(keyOf(bob)), null);
        equal(named("email#bobby@example.com"), List.of());

        WriteBatch.Builder<OrderItem> batch = WriteBatch.builder(OrderItem.class).mappedTableResource(items);
        orderItems.subList(0, WRITES_MAX).forEach(batch::addDeleteItem);
        BatchWriteResult result = enhanced.batchWriteItem(request -> request.addWriteBatch(batch.build()));
        equal(result.unprocessedDeleteItemsForTable(items), List.of());
        equal(lines(items.query(keyEqualTo(key("order#o1"))).items()), List.of(26, 27, 28, 29, 30));
    }

    private void dropTable() {
        entries.deleteTable();
        try (DynamoDbWaiter waiter = waiter()) {
            waiter.waitUntilTableNotExists(request -> request.tableName(TABLE));
        }
        refused(ResourceNotFoundException.class, () -> users.getItem(keyOf(ann)));
        refused(ResourceNotFoundException.class, entries::describeTable);
    }

    private static QueryConditional annsOrder() {
        return sortBeginsWith(key("user#ann", "order#"));
    }

    /** The numbers of the orders that the query finds, in its order. */
    private List<String> found(QueryConditional conditional) {
        return found(request -> request.queryConditional(conditional));
    }

    private List<String> found(Consumer<QueryEnhancedRequest.Builder> request) {
        return ids(orders.query(request).items().stream().toList());
    }

    /** The months of the orders in the sparse index, which has no attribute but keys. */
    private List<String> pendingOrders(QueryConditional conditional) {
        var pages = orders.index("gsi2").query(conditional).stream().flatMap(Walk::itemsOf);
        return pages.map(order -> "o" + Integer.parseInt(order.getSort().substring(11, 13))).toList();
    }

    private List<String> named(String entity) {
        var pages = users.index("gsi1").query(keyEqualTo(key(entity)));
        return pages.stream().flatMap(Walk::itemsOf).map(User::getName).toList();
    }

    private static <T> Stream<T> itemsOf(Page<T> page) {
        return page.items().stream();
    }

    private static <T, R> List<R> each(Collection<T> things, Function<T, R> function) {
        return things.stream().map(function).toList();
    }

    private static List<String> ids(List<Order> found) {
        return each(found, Order::getOrderId);
    }

    private static List<String> months(Integer... months) {
        return Stream.of(months).map(month -> "o" + month).toList();
    }

    private static List<Integer> lines(Iterable<OrderItem> found) {
        List<Integer> lines = new ArrayList<>();
        found.forEach(item -> lines.add(item.getLine()));
        return lines;
    }

    private static Key key(String partition) {
        return Key.builder().partitionValue(partition).build();
    }

    private static Key key(String partition, String sort) {
        return Key.builder().partitionValue(partition).sortValue(sort).build();
    }

    private static Key keyOf(Entry entry) {
        return key(entry.getKey(), entry.getSort());
    }

    private static AttributeValue text(String value) {
        return AttributeValue.fromS(value);
    }

    private static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }

    private static Expression condition(String expression, Map<String, AttributeValue> values) {
        return condition(expression, values, null);
    }

    private static Expression condition(
            String expression, Map<String, AttributeValue> values, Map<String, String> names) {
        return Expression.builder().expression(expression).expressionValues(values).expressionNames(names).build();
    }

    private static void equal(Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + "\nexpected " + expected);
        }
    }

    /** The exception of this type that the call throws. */
    private static <E extends Exception> E refused(Class<E> type, Runnable call) {
        try {
            call.run();
        } catch (Exception error) {
            if (type.isInstance(error)) {
                return type.cast(error);
            }
            throw new AssertionError("expected " + type.getSimpleName(), error);
        }
        throw new AssertionError("expected " + type.getSimpleName() + ", and the call succeeded");
    }
}

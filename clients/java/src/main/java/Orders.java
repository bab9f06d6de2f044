import static java.util.Comparator.comparing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.*;

/** Steps 10 to 18 of clients/README.md: collections, indexes and batches, with the SDK's paginators. */
final class Orders {
    private static final String TABLE = "walk-java-orders";
    private static final int BATCH_MAX = 25;
    /** 30 orders of each of four customers, in the order of their keys. */
    private static final List<Map<String, AttributeValue>> ALL = IntStream.range(0, 120)
            .mapToObj(place -> order(place / 30, place % 30))
            .toList();
    private static final List<Map<String, AttributeValue>> OF_ONE = ALL.subList(30, 60);

    private final DynamoDbClient client;
    private final Walk walk;

    Orders(DynamoDbClient client, Walk walk) {
        this.client = client;
        this.walk = walk;
    }

    void walk() {
        create();
        writeInBatches();
        queryTable();
        queryWithFilterAndCount();
        queryGlobalIndex();
        scanInPages();
        scanInSegments();
        batchGet();
        listTables();
        queryLocalIndex();
        addAnIndex();
        errors();
        walk.drop(TABLE);
    }

    /** One order of a customer. A third is open, the amounts of a customer are 0 to 29, one customer has cities. */
    private static Map<String, AttributeValue> order(int customer, int number) {
        Map<String, AttributeValue> order = new HashMap<>();
        order.put("pk", Walk.text("customer#" + customer));
        order.put("sk", Walk.text("order#%02d".formatted(number)));
        order.put("status", Walk.text(number % 3 == 0 ? "open" : "shipped"));
        order.put("placed", Walk.text("%02d#%d".formatted(number, customer)));
        order.put("amount", Walk.number(Integer.toString(number * 7 % 30)));
        order.put("note", Walk.text("note %d/%d".formatted(customer, number)));
        if (customer == 0 && number % 2 == 0) {
            order.put("city", Walk.text("Oslo"));
        }
        return order;
    }

    private static int amount(Map<String, AttributeValue> order) {
        return Integer.parseInt(order.get("amount").n());
    }

    private static List<Map<String, AttributeValue>> where(Predicate<Map<String, AttributeValue>> holds) {
        return ALL.stream().filter(holds).toList();
    }

    /** These attributes of each item. */
    private static List<Map<String, AttributeValue>> only(List<Map<String, AttributeValue>> items, String... names) {
        List<String> kept = List.of(names);
        return items.stream().map(HashMap::new).<Map<String, AttributeValue>>map(item -> {
            item.keySet().retainAll(kept);
            return item;
        }).toList();
    }

    private static List<Map<String, AttributeValue>> reversed(List<Map<String, AttributeValue>> items) {
        List<Map<String, AttributeValue>> backwards = new ArrayList<>(items);
        java.util.Collections.reverse(backwards);
        return backwards;
    }

    private static List<Map<String, AttributeValue>> inKeyOrder(Collection<Map<String, AttributeValue>> items) {
        return items.stream().sorted(comparing(item -> item.get("pk").s() + item.get("sk").s())).toList();
    }

    private static QueryRequest.Builder ofOne() {
        return QueryRequest.builder()
                .tableName(TABLE)
                .keyConditionExpression("pk = :pk")
                .expressionAttributeValues(Map.of(":pk", Walk.text("customer#1")));
    }

    private static QueryRequest.Builder open() {
        return QueryRequest.builder()
                .tableName(TABLE)
                .indexName("by-status")
                .keyConditionExpression("#s = :s")
                .expressionAttributeNames(Map.of("#s", "status"))
                .expressionAttributeValues(Map.of(":s", Walk.text("open")));
    }

    /** The query with a condition more on its sort key. */
    private static QueryRequest.Builder narrowed(
            QueryRequest.Builder query, String condition, Map<String, AttributeValue> values) {
        String before = query.build().keyConditionExpression();
        return withValues(query.keyConditionExpression(before + " AND " + condition), values);
    }

    /** The query with a filter. */
    private static QueryRequest.Builder filtered(
            QueryRequest.Builder query, String condition, Map<String, AttributeValue> values) {
        return withValues(query.filterExpression(condition), values);
    }

    private static QueryRequest.Builder withValues(QueryRequest.Builder query, Map<String, AttributeValue> values) {
        Map<String, AttributeValue> all = new HashMap<>(query.build().expressionAttributeValues());
        all.putAll(values);
        return query.expressionAttributeValues(all);
    }

    private List<QueryResponse> pages(int size, QueryRequest.Builder query) {
        return client.queryPaginator(query.limit(size).build()).stream().toList();
    }

    private List<Map<String, AttributeValue>> items(int size, QueryRequest.Builder query) {
        return client.queryPaginator(query.limit(size).build()).items().stream().toList();
    }

    /** Items counted and items examined, in all pages. */
    private static List<Integer> counts(List<QueryResponse> pages) {
        return List.of(
                pages.stream().mapToInt(QueryResponse::count).sum(),
                pages.stream().mapToInt(QueryResponse::scannedCount).sum());
    }

    private static List<KeySchemaElement> keySchema(String hash, String sort) {
        return List.of(Walk.keyElement(hash, KeyType.HASH), Walk.keyElement(sort, KeyType.RANGE));
    }

    private void create() {
        client.createTable(request -> request
                .tableName(TABLE)
                .attributeDefinitions(
                        Walk.attribute("pk", ScalarAttributeType.S),
                        Walk.attribute("sk", ScalarAttributeType.S),
                        Walk.attribute("status", ScalarAttributeType.S),
                        Walk.attribute("placed", ScalarAttributeType.S),
                        Walk.attribute("amount", ScalarAttributeType.N))
                .keySchema(keySchema("pk", "sk"))
                .localSecondaryIndexes(index -> index
                        .indexName("by-amount")
                        .keySchema(keySchema("pk", "amount"))
                        .projection(projection -> projection.projectionType(ProjectionType.KEYS_ONLY)))
                .globalSecondaryIndexes(index -> index
                        .indexName("by-status")
                        .keySchema(keySchema("status", "placed"))
                        .projection(projection -> projection.projectionType(ProjectionType.ALL)))
                .billingMode(BillingMode.PAY_PER_REQUEST));
        walk.untilExists(TABLE);
    }

    private void writeInBatches() {
        for (int start = 0; start < ALL.size(); start += BATCH_MAX) {
            List<WriteRequest> puts = ALL.subList(start, Math.min(start + BATCH_MAX, ALL.size())).stream()
                    .map(item -> WriteRequest.builder().putRequest(put -> put.item(item)).build())
                    .toList();
            BatchWriteItemResponse written =
                    client.batchWriteItem(request -> request.requestItems(Map.of(TABLE, puts)));
            Walk.equal(written.unprocessedItems(), Map.of());
        }
    }

    private void queryTable() {
        List<QueryResponse> pages = pages(7, ofOne());
        Walk.equal(pages.stream().map(QueryResponse::count).toList(), List.of(7, 7, 7, 7, 2));
        Walk.equal(items(7, ofOne()), OF_ONE);
        Walk.equal(items(7, ofOne().scanIndexForward(false)), reversed(OF_ONE));

        var teens = narrowed(ofOne(), "begins_with(sk, :prefix)", Map.of(":prefix", Walk.text("order#1")));
        Walk.equal(items(4, teens), OF_ONE.subList(10, 20));
        var limits = Map.of(":from", Walk.text("order#05"), ":to", Walk.text("order#14"));
        var between = narrowed(ofOne(), "sk BETWEEN :from AND :to", limits);
        Walk.equal(items(4, between.scanIndexForward(false)), reversed(OF_ONE.subList(5, 15)));
    }

    private void queryWithFilterAndCount() {
        var expensive = filtered(ofOne(), "amount >= :least", Map.of(":least", Walk.number("20")));
        Walk.equal(items(7, expensive), OF_ONE.stream().filter(order -> amount(order) >= 20).toList());
        Walk.equal(counts(pages(7, expensive)), List.of(10, 30));

        List<QueryResponse> counted = pages(7, expensive.select(Select.COUNT));
        Walk.equal(counts(counted), List.of(10, 30));
        Walk.equal(counted.stream().anyMatch(QueryResponse::hasItems), false);
    }

    private void queryGlobalIndex() {
        var byPlaced = where(order -> order.get("status").s().equals("open")).stream()
                .sorted(comparing(order -> order.get("placed").s()))
                .toList();
        List<QueryResponse> pages = pages(9, open());
        Walk.equal(pages.stream().map(QueryResponse::count).toList(), List.of(9, 9, 9, 9, 4));
        var lastOfFirstPage = only(byPlaced.subList(8, 9), "pk", "sk", "status", "placed").get(0);
        Walk.equal(pages.get(0).lastEvaluatedKey(), lastOfFirstPage);
        Walk.equal(items(9, open()), byPlaced);
        Walk.equal(items(9, open().scanIndexForward(false)), reversed(byPlaced));

        var firstTen = narrowed(open(), "begins_with(placed, :prefix)", Map.of(":prefix", Walk.text("0")));
        Walk.equal(items(5, firstTen), byPlaced.subList(0, 16));
        var limits = Map.of(":from", Walk.text("06"), ":to", Walk.text("15"));
        Walk.equal(items(5, narrowed(open(), "placed BETWEEN :from AND :to", limits)), byPlaced.subList(8, 20));
        var ofLast = filtered(open(), "pk = :pk", Map.of(":pk", Walk.text("customer#3")));
        Walk.equal(counts(pages(9, ofLast.select(Select.COUNT))), List.of(10, 40));
    }

    private void scanInPages() {
        var whole = client.scanPaginator(request -> request.tableName(TABLE).limit(25));
        Walk.equal(whole.stream().map(ScanResponse::count).toList(), List.of(25, 25, 25, 25, 20));
        Walk.equal(inKeyOrder(whole.items().stream().toList()), ALL);
    }

    private void scanInSegments() {
        List<Map<String, AttributeValue>> union =
                IntStream.range(0, 3).parallel().boxed().flatMap(this::segmentOfThree).toList();
        // Disjoint, for together they are as many as there are.
        Walk.equal(inKeyOrder(union), ALL);
    }

    private Stream<Map<String, AttributeValue>> segmentOfThree(int segment) {
        var pages = client.scanPaginator(
                request -> request.tableName(TABLE).limit(10).segment(segment).totalSegments(3));
        return pages.items().stream();
    }

    private void batchGet() {
        List<Map<String, AttributeValue>> expected =
                IntStream.iterate(0, place -> place < ALL.size(), place -> place + 3).mapToObj(ALL::get).toList();
        List<Map<String, AttributeValue>> keys = new ArrayList<>(only(expected, "pk", "sk"));
        IntStream.range(0, 5).forEach(number -> keys.addAll(only(List.of(order(9, number)), "pk", "sk")));
        var request = KeysAndAttributes.builder().keys(keys).consistentRead(true).build();
        var pages = client.batchGetItemPaginator(batch -> batch.requestItems(Map.of(TABLE, request))).stream().toList();
        Walk.equal(pages.size(), 1);
        Walk.equal(inKeyOrder(pages.get(0).responses().get(TABLE)), expected);
        Walk.equal(pages.get(0).unprocessedKeys(), Map.of());
    }

    private void listTables() {
        var pages = client.listTablesPaginator(request -> request.limit(1));
        Walk.equal(pages.stream().allMatch(page -> page.tableNames().size() <= 1), true);
        List<String> names = pages.tableNames().stream().toList();
        Walk.equal(names, names.stream().sorted().toList());
        Walk.equal(names.contains(TABLE), true);
    }

    private void queryLocalIndex() {
        List<Map<String, AttributeValue>> byAmount = OF_ONE.stream().sorted(comparing(Orders::amount)).toList();
        var local = ofOne().indexName("by-amount").consistentRead(true);
        Walk.equal(items(8, local), only(byAmount, "pk", "sk", "amount"));

        local.select(Select.ALL_ATTRIBUTES).returnConsumedCapacity(ReturnConsumedCapacity.TOTAL);
        Walk.equal(items(8, local), byAmount);
        // The entries of a page are one unit, and each item that is fetched for its note is one more.
        List<Double> units =
                pages(8, local).stream().map(page -> page.consumedCapacity().capacityUnits()).toList();
        Walk.equal(units, List.of(9.0, 9.0, 9.0, 7.0));
    }

    /** To a table with items; some of them have its key. */
    private void addAnIndex() {
        UpdateTableResponse updated = client.updateTable(request -> request
                .tableName(TABLE)
                .attributeDefinitions(
                        Walk.attribute("city", ScalarAttributeType.S), Walk.attribute("placed", ScalarAttributeType.S))
                .globalSecondaryIndexUpdates(update -> update.create(index -> index
                        .indexName("by-city")
                        .keySchema(keySchema("city", "placed"))
                        .projection(projection ->
                                projection.projectionType(ProjectionType.INCLUDE).nonKeyAttributes("amount")))));
        Walk.equal(indexStatus(updated.tableDescription(), "by-city"), IndexStatus.CREATING);
        untilActive("by-city");

        List<Map<String, AttributeValue>> cities = where(order -> order.containsKey("city"));
        Walk.equal(cities.size(), 15);
        var inOslo = QueryRequest.builder()
                .tableName(TABLE)
                .indexName("by-city")
                .keyConditionExpression("city = :city")
                .expressionAttributeValues(Map.of(":city", Walk.text("Oslo")));
        Walk.equal(items(4, inOslo), only(cities, "pk", "sk", "city", "placed", "amount"));
    }

    private static IndexStatus indexStatus(TableDescription table, String name) {
        return table.globalSecondaryIndexes().stream()
                .filter(index -> index.indexName().equals(name))
                .findFirst()
                .orElseThrow()
                .indexStatus();
    }

    private void untilActive(String index) {
        Instant deadline = Instant.now().plus(Duration.ofMinutes(1));
        while (indexStatus(client.describeTable(request -> request.tableName(TABLE)).table(), index)
                != IndexStatus.ACTIVE) {
            Walk.equal(Instant.now().isBefore(deadline), true);
            try {
                Thread.sleep(200);
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }
    }

    private void errors() {
        refused(open().consistentRead(true), "Consistent reads are not supported on global secondary indexes");
        refused(open().indexName("by-nothing"), "The table does not have the specified index: by-nothing");
    }

    private void refused(QueryRequest.Builder query, String message) {
        var refusal = Walk.refused(DynamoDbException.class, () -> items(5, query)).awsErrorDetails();
        Walk.equal(List.of(refusal.errorCode(), refusal.errorMessage()), List.of("ValidationException", message));
    }
}

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.waiters.WaiterOverrideConfiguration;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.*;
import software.amazon.awssdk.services.dynamodb.waiters.DynamoDbWaiter;

/** The walk of clients/README.md with the AWS SDK for Java v2. */
public final class Walk {
    private static final String TABLE = "walk-java";
    private static final Map<String, AttributeValue> KEY = Map.of("pk", text("user#1"), "sk", number("1"));

    private final Attempts attempts = new Attempts();
    private final DynamoDbClient client =
            DynamoDbClient.builder()
                    .endpointOverride(URI.create(System.getenv("HASHRANGE_ENDPOINT")))
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                    .overrideConfiguration(configuration -> configuration.addExecutionInterceptor(attempts))
                    .build();

    public static void main(String[] arguments) {
        Walk walk = new Walk();
        walk.tables();
        walk.roundTrip();
        walk.conditionalPut();
        walk.update();
        walk.projection();
        walk.delete();
        walk.errors();
        walk.drop(TABLE);
        new Orders(walk.client, walk).walk();
        new Transactions(walk.client, walk).walk();
        equal(walk.attempts.sent.get(), walk.attempts.asked.get());
        walk.client.close();
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

    static AttributeValue text(String value) {
        return AttributeValue.fromS(value);
    }

    static AttributeValue number(String value) {
        return AttributeValue.fromN(value);
    }

    private static Map<String, AttributeValue> everyType() {
        Map<String, AttributeValue> item = new HashMap<>(KEY);
        item.put("text", text("naïve \uD83D\uDE00 \" \\ \u0007"));
        item.put("empty", text(""));
        item.put("large", number("12345678901234567890123456789012345678"));
        item.put("small", number("-0.000012345678901234567890123456789012345678"));
        item.put("binary", AttributeValue.fromB(SdkBytes.fromByteArray(new byte[] {0, 1, 127, -128, -1})));
        item.put("yes", AttributeValue.fromBool(true));
        item.put("nothing", AttributeValue.fromNul(true));
        item.put("labels", AttributeValue.fromSs(List.of("blue", "green", "red")));
        item.put("numbers", AttributeValue.fromNs(List.of("1", "2.5")));
        item.put("binaries", AttributeValue.fromBs(List.of(SdkBytes.fromUtf8String("a"), SdkBytes.fromUtf8String("b"))));
        item.put("list", AttributeValue.fromL(List.of(text("first"), number("2"), AttributeValue.fromL(List.of()))));
        item.put("nested", nested());
        item.put("note", text("to be removed"));
        item.put("score", number("1"));
        item.put("email", text("ann@example.com"));
        return item;
    }

    private static AttributeValue nested() {
        return AttributeValue.fromM(Map.of("list", AttributeValue.fromL(List.of(text("deep")))));
    }

    private void create() {
        client.createTable(request -> request
                .tableName(TABLE)
                .attributeDefinitions(
                        attribute("pk", ScalarAttributeType.S),
                        attribute("sk", ScalarAttributeType.N),
                        attribute("email", ScalarAttributeType.S))
                .keySchema(keyElement("pk", KeyType.HASH), keyElement("sk", KeyType.RANGE))
                .globalSecondaryIndexes(index -> index
                        .indexName("by-email")
                        .keySchema(keyElement("email", KeyType.HASH))
                        .projection(projection -> projection.projectionType(ProjectionType.ALL)))
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .tags(tag("purpose", "walk")));
    }

    static AttributeDefinition attribute(String name, ScalarAttributeType type) {
        return AttributeDefinition.builder().attributeName(name).attributeType(type).build();
    }

    static KeySchemaElement keyElement(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }

    private static Tag tag(String key, String value) {
        return Tag.builder().key(key).value(value).build();
    }

    private DynamoDbWaiter waiter() {
        var everySecond = WaiterOverrideConfiguration.builder()
                .backoffStrategyV2(software.amazon.awssdk.retries.api.BackoffStrategy.fixedDelay(Duration.ofSeconds(1)))
                .build();
        return DynamoDbWaiter.builder().client(client).overrideConfiguration(everySecond).build();
    }

    private void tables() {
        create();
        untilExists(TABLE);
        TableDescription table = client.describeTable(request -> request.tableName(TABLE)).table();
        equal(table.tableStatus(), TableStatus.ACTIVE);
        equal(table.globalSecondaryIndexes().get(0).indexName(), "by-email");
        equal(client.listTablesPaginator().tableNames().stream().anyMatch(TABLE::equals), true);

        String arn = table.tableArn();
        client.tagResource(request -> request.resourceArn(arn).tags(tag("stage", "test")));
        client.untagResource(request -> request.resourceArn(arn).tagKeys("purpose"));
        equal(client.listTagsOfResource(request -> request.resourceArn(arn)).tags(), List.of(tag("stage", "test")));

        client.updateTimeToLive(request -> request.tableName(TABLE).timeToLiveSpecification(
                specification -> specification.enabled(true).attributeName("expires")));
        TimeToLiveDescription ttl =
                client.describeTimeToLive(request -> request.tableName(TABLE)).timeToLiveDescription();
        equal(List.of(TimeToLiveStatus.ENABLING, TimeToLiveStatus.ENABLED).contains(ttl.timeToLiveStatus()), true);
    }

    private Map<String, AttributeValue> get() {
        return client.getItem(request -> request.tableName(TABLE).key(KEY).consistentRead(true)).item();
    }

    private void roundTrip() {
        client.putItem(request -> request.tableName(TABLE).item(everyType()));
        equal(unordered(get()), unordered(everyType()));
    }

    /** The item with Java's own sets: the SDK holds a set as a list, whose order means nothing. */
    private static Map<String, Object> unordered(Map<String, AttributeValue> item) {
        Map<String, Object> plain = new HashMap<>();
        item.forEach((name, value) -> plain.put(name, switch (value.type()) {
            case SS -> new HashSet<>(value.ss());
            case NS -> new HashSet<>(value.ns());
            case BS -> new HashSet<>(value.bs());
            default -> value;
        }));
        return plain;
    }

    private void conditionalPut() {
        var failed = refused(ConditionalCheckFailedException.class, () -> client.putItem(request -> request
                .tableName(TABLE)
                .item(KEY)
                .conditionExpression("attribute_not_exists(pk)")
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)));
        equal(failed.awsErrorDetails().errorMessage(), "The conditional request failed");
        equal(failed.item().get("text"), everyType().get("text"));
    }

    private void update() {
        Map<String, AttributeValue> updated = client.updateItem(request -> request
                .tableName(TABLE)
                .key(KEY)
                .updateExpression("SET #t = :t, visits = if_not_exists(visits, :zero) + :one REMOVE note "
                        + "ADD score :five DELETE labels :red")
                .expressionAttributeNames(Map.of("#t", "text"))
                .expressionAttributeValues(Map.of(
                        ":t", text("new"),
                        ":zero", number("0"),
                        ":one", number("1"),
                        ":five", number("5"),
                        ":red", AttributeValue.fromSs(List.of("red"))))
                .returnValues(ReturnValue.UPDATED_NEW)).attributes();
        equal(unordered(updated), Map.of(
                "text", text("new"), "visits", number("1"), "score", number("6"),
                "labels", new HashSet<>(List.of("blue", "green"))));
    }

    private void projection() {
        GetItemResponse got = client.getItem(request -> request
                .tableName(TABLE)
                .key(KEY)
                .consistentRead(true)
                .projectionExpression("#t, nested.#l[0]")
                .expressionAttributeNames(Map.of("#t", "text", "#l", "list"))
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
        equal(got.item(), Map.of("text", text("new"), "nested", nested()));
        equal(got.consumedCapacity().capacityUnits(), 1.0);
    }

    private void delete() {
        DeleteItemResponse deleted = client.deleteItem(request -> request
                .tableName(TABLE).key(KEY).returnValues(ReturnValue.ALL_OLD));
        equal(deleted.attributes().get("score"), number("6"));
        equal(get(), Map.of());
    }

    private void errors() {
        refused(ResourceNotFoundException.class,
                () -> client.getItem(request -> request.tableName("walk-missing").key(KEY)));
        refused(ResourceInUseException.class, this::create);
        var invalid = refused(DynamoDbException.class,
                () -> client.getItem(request -> request.tableName(TABLE).key(Map.of("pk", text("user#1")))));
        equal(invalid.awsErrorDetails().errorCode(), "ValidationException");
    }

    void untilExists(String table) {
        try (DynamoDbWaiter waiter = waiter()) {
            waiter.waitUntilTableExists(request -> request.tableName(table));
        }
    }

    void drop(String table) {
        client.deleteTable(request -> request.tableName(table));
        try (DynamoDbWaiter waiter = waiter()) {
            waiter.waitUntilTableNotExists(request -> request.tableName(table));
        }
    }

    static void equal(Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + "\nexpected " + expected);
        }
    }

    /** The exception of this type that the call throws. */
    static <E extends Exception> E refused(Class<E> type, Runnable call) {
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

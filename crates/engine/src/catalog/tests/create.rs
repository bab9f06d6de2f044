//! `CreateTable`: what it refuses, and with which words.

use super::*;

fn refused(input: CreateTableInput) -> String {
    World::new().refusal(input)
}

fn with_key(definitions_of: &[&str], key_schema: Vec<KeySchemaElement>) -> CreateTableInput {
    CreateTableInput {
        attribute_definitions: Some(definitions(definitions_of)),
        key_schema: Some(key_schema),
        ..table("orders")
    }
}

fn with_local(index: LocalSecondaryIndex, more: &[&str]) -> CreateTableInput {
    CreateTableInput { local_secondary_indexes: Some(vec![index]), ..composite("orders", more) }
}

fn element(name: &str, key_type: KeyType) -> KeySchemaElement {
    KeySchemaElement { attribute_name: name.to_owned(), key_type }
}

#[test]
fn names_have_three_to_255_characters_of_a_small_alphabet() {
    let name = |name: &str| refused(table(name));
    let fails = |value: &str, constraint: &str| {
        format!("Value '{value}' at 'tableName' failed to satisfy constraint: Member must {constraint}")
    };
    let short = "have length greater than or equal to 3";
    let pattern = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
    assert_eq!(
        name("ab"),
        format!("ValidationException: 1 validation error detected: {}", fails("ab", short))
    );
    assert_eq!(
        name("abc;"),
        format!("ValidationException: 1 validation error detected: {}", fails("abc;", pattern))
    );
    let long = "a".repeat(256);
    assert_eq!(
        name(&long),
        format!(
            "ValidationException: 1 validation error detected: {}",
            fails(&long, "have length less than or equal to 255")
        )
    );
}

#[test]
fn key_schema_and_definitions_are_required() {
    let input = CreateTableInput { key_schema: None, attribute_definitions: None, ..table("orders") };
    assert_eq!(
        refused(input),
        "ValidationException: 2 validation errors detected: Value null at 'keySchema' failed to satisfy constraint: \
         Member must not be null; Value null at 'attributeDefinitions' failed to satisfy constraint: Member must not be \
         null"
    );
}

#[test]
fn keys_of_tables_and_local_indexes_have_at_most_two_attributes() {
    let three =
        vec![element("pk", KeyType::Hash), element("sk", KeyType::Range), element("extra", KeyType::Range)];
    let dump = "[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, keyType=RANGE), \
                KeySchemaElement(attributeName=extra, keyType=RANGE)]";
    let tail = "failed to satisfy constraint: Member must have length less than or equal to 2";
    assert_eq!(
        refused(with_key(&["pk", "sk", "extra"], three.clone())),
        format!("ValidationException: 1 validation error detected: Value '{dump}' at 'keySchema' {tail}")
    );
    let index = LocalSecondaryIndex { key_schema: three, ..local("by-extra", "extra") };
    assert_eq!(
        refused(with_local(index, &["extra"])),
        format!(
            "ValidationException: 1 validation error detected: Value '{dump}' at \
             'localSecondaryIndexes.1.member.keySchema' {tail}"
        )
    );
}

#[test]
fn key_attributes_need_definitions() {
    let none = "ValidationException: Invalid KeySchema: Some index key attribute have no definition";
    assert_eq!(refused(with_key(&["pk"], key(&["pk"], &["pk"]))), none);
    assert_eq!(refused(with_key(&[], key(&["pk"], &[]))), none);
    assert_eq!(refused(with_key(&["sk"], key(&["pk"], &["sk"]))), none);
    assert_eq!(
        refused(with_key(&["pk"], key(&["PK"], &[]))),
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [PK], AttributeDefinitions: [pk]"
        )
    );
    assert_eq!(
        refused(indexed("orders", &[], vec![global("by-q", &["q"], &[])])),
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [q], AttributeDefinitions: [pk, sk]"
        )
    );
}

#[test]
fn definitions_are_all_used_and_distinct() {
    assert_eq!(
        refused(with_key(&["pk", "extra"], key(&["pk"], &[]))),
        invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in \
             AttributeDefinitions"
        )
    );
    assert_eq!(
        refused(indexed("orders", &["a", "b"], vec![global("by-a", &["a"], &[])])),
        invalid(
            "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, a, b], keys used: [pk, sk, a]"
        )
    );
    assert_eq!(
        refused(with_key(&["pk", "pk"], key(&["pk"], &[]))),
        "ValidationException: Attribute Name is duplicated: pk"
    );
}

/// Looking each name up among all others would take minutes here, and hold a thread of the server for as long.
#[test]
fn a_hundred_thousand_definitions_and_indexes_are_refused_in_linear_time() {
    let many: Vec<String> = (0..100_000).map(|number| format!("name-{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(
        refused(with_key(&many, key(&many[..1], &[]))),
        invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in \
             AttributeDefinitions"
        )
    );
    let of_one_name = many.iter().map(|name| global(name, &["pk"], &[])).collect();
    assert_eq!(
        refused(indexed("orders", &[], of_one_name)),
        invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20")
    );
    let of_many_names = many.iter().map(|name| global(name, &[*name], &[])).collect();
    assert_eq!(
        refused(indexed("orders", &many, of_many_names)),
        invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20")
    );
}

#[test]
fn a_key_is_a_partition_key_and_then_perhaps_a_sort_key() {
    let first = "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type";
    let of = |first: KeyType, second: KeyType| vec![element("a", first), element("b", second)];
    assert_eq!(refused(with_key(&["a", "b"], of(KeyType::Range, KeyType::Hash))), first);
    assert_eq!(refused(with_key(&["a", "b"], of(KeyType::Range, KeyType::Range))), first);
    assert_eq!(
        refused(with_key(&["a", "b"], of(KeyType::Hash, KeyType::Hash))),
        "ValidationException: Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
    );
    assert_eq!(
        refused(with_key(&["a", "b"], key(&["a"], &["a"]))),
        "ValidationException: Both the Hash Key and the Range Key element in the KeySchema have the same name"
    );
}

#[test]
fn local_indexes_follow_the_tables_key() {
    let on_hash_table = CreateTableInput {
        attribute_definitions: Some(definitions(&["pk", "a"])),
        local_secondary_indexes: Some(vec![local("by-a", "a")]),
        ..table("orders")
    };
    assert_eq!(
        refused(on_hash_table),
        invalid(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
        )
    );
    let other = LocalSecondaryIndex { key_schema: key(&["a"], &["sk"]), ..local("by-a", "a") };
    assert_eq!(
        refused(with_local(other, &["a"])),
        invalid(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: by-a. index hash key: \
             a, table hash key: pk"
        )
    );
    let short = LocalSecondaryIndex { key_schema: key(&["pk"], &[]), ..local("by-a", "a") };
    assert_eq!(
        refused(with_local(short, &[])),
        invalid("Index KeySchema does not have a range key for index: by-a")
    );
}

#[test]
fn a_local_index_may_repeat_the_tables_key() {
    World::new().create(with_local(local("again", "sk"), &[]));
}

#[test]
fn global_index_keys_have_up_to_four_attributes_of_each_sort() {
    let all = ["h1", "h2", "h3", "h4", "r1", "r2", "r3", "r4"];
    let widest = indexed("wide", &all, vec![global("wide", &all[..4], &all[4..])]);
    World::new().create(widest);
    let five = ["a", "b", "c", "d", "e"];
    assert_eq!(
        refused(indexed("orders", &five, vec![global("wide", &five, &[])])),
        invalid("The KeySchema exceeds the maximum allowed number of HASH key attributes")
    );
    let more = ["h", "a", "b", "c", "d", "e"];
    assert_eq!(
        refused(indexed("orders", &more, vec![global("wide", &["h"], &five)])),
        invalid("The KeySchema exceeds the maximum allowed number of RANGE key attributes")
    );
}

#[test]
fn global_index_keys_name_partition_keys_first_and_nothing_twice() {
    let with = |key_schema: Vec<KeySchemaElement>| {
        refused(indexed(
            "orders",
            &["a", "b", "c"],
            vec![GlobalSecondaryIndex { key_schema, ..global("index", &[], &[]) }],
        ))
    };
    let mixed = vec![element("a", KeyType::Hash), element("b", KeyType::Range), element("c", KeyType::Hash)];
    assert_eq!(
        with(mixed),
        invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema")
    );
    assert_eq!(
        with(vec![element("a", KeyType::Range), element("b", KeyType::Hash), element("c", KeyType::Hash)]),
        "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
    );
    let twice = indexed("orders", &["a", "b"], vec![global("index", &["a", "a"], &["b"])]);
    assert_eq!(
        refused(twice),
        "ValidationException: The KeySchema contains multiple key attributes with the same name"
    );
}

#[test]
fn lists_of_indexes_are_not_empty() {
    let local = CreateTableInput { local_secondary_indexes: Some(Vec::new()), ..table("orders") };
    assert_eq!(refused(local), invalid("List of LocalSecondaryIndexes is empty"));
    let global = CreateTableInput { global_secondary_indexes: Some(Vec::new()), ..table("orders") };
    assert_eq!(refused(global), invalid("List of GlobalSecondaryIndexes is empty"));
}

#[test]
fn projections_say_what_they_carry() {
    let with = |projection: Projection| {
        refused(indexed(
            "orders",
            &["a"],
            vec![GlobalSecondaryIndex { projection, ..global("by-a", &["a"], &[]) }],
        ))
    };
    assert_eq!(
        with(projection(ProjectionType::Include, None)),
        invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    );
    assert_eq!(
        with(projection(ProjectionType::All, Some(&["x"]))),
        invalid("ProjectionType is ALL, but NonKeyAttributes is specified")
    );
    assert_eq!(
        with(projection(ProjectionType::KeysOnly, Some(&["x"]))),
        invalid("ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified")
    );
    assert_eq!(
        with(projection(ProjectionType::Include, Some(&["x", "y", "x"]))),
        invalid("Duplicate element in NonKeyAttributes: x")
    );
    assert_eq!(with(Projection::default()), invalid("Unknown ProjectionType: null"));
}

#[test]
fn index_names_are_unique_and_indexes_are_few() {
    let twice = CreateTableInput {
        local_secondary_indexes: Some(vec![local("same", "sk")]),
        ..indexed("orders", &["a"], vec![global("same", &["a"], &[])])
    };
    assert_eq!(refused(twice), invalid("Duplicate index name: same"));
    let globals =
        |count: usize| (0..count).map(|at| global(&format!("index-{at}"), &["a"], &[])).collect::<Vec<_>>();
    assert_eq!(
        refused(indexed("orders", &["a"], globals(21))),
        invalid("GlobalSecondaryIndex count exceeds the per-table limit of 20")
    );
    World::new().create(indexed("orders", &["a"], globals(20)));
    let locals = (0..6).map(|at| local(&format!("index-{at}"), "sk")).collect();
    assert_eq!(
        refused(CreateTableInput { local_secondary_indexes: Some(locals), ..composite("orders", &[]) }),
        invalid("Number of LocalSecondaryIndexes exceeds per-table limit of 5")
    );
}

#[test]
fn all_indexes_together_project_at_most_100_attributes_by_name() {
    let names: Vec<String> = (0..20).map(|at| format!("attribute{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let with = |count: usize| {
        let index = |at| GlobalSecondaryIndex {
            projection: projection(ProjectionType::Include, Some(&names)),
            ..global(&format!("index-{at}"), &["a"], &[])
        };
        indexed("orders", &["a"], (0..count).map(index).collect())
    };
    World::new().create(with(5));
    assert_eq!(
        refused(with(6)),
        invalid(
            "The total number of NonKeyAttributes projected into all secondary indexes exceeds the limit of 100"
        )
    );
}

#[test]
fn throughput_goes_with_the_billing_mode() {
    let on_demand = CreateTableInput { provisioned_throughput: Some(units(1, 1)), ..table("orders") };
    assert_eq!(
        refused(on_demand),
        invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
        )
    );
    let missing =
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED";
    for billing_mode in [None, Some(BillingMode::Provisioned)] {
        assert_eq!(refused(CreateTableInput { billing_mode, ..table("orders") }), invalid(missing));
    }
}

#[test]
fn throughput_of_indexes_goes_with_the_billing_mode() {
    let index = |provisioned_throughput| {
        vec![GlobalSecondaryIndex { provisioned_throughput, ..global("by-a", &["a"], &[]) }]
    };
    assert_eq!(
        refused(indexed("orders", &["a"], index(Some(units(1, 1))))),
        invalid(
            "ProvisionedThroughput should not be specified for index: by-a when BillingMode is PAY_PER_REQUEST"
        )
    );
    let input = CreateTableInput {
        billing_mode: Some(BillingMode::Provisioned),
        provisioned_throughput: Some(units(1, 1)),
        ..indexed("orders", &["a"], index(None))
    };
    assert_eq!(refused(input), invalid("ProvisionedThroughput is not specified for index: by-a"));
}

#[test]
fn on_demand_maxima_are_positive_and_for_on_demand_tables() {
    let maxima = |read, write| {
        Some(OnDemandThroughput { max_read_request_units: read, max_write_request_units: write })
    };
    let with = |on_demand_throughput| CreateTableInput { on_demand_throughput, ..table("orders") };
    assert_eq!(
        refused(with(maxima(Some(0), None))),
        invalid("Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range")
    );
    assert_eq!(
        refused(with(maxima(None, Some(-1)))),
        invalid("Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range")
    );
    let on_provisioned =
        CreateTableInput { on_demand_throughput: maxima(Some(1), None), ..provisioned("orders", 1, 1) };
    assert_eq!(
        refused(on_provisioned),
        invalid(
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."
        )
    );
    let world = World::new();
    assert_eq!(world.create(with(maxima(None, None))).on_demand_throughput, None);
}

#[test]
fn warm_throughput_starts_at_what_the_table_has_anyway() {
    let warm =
        |read, write| Some(WarmThroughput { read_units_per_second: read, write_units_per_second: write });
    let low = CreateTableInput { warm_throughput: warm(Some(1), None), ..table("orders") };
    assert_eq!(
        refused(low),
        invalid(
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand. \
             See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html\
             #on-demand-capacity-mode-initial"
        )
    );
    let low = CreateTableInput { warm_throughput: warm(Some(5), Some(5)), ..provisioned("orders", 10, 10) };
    assert_eq!(
        refused(low),
        invalid(
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than ReadCapacityUnits of \
                 ProvisionedThroughput"
        )
    );
    let world = World::new();
    let given = CreateTableInput { warm_throughput: warm(Some(12_001), None), ..table("orders") };
    let answer = world.create(given).warm_throughput.unwrap();
    assert_eq!(answer.status, Some(TableStatus::Updating));
    let described = world.describe("orders").warm_throughput.unwrap();
    assert_eq!(described.read_units_per_second, Some(12_001));
    assert_eq!(described.write_units_per_second, Some(4_000));
    assert_eq!(described.status, Some(TableStatus::Active));
}

#[test]
fn streams_have_a_view_type_exactly_when_they_are_on() {
    let with = |stream_enabled, stream_view_type| {
        let stream = StreamSpecification { stream_enabled, stream_view_type };
        CreateTableInput { stream_specification: Some(stream), ..table("orders") }
    };
    assert_eq!(
        refused(with(true, None)),
        invalid("Table is being created with a stream enabled, UpdateViewType is required")
    );
    assert_eq!(
        refused(with(false, Some(StreamViewType::NewImage))),
        invalid("Table is being created with a stream disabled, UpdateViewType should not be specified")
    );
    assert_eq!(World::new().create(with(false, None)).stream_specification, None);
}

#[test]
fn encryption_settings_agree_with_themselves() {
    let with = |enabled, sse_type, key: Option<&str>| {
        let specification = SSESpecification { enabled, sse_type, kms_master_key_id: key.map(str::to_owned) };
        refused(CreateTableInput { sse_specification: Some(specification), ..table("orders") })
    };
    assert_eq!(
        with(Some(false), Some(SSEType::Kms), None),
        invalid("SSEType can not be specified if Enabled is false")
    );
    assert_eq!(
        with(Some(false), None, Some("key")),
        invalid("KMSMasterKeyId can not be specified if Enabled is false")
    );
    assert_eq!(
        with(Some(true), None, Some("key")),
        invalid("SSEType KMS is required if KMSMasterKeyId is specified")
    );
    assert_eq!(with(Some(true), Some(SSEType::Aes256), None), invalid("SSEType AES256 is not supported"));
}

#[test]
fn resource_policies_have_at_most_20_kilobytes() {
    let with =
        |length: usize| CreateTableInput { resource_policy: Some("x".repeat(length)), ..table("orders") };
    assert_eq!(refused(with(20_481)), invalid("Maximum policy size of 20480 bytes exceeded"));
    let world = World::new();
    world.create(with(20_480));
    assert_eq!(world.catalog.get(&world.scope, "orders").unwrap().policy().map(str::len), Some(20_480));
}

#[test]
fn what_is_not_built_is_refused() {
    let vectors = CreateTableInput { vector_indexes: Some(Vec::new()), ..table("orders") };
    assert_eq!(refused(vectors), invalid("VectorIndexes is not supported"));
}

#[test]
fn a_name_is_taken_once() {
    let world = World::new();
    world.create(table("orders"));
    assert_eq!(
        world.refusal(provisioned("orders", 1, 1)),
        "ResourceInUseException: Table already exists: orders"
    );
    world.create(table("Orders"));
}

#[test]
fn an_invalid_request_is_told_so_before_the_name_is_looked_up() {
    let world = World::new();
    world.create(table("orders"));
    assert!(world.refusal(with_key(&[], key(&["pk"], &[]))).starts_with("ValidationException"));
}

#[test]
fn throughput_has_quotas_per_table_per_index_and_per_account() {
    let world = World::new();
    let guide =
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.";
    assert_eq!(
        world.refusal(provisioned("orders", 40_001, 1)),
        format!(
            "LimitExceededException: The requested ReadCapacityUnits, 40001, is above the per table maximum for the \
             account in us-east-1. Per table maximum: 40000. {guide}"
        )
    );
    let index = GlobalSecondaryIndex {
        provisioned_throughput: Some(units(1, 40_001)),
        ..global("by-a", &["a"], &[])
    };
    let input = CreateTableInput {
        billing_mode: None,
        provisioned_throughput: Some(units(1, 1)),
        ..indexed("orders", &["a"], vec![index])
    };
    assert_eq!(
        world.refusal(input),
        format!(
            "LimitExceededException: The requested WriteCapacityUnits for index by-a, 40001, is above the per index \
             maximum for the account in us-east-1. Per table maximum: 40000. {guide}"
        )
    );
    world.create(provisioned("first", 40_000, 1));
    world.create(provisioned("second", 39_999, 1));
    assert_eq!(
        world.refusal(provisioned("third", 2, 1)),
        format!(
            "LimitExceededException: This request would have caused the ReadCapacityUnits limit to be exceeded for the \
             account in us-east-1. Current ReadCapacityUnits reserved by the account: 79999. Limit: 80000. Requested: 2. \
             {guide}"
        )
    );
    world.create(provisioned("third", 1, 1));
    let maxima = OnDemandThroughput { max_read_request_units: Some(40_001), max_write_request_units: None };
    assert_eq!(
        world.refusal(CreateTableInput { on_demand_throughput: Some(maxima), ..table("fourth") }),
        "LimitExceededException: Subscriber limit exceeded: Requested MaxReadRequestUnits for OnDemandThroughput for \
         table exceeds TableMaxReadCapacityUnits of the account in region us-east-1"
    );
}

#[test]
fn an_account_has_2500_tables_in_a_region() {
    let world = World::new();
    for at in 0..2_500 {
        world.create(table(&format!("table-{at}")));
    }
    assert_eq!(
        world.refusal(table("one-more")),
        "LimitExceededException: Subscriber limit exceeded: There is a limit of 2500 tables per subscriber"
    );
    let elsewhere = scope("000000000000", "eu-west-2");
    world.call_as(&elsewhere, table("one-more")).unwrap();
}

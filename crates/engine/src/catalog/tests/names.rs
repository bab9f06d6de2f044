//! ARNs in the place of names, and scopes that do not see each other.

use super::*;

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/orders";

fn describe(name: &str) -> DescribeTableInput {
    DescribeTableInput { table_name: name.to_owned() }
}

#[test]
fn an_arn_stands_for_a_name() {
    let world = World::new();
    assert_eq!(world.create(table(ARN)).table_name.as_deref(), Some("orders"));
    let described = world.call(describe(ARN)).unwrap().table.unwrap();
    assert_eq!(described.table_name.as_deref(), Some("orders"));
    assert_eq!(described.table_arn.as_deref(), Some(ARN));
    assert_eq!(world.catalog.active(&world.scope, ARN).unwrap().name, "orders");
    world.update(UpdateTableInput { deletion_protection_enabled: Some(false), ..update(ARN) });
    world.call(DescribeTimeToLiveInput { table_name: ARN.to_owned() }).unwrap();
    world.call(delete(ARN)).unwrap();
}

#[test]
fn arns_of_other_regions_and_accounts_are_refused() {
    let world = World::new();
    let abroad = "arn:aws:dynamodb:eu-west-2:000000000000:table/orders";
    let text = format!("ValidationException: 1 validation error detected: Invalid AWS region in '{abroad}'");
    assert_eq!(world.refusal(describe(abroad)), text);
    assert_eq!(world.catalog.active(&world.scope, abroad).unwrap_err().to_string(), text);
    let foreign = "arn:aws:dynamodb:us-east-1:111111111111:table/orders";
    assert_eq!(world.refusal(describe(foreign)), "AccessDeniedException: Access is denied");
}

#[test]
fn arns_that_are_no_tables_are_refused() {
    let world = World::new();
    let fails = |arn: &str, constraint: &str| {
        assert_eq!(
            world.refusal(describe(arn)),
            format!(
                "ValidationException: 1 validation error detected: Value '{arn}' at 'tableName' failed to satisfy \
                 constraint: {constraint}"
            )
        );
    };
    let format = "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', \
                  where Resource name must have length less than or equal to 255, Resource name must have length greater \
                  than or equal to 3, Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
    fails(&format!("{ARN}/index/by-a"), format);
    fails("arn:aws:dynamodb", format);
    fails("arn:aws:dynamodb:us-east-1:000000000000:", format);
    fails("arn:aws:dynamodb:us-east-1:000000000000:stream/orders", "Invalid resource type");
    fails(
        "arn:aws:dynamodb:us-east-1:000000000000:table/ab",
        "Table name of ARN must have length greater than or equal to 3",
    );
}

#[test]
fn accounts_and_regions_do_not_see_each_others_tables() {
    let world = World::new();
    let scopes = [
        scope("000000000000", "us-east-1"),
        scope("000000000000", "eu-west-2"),
        scope("111111111111", "us-east-1"),
    ];
    let list = ListTablesInput::default;
    for one in &scopes {
        let name = format!("{}-{}", one.account, one.region);
        world.call_as(one, table(&name)).unwrap();
        world.call_as(one, table("orders")).unwrap();
    }
    for one in &scopes {
        let name = format!("{}-{}", one.account, one.region);
        let names = world.call_as(one, list()).unwrap().table_names.unwrap();
        assert_eq!(names, [name.as_str(), "orders"]);
        let described = world.call_as(one, describe("orders")).unwrap().table.unwrap();
        let arn = format!("arn:aws:dynamodb:{}:{}:table/orders", one.region, one.account);
        assert_eq!(described.table_arn, Some(arn));
    }
    let spaces: std::collections::BTreeSet<_> =
        scopes.iter().map(|one| world.catalog.active(one, "orders").unwrap().space).collect();
    assert_eq!(spaces.len(), scopes.len());
    world.call_as(&scopes[0], delete("orders")).unwrap();
    world.catalog.active(&scopes[1], "orders").unwrap();
}

#[test]
fn operations_on_anything_but_tables_are_not_known_here() {
    let request = Request::from(GetItemInput::default());
    assert_eq!(TableOperation::check(request).unwrap_err().to_string(), "UnknownOperationException");
}

#[test]
fn an_operation_tells_the_resource_it_is_about() {
    let check = |request: Request| TableOperation::check(request).unwrap().resource().map(str::to_owned);
    assert_eq!(check(describe("orders").into()), Some("orders".to_owned()));
    assert_eq!(check(ListTablesInput::default().into()), None);
}

#[test]
fn an_account_has_quotas_and_an_endpoint() {
    let world = World::new();
    let limits = world.call(DescribeLimitsInput {}).unwrap();
    let expected = DescribeLimitsOutput {
        account_max_read_capacity_units: Some(80_000),
        account_max_write_capacity_units: Some(80_000),
        table_max_read_capacity_units: Some(40_000),
        table_max_write_capacity_units: Some(40_000),
    };
    assert_eq!(limits, expected);
    let endpoints = world.call(DescribeEndpointsRequest {}).unwrap().endpoints;
    let address = "dynamodb.us-east-1.amazonaws.com".to_owned();
    assert_eq!(endpoints, [Endpoint { address, cache_period_in_minutes: 1440 }]);
}

//! Tags.

use super::*;

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/orders";

fn tag(key: &str, value: &str) -> Tag {
    Tag { key: key.to_owned(), value: value.to_owned() }
}

fn add(tags: Vec<Tag>) -> TagResourceInput {
    TagResourceInput { resource_arn: ARN.to_owned(), tags }
}

fn remove(keys: &[&str]) -> UntagResourceInput {
    let tag_keys = keys.iter().map(|key| (*key).to_owned()).collect();
    UntagResourceInput { resource_arn: ARN.to_owned(), tag_keys }
}

fn list(arn: &str) -> ListTagsOfResourceInput {
    ListTagsOfResourceInput { next_token: None, resource_arn: arn.to_owned() }
}

fn listed(world: &World) -> Vec<(String, String)> {
    let tags = world.call(list(ARN)).unwrap().tags.unwrap();
    tags.into_iter().map(|tag| (tag.key, tag.value)).collect()
}

fn world() -> World {
    let world = World::new();
    world.create(table("orders"));
    world
}

fn many(count: usize) -> Vec<Tag> {
    (0..count).map(|at| tag(&format!("key-{at}"), "value")).collect()
}

#[test]
fn tags_are_added_replaced_and_removed() {
    let world = world();
    world.call(add(vec![tag("env", "test"), tag("team", "")])).unwrap();
    world.call(add(vec![tag("env", "production")])).unwrap();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(listed(&world), [pair("env", "production"), pair("team", "")]);
    world.call(remove(&["team", "absent"])).unwrap();
    assert_eq!(listed(&world), [pair("env", "production")]);
}

#[test]
fn tags_come_with_the_table() {
    let world = World::new();
    world.create(CreateTableInput { tags: Some(vec![tag("env", "test")]), ..table("orders") });
    assert_eq!(listed(&world), [("env".to_owned(), "test".to_owned())]);
    world.create(CreateTableInput { tags: Some(Vec::new()), ..table("invoices") });
    let reserved = CreateTableInput { tags: Some(vec![tag("aws:x", "")]), ..table("others") };
    assert_eq!(
        world.refusal(reserved),
        "ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:x"
    );
}

#[test]
fn keys_and_values_have_a_length_and_an_alphabet() {
    let world = world();
    let checked = |tags| TableOperation::check(add(tags).into()).unwrap_err().to_string();
    let long = "k".repeat(129);
    assert_eq!(
        checked(vec![tag("good", ""), tag(&long, "")]),
        format!("ValidationException: The Tag Key provided is invalid, Key: {long}")
    );
    assert_eq!(checked(vec![tag("", "")]), "ValidationException: The Tag Key provided is invalid, Key: ");
    let long = "v".repeat(257);
    assert_eq!(
        checked(vec![tag("key", &long)]),
        format!("ValidationException: The Tag Value provided is invalid, Value: {long}")
    );
    for value in ["100%", "a,b", "(x)", "a&b", "a|b", "a\\b", "~a", "🔑", "a\tb"] {
        let text = format!("ValidationException: The Tag Value provided is invalid, Value: {value}");
        assert_eq!(world.refusal(add(vec![tag("key", value)])), text);
    }
    assert!(listed(&world).is_empty());
    let ends = vec![tag(&"k".repeat(128), &"v".repeat(256)), tag("ключ 表", "a+b-c=d.e_f:g/h@i")];
    world.call(add(ends)).unwrap();
    assert_eq!(listed(&world).len(), 2);
}

#[test]
fn keys_of_awss_own_are_refused() {
    for key in ["aws:zzz", "AWS:zzz"] {
        assert_eq!(
            world().refusal(add(vec![tag(key, "")])),
            format!("ValidationException: Tag Key cannot be prefixed with aws:, Key: {key}")
        );
    }
}

#[test]
fn a_request_names_tags_and_each_once() {
    let world = world();
    assert_eq!(
        world.refusal(add(Vec::new())),
        "ValidationException: Atleast one Tag needs to be provided as Input."
    );
    assert_eq!(
        world.refusal(remove(&[])),
        "ValidationException: Atleast one Tag Key needs to be provided as Input."
    );
    assert_eq!(
        world.refusal(add(vec![tag("dup", "1"), tag("dup", "2")])),
        "ValidationException: Duplicate Tag Keys provided as input: Duplicate Tag Key found dup"
    );
}

#[test]
fn a_resource_has_fifty_tags() {
    let world = world();
    let full = "ValidationException: Number of Tags exceed the current limit for the provided ResourceArn";
    assert_eq!(world.refusal(add(many(51))), full);
    world.call(add(many(50))).unwrap();
    assert_eq!(world.refusal(add(vec![tag("one-more", "")])), full);
    world.call(add(vec![tag("key-0", "changed")])).unwrap();
    let keys: Vec<String> = (0..51).map(|at| format!("key-{at}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    assert_eq!(world.refusal(remove(&keys)), full);
}

#[test]
fn resources_are_arns_of_tables() {
    let world = world();
    let refusal = |arn: &str| world.refusal(list(arn));
    assert_eq!(
        refusal("orders"),
        "ValidationException: Invalid TableArn: Invalid ResourceArn provided as input orders"
    );
    let queue = "arn:aws:sqs:us-east-1:000000000000:orders";
    assert_eq!(refusal(queue), invalid(&format!("Provided Arn is not a DynamoDB resource arn: {queue}")));
    let index = format!("{ARN}/index/by-a");
    assert_eq!(
        refusal(&index),
        invalid(&format!(
            "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {index}"
        ))
    );
    let abroad = "arn:aws:dynamodb:eu-west-2:000000000000:table/orders";
    assert_eq!(
        refusal(abroad),
        format!("ValidationException: Invalid TableArn: Invalid ResourceArn provided as input {abroad}")
    );
    let foreign = "arn:aws:dynamodb:us-east-1:111111111111:table/orders";
    assert_eq!(refusal(foreign), "AccessDeniedException: Access is denied");
}

#[test]
fn a_table_that_is_not_there_has_no_tags() {
    let world = World::new();
    assert_eq!(
        world.refusal(list(ARN)),
        format!(
            "AccessDeniedException: User: arn:aws:iam::000000000000:root is not authorized to perform: \
             dynamodb:ListTagsOfResource on resource: {ARN}"
        )
    );
    let not_found =
        format!("ResourceNotFoundException: Requested resource not found: ResourceArn: {ARN} not found");
    assert_eq!(world.refusal(add(vec![tag("key", "")])), not_found);
    assert_eq!(world.refusal(remove(&["key"])), not_found);
}

#[test]
fn tags_come_on_one_page() {
    let input = ListTagsOfResourceInput { next_token: Some("token".to_owned()), ..list(ARN) };
    assert_eq!(world().refusal(input), "ValidationException: Invalid NextToken");
}

//! `terraform show -json`: plans and states.

use expect_test::expect;

use super::shown;

const PLAN: &str = r#"{
"format_version": "1.2", "terraform_version": "1.9.0",
"planned_values": {"root_module": {
 "resources": [
  {"address": "aws_dynamodb_table.orders", "mode": "managed", "type": "aws_dynamodb_table", "name": "orders", "values": {
   "name": "orders", "hash_key": "pk", "range_key": "sk", "billing_mode": "PROVISIONED", "read_capacity": 5, "write_capacity": 4,
   "attribute": [{"name": "pk", "type": "S"}, {"name": "sk", "type": "S"}, {"name": "town", "type": "S"}, {"name": "zip", "type": "N"}],
   "global_secondary_index": [
    {"name": "Old", "hash_key": "sk", "range_key": null, "projection_type": "KEYS_ONLY", "non_key_attributes": null, "read_capacity": 2, "write_capacity": 1, "key_schema": []},
    {"name": "Multi", "hash_key": null, "range_key": null, "projection_type": "INCLUDE", "non_key_attributes": ["total"], "key_schema": [
      {"attribute_name": "town", "key_type": "HASH"}, {"attribute_name": "zip", "key_type": "RANGE"}]}],
   "local_secondary_index": [{"name": "Local", "range_key": "zip", "projection_type": "ALL", "non_key_attributes": null}],
   "ttl": [{"enabled": true, "attribute_name": "until"}], "stream_enabled": true, "stream_view_type": "KEYS_ONLY",
   "point_in_time_recovery": [{"enabled": true}], "table_class": "STANDARD_INFREQUENT_ACCESS", "deletion_protection_enabled": true,
   "replica": [{"region_name": "eu-west-1", "consistency_mode": "STRONG"}]}},
  {"address": "aws_dynamodb_table_item.first", "mode": "managed", "type": "aws_dynamodb_table_item", "name": "first", "values": {
   "table_name": "orders", "hash_key": "pk", "item": "{\"pk\":{\"S\":\"a\"},\"sk\":{\"S\":\"b\"}}"}},
  {"address": "aws_appautoscaling_target.reads", "mode": "managed", "type": "aws_appautoscaling_target", "name": "reads", "values": {
   "min_capacity": 5, "max_capacity": 50, "resource_id": "table/orders", "scalable_dimension": "dynamodb:table:ReadCapacityUnits", "service_namespace": "dynamodb"}},
  {"address": "aws_appautoscaling_policy.reads", "mode": "managed", "type": "aws_appautoscaling_policy", "name": "reads", "values": {
   "resource_id": "table/orders", "scalable_dimension": "dynamodb:table:ReadCapacityUnits", "policy_type": "TargetTrackingScaling",
   "target_tracking_scaling_policy_configuration": [{"target_value": 70, "disable_scale_in": null}]}}
 ],
 "child_modules": [{"address": "module.audit", "resources": [
  {"address": "module.audit.aws_dynamodb_table.log[\"eu\"]", "mode": "managed", "type": "aws_dynamodb_table", "name": "log", "index": "eu", "values": {
   "hash_key": "id", "billing_mode": "PAY_PER_REQUEST", "attribute": [{"name": "id", "type": "S"}], "read_capacity": null}},
  {"address": "module.audit.aws_dynamodb_vector_index.like", "mode": "managed", "type": "aws_dynamodb_vector_index", "name": "like", "values": {
   "index_name": "Like", "dimensions": 4, "distance_function": "COSINE", "vector_attribute": {"attribute_name": "v"},
   "projection": [{"projection_type": "ALL"}], "search_schema": [{"attribute_name": "id", "attribute_type": "S", "type": "HASH"}]}},
  {"address": "module.audit.aws_dynamodb_table_replica.far", "mode": "managed", "type": "aws_dynamodb_table_replica", "name": "far", "values": {}}
 ]}]}},
"resource_changes": [
 {"address": "module.audit.aws_dynamodb_table.log[\"eu\"]", "change": {"actions": ["create"], "after_unknown": {"name": true, "arn": true, "point_in_time_recovery": true}}},
 {"address": "module.audit.aws_dynamodb_vector_index.like", "change": {"actions": ["create"], "after_unknown": {"table_name": true}}},
 {"address": "module.audit.aws_dynamodb_table_replica.far", "change": {"actions": ["create"], "after_unknown": {"global_table_arn": true}}},
 {"address": "aws_dynamodb_table.old", "change": {"actions": ["delete"], "after_unknown": {}}}
],
"configuration": {"provider_config": {"aws.far": {"expressions": {"region": {"constant_value": "ap-south-1"}}}}, "root_module": {"module_calls": {"audit": {"module": {"resources": [
 {"address": "aws_dynamodb_table.log", "expressions": {"name": {"references": ["random_pet.n.id", "random_pet.n"]}, "hash_key": {"constant_value": "id"}}},
 {"address": "aws_dynamodb_vector_index.like", "expressions": {"table_name": {"references": ["aws_dynamodb_table.log[\"eu\"].id", "aws_dynamodb_table.log"]}}},
 {"address": "aws_dynamodb_table_replica.far", "provider_config_key": "aws.far", "expressions": {"global_table_arn": {"references": ["aws_dynamodb_table.log"]}}}
]}}}}}
}"#;

#[test]
fn a_plan_is_read_with_its_modules_and_separate_resources() {
    expect![[r#"
        orders (orders); pk | sk; pk:S sk:S town:S zip:N; provisioned 5r 4w; reads 5..50 at 70%; ttl=until; stream=KEYS_ONLY; recovery; protection; infrequent; replicas=eu-west-1 Some(Strong)
          Global Old; sk | ; keys; 2r 1w
          Global Multi; town | zip; [total]
          Local Local; pk | zip; all
          sample Attributes([("pk", S("a")), ("sk", S("b"))])
        log (log); id | ; id:S; on demand; replicas=ap-south-1 Some(Eventual)
          Vector Like; id | ; all; {"VectorAttribute":{"AttributeName":"v"},"SearchSchema":[{"AttributeName":"id","SearchSchemaElementType":"HASH"}],"DistanceFunction":"COSINE","Dimensions":4}
        note f:25:3: the name of table log is not known, so it is called log: it is known after the deployment
    "#]].assert_eq(&shown(PLAN, &[]));
}

#[test]
fn a_state_has_zeros_and_empty_texts_for_what_is_absent() {
    let state = r#"{"format_version": "1.0", "values": {"root_module": {"resources": [
  {"address": "aws_dynamodb_table.t", "mode": "managed", "type": "aws_dynamodb_table", "name": "t", "values": {
   "name": "t", "hash_key": "pk", "range_key": "", "billing_mode": "PAY_PER_REQUEST", "read_capacity": 0, "write_capacity": 0,
   "attribute": [{"name": "pk", "type": "S"}], "table_class": "", "stream_enabled": false, "stream_view_type": "",
   "global_secondary_index": [{"name": "I", "hash_key": "x", "range_key": "", "projection_type": "ALL", "non_key_attributes": [], "read_capacity": 0, "write_capacity": 0}],
   "ttl": [{"attribute_name": "", "enabled": false}], "point_in_time_recovery": [{"enabled": false}], "replica": []}},
  {"address": "data.aws_dynamodb_table.seen", "mode": "data", "type": "aws_dynamodb_table", "name": "seen", "values": {"name": "seen"}}
 ]}}}"#;
    expect![[r#"
        t (t); pk | ; pk:S; on demand
          Global I; x | ; all
    "#]]
    .assert_eq(&shown(state, &[]));
}

#[test]
fn a_key_that_is_known_later_is_a_problem_and_secrets_are_not_told() {
    let text = PLAN.replace("\"after_unknown\": {\"name\": true", "\"after_unknown\": {\"hash_key\": true");
    expect![[r#"
        problem f:26:16: hash_key is not known: it is known after the deployment
    "#]]
    .assert_eq(&shown(&text, &[]));
    let text = PLAN.replace("{\\\"pk\\\":{\\\"S\\\":\\\"a\\\"}", "hunter2 {");
    let told = shown(&text, &[]);
    assert!(told.contains("the item of aws_dynamodb_table_item.first is no item"), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
}

#[test]
fn other_versions_of_the_format_are_refused() {
    expect![[r#"
        problem f:1:1: format_version must be 1.x, as terraform 1.0 and later print it
    "#]]
    .assert_eq(&shown(r#"{"format_version": "2.0", "planned_values": {}}"#, &[]));
}

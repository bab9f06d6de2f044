//! Terraform's own language.

use expect_test::expect;

use super::{file, options, shown, shown_all};

const MAIN: &str = r#"
variable "stage" {
  default = "dev"
}
variable "units" {}
locals {
  name = "shop-${var.stage}"
  keys = { hash = "pk", range = "sk" }
}
provider "aws" {
  region = "us-east-1"
}
provider "aws" {
  alias  = "far"
  region = "eu-central-1"
}
resource "aws_dynamodb_table" "orders" {
  name           = "${local.name}-orders"
  hash_key       = local.keys.hash
  range_key      = local.keys["range"]
  billing_mode   = var.stage == "prod" ? "PROVISIONED" : "PAY_PER_REQUEST"
  read_capacity  = var.units
  write_capacity = var.units
  attribute {
    name = "pk"
    type = "S"
  }
  attribute {
    name = "sk"
    type = "S"
  }
  global_secondary_index {
    name            = "Back"
    hash_key        = "sk"
    projection_type = "KEYS_ONLY"
  }
  ttl {
    attribute_name = "until"
    enabled        = true
  }
  tags = merge(data.x.y.tags, { a = "b" })
  lifecycle { ignore_changes = [read_capacity] }
}
resource "aws_dynamodb_table_item" "one" {
  table_name = aws_dynamodb_table.orders.name
  hash_key   = aws_dynamodb_table.orders.hash_key
  item       = <<ITEM
{"pk": {"S": "${var.stage}"}, "n": {"N": "1"}}
ITEM
}
resource "aws_dynamodb_table_item" "two" {
  table_name = aws_dynamodb_table.orders.id
  item       = jsonencode({ pk = { S = "x" } })
}
resource "aws_dynamodb_table_replica" "far" {
  provider         = aws.far
  global_table_arn = aws_dynamodb_table.orders.arn
}
resource "aws_dynamodb_global_secondary_index" "by" {
  table_name = aws_dynamodb_table.orders.name
  index_name = "By"
  key_schema {
    attribute_name = "town"
    attribute_type = "S"
    key_type       = "HASH"
  }
  projection { projection_type = "ALL" }
}
resource "aws_appautoscaling_target" "reads" {
  resource_id        = "table/${aws_dynamodb_table.orders.name}"
  scalable_dimension = "dynamodb:table:ReadCapacityUnits"
  min_capacity       = 1
  max_capacity       = 9
}
resource "aws_appautoscaling_policy" "reads" {
  resource_id        = aws_appautoscaling_target.reads.resource_id
  scalable_dimension = aws_appautoscaling_target.reads.scalable_dimension
  target_tracking_scaling_policy_configuration {
    target_value = 75
  }
}
resource "aws_iam_role" "unrelated" {
  for_each = toset(["a"])
}
"#;

#[test]
fn literals_variables_locals_templates_and_references_are_read() {
    expect![[r#"
        shop-dev-orders (orders); pk | sk; pk:S sk:S town:S; on demand; reads 1..9 at 75%; ttl=until; replicas=eu-central-1 Some(Eventual)
          Global Back; sk | ; keys
          Global By; town | ; all
          sample Attributes([("n", N(1)), ("pk", S("dev"))])
          sample Attributes([("pk", S("x"))])
    "#]].assert_eq(&shown(MAIN, &[]));
    let files = [file("dir/main.tf", MAIN), file("dir/prod.tfvars", "stage = \"prod\"\nunits = 40\n")];
    expect![[r#"
        shop-prod-orders (orders); pk | sk; pk:S sk:S town:S; provisioned 40r 40w; reads 1..9 at 75%; ttl=until; replicas=eu-central-1 Some(Eventual)
          Global Back; sk | ; keys
          Global By; town | ; all
          sample Attributes([("n", N(1)), ("pk", S("prod"))])
          sample Attributes([("pk", S("x"))])
    "#]].assert_eq(&shown_all(&files, &options(&[])));
}

#[test]
fn what_terraform_writes_out_ends_with_its_command() {
    let text = r#"
module "tables" {
  source = "./tables"
}
resource "aws_dynamodb_table" "many" {
  for_each = var.names
  name     = each.key
}
resource "aws_dynamodb_table" "dyn" {
  name     = data.aws_ssm_parameter.name.value
  hash_key = "pk"
  dynamic "attribute" {
    for_each = ["pk"]
    content {
      name = attribute.value
      type = "S"
    }
  }
}
"#;
    expect![[r#"
        problem f:2:1: module tables is not written out here: run "terraform plan -out p && terraform show -json p > plan.json" and read plan.json instead
        problem f:6:3: for_each is not written out here: run "terraform plan -out p && terraform show -json p > plan.json" and read plan.json instead
        problem f:10:14: data.aws_ssm_parameter is not written out here: run "terraform plan -out p && terraform show -json p > plan.json" and read plan.json instead
        problem f:12:3: a dynamic block is not written out here: run "terraform plan -out p && terraform show -json p > plan.json" and read plan.json instead
    "#]].assert_eq(&shown(text, &[]));
}

#[test]
fn unknown_keys_are_problems_and_unknown_names_are_notes() {
    let text = r#"
variable "key" {}
resource "aws_dynamodb_table" "t" {
  name     = format("%s-t", "x")
  hash_key = var.key
  attribute {
    name = "pk"
    type = "S"
  }
}
"#;
    expect![[r#"
        problem f:5:14: hash_key is not known: variable key has no default; give --parameter key=VALUE, or a .tfvars file
    "#]].assert_eq(&shown(text, &[]));
    expect![[r#"
        t (t); pk | ; pk:S; provisioned ?
        note f:4:14: the name of table t is not known, so it is called t: the function format is left to Terraform: run "terraform plan -out p && terraform show -json p > plan.json" and read plan.json instead
    "#]].assert_eq(&shown(text, &[("key", "pk")]));
}

#[test]
fn a_count_of_one_or_none_is_read() {
    let text = "variable \"on\" {\n  default = false\n}\nresource \"aws_dynamodb_table\" \"t\" {\n  count = var.on ? 1 : 0\n  name = \"t\"\n  \
                hash_key = \"pk\"\n}\n";
    expect![[""]].assert_eq(&shown(text, &[]));
    expect![[r#"
        t (t); pk | ; ; provisioned ?
    "#]]
    .assert_eq(&shown(text, &[("on", "true")]));
}

#[test]
fn a_mistake_in_the_language_is_told_with_its_place() {
    expect![[r#"
        problem f:2:10: this is not Terraform's language: invalid expression; expected `"`, `[`, `{`, `-`, `!`, `(`, `_`, `<`, letter or digit
    "#]].assert_eq(&shown("resource \"aws_dynamodb_table\" \"t\" {\n  name = = 1\n}\n", &[]));
}

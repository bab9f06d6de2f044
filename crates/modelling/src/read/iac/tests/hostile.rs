//! Files that are made to take long, take much, or circle.

use std::fmt::Write as _;

use super::{file, options, shown, shown_all};
use crate::read::{Format, ReadOptions};

const TABLE: &str = "Type: AWS::DynamoDB::Table, Properties: {KeySchema: [{AttributeName: pk, KeyType: HASH}], AttributeDefinitions: \
                     [{AttributeName: pk, AttributeType: S}], BillingMode: PAY_PER_REQUEST";

#[test]
fn circles_of_references_and_conditions_end() {
    let text = format!(
        "Conditions: {{A: !Not [!Condition B], B: !Not [!Condition A]}}\nResources:\n  T: {{Condition: A, {TABLE}, TableName: !Sub \
         '${{U}}'}}}}\n  U: {{{TABLE}, TableName: !Sub 'x${{T}}'}}}}\n  V: {{{TABLE}, TableName: !Ref V}}}}\n"
    );
    let told = shown(&text, &[]);
    assert!(
        told.contains("refers to itself") && told.lines().any(|line| line.starts_with("V (V);")),
        "{told}"
    );
}

#[test]
fn names_that_double_end() {
    let mut text = "Resources:\n".to_owned();
    writeln!(text, "  T0: {{{TABLE}, TableName: aaaaaaaaaaaaaaaa}}}}").unwrap();
    for at in 1..60 {
        let below = at - 1;
        writeln!(text, "  T{at}: {{{TABLE}, TableName: !Sub '${{T{below}}}${{T{below}}}'}}}}").unwrap();
    }
    let told = shown(&text, &[]);
    assert!(told.len() < 4_000_000, "{} bytes", told.len());
}

#[test]
fn loops_of_loops_end() {
    let values = vec!["aaaaaaaaaaaaaaaaaaaa"; 200].join(",");
    let mut inner = "{'R${A}${B}${C}${D}': {Type: AWS::DynamoDB::Table}}".to_owned();
    for name in ["A", "B", "C", "D"] {
        inner = format!("{{'Fn::ForEach::{name}': [{name}, [{values}], {inner}]}}");
    }
    let text = format!("Transform: AWS::LanguageExtensions\nResources: {inner}\n");
    assert!(shown(&text, &[]).contains("too much work"));
}

#[test]
fn functions_with_wrong_arguments_are_told() {
    for function in [
        "!Sub",
        "!Sub [a]",
        "!Join x",
        "!Select [9, [a]]",
        "!Select [x, []]",
        "!Split ['', a]",
        "!FindInMap [a]",
        "!If [a]",
        "!GetAtt x",
        "!GetAtt [a]",
        "!Equals [a]",
        "!And x",
        "!Not []",
        "!Ref [a]",
        "!Cidr [a]",
        "!Sub '${', ",
        "!Length x",
        "!Transform {}",
    ] {
        let text = format!(
            "Resources:\n  T: {{Type: AWS::DynamoDB::Table, Properties: {{KeySchema: {function}}}}}\n"
        );
        assert!(shown(&text, &[]).starts_with("problem f:"), "{function}: {}", shown(&text, &[]));
    }
}

#[test]
fn deep_values_are_refused() {
    let deep = format!("{}x{}", "[".repeat(90), "]".repeat(90));
    shown(
        &format!("Resources: {{T: {{Type: AWS::DynamoDB::Table, Properties: {{KeySchema: {deep}}}}}}}"),
        &[],
    );
    let deep = format!("{}x{}", "!Not [".repeat(90), "]".repeat(90));
    shown(&format!("Conditions: {{A: {deep}}}\nResources: {{T: {{Condition: A, {TABLE}}}}}}}"), &[]);
}

#[test]
fn variables_of_a_service_that_circle_or_double_end() {
    let service = |custom: &str| {
        format!(
            "service: s\ncustom: {custom}\nresources: {{Resources: {{T: {{{TABLE}, TableName: '${{self:custom.a}}'}}}}}}}}\n"
        )
    };
    let circle = shown(&service("{a: '${self:custom.b}', b: 'x${self:custom.a}'}"), &[]);
    assert!(circle.contains("refers to itself"), "{circle}");
    let mut doubling = "{".to_owned();
    for (at, name) in ('a'..='z').enumerate() {
        let next = char::from(b'a' + u8::try_from(at + 1).unwrap());
        write!(doubling, "{name}: '${{self:custom.{next}}}${{self:custom.{next}}}', ").unwrap();
    }
    doubling.push_str("'{': end}");
    shown(&service(&doubling), &[]);
    for odd in [
        "${",
        "${self:",
        "${:}",
        "${file(}",
        "${file()}",
        "${opt:}",
        "${self:a,}",
        "${,}",
        "${a(b}",
        "}${",
        "${strToBool()}",
        "${self:}",
    ] {
        shown(&service(&format!("{{a: '{odd}'}}")), &[]);
    }
}

#[test]
fn terraform_that_circles_or_doubles_ends() {
    let mut text = "locals {\n  a = local.b\n  b = local.a\n  d0 = \"xxxxxxxxxxxxxxxx\"\n".to_owned();
    for at in 1..40 {
        writeln!(text, "  d{at} = \"${{local.d{0}}}${{local.d{0}}}\"", at - 1).unwrap();
    }
    text.push_str(
        "}\nresource \"aws_dynamodb_table\" \"t\" {\n  name = local.d39\n  hash_key = local.a\n}\n",
    );
    assert!(shown(&text, &[]).contains("refers to itself"));
    let deep = format!(
        "resource \"aws_dynamodb_table\" \"t\" {{\n  name = {}1{}\n}}\n",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert!(shown(&deep, &[]).starts_with("problem f:"));
}

#[test]
fn prefixes_of_every_kind_of_file_never_panic() {
    let kinds = [
        (Format::CloudFormation, format!("Resources:\n  T: {{{TABLE}, TableName: !Sub ['${{a}}', {{a: !Ref b}}]}}}}\n")),
        (Format::CloudFormation, "service: s\nresources: {Resources: {T: {Type: '${self:service}'}}}\n".to_owned()),
        (Format::TerraformJson, r#"{"format_version":"1.0","values":{"root_module":{"resources":[{"address":"a.b[\"","mode":"managed","type":"aws_dynamodb_table","name":"b","values":{"name":1,"hash_key":[],"replica":{},"ttl":[1]}}]}}}"#.to_owned()),
        (Format::TerraformHcl, "resource \"aws_dynamodb_table\" \"t\" {\n  name = \"${var.x}é\"\n  hash_key = a.b[0].*.c\n}\n".to_owned()),
        (Format::DescribeTable, r#"{"Table":{"TableName":"t","KeySchema":[{"AttributeName":1}],"ItemCount":"x","Replicas":[null]}}"#.to_owned()),
    ];
    for (format, text) in kinds {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let options = ReadOptions { format: Some(format), ..options(&[]) };
            shown_all(&[file("f", &text[..end])], &options);
        }
    }
}

//! Service files of the Serverless Framework.

use expect_test::expect;

use super::{file, options, shown, shown_all};
use crate::read::{ReadOptions, iac};

const SERVICE: &str = r"
service: shop
params:
  prod: {units: 50}
  default: {units: 5}
provider:
  name: aws
  stage: ${opt:stage, 'dev'}
  region: ${env:REGION, 'eu-west-1'}
custom:
  names: {dev: orders-dev, prod: orders}
  key: {name: pk, type: S}
  recover: ${strToBool(${param:recover, 'false'})}
resources:
  - Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: ${self:custom.names.${sls:stage}, 'orders-${sls:stage}'}
          KeySchema: [{AttributeName: '${self:custom.key.name}', KeyType: HASH}]
          AttributeDefinitions:
            - AttributeName: ${self:custom.key.name}
              AttributeType: ${self:custom.key.type}
          ProvisionedThroughput: {ReadCapacityUnits: '${param:units}', WriteCapacityUnits: '${param:units}'}
          PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: '${self:custom.recover}'}
  - Resources:
      Audit:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: !Sub '${AWS::StackName}-${AWS::Region}-audit'
          BillingMode: PAY_PER_REQUEST
          KeySchema: [{AttributeName: id, KeyType: HASH}]
          AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
";

#[test]
fn variables_are_resolved_from_the_file_and_from_what_is_given() {
    expect![[r#"
        orders-dev (Orders); pk | ; pk:S; provisioned 5r 5w
        shop-dev-eu-west-1-audit (Audit); id | ; id:S; on demand
    "#]]
    .assert_eq(&shown(SERVICE, &[]));
    expect![[r#"
        orders (Orders); pk | ; pk:S; provisioned 50r 50w; recovery
        shop-prod-us-east-2-audit (Audit); id | ; id:S; on demand
    "#]]
    .assert_eq(&shown(SERVICE, &[("stage", "prod"), ("env:REGION", "us-east-2"), ("recover", "true")]));
    assert!(shown(SERVICE, &[("opt:stage", "eu")]).starts_with("orders-eu (Orders)"));
}

#[test]
fn what_a_deployment_tells_stays_unknown() {
    let text = r"
service: s
resources:
  Resources:
    T:
      Type: AWS::DynamoDB::Table
      Properties:
        TableName: ${cf:other.Name}
        KeySchema: [{AttributeName: '${ssm:/key}', KeyType: HASH}]
        AttributeDefinitions: [{AttributeName: pk, AttributeType: '${opt:kind}'}]
";
    expect![[r#"
        problem f:9:37: AttributeName is not known: ${ssm:..} is resolved at deployment
        problem f:10:67: AttributeType is not known: ${opt:kind} is not given; give --parameter kind=VALUE
    "#]]
    .assert_eq(&shown(text, &[]));
    let named = text.replace("${ssm:/key}", "pk");
    expect![[r#"
        T (T); pk | ; pk:N; provisioned ?
        note f:8:20: the name of table T is not known, so it is called T: ${cf:..} is resolved at deployment
    "#]]
    .assert_eq(&shown(&named, &[("kind", "N")]));
}

#[test]
fn files_that_a_service_includes_are_part_of_it() {
    let service = file(
        "app/serverless.yml",
        "service: s\ncustom: ${file(./config.yml):dev}\nresources:\n  - ${file(tables/orders.yml)}\n",
    );
    let tables = file(
        "app/tables/orders.yml",
        "Resources:\n  Orders:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: ${self:custom.name}\n      \
         BillingMode: PAY_PER_REQUEST\n      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n      \
         AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n",
    );
    let config = file("app/config.yml", "dev: {name: orders-dev}\n");
    assert_eq!(iac::includes(&service, &options(&[])), ["tables/orders.yml"]);
    let some = ReadOptions { included: vec![tables.clone()], ..ReadOptions::default() };
    assert_eq!(iac::includes(&service, &some), ["./config.yml"], "what is included may need another file");
    let given = ReadOptions { included: vec![config.clone(), tables.clone()], ..ReadOptions::default() };
    let expected = expect![[r#"
        orders-dev (Orders); pk | ; pk:S; on demand
    "#]];
    expected.assert_eq(&shown_all(std::slice::from_ref(&service), &given));
    // A part that is given as a file of its own is not read twice.
    let beside = ReadOptions { included: vec![config], ..ReadOptions::default() };
    expected.assert_eq(&shown_all(&[service.clone(), tables], &beside));
    expect![[r#"
        problem app/serverless.yml:4:5: resources are not known: app/tables/orders.yml is not among the files that were given
    "#]]
    .assert_eq(&shown_all(&[service], &options(&[])));
}

#[test]
fn functions_that_read_a_stream_are_its_consumers() {
    let text = r"
service: s
functions:
  feed: {handler: a.b, events: [{stream: {type: dynamodb, arn: !GetAtt T.StreamArn}}, {http: GET /}]}
  audit: {handler: a.c, events: [{stream: {Fn::GetAtt: [T, StreamArn]}}]}
resources:
  Resources:
    T:
      Type: AWS::DynamoDB::Table
      Properties:
        BillingMode: PAY_PER_REQUEST
        KeySchema: [{AttributeName: pk, KeyType: HASH}]
        AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
        StreamSpecification: {StreamViewType: KEYS_ONLY}
";
    expect![[r#"
        T (T); pk | ; pk:S; on demand; stream=KEYS_ONLY; consumers=2
    "#]]
    .assert_eq(&shown(text, &[]));
}

#[test]
fn code_is_not_run() {
    let text = "service: s\nresources:\n  - ${file(tables.js)}\n";
    expect![[r#"
        problem f:3:5: resources are not known: tables.js is code, and is not run
    "#]]
    .assert_eq(&shown(text, &[]));
}

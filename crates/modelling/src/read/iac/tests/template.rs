//! CloudFormation, SAM and what the CDK writes.

use expect_test::expect;

use super::shown;

/// A template around one table's properties.
fn table(properties: &str) -> String {
    let indented = format!("      {}\n", properties.trim_end().replace('\n', "\n      "));
    format!("Resources:\n  Orders:\n    Type: AWS::DynamoDB::Table\n    Properties:\n{indented}")
}

const KEYED: &str = "KeySchema: [{AttributeName: pk, KeyType: HASH}]
AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
";

#[test]
fn a_table_says_everything_it_has() {
    let text = table(
        "TableName: orders
KeySchema:
- {AttributeName: customer, KeyType: HASH}
- {AttributeName: placed, KeyType: RANGE}
AttributeDefinitions:
- {AttributeName: customer, AttributeType: S}
- {AttributeName: placed, AttributeType: N}
- {AttributeName: spare, AttributeType: B}
ProvisionedThroughput: {ReadCapacityUnits: \"5\", WriteCapacityUnits: 2}
GlobalSecondaryIndexes:
- IndexName: ByPlace
  KeySchema:
  - {AttributeName: country, KeyType: HASH}
  - {AttributeName: town, KeyType: HASH}
  - {AttributeName: placed, KeyType: RANGE}
  - {AttributeName: total, KeyType: RANGE}
  Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [total, state]}
  ProvisionedThroughput: {ReadCapacityUnits: '7', WriteCapacityUnits: '3'}
LocalSecondaryIndexes:
- IndexName: ByTotal
  KeySchema: [{AttributeName: customer, KeyType: HASH}, {AttributeName: total, KeyType: RANGE}]
  Projection: {ProjectionType: KEYS_ONLY}
VectorIndexes:
- IndexName: Like
  VectorAttribute: {AttributeName: meaning}
  Dimensions: '8'
  DistanceFunction: COSINE
  SearchSchema:
  - {AttributeName: country, SearchSchemaElementType: HASH}
  - {AttributeName: state, SearchSchemaElementType: INLINE_FILTER}
  Projection: {ProjectionType: ALL}
TimeToLiveSpecification: {Enabled: true, AttributeName: until}
StreamSpecification: {StreamViewType: NEW_IMAGE}
PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: 'true'}
TableClass: STANDARD_INFREQUENT_ACCESS
DeletionProtectionEnabled: true
Tags: [{Key: a, Value: b}]",
    );
    expect![[r#"
        orders (Orders); customer | placed; customer:S placed:N spare:B; provisioned 5r 2w; ttl=until; stream=NEW_IMAGE; recovery; protection; infrequent
          Global ByPlace; country town | placed total; [total state]; 7r 3w
          Local ByTotal; customer | total; keys
          Vector Like; country | ; all; {"VectorAttribute":{"AttributeName":"meaning"},"SearchSchema":[{"AttributeName":"country","SearchSchemaElementType":"HASH"},{"AttributeName":"state","SearchSchemaElementType":"INLINE_FILTER"}],"DistanceFunction":"COSINE","Dimensions":8}
    "#]]
    .assert_eq(&shown(&text, &[]));
}

#[test]
fn absent_billing_is_provisioned_and_an_absent_name_is_the_logical_id() {
    expect![[r#"
        Orders (Orders); pk | ; pk:S; provisioned ?
    "#]]
    .assert_eq(&shown(&table(KEYED), &[]));
}

#[test]
fn very_old_templates_write_keys_as_an_object() {
    let text = table(
        "KeySchema:
  HashKeyElement: {AttributeName: who, AttributeType: S}
  RangeKeyElement: {AttributeName: at, AttributeType: N}
ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 1}",
    );
    expect![[r#"
        Orders (Orders); who | at; at:N who:S; provisioned 1r 1w
    "#]]
    .assert_eq(&shown(&text, &[]));
}

#[test]
fn a_misspelt_property_is_noted_with_the_nearest_one() {
    let text = table(&format!("{KEYED}BilingMode: PAY_PER_REQUEST"));
    expect![[r#"
        Orders (Orders); pk | ; pk:S; provisioned ?
        note f:7:19: property BilingMode is not known; did you mean BillingMode?
    "#]]
    .assert_eq(&shown(&text, &[]));
}

const FUNCTIONS: &str = r#"
Parameters:
  Stage: {Type: String, Default: dev}
  Names: {Type: CommaDelimitedList, Default: "pk, sk"}
Mappings:
  Units: {dev: {Read: 1}, prod: {Read: 50}}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
  IsEurope: !Equals [!Select [0, !Split ["-", !Ref AWS::Region]], eu]
  Guarded: !And [!Condition IsProd, !Not [!Condition IsEurope]]
  Either: !Or [!Condition IsProd, !Condition IsEurope]
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub ["${Stage}-${What}-${!literal}", {What: !Join ["_", [a, b]]}]
      KeySchema:
        - {AttributeName: !Select [0, !Ref Names], KeyType: HASH}
        - !If [IsProd, {AttributeName: !Select ["1", !Ref Names], KeyType: RANGE}, !Ref AWS::NoValue]
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      BillingMode: !If [Either, PROVISIONED, PAY_PER_REQUEST]
      ProvisionedThroughput:
        Fn::If:
          - Either
          - ReadCapacityUnits: !FindInMap [Units, !Ref Stage, Read]
            WriteCapacityUnits: 1
          - Ref: AWS::NoValue
      DeletionProtectionEnabled: !If [Guarded, true, false]
  Gone:
    Type: AWS::DynamoDB::Table
    Condition: IsEurope
    Properties: {KeySchema: [{AttributeName: pk, KeyType: HASH}]}
"#;

#[test]
fn functions_are_answered_offline() {
    expect![[r#"
        dev-a_b-${literal} (Orders); pk | ; pk:S; on demand
    "#]]
    .assert_eq(&shown(FUNCTIONS, &[]));
}

#[test]
fn parameters_decide_conditions() {
    expect![[r#"
        prod-a_b-${literal} (Orders); pk | sk; pk:S; provisioned 50r 1w; protection
    "#]]
    .assert_eq(&shown(FUNCTIONS, &[("Stage", "prod")]));
    let europe = shown(FUNCTIONS, &[("Stage", "prod"), ("AWS::Region", "eu-west-1")]);
    assert!(europe.contains("\nGone (Gone); pk | ;") && !europe.contains("protection"), "{europe}");
}

#[test]
fn merge_keys_and_anchors_are_yaml() {
    let text = "
Resources:
  A:
    Type: AWS::DynamoDB::Table
    Properties: &base
      TableName: a
      BillingMode: PAY_PER_REQUEST
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
  B:
    Type: AWS::DynamoDB::Table
    Properties:
      <<: *base
      TableName: b
";
    expect![[r#"
        a (A); pk | ; pk:S; on demand
        b (B); pk | ; pk:S; on demand
    "#]]
    .assert_eq(&shown(text, &[]));
}

#[test]
fn loops_are_written_out_with_their_transform() {
    let text = r#"
Transform: [AWS::LanguageExtensions]
Parameters:
  Kinds: {Type: CommaDelimitedList, Default: "users,blog-posts"}
Resources:
  Fn::ForEach::Tables:
    - Kind
    - !Ref Kinds
    - "&{Kind}Table":
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: !Sub "shop-${Kind}"
          BillingMode: PAY_PER_REQUEST
          KeySchema: [{AttributeName: !Ref Kind, KeyType: HASH}]
          AttributeDefinitions: [{AttributeName: !Ref Kind, AttributeType: S}]
"#;
    expect![[r#"
        shop-users (usersTable); users | ; users:S; on demand
        shop-blog-posts (blogpostsTable); blog-posts | ; blog-posts:S; on demand
    "#]]
    .assert_eq(&shown(text, &[]));
    let without = text.replace("Transform: [AWS::LanguageExtensions]", "Description: none");
    expect![[r#"
        note f:7:5: Fn::ForEach::Tables is left out: it needs the transform AWS::LanguageExtensions
    "#]]
    .assert_eq(&shown(&without, &[]));
}

#[test]
fn what_cannot_be_known_is_judged_by_what_it_is_for() {
    let text = table(
        "TableName: !ImportValue shared-name
BillingMode: PROVISIONED
ProvisionedThroughput: {ReadCapacityUnits: '{{resolve:ssm:units}}', WriteCapacityUnits: 1}
KeySchema: [{AttributeName: pk, KeyType: HASH}]
AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]",
    );
    expect![[r#"
        Orders (Orders); pk | ; pk:S; provisioned ?
        note f:7:50: ReadCapacityUnits is not known: a dynamic reference is resolved at deployment
        note f:5:18: the name of table Orders is not known, so it is called Orders: Fn::ImportValue is answered at deployment
    "#]]
    .assert_eq(&shown(&text, &[]));
    let text = table(
        "KeySchema:
- {AttributeName: !GetAtt Other.Key, KeyType: HASH}
AttributeDefinitions:
- {AttributeName: pk, AttributeType: !Ref Kind}
GlobalSecondaryIndexes:
- IndexName: I
  KeySchema: [{AttributeName: x, KeyType: HASH}]
  Projection: {ProjectionType: !ImportValue p}",
    );
    expect![[r#"
        problem f:6:25: AttributeName is not known: attribute Key of Other is known at deployment
        problem f:8:44: AttributeType is not known: Kind is neither a parameter nor a resource of this file
        problem f:12:38: ProjectionType is not known: Fn::ImportValue is answered at deployment
    "#]]
    .assert_eq(&shown(&text, &[]));
}

#[test]
fn an_open_condition_asks_for_its_parameter_or_takes_what_is_there() {
    let text = r"
Parameters: {Stage: {Type: String}}
Conditions: {IsProd: !Equals [!Ref Stage, prod]}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Condition: IsProd
    Properties:
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      BillingMode: !If [IsProd, PROVISIONED, PAY_PER_REQUEST]
      TableClass: !If [IsProd, STANDARD, STANDARD]
      TimeToLiveSpecification: !If [IsProd, {Enabled: true, AttributeName: until}, !Ref AWS::NoValue]
";
    expect![[r#"
        Orders (Orders); pk | ; pk:S; billing?; ttl=until
        note f:7:16: Orders is taken as made, though its condition is open: parameter Stage has no default; give --parameter Stage=VALUE
        note f:11:20: the billing mode is not known: condition IsProd is open: parameter Stage has no default; give --parameter Stage=VALUE
        note f:13:32: condition IsProd is open, and what depends on it is taken as there: parameter Stage has no default; give --parameter Stage=VALUE
    "#]]
    .assert_eq(&shown(text, &[]));
    let open_key = text.replace("AttributeName: pk, KeyType", "AttributeName: !If [IsProd, a, b], KeyType");
    assert!(shown(&open_key, &[]).starts_with(
        "problem f:9:35: AttributeName is not known: condition IsProd is open: parameter Stage has no default; give --parameter"
    ));
    assert!(shown(&open_key, &[("Stage", "prod")]).starts_with("Orders (Orders); a | ;"));
}

#[test]
fn scaling_finds_its_table_through_functions() {
    let text = format!(
        "{}{}",
        table(&format!("TableName: !Sub \"${{AWS::StackName}}-orders\"\n{KEYED}ProvisionedThroughput: {{ReadCapacityUnits: 5, WriteCapacityUnits: 5}}
GlobalSecondaryIndexes:
- {{IndexName: I, KeySchema: [{{AttributeName: x, KeyType: HASH}}], Projection: {{ProjectionType: ALL}}}}")),
        r#"  Reads:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      ServiceNamespace: dynamodb
      ResourceId: !Join ["/", [table, !Ref Orders]]
      ScalableDimension: dynamodb:table:ReadCapacityUnits
      MinCapacity: "5"
      MaxCapacity: 100
  ReadsPolicy:
    Type: AWS::ApplicationAutoScaling::ScalingPolicy
    Properties:
      PolicyType: TargetTrackingScaling
      ScalingTargetId: !Ref Reads
      TargetTrackingScalingPolicyConfiguration: {TargetValue: 70.0, DisableScaleIn: true}
  IndexWrites:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      ResourceId: !Sub "table/${Orders}/index/I"
      ScalableDimension: dynamodb:index:WriteCapacityUnits
      MinCapacity: 1
      MaxCapacity: 10
  IndexPolicy:
    Type: AWS::ApplicationAutoScaling::ScalingPolicy
    Properties:
      ResourceId: !Sub "table/${Orders}/index/I"
      ScalableDimension: dynamodb:index:WriteCapacityUnits
      TargetTrackingScalingPolicyConfiguration: {TargetValue: 50}
  Unused:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties: {ResourceId: !Sub "table/${Orders}", ScalableDimension: "dynamodb:table:WriteCapacityUnits", MinCapacity: 1, MaxCapacity: 2}
"#
    );
    expect![[r#"
        stack-orders (Orders); pk | ; pk:S; provisioned 5r 5w; reads 5..100 at 70% up only
          Global I; x | ; all; writes 1..10 at 50%
        note f:5:18: the name of table Orders has a stand-in for AWS::StackName; give --parameter AWS::StackName=VALUE
        note f:40:17: Unused has no target-tracking policy: it does not scale
    "#]]
    .assert_eq(&shown(&text, &[]));
}

#[test]
fn a_global_table_is_read_as_its_stacks_region_sees_it() {
    let text = r"
Resources:
  Orders:
    Type: AWS::DynamoDB::GlobalTable
    Properties:
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      MultiRegionConsistency: STRONG
      GlobalTableWitnesses: [{Region: us-west-2}]
      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
      WriteProvisionedThroughputSettings:
        WriteCapacityAutoScalingSettings:
          MinCapacity: 3
          MaxCapacity: 30
          SeedCapacity: 9
          TargetTrackingScalingPolicyConfiguration: {TargetValue: 60, DisableScaleIn: false}
      GlobalSecondaryIndexes:
        - IndexName: I
          KeySchema: [{AttributeName: x, KeyType: HASH}]
          Projection: {ProjectionType: KEYS_ONLY}
          WriteProvisionedThroughputSettings:
            WriteCapacityAutoScalingSettings: {MinCapacity: 1, MaxCapacity: 2, TargetTrackingScalingPolicyConfiguration: {TargetValue: 70}}
      Replicas:
        - Region: us-east-1
          ReadProvisionedThroughputSettings: {ReadCapacityUnits: 4}
        - Region: eu-west-1
          PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
          TableClass: STANDARD_INFREQUENT_ACCESS
          ReadProvisionedThroughputSettings: {ReadCapacityUnits: 8}
          GlobalSecondaryIndexes: [{IndexName: I, ReadProvisionedThroughputSettings: {ReadCapacityUnits: 6}}]
";
    expect![[r#"
        Orders (Orders); pk | ; pk:S; provisioned 4r 9w; writes 3..30 at 60%; stream=NEW_AND_OLD_IMAGES; replicas=eu-west-1 Some(Strong)
          Global I; x | ; keys; writes 1..2 at 70%
    "#]]
    .assert_eq(&shown(text, &[]));
    expect![[r#"
        Orders (Orders); pk | ; pk:S; provisioned 8r 9w; writes 3..30 at 60%; stream=NEW_AND_OLD_IMAGES; recovery; infrequent; replicas=us-east-1 Some(Strong)
          Global I; x | ; keys; 6r 1w; writes 1..2 at 70%
    "#]]
    .assert_eq(&shown(text, &[("AWS::Region", "eu-west-1")]));
    assert!(
        shown(text, &[("AWS::Region", "ap-south-1")])
            .contains("no replica of Orders is in the stack's region")
    );
}

#[test]
fn a_simple_table_is_on_demand_and_merges_globals() {
    let text = r"
Transform: AWS::Serverless-2016-10-31
Globals:
  SimpleTable: {PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}}
Resources:
  Bare: {Type: AWS::Serverless::SimpleTable}
  Counted:
    Type: AWS::Serverless::SimpleTable
    Properties:
      TableName: counted
      PrimaryKey: {Name: number, Type: Number}
      ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}
";
    expect![[r#"
        Bare (Bare); id | ; id:S; on demand; recovery
        counted (Counted); number | ; number:N; provisioned 5r 5w; recovery
    "#]]
    .assert_eq(&shown(text, &[]));
}

#[test]
fn what_the_cdk_writes_is_json_with_hashed_ids() {
    let text = r#"{
 "Resources": {
  "OrdersTable0F6A9BC3": {"Type": "AWS::DynamoDB::Table", "UpdateReplacePolicy": "Retain", "Properties": {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
    "BillingMode": "PAY_PER_REQUEST"}, "Metadata": {"aws:cdk:path": "S/OrdersTable/Resource"}},
  "OrdersReplica1234ABCD": {"Type": "Custom::DynamoDBReplica", "Properties": {
    "ServiceToken": {"Fn::GetAtt": ["Provider", "Outputs.x"]}, "TableName": {"Ref": "OrdersTable0F6A9BC3"}, "Region": "eu-west-1"}},
  "Feed": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {
    "EventSourceArn": {"Fn::GetAtt": ["OrdersTable0F6A9BC3", "StreamArn"]}, "FunctionName": {"Ref": "Fn"}}}
 },
 "Parameters": {"BootstrapVersion": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/cdk-bootstrap/x/version"}},
 "Rules": {"CheckBootstrapVersion": {"Assertions": []}}
}"#;
    expect![[r#"
        OrdersTable0F6A9BC3 (OrdersTable0F6A9BC3); pk | ; pk:S; on demand; stream=NEW_AND_OLD_IMAGES; consumers=1; replicas=eu-west-1 Some(Eventual)
    "#]]
    .assert_eq(&shown(text, &[]));
}

#[test]
fn stacks_within_a_stack_are_told() {
    let text = "Resources:\n  Inner:\n    Type: AWS::CloudFormation::Stack\n    Properties: {TemplateURL: inner.yaml}\n";
    expect![[r#"
        note f:3:5: Inner is a stack of its own: give its template too if it has tables
    "#]]
    .assert_eq(&shown(text, &[]));
}

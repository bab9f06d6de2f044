#![expect(clippy::needless_pass_by_value, reason = "an expectation is made where it is given")]

use expect_test::{Expect, expect};
use serde_json::Value;

use super::parse;

fn read(line: &str, expect: Expect) {
    let text = match parse(line) {
        Ok(sent) => {
            let request = sent.request.map_or(Value::Null, Value::Object);
            let notes: String =
                sent.notes.into_iter().fold(String::new(), |all, note| all + "\nnote: " + &note);
            format!("{} {request}{notes}", sent.operation.name())
        }
        Err(message) => format!("error: {message}"),
    };
    expect.assert_eq(&text);
}

#[test]
fn quotes_globals_and_flags_are_those_of_the_cli() {
    read(
        r#"aws --region eu-west-1 dynamodb query --table-name "My \"T\"" --key-condition-expression 'pk = :p AND begins_with(sk, :o)' \
           --expression-attribute-values '{":p":{"S":"READER#r1"},":o":{"S":"ORDER#"}}' --no-scan-index-forward --limit=20 --query 'Items[0]' --no-cli-pager"#,
        expect![[
            r#"Query {"TableName":"My \"T\"","KeyConditionExpression":"pk = :p AND begins_with(sk, :o)","ExpressionAttributeValues":{":p":{"S":"READER#r1"},":o":{"S":"ORDER#"}},"ScanIndexForward":false,"Limit":20}"#
        ]],
    );
}

#[test]
fn shorthand_is_read() {
    read(
        "aws dynamodb get-item --table-name T --key id={S=b1},n={N=5} --consistent-read",
        expect![[r#"GetItem {"TableName":"T","Key":{"id":{"S":"b1"},"n":{"N":"5"}},"ConsistentRead":true}"#]],
    );
    read(
        "aws dynamodb batch-get-item --request-items 'T={Keys=[{id={S=a}},{id={S=\"b, c\"}}]}'",
        expect![[r#"BatchGetItem {"RequestItems":{"T":{"Keys":[{"id":{"S":"a"}},{"id":{"S":"b, c"}}]}}}"#]],
    );
    read(
        "aws dynamodb get-item --key id={S=b1",
        expect!["error: --key: expected } at character 9 of the shorthand"],
    );
    read(
        "aws dynamodb get-item --key =",
        expect!["error: --key: expected a name and = at character 1 of the shorthand"],
    );
}

#[test]
fn input_in_json_gives_way_to_options() {
    read(
        r#"aws dynamodb scan --cli-input-json '{"TableName":"A","Limit":5}' --table-name B"#,
        expect![[r#"Scan {"TableName":"B","Limit":5}"#]],
    );
}

#[test]
fn braces_and_python_are_tolerated() {
    read(
        r#"aws dynamodb put-item --table-name T --item '{"a":{"S":"{x}"},"b":{"BOOL":True},"n":{"N":5}}'"#,
        expect![[r#"
        PutItem {"TableName":"T","Item":{"a":{"S":"{{x}}"},"b":{"BOOL":true},"n":{"N":"5"}}}
        note: --item is Python, not JSON; True and False are taken as true and false"#]],
    );
}

#[test]
fn what_the_client_does_is_told() {
    read(
        "aws dynamodb scan --table-name T --max-items 10",
        expect![[r#"
        Scan {"TableName":"T"}
        note: --max-items 10 cuts off at the client: the server still reads a full page; --limit bounds what is read"#]],
    );
    read(
        "aws dynamodb scan --table-name T | jq .",
        expect![[r#"
        Scan null
        note: the command has "|", so it is more than one call; its request is not read"#]],
    );
    read(
        "aws dynamodb put-item --table-name T --item file://item.json",
        expect![[r"
        PutItem null
        note: --item file://item.json is another file, so the request is not read"]],
    );
}

#[test]
fn mistakes_are_told() {
    for line in [
        "ls",
        "aws s3 ls",
        "aws dynamodb",
        "aws dynamodb get-itm",
        "aws dynamodb scan --tabel-name T",
        "aws dynamodb scan --table-name",
        "aws dynamodb scan --table-name 'T",
        "aws dynamodb scan --limit x",
        "aws dynamodb scan T",
        "aws dynamodb get-item --key '{\"a\": '",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
    read(
        "aws dynamodb get-itm",
        expect![[r#"error: "get-itm" is no operation on items; did you mean get-item?"#]],
    );
    read(
        "aws dynamodb scan --tabel-name T",
        expect!["error: --tabel-name is no option that is known; did you mean --table-name?"],
    );
    read(
        "aws dynamodb get-item --key '{\"a\": '",
        expect![
            "error: --key: this is no YAML: while parsing a node, did not find expected node content at character 1"
        ],
    );
}

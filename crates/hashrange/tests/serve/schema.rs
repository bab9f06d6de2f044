//! A running server as the source of a model.

use super::{Server, hashrange};

#[test]
fn the_tables_of_a_running_server_become_a_model() {
    let server = Server::start(&["--in-memory"]);
    for name in ["shop", "stock"] {
        let table = format!(
            r#"{{"TableName":"{name}","BillingMode":"PAY_PER_REQUEST","KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],
            "AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}]}}"#
        );
        assert_eq!(server.call("CreateTable", &table).0, 200);
    }
    let expiry = r#"{"TableName":"shop","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"until"}}"#;
    assert_eq!(server.call("UpdateTimeToLive", expiry).0, 200);
    let endpoint = format!("http://{}", server.addr());
    let mut convert = hashrange(&["model", "convert", &endpoint, "--to", "yaml"]);
    let output = convert.output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("shop:") && text.contains("stock:") && text.contains("ttl: until"), "{text}");
    let output = convert.env("AWS_REGION", "eu-west-1").output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("has no tables in region eu-west-1") && text.contains("AWS_REGION"), "{text}");
    assert_eq!(server.stop("-TERM"), Some(0));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let output = hashrange(&["model", "check", "http://127.0.0.1:1"]).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("http://127.0.0.1:1"), "{text}");
}

/// What a command that must fail with exit code 2 says.
fn refused(arguments: &[&str]) -> String {
    let output = hashrange(&["model"]).args(arguments).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_file_that_is_not_there_names_what_to_do() {
    for command in ["check", "test", "cost", "draw", "convert", "load"] {
        let text = refused(&[command, "nowhere.yaml"]);
        assert!(text.contains("there is no such file") && text.contains("hashrange model init"), "{text}");
    }
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/models/chat/catalogue.yaml");
    assert!(refused(&["diff", model, "nowhere.yaml"]).contains("there is no such file"));
    assert!(refused(&["init", "--output", "-", "--from", "nowhere"]).contains("there is no such file"));
    assert!(refused(&["cost", model, "--prices", "nowhere.toml"]).contains("--show-prices"));
    assert!(refused(&["init", model]).contains("give --force"));
}

#[test]
fn a_model_is_written_in_every_format_and_what_is_lost_is_told() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/models/e-commerce/catalogue.yaml");
    for (format, told) in [
        ("yaml", ""),
        ("m", "cannot say budgets"),
        ("s", "cannot say key templates"),
        ("workbench", "cannot say time to live"),
        ("onetable", "cannot say budgets"),
        ("cost-tool", "cannot say keys"),
        ("schema-json", "cannot say time to live"),
        ("usage-data", "cannot say budgets"),
        ("cloudformation", "cannot say patterns"),
        ("cloudformation-json", "cannot say patterns"),
        ("terraform", "cannot say entities"),
    ] {
        let output =
            hashrange(&["model", "convert", model, "--to", format]).output().expect("the program runs");
        let notes = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{format}: {notes}");
        assert!(!output.stdout.is_empty() && notes.contains(told), "{format}: {notes}");
    }
}

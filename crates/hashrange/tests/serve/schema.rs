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
    let output =
        hashrange(&["model", "convert", &endpoint, "--to", "yaml"]).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("shop:") && text.contains("stock:") && text.contains("ttl: until"), "{text}");
    assert_eq!(server.stop("-TERM"), Some(0));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let output = hashrange(&["model", "check", "http://127.0.0.1:1"]).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("http://127.0.0.1:1"), "{text}");
}

//! The log holds no values of items and keys, and a line for each request.

use std::io::Read as _;
use std::process::Stdio;

use hashrange_env::Env;

use super::{SIGNED, Server, TABLE, temporary, text};

/// Stands in keys and items, and nowhere else.
const MARK: &str = "MARKEDSECRET";

/// Requests that carry the mark, good and bad: each error text of AWS that repeats a value is among them.
fn requests() -> Vec<(&'static str, String)> {
    let key = format!(r#"{{"k":{{"S":"{MARK}"}}}}"#);
    let item = format!(r#"{{"k":{{"S":"{MARK}"}},"v":{{"S":"{MARK}"}},"n":{{"N":"7"}}}}"#);
    let values = format!(r#"{{":v":{{"S":"{MARK}"}}}}"#);
    let of = |members: String| format!(r#"{{"TableName":"shop",{members}}}"#);
    vec![
        ("PutItem", of(format!(r#""Item":{item}"#))),
        ("GetItem", of(format!(r#""Key":{key}"#))),
        (
            "UpdateItem",
            of(format!(
                r#""Key":{key},"UpdateExpression":"SET v = :v","ExpressionAttributeValues":{values}"#
            )),
        ),
        ("Query", of(format!(r#""KeyConditionExpression":"k = :v","ExpressionAttributeValues":{values}"#))),
        ("Scan", of(format!(r#""FilterExpression":"v = :v","ExpressionAttributeValues":{values}"#))),
        ("BatchWriteItem", format!(r#"{{"RequestItems":{{"shop":[{{"PutRequest":{{"Item":{item}}}}}]}}}}"#)),
        ("BatchGetItem", format!(r#"{{"RequestItems":{{"shop":{{"Keys":[{key}]}}}}}}"#)),
        (
            "PutItem",
            of(format!(
                r#""Item":{item},"ConditionExpression":"v <> :v","ExpressionAttributeValues":{values},"ReturnValuesOnConditionCheckFailure":"ALL_OLD""#
            )),
        ),
        ("PutItem", of(format!(r#""Item":{{"k":{{"S":"{MARK}"}},"n":{{"N":"{MARK}"}}}}"#))),
        ("PutItem", of(format!(r#""Item":{{"k":{{"S":"a"}},"s":{{"SS":["{MARK}","{MARK}"]}}}}"#))),
        ("PutItem", of(format!(r#""Item":{{"k":{{"{MARK}":"a"}}}}"#))),
        ("PutItem", of(format!(r#""Item":{{"k":"{MARK}"}}"#))),
        ("PutItem", format!(r#"{{"TableName":"shop","Item":{{"k":{MARK}"#)),
        ("Scan", of(format!(r#""FilterExpression":"v = {MARK} AND""#))),
        (
            "TransactWriteItems",
            format!(r#"{{"TransactItems":[{{"Put":{{"TableName":"shop","Item":{item}}}}}]}}"#),
        ),
        ("ExecuteStatement", format!(r#"{{"Statement":"SELECT * FROM shop WHERE k = '{MARK}'"}}"#)),
        ("ExecuteStatement", format!(r#"{{"Statement":"SELECT * FROM shop WHERE {MARK} '"}}"#)),
        ("ExecuteStatement", format!(r#"{{"Statement":"SELECT * FROM \"a {MARK}\" WHERE k = 'a'"}}"#)),
        (
            "BatchExecuteStatement",
            format!(r#"{{"Statements":[{{"Statement":"SELECT * FROM shop WHERE k = '{MARK}'"}}]}}"#),
        ),
        (
            "ExecuteTransaction",
            format!(r#"{{"TransactStatements":[{{"Statement":"DELETE FROM shop WHERE k = '{MARK}'"}}]}}"#),
        ),
        ("DeleteItem", of(format!(r#""Key":{key}"#))),
    ]
}

/// What a server logs at the level trace, in that format, when it gets the requests.
fn logged(flags: &[&str]) -> String {
    let folder = temporary();
    let all = [&["--data", text(folder.path()), "--log-level", "trace"], flags].concat();
    let mut server = Server::logging(&all, Stdio::piped());
    let mut log = server.child.stderr.take().expect("piped");
    // Read while it is written: a full pipe would stop the server.
    let (say, said) = std::sync::mpsc::channel();
    let read = move || {
        let mut said = String::new();
        log.read_to_string(&mut said).expect("text");
        say.send(said).expect("the test waits for it");
    };
    Env::thread("log", read).expect("a thread");
    assert_eq!(server.call("CreateTable", TABLE).0, 200);
    let answers: Vec<_> = requests().iter().map(|(operation, body)| server.call(operation, body).1).collect();
    assert!(answers.iter().filter(|answer| answer.contains(MARK)).count() >= 5, "{answers:?}");
    let explained =
        format!("X-Amz-Target: DynamoDB_20120810.GetItem\r\nx-hashrange-explain: true\r\n{SIGNED}");
    let get = format!(r#"{{"TableName":"shop","Key":{{"k":{{"S":"{MARK}"}}}}}}"#);
    assert_eq!(server.ask("POST /", &explained, &get).0, 200);
    assert_eq!(server.stop("-TERM"), Some(0));
    said.recv().expect("the log is read to its end")
}

#[test]
fn no_value_of_an_item_or_key_is_logged_at_any_level() {
    let said = logged(&["--log-format", "json"]);
    assert!(!said.contains(MARK), "{said}");
    let lines: Vec<_> = said.lines().filter(|line| line.contains("\"answered\"")).collect();
    assert_eq!(lines.len(), requests().len() + 2, "{said}");
    assert!(said.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{said}");
}

#[test]
fn a_line_for_each_request_says_who_asked_for_what_and_how_it_ended() {
    let said = logged(&["--log-format", "json"]);
    let line = |operation: &str, nth: usize| {
        let operation = format!("\"operation\":\"{operation}\"");
        said.lines().filter(|line| line.contains(&operation)).nth(nth).expect("the request has its line")
    };
    let put = line("PutItem", 0);
    for part in [
        "\"DEBUG\"",
        "\"table\":\"shop\"",
        "\"status\":200",
        "\"access_key\":\"local\"",
        "\"request_id\":",
        "\"duration_us\":",
    ] {
        assert!(put.contains(part), "{part} in {put}");
    }
    assert!(!put.contains("\"code\""), "{put}");
    let refused = line("PutItem", 1);
    assert!(refused.contains("\"code\":\"ConditionalCheckFailedException\""), "{refused}");
    assert!(refused.contains("\"status\":400"), "{refused}");
    for operation in ["BatchWriteItem", "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"] {
        let line = line(operation, 0);
        assert!(line.contains("\"table\":\"shop\""), "{line}");
    }
    assert!(!line("ExecuteStatement", 1).contains("\"table\""), "what cannot be read names no table");
    assert!(!line("ExecuteStatement", 2).contains("\"table\""), "what cannot be a name is not logged");
}

#[test]
fn who_asks_for_values_gets_the_texts_of_errors() {
    let said = logged(&["--log-values"]);
    assert!(said.contains(MARK), "{said}");
    assert!(said.contains("cannot be converted to a numeric value"), "{said}");
}

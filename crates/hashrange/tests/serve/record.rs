//! A server that records, and what is made of its recording.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{Server, hashrange, temporary, text};

/// Starts a server that records, works with it, and ends it.
fn recorded(file: &Path) {
    let server = Server::start(&["--in-memory", "--record", text(file)]);
    let table = r#"{"TableName":"shop","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}"#;
    assert_eq!(server.call("CreateTable", table).0, 200);
    for number in 0..25 {
        let put = format!(r#"{{"TableName":"shop","Item":{{"k":{{"S":"USER#MARK{number}"}}}}}}"#);
        assert_eq!(server.call("PutItem", &put).0, 200);
    }
    let get = r#"{"TableName":"shop","Key":{"k":{"S":"USER#MARK7"}}}"#;
    assert_eq!(server.call("GetItem", get).0, 200);
    assert_eq!(server.stop("-TERM"), Some(0));
}

fn model_record(arguments: &[&str]) -> (Option<i32>, String) {
    let output = hashrange(&["model", "record"]).args(arguments).output().expect("the program runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &error)
}

#[test]
fn a_recording_is_for_its_owner_and_becomes_a_catalogue() {
    let folder = temporary();
    let (file, draft) = (folder.path().join("traffic.json"), folder.path().join("draft.yaml"));
    recorded(&file);
    let mode = std::fs::metadata(&file).expect("the file is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let written = std::fs::read_to_string(&file).expect("a text");
    assert!(written.contains("USER#") && !written.contains("MARK"), "{written}");
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(files.len(), 1, "nothing else is left: {files:?}");

    let (code, told) = model_record(&[text(&file), "--output", text(&draft)]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("put shop k = USER#?") && told.contains("get shop k = USER#?"), "{told}");
    let (code, told) = model_record(&[text(&file), "--against", text(&draft)]);
    assert_eq!((code, told.lines().next()), (Some(0), Some("2 declared patterns were seen.")), "{told}");
}

#[test]
fn traffic_that_is_not_declared_is_told() {
    let folder = temporary();
    let (file, declared) = (folder.path().join("traffic.json"), folder.path().join("declared.yaml"));
    recorded(&file);
    let model = r#"hashrange: 1
name: shop
tables:
  shop: {key: {hash: k}}
patterns:
  - {id: P1, name: a user, operation: GetItem, table: shop, key: {k: "USER#{user}"}, parameters: {user: {new: uuid}}}
  - {id: P2, name: all, operation: Scan, table: shop}
"#;
    std::fs::write(&declared, model).expect("a folder that can be written");
    let (code, told) = model_record(&[text(&file), "--against", text(&declared)]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("Seen and not declared:\n  put shop k = USER#? (25 requests"), "{told}");
    assert!(told.contains("Declared and not seen:\n  P2 all"), "{told}");
    let (code, told) = model_record(&[text(&declared)]);
    assert_eq!(code, Some(2));
    assert!(told.contains("is no recording"), "{told}");
}

#[test]
fn a_file_that_is_no_recording_is_not_overwritten() {
    let folder = temporary();
    let file = folder.path().join("precious.txt");
    std::fs::write(&file, "precious").expect("a folder that can be written");
    let output =
        hashrange(&["serve", "--addr", "127.0.0.1:0", "--in-memory", "--record", text(&file)]).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("is there and is no recording: name another file"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).expect("a text"), "precious");
}

//! `hashrange explain` as a person runs it: on a running server and on the folder of a stopped one.

mod program;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};

use expect_test::{Expect, expect};
use program::hashrange;

const TABLE: &str = r#"{
    "TableName": "shop",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"}
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST"
}"#;
const ORDER: &str = r#"{
    "TableName": "shop",
    "Item": {"pk": {"S": "USER#ann"}, "sk": {"S": "ORDER#1"}, "price": {"N": "5"}}
}"#;
const ORDERS_OF_ANN: &str = r#"{
    "TableName": "shop",
    "KeyConditionExpression": "pk = :pk AND begins_with(sk, :order)",
    "ExpressionAttributeValues": {":pk": {"S": "USER#ann"}, ":order": {"S": "ORDER#"}}
}"#;
const WITHOUT_A_CONDITION: &str = r#"{"TableName": "shop"}"#;

/// A server in memory. It is killed when this goes out of scope.
struct Server {
    child: Child,
    endpoint: String,
}

impl Server {
    fn start(flags: &[&str]) -> Server {
        let mut command = hashrange(&["serve", "--addr", "127.0.0.1:0"]);
        let child = command.args(flags).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the server starts");
        let mut greeting = BufReader::new(child.stdout.take().expect("piped")).lines();
        let greeting = greeting.next().expect("a server greets").expect("in text");
        let start = greeting.find("http").expect("the first line names the address");
        Server { child, endpoint: greeting[start..].to_owned() }
    }

    /// A server with one order in its table.
    fn with_an_order() -> Server {
        let server = Server::start(&["--in-memory"]);
        fill(&["--endpoint", &server.endpoint]);
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What `hashrange explain` with these words came to: exit code, standard output, standard error.
fn explain(words: &[&str]) -> (Option<i32>, String, String) {
    let output = hashrange(&["explain"]).args(words).output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("the program prints text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Makes the table and its order with the program itself.
fn fill(database: &[&str]) {
    for request in [["create-table", TABLE], ["put-item", ORDER]] {
        let (code, _, error) = explain(&[&request[..], &["--run"], database].concat());
        assert_eq!((code, error.as_str()), (Some(0), ""));
    }
}

/// A folder with the order in its table, which no process has open.
fn folder_with_an_order() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fill(&["--data", text(folder.path())]);
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

/// Checks that the program succeeds, and what it prints.
fn prints(words: &[&str], expected: &Expect) {
    let (code, printed, error) = explain(words);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    expected.assert_eq(&printed);
}

/// Checks that the program fails, prints nothing and says why in one line; `hidden` is what differs from run to run.
fn refuses(words: &[&str], hidden: &str, expected: &Expect) {
    let (code, printed, error) = explain(words);
    assert_eq!((code, printed.as_str()), (Some(1), ""), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    expected.assert_eq(error.trim_end().replace(hidden, "DATABASE").as_str());
}

fn the_plan() -> Expect {
    expect![[r#"
        Plan:     RangeRead on shop where pk = "USER#ann" AND begins_with(sk, "ORDER#") ascending (eventually consistent)
        Expected: 0.5 read units for each 4 KB examined (rows in the range), at most 128 in a page
    "#]]
}

fn the_plan_and_what_came_of_it() -> Expect {
    expect![[r#"
        Plan:     RangeRead on shop where pk = "USER#ann" AND begins_with(sk, "ORDER#") ascending (eventually consistent)
        Expected: 0.5 read units for each 4 KB examined (rows in the range), at most 128 in a page
        Actual:   0.5 unit: table 0.5

        {
          "Count": 1,
          "Items": [
            {
              "pk": {
                "S": "USER#ann"
              },
              "price": {
                "N": "5"
              },
              "sk": {
                "S": "ORDER#1"
              }
            }
          ],
          "ScannedCount": 1
        }
    "#]]
}

#[test]
fn a_server_tells_the_plan_and_runs_it_only_when_asked_to() {
    let server = Server::with_an_order();
    let database = ["--endpoint", &server.endpoint];
    prints(&[&["query", ORDERS_OF_ANN], &database[..]].concat(), &the_plan());
    prints(&[&["query", ORDERS_OF_ANN, "--run"], &database[..]].concat(), &the_plan_and_what_came_of_it());
}

#[test]
fn a_folder_tells_the_same_as_a_server() {
    let folder = folder_with_an_order();
    let database = ["--data", text(folder.path())];
    prints(&[&["query", ORDERS_OF_ANN], &database[..]].concat(), &the_plan());
    prints(&[&["query", ORDERS_OF_ANN, "--run"], &database[..]].concat(), &the_plan_and_what_came_of_it());
}

#[test]
fn a_write_is_made_only_when_it_is_run() {
    let (server, folder) = (Server::with_an_order(), folder_with_an_order());
    let delete = r#"{"TableName": "shop", "Key": {"pk": {"S": "USER#ann"}, "sk": {"S": "ORDER#1"}}}"#;
    for database in [["--endpoint", &server.endpoint], ["--data", text(folder.path())]] {
        let counted = || {
            let (_, printed, _) = explain(&[&["query", ORDERS_OF_ANN, "--run"], &database[..]].concat());
            printed.lines().find(|line| line.contains("\"Count\"")).map(|line| line.trim().to_owned())
        };
        let (code, printed, _) = explain(&[&["delete-item", delete], &database[..]].concat());
        assert_eq!(code, Some(0));
        assert!(printed.starts_with("Plan:     WriteSet on shop (delete)\n"), "{printed}");
        assert_eq!(counted().as_deref(), Some("\"Count\": 1,"));
        assert_eq!(explain(&[&["delete-item", delete, "--run"], &database[..]].concat()).0, Some(0));
        assert_eq!(counted().as_deref(), Some("\"Count\": 0,"));
    }
}

#[test]
fn an_unknown_operation_is_refused_with_examples() {
    refuses(
        &["qery", ORDERS_OF_ANN],
        "DATABASE",
        &expect!["error: there is no operation qery; examples are get-item, query and put-item"],
    );
}

#[test]
fn an_endpoint_that_nobody_serves_is_told_with_the_fix() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let endpoint = format!("http://{}", free.local_addr().expect("an address"));
    drop(free);
    for run in [&[][..], &["--run"]] {
        let words = [&["query", ORDERS_OF_ANN, "--endpoint", &endpoint], run].concat();
        refuses(
            &words,
            &endpoint,
            &expect![
                "error: cannot reach DATABASE (Connection refused (os error 111)); start the server with `hashrange serve`, or name it with --endpoint"
            ],
        );
    }
}

#[test]
fn an_endpoint_that_is_no_address_is_refused() {
    let words = ["query", ORDERS_OF_ANN, "--endpoint", "localhost:8000"];
    refuses(
        &words,
        "localhost:8000",
        &expect!["error: DATABASE is no address of a server; write http://HOST:PORT or https://HOST:PORT"],
    );
}

#[test]
fn a_missing_folder_is_refused_and_not_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("missing");
    for run in [&[][..], &["--run"]] {
        let words = [&["query", ORDERS_OF_ANN, "--data", text(&missing)], run].concat();
        refuses(
            &words,
            text(&missing),
            &expect!["error: DATABASE holds no database; give the --data of the server"],
        );
    }
    assert!(!missing.exists());
}

#[test]
fn a_folder_without_a_database_stays_empty() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = ["query", ORDERS_OF_ANN, "--data", text(folder.path())];
    refuses(
        &words,
        text(folder.path()),
        &expect!["error: DATABASE holds no database; give the --data of the server"],
    );
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder is there").count(), 0);
}

#[test]
fn a_request_that_is_not_json_is_told_where_it_breaks() {
    refuses(
        &["query", "{\"TableName\""],
        "DATABASE",
        &expect![[
            r#"error: the request is not JSON: EOF while parsing an object at line 1 column 12; quote it as '{"TableName": ...}'"#
        ]],
    );
}

#[test]
fn a_folder_that_a_server_has_open_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let _server = Server::start(&["--data", text(folder.path())]);
    let words = ["query", ORDERS_OF_ANN, "--data", text(folder.path())];
    refuses(
        &words,
        text(folder.path()),
        &expect![
            "error: the folder DATABASE is open in a running server; ask that server with --endpoint URL"
        ],
    );
}

#[test]
fn a_refused_request_is_told_as_the_database_tells_it() {
    let (server, folder) = (Server::with_an_order(), folder_with_an_order());
    for database in [["--endpoint", &server.endpoint], ["--data", text(folder.path())]] {
        for run in [&[][..], &["--run"]] {
            let refused = |request: &str, expected: &Expect| {
                refuses(&[&["query", request], &database[..], run].concat(), "DATABASE", expected);
            };
            refused(
                WITHOUT_A_CONDITION,
                &expect![
                    "error: ValidationException: Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
                ],
            );
            refused(
                &ORDERS_OF_ANN.replace("shop", "shed"),
                &expect!["error: ResourceNotFoundException: Requested resource not found"],
            );
        }
    }
}

#[test]
fn a_condition_that_fails_is_told_when_the_write_is_run() {
    let (server, folder) = (Server::with_an_order(), folder_with_an_order());
    let again = ORDER.replace(r#""Item""#, r#""ConditionExpression": "attribute_not_exists(pk)", "Item""#);
    for database in [["--endpoint", &server.endpoint], ["--data", text(folder.path())]] {
        assert_eq!(explain(&[&["put-item", &again], &database[..]].concat()).0, Some(0));
        refuses(
            &[&["put-item", &again, "--run"], &database[..]].concat(),
            "DATABASE",
            &expect!["error: ConditionalCheckFailedException: The conditional request failed"],
        );
    }
}

#[test]
fn a_server_and_a_folder_at_once_are_refused_as_usage() {
    let words = ["query", ORDERS_OF_ANN, "--endpoint", "http://127.0.0.1:8000", "--data", "hashrange-data"];
    let (code, printed, error) = explain(&words);
    assert_eq!((code, printed.as_str()), (Some(2), ""));
    let first = "error: the argument '--endpoint <URL>' cannot be used with '--data <DIR>'\n";
    assert!(error.starts_with(first), "{error}");
}

const PROFILES: &str = "[default]
aws_access_key_id = AKID
aws_secret_access_key = secret

[other]
aws_access_key_id = AKID
aws_secret_access_key = wrong
";

/// A server with TLS that knows the first of the profiles, and the file of its authority.
fn secured(folder: &Path) -> (Server, String) {
    let file = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let (keys, data) = (file("credentials"), file("data"));
    std::fs::create_dir_all(folder).expect("a writable folder");
    std::fs::write(&keys, PROFILES.split("\n[other]").next().expect("a profile")).expect("a writable folder");
    let flags = ["--tls-self-signed", "--in-memory", "--data", &data, "--credentials", &keys];
    (Server::start(&flags), file("data-tls/ca.pem"))
}

/// Lists tables through `explain --run` with these words and variables.
fn list_tables(endpoint: &str, words: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = hashrange(&["explain", "list-tables", "--run", "{}", "--endpoint", endpoint]);
    let output = command.args(words).envs(variables.iter().copied()).output().expect("the program runs");
    let said = if output.status.success() { output.stdout } else { output.stderr };
    let said = String::from_utf8(said).expect("the program prints text");
    (output.status.code(), said.replace(endpoint, "ENDPOINT"))
}

#[test]
fn a_server_with_tls_and_credentials_is_asked_with_its_authority_and_a_signature() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (server, ca) = secured(folder.path());
    let ask = |words: &[&str], variables: &[(&str, &str)]| list_tables(&server.endpoint, words, variables);
    let signed = [("AWS_ACCESS_KEY_ID", "AKID"), ("AWS_SECRET_ACCESS_KEY", "secret")];
    let listed = |(code, said): (Option<i32>, String)| {
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(r#""TableNames": []"#), "{said}");
    };
    listed(ask(&["--ca", &ca], &signed));
    listed(ask(&[], &[("AWS_CA_BUNDLE", &ca), signed[0], signed[1]]));

    let profiles = file("profiles");
    std::fs::write(&profiles, PROFILES).expect("a writable folder");
    let shared = ("AWS_SHARED_CREDENTIALS_FILE", profiles.as_str());
    listed(ask(&["--ca", &ca], &[shared]));
    let (code, said) = ask(&["--ca", &ca], &[shared, ("AWS_PROFILE", "other")]);
    assert!(code == Some(1) && said.contains("InvalidSignatureException"), "{said}");
    let (code, said) = ask(&["--ca", &ca], &[]);
    assert!(code == Some(1) && said.starts_with("error: "), "{said}");

    // Whom the machine trusts is told by two variables, as for OpenSSL; here it trusts the server's authority, that of another
    // server, and nobody.
    let (_stranger, others) = secured(&folder.path().join("stranger"));
    let nobody = file("nobody");
    std::fs::create_dir(&nobody).expect("a writable folder");
    let trusting = |authorities: &str| {
        ask(&[], &[("SSL_CERT_FILE", authorities), ("SSL_CERT_DIR", &nobody), signed[0], signed[1]])
    };
    listed(trusting(&ca));
    let (code, said) = trusting(&others);
    assert!(code == Some(1) && said.contains("no encrypted connection to ENDPOINT"), "{said}");
    assert!(said.contains("--ca"), "{said}");
    let (code, said) = trusting(&file("nothing.pem"));
    assert!(code == Some(1) && said.contains("this machine has no certificates"), "{said}");
    assert!(said.contains("name a file with --ca"), "{said}");
    let (code, said) = ask(&["--ca", &file("nothing.pem")], &signed);
    assert!(code == Some(1) && said.contains("nothing.pem: ") && said.contains("check the path"), "{said}");
}

#[test]
fn a_model_is_tested_on_a_server_with_tls_and_credentials() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (server, ca) = secured(folder.path());
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/models/leaderboard/catalogue.yaml");
    let tested = |secret: &str| {
        let mut command =
            hashrange(&["model", "test", model, "--scale", "1", "--endpoint", &server.endpoint]);
        command.args(["--ca", &ca]).env("AWS_ACCESS_KEY_ID", "AKID").env("AWS_SECRET_ACCESS_KEY", secret);
        let output = command.output().expect("the program runs");
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).expect("text"))
    };
    let (code, said) = tested("secret");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("18 passed, 0 failed"), "{said}");
    let (code, said) = tested("wrong");
    assert!(code != Some(0) && said.contains("InvalidSignatureException"), "{said}");
}

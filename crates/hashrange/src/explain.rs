//! `hashrange explain`: the plan of one request, on a running server or on the folder of a stopped one.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use hashrange::{Database, Explanation, OpenError};
use hashrange_api::Operation;
use hashrange_wire::json;
use serde_json::Value;

use crate::client;

const EXAMPLES: &str = "\
Examples:
  hashrange explain get-item '{\"TableName\": \"shop\", \"Key\": {\"PK\": {\"S\": \"USER#ann\"}, \"SK\": {\"S\": \"PROFILE\"}}}'
      What the running server at http://127.0.0.1:8000 would do
  hashrange explain query --run --endpoint http://127.0.0.1:9000 '{\"TableName\": \"shop\", ...}'
      Run it too, and show the answer and what it consumed
  hashrange explain scan --data hashrange-data '{\"TableName\": \"shop\"}'
      On the folder of a server that does not run
  hashrange explain scan --endpoint https://db.local:8000 --ca hashrange-data-tls/ca.pem '{\"TableName\": \"shop\"}'
      On a server with TLS. Requests are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile (AWS_PROFILE)
      of the shared credentials file, where there are such

The request is the JSON that `aws dynamodb OPERATION --cli-input-json` takes. Over HTTP the same is told in the response
header x-hashrange-explain to a request that has that header: `true` runs it, `plan` only plans it.

Exit codes: 0 the plan was shown; 1 the request is wrong or the database cannot be asked; 2 a mistake on the command line.";

const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:8000";

/// The command line of `explain`.
pub(crate) fn command() -> Command {
    let operation = Arg::new("operation")
        .value_name("OPERATION")
        .required(true)
        .help("As the AWS CLI spells it: query, put-item");
    let request = Arg::new("request").value_name("REQUEST").required(true).help("The request, in JSON");
    let endpoint = Arg::new("endpoint")
        .long("endpoint")
        .value_name("URL")
        .conflicts_with("data")
        .help(format!("The running server to ask [default: {DEFAULT_ENDPOINT}]"));
    let data = Arg::new("data")
        .long("data")
        .value_name("DIR")
        .help("The folder of a stopped server, instead of a running one");
    let region = Arg::new("region")
        .long("region")
        .value_name("REGION")
        .help("Whose tables [default: AWS_REGION, AWS_DEFAULT_REGION or us-east-1]");
    let run =
        Arg::new("run").long("run").action(ArgAction::SetTrue).help("Run the request too: a write is made");
    Command::new("explain")
        .about("Show the plan of a request: key look-up, range read or sweep, index, filter, capacity")
        .args([operation, request, endpoint, client::ca_option(), data, region, run])
        .after_help(EXAMPLES)
}

/// What was asked.
struct Question {
    operation: Operation,
    request: String,
    region: String,
    ca: Option<PathBuf>,
    run: bool,
}

/// Explains one request.
///
/// # Errors
/// One line: what is wrong with the request, or why the database cannot be asked.
pub(crate) fn run(flags: &ArgMatches) -> Result<(), String> {
    let text = |name: &str| flags.get_one::<String>(name).cloned();
    let question = Question {
        operation: operation_of(&text("operation").unwrap_or_default())?,
        request: text("request").unwrap_or_default(),
        region: text("region").unwrap_or_else(client::region),
        ca: client::ca(flags),
        run: flags.get_flag("run"),
    };
    // The server says no more than AWS does of a body that is not JSON; a person at a prompt is told where it breaks.
    serde_json::from_str::<Value>(&question.request)
        .map_err(|error| format!("the request is not JSON: {error}; quote it as '{{\"TableName\": ...}}'"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the system gives no timer: {error}"))?;
    let answer = if let Some(folder) = text("data") {
        runtime.block_on(of_folder(&question, PathBuf::from(folder)))?
    } else {
        let endpoint = text("endpoint").unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
        runtime.block_on(of_server(&question, &endpoint))?
    };
    std::io::stdout().write_all(answer.as_bytes()).map_err(|error| format!("cannot print: {error}"))
}

/// `put-item`, `PutItem`: the operation of that name.
fn operation_of(word: &str) -> Result<Operation, String> {
    let plain = |name: &str| name.replace('-', "").to_lowercase();
    let found = Operation::ALL.into_iter().find(|operation| plain(operation.name()) == plain(word));
    found.ok_or_else(|| format!("there is no operation {word}; examples are get-item, query and put-item"))
}

/// Asks a running server.
async fn of_server(question: &Question, endpoint: &str) -> Result<String, String> {
    let how = if question.run { "true" } else { "plan" };
    let headers = [(client::EXPLAIN, how)];
    let server = client::Server { endpoint, region: &question.region, ca: question.ca.as_deref() };
    let answer = client::ask(server, question.operation, &question.request, &headers).await?;
    if !answer.is_success() {
        return Err(refusal(&answer.body));
    }
    let Some(explanation) = answer.explanation else {
        return Err(format!(
            "{endpoint} does not explain requests; is it a Hashrange server of this version?"
        ));
    };
    Ok(printed(&explanation, question.run.then_some(&answer.body)))
}

/// Opens the folder of a stopped server.
async fn of_folder(question: &Question, folder: PathBuf) -> Result<String, String> {
    // Only looking must not make a database where there is none.
    if !folder.is_dir() || !(question.run || hashrange_store_local::is_database(&folder)) {
        return Err(format!("{} holds no database; give the --data of the server", folder.display()));
    }
    let request =
        json::decode(question.operation, question.request.as_bytes()).map_err(|error| error.to_string())?;
    let database = Database::builder()
        .region(&question.region)
        .open(&folder)
        .await
        .map_err(|error| cannot_open(&folder, &error))?;
    let explained = if question.run {
        database.run_explained(request).await.map(|(response, explanation)| (Some(response), explanation))
    } else {
        database.explain(request).map(|explanation| (None, explanation))
    };
    database.close().await;
    let (response, explanation) = explained.map_err(|error| error.to_string())?;
    let mut body = Vec::new();
    if let Some(response) = &response {
        json::encode_response(response, &mut body).map_err(|error| error.to_string())?;
    }
    Ok(printed(&explanation.to_string(), response.is_some().then_some(&body)))
}

fn cannot_open(folder: &Path, error: &OpenError) -> String {
    match error {
        OpenError::Folder(hashrange_store_local::OpenError::InUse(_)) => format!(
            "the folder {} is open in a running server; ask that server with --endpoint URL",
            folder.display()
        ),
        other => other.to_string(),
    }
}

fn refusal(body: &[u8]) -> String {
    let error: Value = serde_json::from_slice(body).unwrap_or_default();
    let code =
        error["__type"].as_str().and_then(|code| code.rsplit('#').next()).unwrap_or("the server failed");
    match error["message"].as_str().or(error["Message"].as_str()) {
        Some(message) => format!("{code}: {message}"),
        None => code.to_owned(),
    }
}

/// The parts of an [`Explanation`] on lines of their own, then the answer.
fn printed(explanation: &str, answer: Option<&Vec<u8>>) -> String {
    let (plan, rest) = explanation.split_once(Explanation::EXPECTED).unwrap_or((explanation, ""));
    let (expected, actual) = rest.split_once(Explanation::ACTUAL).unwrap_or((rest, ""));
    let actual = if actual.is_empty() { String::new() } else { format!("Actual:   {actual}\n") };
    let answer = answer.map(|answer| serde_json::from_slice::<Value>(answer).unwrap_or_default());
    let answer = answer.map_or_else(String::new, |answer| format!("\n{answer:#}\n"));
    format!("Plan:     {plan}\nExpected: {expected}\n{actual}{answer}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_found_by_either_spelling() {
        assert_eq!(operation_of("put-item"), Ok(Operation::PutItem));
        assert_eq!(operation_of("BatchGetItem"), Ok(Operation::BatchGetItem));
        let text = operation_of("fetch").expect_err("there is no such operation");
        assert_eq!(text, "there is no operation fetch; examples are get-item, query and put-item");
    }

    #[test]
    fn plan_expectation_and_consumption_have_a_line_each() {
        let text = printed("KeyLookup on t; expected: 1 unit; actual: 0.5 unit: table 0.5", None);
        assert_eq!(text, "Plan:     KeyLookup on t\nExpected: 1 unit\nActual:   0.5 unit: table 0.5\n");
    }

    #[test]
    fn a_refusal_is_its_code_and_text() {
        let body = br#"{"__type":"com.amazon.coral.validate#ValidationException","message":"bad"}"#;
        assert_eq!(refusal(body), "ValidationException: bad");
    }
}

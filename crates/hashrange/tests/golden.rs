//! Runs the scenarios in `tests/golden/<concept>/*.txt` through the whole database, over HTTP on the loopback interface,
//! and compares the answers with those in the script.
//!
//! Each script has a server of its own. The status of an answer and the name space of its `__type` are checked too.
//! Below is a mirror of the embedded durable engine and the reference engine, which fails where the two
//! differ; the clock is simulated and begins at 2026-01-01T00:00:00Z.
//!
//! A script is made of steps between empty lines: an operation with its request in the AWS CLI's JSON, which may span
//! lines, and below it the outcome. Lines with `#` in front are comments.
//!
//! ```text
//! GetItem {"TableName": "music", "Key": {"artist": {"S": "Nina Simone"}}}
//! {"Item":{"artist":{"S":"Nina Simone"}}}
//!
//! PutItem {"TableName": "films", "Item": {"title": {"S": "Ran"}}}
//! ResourceNotFoundException: Requested resource not found
//! ```
//!
//! Members of an error beside its text follow on a line of their own. `Operation raw TEXT` sends a body that need not be
//! JSON, on one line. `$repeat(TEXT,COUNT)` in a request stands for the repeated text, and so it does in an outcome,
//! where an operation's ids are `<id>`. Tags are lines that begin with `!`:
//!
//! - `!table NAME KEY:TYPE [KEY:TYPE]` makes an on-demand table with that primary key;
//! - `!advance 5s` moves the clock;
//! - `!fill` fills the indexes that were added, as a server does in the background;
//! - `!region NAME` and `!account ID` set who asks from there on;
//! - `!delay 5s`, at the top, is how long tables and indexes are in transition (else: not at all);
//! - `!lag 2s`, at the top, is how long changes of global indexes stay hidden (else: not at all);
//! - `!collection 4096`, at the top, is the largest item collection in bytes (else: 10 GB);
//! - `!throttle`, at the top, lets requests wait for capacity (else: never);
//! - `!memory`, at the top, leaves the durable engine out, for scripts of thousands of writes;
//! - before a step, `!header NAME: VALUE` replaces or adds a header of its request, `!header NAME` leaves one out, and
//!   `!line GET /path` replaces `POST /`;
//! - before a step, `!hold` sends its request on a connection of its own and holds up its commit: done but not answered,
//!   the request is under way until the step `Release`, whose outcome is the answer;
//! - before a step, `!plan` adds the line `plan: …`, what `explain` prints, to the outcome; `!show A.B` reduces an answer to
//!   that member; `!for 1 5` sends the request with `$i` from 1 to 5 and shows the last outcome.
//!
//! How the JSON of an outcome is laid out is not judged. `UPDATE_GOLDEN=1 cargo test -p hashrange --test golden` writes
//! all outcomes anew.
//! `GOLDEN=query/paging` restricts a run to scripts whose path contains that.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod wire;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashrange::api::{Error, Operation};
use hashrange_engine::{Engine, Options, Scope};
use hashrange_env::Simulation;
use hashrange_store::{Chances, Faulty, Held, Memory, Mirror, Store};
use hashrange_store_local::LocalStore;
use hashrange_wire::json;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use wire::{Answer, Changes, Wire};

/// Longest line of an answer on one line.
const WIDTH: usize = 116;
/// The step that lets the held request go on.
const RELEASE: &str = "Release";
/// The outcome of a step whose request is held.
const UNDER_WAY: &str = "under way";
/// Shortest repetition that an outcome abbreviates.
const RUN_MIN: usize = 60;

macro_rules! concepts {
    ($($concept:ident),* $(,)?) => {
        const CONCEPTS: &[&str] = &[$(stringify!($concept)),*];

        $(#[test]
        fn $concept() {
            check(stringify!($concept));
        })*
    };
}

concepts!(
    batch,
    budgets,
    capacity,
    edge,
    expressions,
    indexes,
    items,
    keys,
    layers,
    numbers,
    order,
    partiql,
    placeholders,
    query,
    scan,
    serialization,
    sets,
    sizes,
    tables,
    throttling,
    transactions,
);

#[test]
fn outcomes_differ_in_text_and_json_but_not_in_layout() {
    assert!(same("{\"a\":1,\"b\":[]}", "{\n  \"b\": [],\n  \"a\": 1\n}"));
    assert!(same("E: x\n{\"a\":1}", "E: x\n{ \"a\": 1 }"));
    for (one, other) in
        [("E: x", "E: y"), ("E: x", "{}"), ("{\"a\":1}", "{\"a\":1.0}"), ("E: x\n{}", "E: y\n{}")]
    {
        assert!(!same(one, other), "{one} and {other}");
    }
}

#[test]
fn every_folder_of_scripts_is_run() {
    let mut folders: Vec<_> = entries(&root()).iter().map(|folder| name(folder)).collect();
    folders.sort();
    assert_eq!(folders, CONCEPTS);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

fn check(concept: &str) {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let wanted = std::env::var("GOLDEN").unwrap_or_default();
    let mut differences = String::new();
    for script in entries(&root().join(concept)) {
        let title = format!("{concept}/{}", name(&script));
        if !title.contains(&wanted) {
            continue;
        }
        let text = fs::read_to_string(&script).unwrap();
        let run = Run::of(&title, &text);
        if update {
            fs::write(&script, &run.text).unwrap();
        } else {
            differences += &run.differences;
        }
    }
    assert!(differences.is_empty(), "{differences}\nif the answers are right: UPDATE_GOLDEN=1");
}

/// A script that was run.
#[derive(Default)]
struct Run {
    /// The script with the outcomes that its steps have now.
    text: String,
    differences: String,
}

impl Run {
    fn of(title: &str, script: &str) -> Run {
        let mut world = World::new(script);
        let mut run = Run::default();
        let mut lines = script.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            if line.is_empty() || line.starts_with('#') || line.starts_with('!') {
                run.keep(line);
                if let Some(tag) = line.strip_prefix('!') {
                    world.tag(tag);
                }
                continue;
            }
            let place = format!("{title}:{}", number + 1);
            let rest = lines.by_ref().map(|(_, line)| line).take_while(|line| !line.is_empty());
            let (request, expected) = split_step(line, rest, &place);
            let actual = world.step(&request, &place);
            run.outcome(&request, &expected, &actual, &place);
        }
        run.text.truncate(run.text.trim_end().len());
        run.text.push('\n');
        run
    }

    fn keep(&mut self, line: &str) {
        writeln!(self.text, "{line}").unwrap();
    }

    fn outcome(&mut self, request: &str, expected: &str, actual: &str, place: &str) {
        self.keep(request);
        if !same(expected, actual) {
            let indented = |outcome: &str| outcome.replace('\n', "\n    ");
            let (expected, actual) = (indented(expected), indented(actual));
            writeln!(
                self.differences,
                "{place}: {request}\n  script\n    {expected}\n  answer\n    {actual}\n"
            )
            .unwrap();
        }
        self.keep(actual);
        self.keep("");
    }
}

/// A request, and the outcome below it.
fn split_step<'s>(first: &'s str, mut rest: impl Iterator<Item = &'s str>, place: &str) -> (String, String) {
    let mut request = first.to_owned();
    while !is_whole(&request) {
        let line = rest.next().unwrap_or_else(|| panic!("{place}: the request does not end"));
        request = request + "\n" + line;
    }
    (request, rest.collect::<Vec<_>>().join("\n"))
}

/// Whether every bracket of the request is closed.
fn is_whole(request: &str) -> bool {
    let (_, body) = request.split_once(' ').unwrap_or((request, ""));
    request == RELEASE || body.starts_with("raw ") || serde_json::from_str::<Value>(&expand(body)).is_ok()
}

/// Whether two outcomes say the same, however their JSON is laid out.
fn same(expected: &str, actual: &str) -> bool {
    let laid_out = || split_outcome(expected).is_some_and(|outcome| Some(outcome) == split_outcome(actual));
    expected == actual || laid_out()
}

/// The lines before the JSON of an outcome, and the JSON. `None` where there is none.
fn split_outcome(outcome: &str) -> Option<(&str, Value)> {
    let starts = outcome.match_indices(['{', '[', '"']).map(|(at, _)| at);
    let mut starts = starts.filter(|&at| at == 0 || outcome[..at].ends_with('\n'));
    starts.find_map(|at| Some((&outcome[..at], serde_json::from_str(&outcome[at..]).ok()?)))
}

/// The text with each `$repeat(TEXT,COUNT)` written out.
fn expand(text: &str) -> String {
    let Some((before, rest)) = text.split_once("$repeat(") else { return text.to_owned() };
    let is_end = |at: &usize| {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[at + 1 + digits..].starts_with(')')
    };
    let comma = rest.match_indices(',').map(|(at, _)| at).find(is_end).expect("`$repeat(` ends in `,COUNT)`");
    let (count, after) = rest[comma + 1..].split_once(')').unwrap();
    before.to_owned() + &rest[..comma].repeat(count.parse().unwrap()) + &expand(after)
}

/// The text with long runs of one character as `$repeat(TEXT,COUNT)`.
fn abbreviate(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.chars().take_while(|&next| next == first).count();
        let (run, after) = rest.split_at(length * first.len_utf8());
        if length < RUN_MIN {
            out += run;
        } else {
            write!(out, "$repeat({first},{length})").unwrap();
        }
        rest = after;
    }
    out
}

/// The database of one script.
struct World {
    runtime: tokio::runtime::Runtime,
    simulation: Simulation,
    local: Arc<LocalStore>,
    /// In scripts that hold requests up.
    faulty: Option<Arc<Faulty>>,
    under_way: Option<UnderWay>,
    engine: Arc<Engine>,
    wire: Wire,
    scope: Scope,
    tags: Tags,
    _folder: tempfile::TempDir,
}

/// A request whose commit is held, and its answer to come.
struct UnderWay {
    held: Held,
    answer: JoinHandle<Answer>,
}

/// What was asked of the next step.
#[derive(Default)]
struct Tags {
    hold: bool,
    plan: bool,
    show: Option<String>,
    times: Option<(u32, u32)>,
    changes: Changes,
}

impl World {
    fn new(script: &str) -> World {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (env, simulation) = Simulation::new(1);
        let folder = tempfile::tempdir().unwrap();
        let local =
            LocalStore::open(folder.path(), &hashrange_store_local::Options::default(), env.clone()).unwrap();
        let local = Arc::new(local);
        let memory: Arc<dyn Store> = Arc::new(Memory::new());
        let store = if script.lines().any(|line| line == "!memory") {
            memory
        } else {
            Arc::new(Mirror::new(local.clone(), memory))
        };
        let holds = script.lines().any(|line| line == "!hold");
        let faulty =
            holds.then(|| Arc::new(Faulty::new(Arc::clone(&store), env.clone(), Chances::default())));
        let store = faulty.clone().map_or(store, |faulty| faulty as Arc<dyn Store>);
        let engine = runtime.block_on(Engine::open(store, env.clone(), options(script))).unwrap();
        let engine = Arc::new(engine);
        let wire = runtime.block_on(Wire::open(Arc::clone(&engine), &env));
        let scope = Scope { account: "000000000000".to_owned(), region: "us-east-1".to_owned() };
        World {
            runtime,
            simulation,
            local,
            faulty,
            under_way: None,
            engine,
            wire,
            scope,
            tags: Tags::default(),
            _folder: folder,
        }
    }

    fn tag(&mut self, tag: &str) {
        let (word, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        match word {
            "table" => self.create_table(rest),
            "advance" => self.simulation.advance(duration(rest)),
            "fill" => self.runtime.block_on(self.fill()).unwrap(),
            "region" => rest.clone_into(&mut self.scope.region),
            "account" => rest.clone_into(&mut self.scope.account),
            "header" => {
                let (name, value) =
                    rest.split_once(": ").map_or((rest, None), |(name, value)| (name, Some(value)));
                self.tags.changes.headers.push((name.to_owned(), value.map(expand)));
            }
            "line" => self.tags.changes.line = Some(expand(rest)),
            "hold" => self.tags.hold = true,
            "plan" => self.tags.plan = true,
            "show" => self.tags.show = Some(rest.to_owned()),
            "for" => {
                let (from, to) = rest.split_once(' ').unwrap();
                self.tags.times = Some((from.parse().unwrap(), to.parse().unwrap()));
            }
            "delay" | "collection" | "lag" | "memory" | "throttle" => {}
            _ => panic!("what is {tag:?}?"),
        }
    }

    /// `NAME KEY:TYPE [KEY:TYPE]`.
    fn create_table(&mut self, text: &str) {
        let mut words = text.split(' ');
        let table = words.next().unwrap();
        let keys: Vec<_> = words.map(|word| word.split_once(':').unwrap()).collect();
        let definitions =
            keys.iter().map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind}));
        let schema = keys.iter().zip(["HASH", "RANGE"]);
        let schema = schema.map(|((name, _), kind)| json!({"AttributeName": name, "KeyType": kind}));
        let body = json!({
            "TableName": table,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": definitions.collect::<Vec<_>>(),
            "KeySchema": schema.collect::<Vec<_>>(),
        });
        let answer = self.call(Operation::CreateTable, &Changes::default(), body.to_string().as_bytes());
        assert!(answer.get("__type").is_none(), "{answer}");
    }

    async fn fill(&self) -> Result<(), Error> {
        for index in self.engine.filling_indexes() {
            let mut progress = None;
            while let Some(next) = self.engine.fill_index(&index, progress).await? {
                progress = Some(next);
            }
        }
        Ok(())
    }

    /// Sends a request and prints its outcome.
    fn step(&mut self, request: &str, place: &str) -> String {
        if request == RELEASE {
            return self.release(place);
        }
        let (operation, body) = request.split_once(' ').unwrap_or_else(|| panic!("{place}: no request"));
        let operation = Operation::ALL.into_iter().find(|known| known.name() == operation);
        let operation = operation.unwrap_or_else(|| panic!("{place}: no such operation"));
        let body = expand(body.strip_prefix("raw ").unwrap_or(body));
        let tags = std::mem::take(&mut self.tags);
        if tags.hold {
            return self.begin(operation, tags.changes, body);
        }
        let (from, to) = tags.times.unwrap_or((1, 1));
        let mut plan = String::new();
        let mut answer = Value::Null;
        for i in from..=to {
            let body = body.replace("$i", &i.to_string());
            if tags.plan && i == to {
                plan = self.plan(operation, body.as_bytes()).map_or(plan, |plan| format!("plan: {plan}\n"));
            }
            answer = self.call(operation, &tags.changes, body.as_bytes());
        }
        plan + &print(answer, tags.show.as_deref())
    }

    /// Sends a request whose commit is held. One that is answered without a commit is not.
    fn begin(&mut self, operation: Operation, changes: Changes, body: String) -> String {
        let faulty = self.faulty.as_ref().expect("a script with `!hold` has a store that holds");
        assert!(self.under_way.is_none(), "one request is held at a time");
        let mut held = faulty.hold();
        let mut wire = self.runtime.block_on(self.wire.another());
        let scope = self.scope.clone();
        let ask = async move { wire.ask(operation, &scope, &changes, body.as_bytes()).await };
        let mut answer = self.runtime.spawn(ask);
        let answered = self.runtime.block_on(async {
            tokio::select! {
                () = held.arrived() => None,
                answer = &mut answer => Some(answer.unwrap()),
            }
        });
        if let Some(answer) = answered {
            return print(answer.json(), None);
        }
        self.under_way = Some(UnderWay { held, answer });
        UNDER_WAY.to_owned()
    }

    /// Lets the held request go on and prints its outcome.
    fn release(&mut self, place: &str) -> String {
        let under_way = self.under_way.take().unwrap_or_else(|| panic!("{place}: nothing is held"));
        under_way.held.release();
        print(self.runtime.block_on(under_way.answer).unwrap().json(), None)
    }

    /// What `explain` prints.
    fn plan(&self, operation: Operation, body: &[u8]) -> Result<String, Error> {
        let checked = Engine::check(json::decode(operation, body)?)?;
        Ok(self.engine.plan(&self.scope, checked)?.to_string())
    }

    /// The JSON of the answer.
    fn call(&mut self, operation: Operation, changes: &Changes, body: &[u8]) -> Value {
        self.runtime.block_on(self.wire.ask(operation, &self.scope, changes, body)).json()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.local.close();
    }
}

/// What the tags at the top of a script set.
fn options(script: &str) -> Options {
    let setting = |tag: &str| script.lines().find_map(|line| line.strip_prefix(tag));
    let mut options = Options::default();
    if let Some(delay) = setting("!delay ") {
        options.table_delay = duration(delay);
    }
    if let Some(lag) = setting("!lag ") {
        options.index_lag = duration(lag);
    }
    options.throttle = script.lines().any(|line| line == "!throttle");
    if let Some(bytes) = setting("!collection ") {
        options.item_collection_max = bytes.parse().unwrap();
    }
    options
}

/// `5s`, `90m`, `24h`.
fn duration(text: &str) -> Duration {
    let (number, unit) = text.split_at(text.len() - 1);
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => panic!("what is {text:?}?"),
    };
    Duration::from_secs(number.parse::<u64>().unwrap() * seconds)
}

/// An answer as scripts write it.
fn print(mut answer: Value, show: Option<&str>) -> String {
    mask(&mut answer);
    let text = match error_line(&mut answer) {
        Some(line) if answer == json!({}) => line,
        Some(line) => line + "\n" + &lay_out(&answer, 0, 0),
        None => lay_out(show.map_or(&answer, |path| member(&answer, path)), 0, 0),
    };
    abbreviate(&text)
}

/// Takes code and text out of an error answer.
fn error_line(answer: &mut Value) -> Option<String> {
    let members = answer.as_object_mut()?;
    let code = members.shift_remove("__type")?;
    let code = code.as_str()?.rsplit('#').next()?.to_owned();
    let text = members.shift_remove("message").or_else(|| members.shift_remove("Message"));
    Some(text.map_or_else(|| code.clone(), |text| format!("{code}: {}", text.as_str().unwrap_or_default())))
}

fn member<'v>(answer: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(answer, |value, name| match name.parse::<usize>() {
        Ok(index) => &value[index],
        Err(_) => &value[name],
    })
}

/// Ids at the end of texts change with every draw of randomness before them.
fn mask(value: &mut Value) {
    match value {
        Value::String(text) => {
            let start = text.len().checked_sub(36).filter(|&start| text.get(start..).is_some_and(is_id));
            if let Some(start) = start {
                text.replace_range(start.., "<id>");
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask),
        Value::Object(members) => members.values_mut().for_each(mask),
        _ => {}
    }
}

/// Whether a text of 36 bytes has the form of a UUID.
fn is_id(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// JSON on one line where it fits, else with one member or element on each line. `start` is the column of its first
/// character, `indent` that of the line.
fn lay_out(value: &Value, indent: usize, start: usize) -> String {
    let compact = value.to_string();
    if start + abbreviate(&compact).len() <= WIDTH {
        return compact;
    }
    let inner = indent + 2;
    let (brackets, lines): (_, Vec<_>) = match value {
        Value::Object(members) => {
            let line = |(name, value): (&String, &Value)| {
                let name = json!(name).to_string() + ":";
                let value = lay_out(value, inner, inner + name.len());
                name + &value
            };
            (["{", "}"], members.iter().map(line).collect())
        }
        Value::Array(values) => {
            (["[", "]"], values.iter().map(|value| lay_out(value, inner, inner)).collect())
        }
        _ => return compact,
    };
    let margin = "\n".to_owned() + &" ".repeat(inner);
    let lines = lines.join(&(",".to_owned() + &margin));
    format!("{}{margin}{lines}\n{}{}", brackets[0], " ".repeat(indent), brackets[1])
}

//! Loads in a simulated world, on a database that only counts.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hashrange_api::Operation;
use hashrange_env::Simulation;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::catalogue::{Attribute, Entity, Keys, Parameter, Pattern, Table};
use crate::samples;
use crate::target::{Answer, Call, Reply};
use crate::template::Template;

/// Answers every request after a while, with one unit.
#[derive(Debug)]
struct Fake {
    env: Env,
    takes: Duration,
    keys: Mutex<BTreeMap<String, u64>>,
    calls: AtomicU64,
    fails_every: u64,
}

impl Target for Fake {
    fn call(&self, call: Call) -> Answer<'_> {
        Box::pin(async move {
            self.env.tasks.sleep(self.takes).await;
            let key = call.body.pointer("/Key/PK/S").or(call.body.pointer("/Item/PK/S"));
            let key = key.and_then(Value::as_str).unwrap_or_default().to_owned();
            *self.keys.lock().entry(key).or_default() += 1;
            let number = self.calls.fetch_add(1, Relaxed) + 1;
            if self.fails_every > 0 && number.is_multiple_of(self.fails_every) {
                let body = json!({"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError"});
                return Ok(Reply { status: 500, body, plan: None });
            }
            let body = json!({"ConsumedCapacity": {"TableName": "T", "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}}});
            Ok(Reply { status: 200, body, plan: None })
        })
    }
}

fn catalogue(rate: f64, skew: &str) -> Catalogue {
    let key = |template: &str| Template::parse(template).unwrap();
    let entity = Entity {
        name: "User".to_owned(),
        table: "T".to_owned(),
        keys: BTreeMap::from([("PK".to_owned(), key("USER#{userId}"))]),
        attributes: vec![Attribute {
            name: "userId".to_owned(),
            kind: None,
            format: Some("seq".to_owned()),
            values: Vec::new(),
            weights: Vec::new(),
            bytes: None,
            share: None,
            pii: false,
            immutable: false,
            copy_of: None,
        }],
        count: Some(100.0),
        ..Entity::default()
    };
    let table = Table {
        name: "T".to_owned(),
        keys: Keys { hash: vec!["PK".to_owned()], range: Vec::new() },
        ..Table::default()
    };
    let pattern = |id: &str, operation, request: Value| Pattern {
        id: id.to_owned(),
        name: id.to_lowercase(),
        table: Some("T".to_owned()),
        operation: Some(operation),
        request: request.as_object().cloned(),
        peak_rps: Some(rate),
        skew: Some(skew.to_owned()),
        parameters: BTreeMap::from([(
            "userId".to_owned(),
            Parameter::From { entity: "User".to_owned(), attribute: "userId".to_owned() },
        )]),
        ..Pattern::default()
    };
    let key = json!({"PK": {"S": "USER#{userId}"}});
    let update = json!({"TableName": "T", "Key": key, "UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"S": "x"}}});
    Catalogue {
        name: "test".to_owned(),
        tables: vec![table],
        entities: vec![entity],
        patterns: vec![
            pattern("GET", Operation::GetItem, json!({"TableName": "T", "Key": key})),
            pattern("SET", Operation::UpdateItem, update),
        ],
        ..Catalogue::default()
    }
}

fn run(
    catalogue: Catalogue,
    options: &Options,
    takes: Duration,
    fails_every: u64,
) -> (Report, BTreeMap<String, u64>) {
    let (env, simulation) = Simulation::new(1);
    let samples = samples::generate(&catalogue, samples::Options { seed: 1, scale: 1 });
    let (keys, calls) = (Mutex::default(), AtomicU64::new(0));
    let target = Arc::new(Fake { env: env.clone(), takes, keys, calls, fails_every });
    let report = simulation.block_on(load(
        Arc::new(catalogue),
        Arc::new(samples),
        Arc::<Fake>::clone(&target),
        &env,
        options,
    ));
    let keys = target.keys.lock().clone();
    (report, keys)
}

const MS: Duration = Duration::from_millis(1);

#[test]
fn the_declared_rates_are_reached() {
    let options = Options { duration: Duration::from_secs(50), ..Options::default() };
    let (report, _) = run(catalogue(100.0, "uniform"), &options, 5 * MS, 0);
    assert!(report.passed(), "{report:?}");
    for loaded in &report.patterns {
        // 5,000 requests are expected of each; four standard deviations of a Poisson number are 283.
        assert!(loaded.sent.abs_diff(5000) < 283, "{loaded:?}");
        assert_eq!((loaded.answered, loaded.asked), (loaded.sent, 100.0));
        assert!((5.0..7.1).contains(&loaded.latency_ms[0]), "{loaded:?}");
    }
    assert_eq!(report.patterns[0].read_units, 1.0);
    assert_eq!((report.patterns[1].read_units, report.patterns[1].write_units), (0.0, 1.0));
}

#[test]
fn speed_scales_the_rates() {
    let options = Options { duration: Duration::from_secs(50), speed: 0.1, ..Options::default() };
    let (report, _) = run(catalogue(100.0, "uniform"), &options, MS, 0);
    assert!(report.patterns[0].sent.abs_diff(500) < 90, "{report:?}");
    assert_eq!(report.patterns[0].asked, 10.0);
}

#[test]
fn keys_are_used_as_the_skew_says() {
    let options = Options {
        duration: Duration::from_secs(100),
        patterns: vec!["GET".to_owned()],
        ..Options::default()
    };
    let (_, uniform) = run(catalogue(100.0, "uniform"), &options, MS, 0);
    let (_, celebrity) = run(catalogue(100.0, "celebrity:0.3"), &options, MS, 0);
    let (_, zipf) = run(catalogue(100.0, "zipf:0.99"), &options, MS, 0);
    let (_, today) = run(catalogue(100.0, "today"), &options, MS, 0);
    let top = |keys: &BTreeMap<String, u64>| {
        let total: u64 = keys.values().sum();
        keys.values().max().copied().unwrap_or_default() * 1000 / total
    };
    assert_eq!(uniform.len(), 100);
    assert!(top(&uniform) < 17, "{}", top(&uniform));
    assert!((280..=320).contains(&top(&celebrity)), "{}", top(&celebrity));
    // 1 of the sum of r^-0.99 over 100 keys is 18.9 %.
    assert!((175..=205).contains(&top(&zipf)), "{}", top(&zipf));
    // Reads halve with age.
    assert!((480..=520).contains(&top(&today)), "{}", top(&today));
}

#[test]
fn a_put_that_must_create_makes_a_new_key_each_time() {
    let mut catalogue = catalogue(100.0, "uniform");
    let put = json!({
        "TableName": "T",
        "Item": {"PK": {"S": "USER#{userId}"}, "userId": {"S": "{userId}"}},
        "ConditionExpression": "attribute_not_exists(PK)",
    });
    catalogue.patterns[0].operation = Some(Operation::PutItem);
    catalogue.patterns[0].request = put.as_object().cloned();
    let options =
        Options { duration: Duration::from_secs(10), patterns: vec!["GET".to_owned()], ..Options::default() };
    let (report, keys) = run(catalogue, &options, MS, 0);
    assert_eq!(keys.len() as u64, report.patterns[0].sent);
    assert!(keys.len() > 800 && report.patterns[0].keys == 0, "{report:?}");
}

#[test]
fn one_seed_is_one_schedule() {
    let catalogue = Arc::new(catalogue(100.0, "zipf:0.99"));
    let samples = Arc::new(samples::generate(&catalogue, samples::Options { seed: 1, scale: 1 }));
    let schedule = |seed| {
        let options = Options { seed, duration: Duration::from_secs(2), ..Options::default() };
        let (lanes, _) = lane::lanes(&catalogue, &samples, &options);
        drive::schedule(&lanes, &options).collect::<Vec<Arrival>>()
    };
    assert_eq!(schedule(7), schedule(7));
    assert_ne!(schedule(7), schedule(8));
    assert!(schedule(7).windows(2).all(|two| two[0].at <= two[1].at));
}

#[test]
fn a_key_that_is_too_hot_is_found_with_its_cure() {
    let options = Options { duration: Duration::from_secs(20), speed: 0.02, ..Options::default() };
    let (report, keys) = run(catalogue(10_000.0, "celebrity:0.3"), &options, MS, 0);
    assert!(!report.passed());
    let hot: Vec<_> = report.hot_keys.iter().map(|key| key.key.as_str()).collect();
    assert!(hot.iter().all(|key| keys.contains_key(*key)), "{hot:?}");
    let written =
        report.hot_keys.iter().find(|key| key.write > 1000.0).expect("a key that is written too often");
    assert!((2600.0..3400.0).contains(&written.write), "{written:?}");
    assert_eq!(written.shards, crate::skew::write_shards(written.write, written.read));
    assert!(written.shards >= 4 && written.scatter.requests == written.shards, "{written:?}");
    assert!(report.throttled["T"] > 0);
    let text = table(&report);
    assert!(text.contains("too hot: key USER#") && text.contains("estimate:"), "{text}");
}

#[test]
fn a_database_that_falls_behind_shows_it() {
    let options =
        Options { duration: Duration::from_secs(5), patience: Duration::from_secs(2), ..Options::default() };
    let (report, _) = run(catalogue(50.0, "uniform"), &options, Duration::from_mins(1), 0);
    assert!(!report.passed());
    assert_eq!(report.unanswered, report.patterns.iter().map(|loaded| loaded.sent).sum::<u64>());
}

#[test]
fn errors_are_counted_by_name() {
    let options =
        Options { duration: Duration::from_secs(20), patterns: vec!["GET".to_owned()], ..Options::default() };
    let (report, _) = run(catalogue(50.0, "uniform"), &options, MS, 10);
    let errors = report.patterns[0].errors["InternalServerError"];
    assert_eq!(errors, (report.patterns[0].answered + errors) / 10);
    assert!(!report.passed());
    let told = json(&report);
    assert_eq!(told["patterns"][0]["errors"]["InternalServerError"], errors);
}

#[test]
fn a_pattern_without_a_rate_is_told() {
    let mut catalogue = catalogue(50.0, "uniform");
    catalogue.patterns[0].peak_rps = None;
    let (report, _) =
        run(catalogue, &Options { duration: Duration::from_secs(1), ..Options::default() }, MS, 0);
    assert_eq!(report.skipped, [("GET".to_owned(), "declares no rate".to_owned())]);
}

#[test]
fn a_condition_that_does_not_hold_is_told_from_an_error() {
    let mut loaded = Loaded { sent: 10, answered: 4, refused: 6, ..Loaded::default() };
    assert!(loaded.reached());
    let report = Report { patterns: vec![loaded.clone()], speed: 1.0, ..Report::default() };
    let text = table(&report);
    assert!(text.contains("refused 6 times (60 %), the model expects 0 %"), "{text}");
    let columns: Vec<&str> =
        text.lines().nth(3).unwrap_or_default().split_whitespace().rev().take(2).collect();
    assert_eq!(columns, ["0", "6"], "errors, and what was refused: {text}");
    loaded.answered = 0;
    loaded.refused = 10;
    assert!(!loaded.reached());
    loaded.refusals_expected = 1.0;
    assert!(loaded.reached());
}

#[test]
fn runs_that_no_sample_serves_do_not_come_where_others_are_served() {
    let mut catalogue = catalogue(100.0, "uniform");
    catalogue.patterns.remove(0);
    let request = catalogue.patterns[0].request.as_mut().unwrap();
    request.insert("ConditionExpression".to_owned(), json!("userId = :one"));
    request["ExpressionAttributeValues"][":one"] = json!({"N": "{chosen}"});
    let chosen = |value: Value| [("chosen".to_owned(), Parameter::Value(value))];
    let options = Options { duration: Duration::from_secs(5), ..Options::default() };
    let of = |samples: &Samples| {
        let user = &samples.entities["User"][40].item;
        samples::attributes_json(user)["userId"].clone()
    };
    let first = of(&samples::generate(&catalogue, samples::Options::default()));
    catalogue.patterns[0].parameters.extend(chosen(first));
    let (report, keys) = run(catalogue.clone(), &options, MS, 0);
    assert_eq!((keys.len(), report.patterns[0].keys, &report.patterns[0].unmet), (1, 1, &None), "{report:?}");
    // Where none is served, all come, and the report says what there is no sample for.
    catalogue.patterns[0].parameters.extend(chosen(json!({"N": "-1"})));
    let (report, keys) = run(catalogue, &options, MS, 0);
    assert!(keys.len() > 90, "{keys:?}");
    assert!(table(&report).contains("SET: no sample item was found for userId = "), "{}", table(&report));
    assert!(super::json(&report)["patterns"][0]["unmet"].is_string());
}

#[test]
fn a_read_of_several_shards_is_a_request_for_each() {
    let mut catalogue = catalogue(10.0, "uniform");
    catalogue.patterns.truncate(1);
    let query = json!({
        "TableName": "T",
        "KeyConditionExpression": "PK = :p",
        "ExpressionAttributeValues": {":p": {"S": "USER#{userId}#{shard}"}},
    });
    let pattern = &mut catalogue.patterns[0];
    pattern.operation = Some(Operation::Query);
    pattern.request = query.as_object().cloned();
    pattern.shards = Some(4);
    let options = Options { duration: Duration::from_secs(20), ..Options::default() };
    let (report, keys) = run(catalogue.clone(), &options, Duration::from_millis(5), 0);
    let [loaded] = report.patterns.as_slice() else { panic!("{report:?}") };
    assert!(loaded.sent > 100 && loaded.answered == loaded.sent, "{loaded:?}");
    assert_eq!(keys.values().sum::<u64>(), 4 * loaded.sent);
    // The shards are asked side by side, and what they consume is added up.
    assert_eq!(loaded.read_units, 4.0);
    assert!(loaded.latency_ms[4] < 10.0, "{loaded:?}");
    catalogue.patterns[0].request.as_mut().unwrap()["ExpressionAttributeValues"] =
        json!({":p": {"S": "USER#{userId}"}});
    let (report, _) = run(catalogue, &options, Duration::from_millis(5), 0);
    assert!(report.skipped[0].1.contains("write {shard}"), "{report:?}");
}

#[test]
fn a_write_picks_one_shard_and_the_skew_falls_on_the_key_without_it() {
    let mut catalogue = catalogue(100.0, "celebrity:0.3");
    catalogue.patterns.remove(0);
    let pattern = &mut catalogue.patterns[0];
    pattern.request.as_mut().unwrap()["Key"] = json!({"PK": {"S": "USER#{userId}#{shard}"}});
    pattern.shards = Some(4);
    let options = Options { duration: Duration::from_secs(100), ..Options::default() };
    let (report, keys) = run(catalogue, &options, MS, 0);
    let [loaded] = report.patterns.as_slice() else { panic!("{report:?}") };
    assert_eq!((loaded.keys, keys.values().sum::<u64>()), (100, loaded.sent), "one request for each write");
    assert!(keys.len() > 380, "every shard of all but the rarest keys is written: {}", keys.len());
    // The celebrity has 30 % of all, and each of its shards a quarter of that.
    let mut most: Vec<(u64, &str)> = keys.iter().map(|(key, count)| (*count, key.as_str())).collect();
    most.sort_unstable();
    most.reverse();
    let celebrity = most[0].1.rsplit_once('#').unwrap().0;
    for (count, key) in &most[..4] {
        assert_eq!(key.rsplit_once('#').unwrap().0, celebrity);
        assert!((60..=90).contains(&(count * 1000 / loaded.sent)), "{key}: {count} of {}", loaded.sent);
    }
}

#[test]
fn a_load_of_what_is_not_built_is_not_run_and_not_passed() {
    let mut catalogue = catalogue(50.0, "uniform");
    catalogue.patterns[0].operation = Some(Operation::SearchVectors);
    let options = Options { duration: Duration::from_secs(1), ..Options::default() };
    let (report, _) = run(catalogue.clone(), &options, MS, 0);
    let told = "GET: not run: SearchVectors is not built yet";
    assert!(report.passed() && table(&report).contains("passed, 1 not run;"), "{}", table(&report));
    assert!(table(&report).contains(told) && markdown(&report).contains(told), "{}", markdown(&report));
    assert_eq!(super::json(&report)["skipped"][0]["outcome"], "not run: SearchVectors is not built yet");
    catalogue.patterns.truncate(1);
    let (report, _) = run(catalogue, &options, MS, 0);
    assert!(
        !report.passed() && table(&report).starts_with("test: NOT RUN, 1 not run;"),
        "{}",
        table(&report)
    );
}

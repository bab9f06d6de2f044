//! The page for Prometheus: its form, and its counts after known traffic.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::process::Stdio;

use super::{Server, TABLE, temporary, text};

/// A page, read back.
#[derive(Default)]
struct Page {
    /// Type by family.
    families: BTreeMap<String, String>,
    /// Value by name and labels.
    samples: BTreeMap<String, f64>,
}

impl Page {
    /// Reads a page and checks its form: each sample belongs to the family above it.
    fn read(text: &str) -> Page {
        let mut page = Page::default();
        let (mut helped, mut family) = ("", "");
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                helped = help.split_once(' ').expect("help has a text").0;
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect("a family has a type");
                assert_eq!(name, helped, "help comes first");
                assert!(
                    page.families.insert(name.to_owned(), kind.to_owned()).is_none(),
                    "{name} comes twice"
                );
                family = name;
            } else {
                let (sample, value) = line.rsplit_once(' ').expect("a sample has a value");
                let name = sample.split('{').next().unwrap_or_default();
                let suffix = name.strip_prefix(family).expect("samples follow their family");
                let allowed: &[&str] =
                    if page.families[family] == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
                assert!(allowed.contains(&suffix), "{line}");
                let value = value.parse().expect("a number");
                assert!(page.samples.insert(sample.to_owned(), value).is_none(), "{sample} comes twice");
            }
        }
        page
    }

    fn value(&self, sample: &str) -> f64 {
        *self.samples.get(sample).unwrap_or_else(|| panic!("no {sample} among {:?}", self.samples.keys()))
    }
}

fn scrape(server: &Server) -> Page {
    let (status, body) = server.ask("GET /metrics", "", "");
    assert_eq!(status, 200);
    Page::read(&body)
}

#[test]
fn known_traffic_gives_known_counts() {
    let folder = temporary();
    let server = Server::start(&["--data", text(folder.path()), "--cache-size", "64MiB"]);
    assert_eq!(server.call("CreateTable", TABLE).0, 200);
    for key in ["a", "b", "c"] {
        let put = format!(r#"{{"TableName":"shop","Item":{{"k":{{"S":"{key}"}}}}}}"#);
        assert_eq!(server.call("PutItem", &put).0, 200);
    }
    let refused =
        r#"{"TableName":"shop","Item":{"k":{"S":"a"}},"ConditionExpression":"attribute_not_exists(k)"}"#;
    assert_eq!(server.call("PutItem", refused).0, 400);
    for _ in 0..2 {
        assert_eq!(server.call("GetItem", r#"{"TableName":"shop","Key":{"k":{"S":"a"}}}"#).0, 200);
    }
    assert_eq!(server.call("GetItm", "{}").0, 400);
    assert_eq!(server.ask("GET /nothing", "", "").0, 404);

    let page = scrape(&server);
    let counts = [
        ("hashrange_requests_total{operation=\"CreateTable\"}", 1.0),
        ("hashrange_requests_total{operation=\"PutItem\"}", 4.0),
        ("hashrange_requests_total{operation=\"GetItem\"}", 2.0),
        ("hashrange_requests_total{operation=\"unknown\"}", 1.0),
        (
            "hashrange_request_errors_total{operation=\"PutItem\",code=\"ConditionalCheckFailedException\"}",
            1.0,
        ),
        ("hashrange_request_errors_total{operation=\"unknown\",code=\"UnknownOperationException\"}", 1.0),
        ("hashrange_request_duration_seconds_bucket{operation=\"PutItem\",le=\"+Inf\"}", 4.0),
        ("hashrange_request_duration_seconds_count{operation=\"PutItem\"}", 4.0),
        ("hashrange_http_refusals_total{status=\"404\"}", 1.0),
        ("hashrange_connections_accepted_total", 10.0),
        ("hashrange_connections_refused_total", 0.0),
        ("hashrange_request_memory_limit_bytes", 268_435_456.0),
        ("hashrange_store_writable", 1.0),
        ("hashrange_store_queue_commits", 0.0),
        ("hashrange_store_cache_limit_bytes", 67_108_864.0),
        (concat!("hashrange_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"}"), 1.0),
    ];
    for (sample, expected) in counts {
        assert_eq!(page.value(sample).to_string(), expected.to_string(), "{sample}");
    }
    // One commit for each item, and at least one for the table.
    assert!(page.value("hashrange_store_commits_total") >= 4.0);
    assert!(page.value("hashrange_store_sync_duration_seconds_count") >= 4.0);
    assert!(page.value("hashrange_store_sync_duration_seconds_sum") > 0.0);
    assert!(page.value("hashrange_store_group_commits_sum") >= 4.0);
    assert!(page.value("hashrange_request_duration_seconds_sum{operation=\"PutItem\"}") > 0.0);
    assert!(page.value("hashrange_connections") >= 1.0);
    assert!(page.value("hashrange_uptime_seconds") > 0.0);
}

#[test]
fn names_end_with_their_units() {
    let folder = temporary();
    let server = Server::start(&["--data", text(folder.path())]);
    let page = scrape(&server);
    let units = ["_seconds", "_bytes", "_commits", "_info", "_connections", "_fds", "_writable"];
    for (name, kind) in &page.families {
        let is_counter = kind == "counter";
        assert_eq!(is_counter, name.ends_with("_total"), "{name}");
        assert!(is_counter || units.iter().any(|unit| name.ends_with(unit)), "{name}");
        assert!(name.starts_with("hashrange_") || name.starts_with("process_"), "{name}");
    }
    if cfg!(target_os = "linux") {
        assert!(page.value("process_resident_memory_bytes") > 1e6);
        assert!(page.value("process_open_fds") > 3.0);
    }
}

#[test]
fn counts_are_for_programs_on_this_machine_unless_told_otherwise() {
    let server = Server::start(&["--in-memory"]);
    for header in [
        "Origin: http://example.com\r\n",
        "X-Forwarded-For: 192.0.2.1\r\n",
        "Forwarded: for=x\r\n",
        "Via: 1.1 x\r\n",
    ] {
        assert_eq!(server.ask("GET /metrics", header, "").0, 404, "{header}");
    }
    assert_eq!(server.ask("GET /metrics", "", "").0, 200);
    assert_eq!(Server::start(&["--in-memory", "--metrics", "off"]).ask("GET /metrics", "", "").0, 404);
}

#[test]
fn other_machines_see_counts_only_where_all_may() {
    // An address of this machine by which it is a stranger to itself. Nothing is sent to find it.
    let probe = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    let Ok(own) = probe.connect("192.0.2.1:9").and_then(|()| probe.local_addr()) else { return };
    if own.ip().is_loopback() {
        return;
    }
    let from_outside = |flags: &[&str]| {
        let addr = format!("{}:0", own.ip());
        let server = Server::at(&addr, &[&["--in-memory", "--insecure"], flags].concat(), Stdio::null());
        assert!(server.list_tables().ends_with("200 OK"));
        server.ask("GET /metrics", "", "").0
    };
    assert_eq!(from_outside(&[]), 404);
    assert_eq!(from_outside(&["--metrics", "all"]), 200);
}

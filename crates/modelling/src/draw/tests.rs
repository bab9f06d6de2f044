//! The page needs no network, escapes all that it shows, and shows all that there is.

use std::collections::BTreeMap;

use base64::Engine as _;
use expect_test::expect;
use hashrange_api::Operation;
use hashrange_item::{AttributeValue, Attributes};
use serde_json::{Value, json};
use sha2::Digest as _;

use super::*;
use crate::catalogue::Catalogue;
use crate::testing::{need, pattern, shop};
use crate::{Evidence, Finding, Severity, Subject, plan};

/// The shop of the seeds with samples, and with patterns of each kind.
fn sampled() -> Catalogue {
    let mut shop = shop();
    shop.tables[0].samples = vec![
        item(&[("PK", "USER#ann"), ("SK", "PROFILE"), ("name", "Ann"), ("GSI1PK", "EMAIL#ann@example.org")]),
        order("ann", "2026-11-02", "o1", Some("paid")),
        order("ann", "2026-11-05", "o2", Some("shipped")),
        order("ann", "2026-11-09", "o3", None),
        item(&[("PK", "USER#bob"), ("SK", "PROFILE"), ("name", "Bob"), ("GSI1PK", "EMAIL#bob@example.org")]),
        order("bob", "2026-10-30", "o4", Some("paid")),
    ];
    let query = |key: &str, values: Value| json!({"KeyConditionExpression": key, "ExpressionAttributeValues": values});
    let key = json!({"PK": {"S": "USER#{userId}"}, "SK": {"S": "ORDER#{placedAt}#{orderId}"}});
    shop.patterns = vec![
        pattern(
            "P1",
            Operation::GetItem,
            json!({"Key": {"PK": {"S": "USER#{userId}"}, "SK": {"S": "PROFILE"}}}),
        ),
        pattern(
            "P2",
            Operation::Query,
            query(
                "PK = :u AND begins_with(SK, :o)",
                json!({":u": {"S": "USER#{userId}"}, ":o": {"S": "ORDER#"}}),
            ),
        ),
        pattern("P3", Operation::Query, query("GSI2PK = :s", json!({":s": {"S": "STATUS#paid"}}))),
        pattern("P4", Operation::DeleteItem, json!({"Key": key})),
        need("P5", &["total"], None),
        pattern("P6", Operation::Scan, json!({})),
    ];
    shop.patterns[2].index = Some("ByStatus".to_owned());
    let add = |field: &str, value: Value, pattern: &mut crate::catalogue::Pattern| {
        pattern.request.get_or_insert_default().insert(field.to_owned(), value);
    };
    for pattern in &mut shop.patterns {
        pattern.table = Some("Shop".to_owned());
        add("TableName", json!("Shop"), pattern);
    }
    add("IndexName", json!("ByStatus"), &mut shop.patterns[2]);
    add("ScanIndexForward", json!(false), &mut shop.patterns[1]);
    add("Limit", json!(2), &mut shop.patterns[1]);
    shop.patterns[4].request = None;
    shop
}

/// An item of strings.
fn item(pairs: &[(&str, &str)]) -> Attributes {
    let pairs = pairs.iter().map(|(name, text)| ((*name).to_owned(), AttributeValue::S((*text).to_owned())));
    Attributes::from_pairs(pairs.collect())
}

fn order(user: &str, day: &str, id: &str, status: Option<&str>) -> Attributes {
    let status = status.map(|status| format!("STATUS#{status}"));
    let (hash, sort) = (format!("USER#{user}"), format!("ORDER#{day}#{id}"));
    let mut pairs = vec![("PK", hash.as_str()), ("SK", sort.as_str()), ("placedAt", day), ("total", "31.5")];
    if let Some(status) = &status {
        pairs.extend([("GSI2PK", status.as_str()), ("GSI2SK", day)]);
    }
    item(&pairs)
}

fn page(catalogue: &Catalogue, findings: &[Finding]) -> String {
    let plans = plan::plans(catalogue);
    html(&Drawing { catalogue, plans: &plans, findings, costs: None, samples: &BTreeMap::new() })
}

/// Which rows a pattern reaches: `view: sort keys`, written ones with a star.
fn reached(catalogue: &Catalogue) -> String {
    let plans = plan::plans(catalogue);
    let drawing = Drawing { catalogue, plans: &plans, findings: &[], costs: None, samples: &BTreeMap::new() };
    let mut views = layout::views(&drawing);
    reach::mark(catalogue, &plans, &mut views);
    let mut out = String::new();
    for (at, pattern) in catalogue.patterns.iter().enumerate() {
        out.push_str(&pattern.id);
        for view in &views {
            let mut rows: Vec<String> = Vec::new();
            for collection in &view.collections {
                for row in &collection.rows {
                    let place =
                        format!("{} {}", collection.key[0].1, row.sort.first().map_or("", |sort| &sort.1));
                    rows.extend(row.read.contains(&at).then(|| place.clone()));
                    rows.extend(row.written.contains(&at).then(|| format!("*{place}")));
                }
            }
            if !rows.is_empty() {
                let name = view.index.map_or(&view.table.name, |index| &index.name);
                out = format!("{out}\n  {name}: {}", rows.join(", "));
            }
        }
        out.push('\n');
    }
    out
}

#[test]
fn each_pattern_is_drawn_on_the_rows_that_it_reaches() {
    expect![[r"
        P1
          Shop: USER#ann PROFILE
        P2
          Shop: USER#ann ORDER#2026-11-05#o2, USER#ann ORDER#2026-11-09#o3
        P3
          ByStatus: STATUS#paid 2026-10-30, STATUS#paid 2026-11-02
        P4
          Shop: *USER#ann ORDER#2026-11-02#o1
          ByStatus: *STATUS#paid 2026-11-02
        P5
        P6
          Shop: USER#ann ORDER#2026-11-02#o1, USER#ann ORDER#2026-11-05#o2, USER#ann ORDER#2026-11-09#o3, USER#ann PROFILE, USER#bob ORDER#2026-10-30#o4, USER#bob PROFILE
    "]].assert_eq(&reached(&sampled()));
}

#[test]
fn the_page_needs_no_network() {
    let page = page(&sampled(), &[]);
    for reference in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe", "<img", "fetch("] {
        assert!(!page.contains(reference), "{reference}");
    }
}

#[test]
fn the_policy_allows_the_style_and_the_script_of_the_page_alone() {
    let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(text));
    assert_eq!(html::STYLE_HASH, hash(html::STYLE), "write this hash into STYLE_HASH");
    assert_eq!(html::SCRIPT_HASH, hash(html::SCRIPT), "write this hash into SCRIPT_HASH");
    let page = page(&sampled(), &[]);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains(" style=") && !page.contains(" onclick="));
    assert!(!html::SCRIPT.contains("</") && !html::STYLE.contains("</"));
}

#[test]
fn every_pattern_and_row_is_on_the_page() {
    let catalogue = sampled();
    let page = page(&catalogue, &[]);
    for pattern in &catalogue.patterns {
        assert!(page.contains(&format!("<span class=\"id\">{}</span>", pattern.id)), "{}", pattern.id);
    }
    // Six items; two profiles in ByEmail; three orders with a status in ByStatus.
    assert_eq!(page.matches("<div class=\"row\"").count(), 6 + 2 + 3);
    assert!(page.contains("ORDER#2026-11-02#o1") && page.contains("EMAIL#bob@example.org"));
}

#[test]
fn hostile_texts_are_shown_as_texts() {
    let mut catalogue = sampled();
    let hostile = "</script><script>alert(1)</script>\" onload='x' \u{202E}\u{0}";
    hostile.clone_into(&mut catalogue.name);
    catalogue.description = Some(hostile.to_owned());
    hostile.clone_into(&mut catalogue.patterns[0].name);
    catalogue.patterns[0].who = Some(hostile.to_owned());
    hostile.clone_into(&mut catalogue.entities[0].name);
    catalogue.tables[0].samples.push(item(&[("PK", hostile), ("SK", hostile), (hostile, hostile)]));
    let finding = Finding {
        rule: "big-item",
        severity: Severity::Error,
        evidence: Evidence::Samples,
        subject: Subject::Pattern("P1".to_owned()),
        message: hostile.to_owned(),
        advice: hostile.to_owned(),
        waived: None,
    };
    let page = page(&catalogue, &[finding]);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(
        !page.contains("alert(1)</script>") && !page.contains("onload='x'") && !page.contains("\" onload")
    );
    assert!(!page.contains('\u{202E}') && !page.contains('\u{0}'));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(page.contains("<b>1</b> <a href=\"#findings\">error</a>"));
    let flowchart = mermaid(&catalogue, &plan::plans(&catalogue));
    assert!(
        !flowchart.contains("<script") && flowchart.lines().all(|line| line.matches('"').count() % 2 == 0),
        "{flowchart}"
    );
}

#[test]
fn without_samples_the_key_templates_stand_for_them() {
    let mut catalogue = sampled();
    catalogue.tables[0].samples.clear();
    let reached = reached(&catalogue);
    assert!(reached.contains("P2\n  Shop: USER#{userId} ORDER#{placedAt}#{orderId}\n"), "{reached}");
    assert!(page(&catalogue, &[]).contains("EMAIL#{email}"));
}

#[test]
fn an_empty_model_is_drawn() {
    let page = page(&Catalogue::default(), &[]);
    assert!(page.contains("<h1>Model</h1>") && page.ends_with("</html>\n"));
}

#[test]
fn a_flowchart_for_documents() {
    let catalogue = sampled();
    expect![[r#"
        flowchart LR
          subgraph patterns["Access patterns"]
            p0(["P1 P1"])
            p1(["P2 P2"])
            p2(["P3 P3"])
            p3(["P4 P4"])
            p4(["P5 P5"])
            p5(["P6 P6"])
          end
          subgraph s0["Shop"]
            t0[("Shop (table)<br/>PK / SK<br/>User: USER#35;{userId} / PROFILE<br/>Order: USER#35;{userId} / ORDER#35;{placedAt}#35;{orderId}")]
            t0i0[("ByEmail (global index)<br/>GSI1PK<br/>User: EMAIL#35;{email}")]
            t0 -.-> t0i0
            t0i1[("ByStatus (global index)<br/>GSI2PK / GSI2SK<br/>Order: STATUS#35;{status} / {placedAt}")]
            t0 -.-> t0i1
          end
          p0 -->|"get"| t0
          p1 -->|"range"| t0
          p2 -->|"index-collection"| t0i1
          p3 ==>|"write(2 arms)"| t0
          p3 ==>|"write(2 arms)"| t0i1
          p4 -.-x nothing
          p5 -->|"scan"| t0
          nothing{{"nothing serves it"}}
    "#]].assert_eq(&mermaid(&catalogue, &plan::plans(&catalogue)));
}

#[test]
fn a_pattern_that_is_not_built_is_drawn_as_not_run() {
    let mut shop = sampled();
    shop.patterns[0].operation = Some(Operation::SearchVectors);
    let plans = plan::plans(&shop);
    let text = mermaid(&shop, &plans);
    assert!(text.contains("<br/>not run: SearchVectors is not built yet\"])"), "{text}");
    let page = page(&shop, &[]);
    assert!(page.contains("<dt>Not run</dt><dd>SearchVectors is not built yet</dd>"), "{page}");
}

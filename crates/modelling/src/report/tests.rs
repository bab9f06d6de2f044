//! Reports of a small run.

use expect_test::expect;
use hashrange_api::Operation;

use super::*;
use crate::catalogue::{Budget, Catalogue, Pattern};
use crate::finding::{Evidence, Subject};
use crate::plan::{self, Arm, PlanClass};

fn tested(id: &str, name: &str) -> Tested {
    let pattern = Pattern { id: id.to_owned(), name: name.to_owned(), ..Pattern::default() };
    Tested {
        id: id.to_owned(),
        name: name.to_owned(),
        operation: Some(Operation::Query),
        plan: plan::plan(&Catalogue::default(), &pattern),
        budget: Budget { rcu: Some(0.5), wcu: None },
        skipped: None,
        runs: Vec::new(),
        findings: Vec::new(),
    }
}

fn of_run(scale: usize, read: f64) -> Run {
    let arm = |index: Option<&str>, read| Arm {
        table: "Shop".to_owned(),
        index: index.map(str::to_owned),
        read,
        write: 0.0,
    };
    Run {
        scale,
        class: Some(PlanClass::IndexCollection),
        engine_plan: None,
        returned: 3,
        examined: 3,
        returned_bytes: 300,
        pages: 1,
        has_more: false,
        arms: vec![arm(Some("ByG"), read)],
        error: None,
        items: Vec::new(),
        unmet: None,
    }
}

fn report() -> Report {
    let failed = Finding {
        rule: "grows-with-table",
        severity: Severity::Error,
        evidence: Evidence::Run,
        subject: Subject::Pattern("P2".to_owned()),
        message: "0.5 read units at scale 1x, 5 at 10x".to_owned(),
        advice: "bound the read".to_owned(),
        waived: None,
    };
    let passed = Tested { runs: vec![of_run(1, 0.5), of_run(10, 0.5)], ..tested("P1", "users <by> name") };
    let grows = Tested {
        runs: vec![of_run(1, 0.5), of_run(10, 5.0)],
        findings: vec![failed],
        ..tested("P2", "open | orders")
    };
    let skipped = Tested { skipped: Some("served elsewhere: search".to_owned()), ..tested("P3", "search") };
    Report {
        model: "shop".to_owned(),
        seed: 1,
        scales: vec![(1, 10), (10, 100)],
        patterns: vec![passed, grows, skipped],
        problems: Vec::new(),
    }
}

fn printed(form: Form) -> String {
    form_of(&report(), form)
}

fn form_of(report: &Report, form: Form) -> String {
    let place = |_: &Finding| ("shop.yaml".to_owned(), Some(7));
    run(report, &Found { model: "shop", findings: &[], place: &place }, form)
}

#[test]
fn a_table_shows_every_pattern_and_what_failed() {
    expect![[r"
                 pattern  name             plan              items  pages  budget  units 1x  units 10x
        passed   P1       users <by> name  index-collection      3      1   0.5 R     0.5 R      0.5 R
        FAILED   P2       open | orders    index-collection      3      1   0.5 R     0.5 R        5 R
        not run  P3       search           unservable                       0.5 R

        error pattern P2 [grows-with-table, E2]
              0.5 read units at scale 1x, 5 at 10x
              -> bound the read

        P3: not run: served elsewhere: search
        shop: 3 patterns: 1 passed, 1 failed, 1 not run; seed 1, scales 1x (10 items), 10x (100 items)
    "]]
    .assert_eq(&printed(Form::Table));
}

#[test]
fn junit_tells_passed_failed_and_skipped_apart() {
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite name="shop" tests="3" failures="1" errors="0" skipped="1">
            <testcase classname="shop" name="P1 users &lt;by&gt; name">
              <system-out>1x: index-collection, 3 items, 1 pages, 0.5 R
        10x: index-collection, 3 items, 1 pages, 0.5 R</system-out>
            </testcase>
            <testcase classname="shop" name="P2 open | orders">
              <failure message="0.5 read units at scale 1x, 5 at 10x" type="grows-with-table">bound the read</failure>
              <system-out>1x: index-collection, 3 items, 1 pages, 0.5 R
        10x: index-collection, 3 items, 1 pages, 5 R</system-out>
            </testcase>
            <testcase classname="shop" name="P3 search">
              <skipped message="not run: served elsewhere: search"/>
            </testcase>
          </testsuite>
        </testsuites>
    "#]].assert_eq(&printed(Form::Junit));
}

#[test]
fn sarif_names_rule_file_and_line() {
    let mut ran = report();
    ran.patterns.truncate(2);
    expect![[r#"
        {
          "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
          "version": "2.1.0",
          "runs": [
            {
              "tool": {
                "driver": {
                  "name": "hashrange model",
                  "semanticVersion": "0.1.0",
                  "rules": [
                    {
                      "id": "grows-with-table",
                      "shortDescription": {
                        "text": "One run consumes more in a larger table."
                      },
                      "defaultConfiguration": {
                        "level": "error"
                      }
                    }
                  ]
                }
              },
              "results": [
                {
                  "ruleId": "grows-with-table",
                  "ruleIndex": 0,
                  "level": "error",
                  "message": {
                    "text": "pattern P2: 0.5 read units at scale 1x, 5 at 10x. bound the read"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "shop.yaml"
                        },
                        "region": {
                          "startLine": 7
                        }
                      },
                      "logicalLocations": [
                        {
                          "fullyQualifiedName": "pattern P2"
                        }
                      ]
                    }
                  ],
                  "partialFingerprints": {
                    "subject/v1": "grows-with-table pattern P2"
                  }
                }
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&form_of(&ran, Form::Sarif));
}

#[test]
fn markdown_leaves_texts_as_they_are() {
    expect![[r"
        ## shop: failed

        3 patterns: 1 passed, 1 failed, 1 not run.

        - **error** pattern P2 (`grows-with-table`): 0.5 read units at scale 1x, 5 at 10x. *bound the read*

        - **not run** P3: served elsewhere: search.

        | | pattern | plan | items | budget | units 1x | units 10x |
        |---|---|---|---:|---:|---:|---:|
        | passed | P1 users \<by\> name | index-collection | 3 | 0.5 R | 0.5 R | 0.5 R |
        | FAILED | P2 open \| orders | index-collection | 3 | 0.5 R | 0.5 R | 5 R |
        | not run | P3 search | unservable |  | 0.5 R |  |  |
    "]]
    .assert_eq(&printed(Form::Markdown));
}

#[test]
fn json_is_json_and_has_every_run() {
    let json: serde_json::Value = serde_json::from_str(&printed(Form::Json)).unwrap();
    assert_eq!((&json["passed"], &json["failed"], &json["skipped"]), (&1.into(), &1.into(), &1.into()));
    assert_eq!(json["patterns"][1]["runs"][1]["read"], 5.0);
    assert_eq!(json["patterns"][1]["findings"][0]["line"], 7);
}

#[test]
fn forms_are_found_by_their_names() {
    assert!(Form::ALL.into_iter().all(|form| Form::from_name(form.name()) == Some(form)));
    assert_eq!(Form::from_name("html"), None);
}

#[test]
fn a_pattern_that_was_not_run_is_named_so_in_every_form_and_never_passed() {
    for form in Form::ALL {
        let text = printed(form);
        let named = match form {
            Form::Table => "P3: not run: served elsewhere: search",
            Form::Markdown => "- **not run** P3: served elsewhere: search.",
            Form::Sarif => "pattern P3: not run: served elsewhere: search",
            Form::Json => "\"outcome\": \"not run: served elsewhere: search\"",
            Form::Junit => "<skipped message=\"not run: served elsewhere: search\"/>",
        };
        assert!(text.contains(named), "{}: {text}", form.name());
    }
    let sarif: serde_json::Value = serde_json::from_str(&printed(Form::Sarif)).unwrap();
    let note = &sarif["runs"][0]["results"][1];
    assert_eq!((&note["ruleId"], &note["level"]), (&"not-run".into(), &"note".into()));
    // Where nothing ran, nothing passed.
    let mut report = report();
    report.patterns.drain(..2);
    let text = form_of(&report, Form::Markdown);
    assert!(text.starts_with("## shop: not run\n"), "{text}");
    assert_eq!(report.counts(), (0, 0, 1));
    let unrun = tested("P4", "without a run");
    assert!(!unrun.passed() && !unrun.failed());
}

#[test]
fn findings_that_nothing_was_run_are_skipped_tests() {
    let finding = Finding {
        rule: "not-run",
        severity: Severity::Note,
        evidence: Evidence::Declared,
        subject: Subject::Pattern("P9".to_owned()),
        message: "not run: SearchVectors is not built yet".to_owned(),
        advice: "wait".to_owned(),
        waived: None,
    };
    let place = |_: &Finding| (String::new(), None);
    let text = findings(&Found { model: "shop", findings: &[finding], place: &place }, Form::Junit);
    assert!(text.contains("skipped=\"1\""), "{text}");
    assert!(text.contains("<skipped message=\"not run: SearchVectors is not built yet\"/>"), "{text}");
}

//! The worked example comes out to the cent, and what-ifs change what they name.

use expect_test::{Expect, expect};

use super::*;
use crate::catalogue::{Billing, Entity, Index, Keys, Pattern, Projection, Table};

/// Orders of 1,400 bytes, 20 million; a sparse index of the open ones; four patterns.
fn orders() -> Catalogue {
    let keys = |hash: &str, range: &str| Keys { hash: vec![hash.to_owned()], range: vec![range.to_owned()] };
    let index = Index {
        name: "OpenOrders".to_owned(),
        kind: IndexKind::Global,
        keys: keys("openAt", "placed"),
        projection: Projection::Include(vec!["total".to_owned()]),
        entry_bytes: Some(300.0),
        entry_count: Some(1e6),
        ..Index::default()
    };
    let table = Table {
        name: "Orders".to_owned(),
        keys: keys("pk", "sk"),
        indexes: vec![index],
        billing: Some(Billing::OnDemand),
        recovery: Some(true),
        ..Table::default()
    };
    let order = Entity {
        name: "Order".to_owned(),
        table: "Orders".to_owned(),
        bytes: Some(1400.0),
        count: Some(20e6),
        ..Entity::default()
    };
    let pattern = |id: &str, name: &str, average: f64, peak: f64| Pattern {
        id: id.to_owned(),
        name: name.to_owned(),
        avg_rps: Some(average),
        peak_rps: Some(peak),
        table: Some("Orders".to_owned()),
        ..Pattern::default()
    };
    Catalogue {
        name: "orders".to_owned(),
        tables: vec![table],
        entities: vec![order],
        patterns: vec![
            pattern("P1", "Place an order", 40.0, 200.0),
            pattern("P2", "Get an order", 300.0, 300.0),
            pattern("P3", "List a reader's orders", 60.0, 60.0),
            pattern("P4", "Ship an order", 40.0, 200.0),
        ],
        ..Catalogue::default()
    }
}

/// The plans of these patterns, by the rules of capacity: an independent statement of what a planner must find.
fn plans(catalogue: &Catalogue) -> Vec<PatternPlan> {
    let bytes = catalogue.entities[0].bytes.unwrap();
    let write = (bytes / 1024.0).ceil();
    let read = |items: f64| (items * bytes / 4096.0).ceil() * 0.5;
    let arm = |index: Option<&str>, read: f64, write: f64| Arm {
        table: "Orders".to_owned(),
        index: index.map(str::to_owned),
        read,
        write,
    };
    let shipped = arm(Some("OpenOrders"), 0.0, 1.0);
    let of = |id: &str, class: PlanClass, arms: Vec<Arm>| PatternPlan {
        pattern: id.to_owned(),
        class,
        table: "Orders".to_owned(),
        index: None,
        hash: Vec::new(),
        sort: Vec::new(),
        filter: Vec::new(),
        wanted: Vec::new(),
        forward: None,
        strong: false,
        transaction: id == "P1",
        items: Some(1.0),
        item_bytes: Some(bytes),
        arms,
        remedy: None,
    };
    vec![
        of("P1", PlanClass::Write(2), vec![arm(None, 0.0, 2.0 * (write + 1.0)), shipped.clone()]),
        of("P2", PlanClass::Get, vec![arm(None, read(1.0), 0.0)]),
        of("P3", PlanClass::Range, vec![arm(None, read(20.0), 0.0)]),
        of("P4", PlanClass::Write(2), vec![arm(None, 0.0, write), shipped]),
    ]
}

fn report(catalogue: &Catalogue) -> CostReport {
    cost_with(catalogue, &Prices::built_in(), &plans)
}

fn what_if(settings: &[&str]) -> CostReport {
    let (mut catalogue, mut prices) = (orders(), Prices::built_in());
    for setting in settings {
        set::apply(&mut catalogue, &mut prices, setting).unwrap();
    }
    cost_with(&catalogue, &prices, &plans)
}

fn cents(dollars: f64) -> String {
    format!("{dollars:.2}")
}

#[test]
fn the_worked_example_comes_out_to_the_cent() {
    let report = report(&orders());
    let lines: Vec<(&str, String)> =
        report.lines.iter().map(|line| (line.what.as_str(), cents(line.dollars))).collect();
    let expected =
        [("writes", "657.00"), ("reads", "118.26"), ("storage", "7.60"), ("point-in-time recovery", "6.00")];
    assert_eq!(lines, expected.map(|(what, dollars)| (what, dollars.to_owned())));
    assert_eq!(cents(report.total), "788.86");
    let of_patterns: f64 = report.patterns.iter().map(|pattern| pattern.dollars).sum();
    assert_eq!(cents(of_patterns), "775.26");
    let of_tables: f64 = report.tables.iter().map(|table| table.dollars).sum();
    assert_eq!(cents(of_tables), "788.86");
}

#[test]
fn its_alternatives_come_out_to_the_cent() {
    let report = report(&orders());
    let way = |mode: Mode| report.tables[0].modes.iter().find(|way| way.mode == mode).unwrap();
    // 571.4 WCU at 271.14 and 514.3 RCU at 48.81.
    assert_eq!(cents(way(Mode::Ideal).throughput), "319.95");
    assert_eq!(way(Mode::Ideal).detail, "571.4 WCU, 514.3 RCU");
    // 2,000 WCU at 949.00 and 360 RCU at 34.16; the index, which nobody reads, has 1 RCU at 0.09 all the same.
    assert_eq!(cents(way(Mode::Fixed).throughput), "983.26");
    assert!(way(Mode::Scaled).throughput > way(Mode::Ideal).throughput);
    assert!(way(Mode::Reserved1).throughput < way(Mode::Scaled).throughput);
    assert!(way(Mode::Reserved3).throughput < way(Mode::Reserved1).throughput);
    let step = &report.steps[0];
    assert_eq!((step.subject.as_str(), step.from, step.to), ("entity Order", 1400.0, 1024.0));
    assert_eq!(step.writes.map(cents), ["657.00", "459.90"]);
}

#[test]
fn break_even_points_are_those_of_the_prices() {
    let even = report(&orders()).break_even;
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    assert_eq!(percent(even.provisioned), "28.9");
    assert_eq!(percent(even.scaled), "41.3");
    assert_eq!((percent(even.reserved_1y), percent(even.reserved_3y)), ("13.3".to_owned(), "6.6".to_owned()));
    assert_eq!(percent(even.infrequent_access), "29.4");
}

fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(actual);
}

#[test]
fn the_report_for_people() {
    check(
        &report(&orders()).text(),
        &expect![[r"
        orders: $788.86 a month
        List prices of us-east-1, 2026-08-31, without free tier and discounts; a month is 730 h; load is the declared average.

                                  how much              $ a month
          writes                  400 WRU/s, 1,051.2 M     657.00
          reads                   360 RRU/s, 946.1 M       118.26
          storage                 30.4 GB                    7.60
          point-in-time recovery  30 GB                      6.00  list price, unverified
          total                                            788.86

        Patterns
          id  pattern                 plan           runs/s  at peak  RRU  WRU  $ a month   share  on indexes
          P1  Place an order          write(2 arms)      40      200    0    7     459.90  58.3 %  OpenOrders 65.70
          P2  Get an order            get               300      300  0.5    0      49.27   6.2 %
          P3  List a reader's orders  range              60       60  3.5    0      68.98   8.7 %
          P4  Ship an order           write(2 arms)      40      200    0    3     197.10  25.0 %  OpenOrders 65.70

        Table Orders: $788.86 a month, paid by request
          part        WRU/s  at peak  RRU/s  at peak       items   GB  $ writes  $ reads  $ storage  $ a month  read by
          the table     320    1,600    360      360  20,000,000   30    525.60   118.26       7.50     651.36  P2 P3
          OpenOrders     80      400      0        0   1,000,000  0.4    131.40     0.00       0.10     131.50  nobody
          point-in-time recovery: 30 GB, $6.00 (list price, unverified)

          way to pay                           $ throughput  $ storage  $ a month   change  capacity on average
          by request (now)                           775.26       7.60     782.86
          fixed at the peak                          983.26       7.60     990.86  +26.6 %  2,000 WCU, 361 RCU
          auto scaling                               348.38       7.60     355.98  -54.5 %  631 WCU, 516 RCU
          auto scaling without delay                 319.95       7.60     327.55  -58.2 %  571.4 WCU, 514.3 RCU
          auto scaling, base reserved 1 year         321.31       7.60     328.91    -58 %  631 WCU (100 reserved), 516 RCU (500 reserved)
          auto scaling, base reserved 3 years        263.44       7.60     271.04  -65.4 %  631 WCU (1,100 reserved), 516 RCU (500 reserved)
          by request, Standard-IA                    969.08       3.04     972.12  +24.2 %
          auto scaling, Standard-IA                  433.38       3.04     436.42  -44.3 %  631 WCU, 516 RCU; list price, unverified

          Auto scaling would cost $426.88 less (-54.5 %); auto scaling, base reserved 3 years $511.82 less.
          Capacity that is fixed at the peak wins above 28.9 % mean use; here it would be 20.0 % for writes, 100.0 % for reads.
          Auto scaling is simulated on a day that rises and falls once; a sudden peak is throttled until it follows, by request it is not.
          Storage is 1.0 % of storage and throughput: Standard is right (Standard-IA wins above 29.4 %; AWS says about 50 %, to be careful).

        What item size costs: the next step down
          entity Order: 1,400 B -> 1,024 B, 376 B less: $216.81 a month less; writes 657.00 -> 459.90 (-30 %), reads 118.26 -> 98.55 (-16.7 %)

        Break-even points of these prices
          capacity beats requests above 28.9 % mean use of what is provisioned
          an ideal follower costs 41.3 % of requests
          reserved capacity beats requests above 13.3 % (1 year) and 6.6 % (3 years) use
          Standard-IA wins where storage is above 29.4 % of storage and throughput
    "]],
    );
}

#[test]
fn the_report_in_markdown_keeps_its_tables_whole() {
    let mut catalogue = orders();
    "a|b <script>".clone_into(&mut catalogue.patterns[0].name);
    let text = report(&catalogue).markdown();
    assert!(text.contains("| P1 | a\\|b &lt;script> | write(2 arms) |"), "{text}");
}

#[test]
fn the_report_for_programs() {
    let json = report(&orders()).json();
    assert_eq!(json["total"], 788.86);
    assert_eq!(json["patterns"][0]["dollars"], 459.9);
    assert_eq!(json["tables"][0]["parts"][1]["index"], "OpenOrders");
    assert_eq!(json["lines"][3]["verified"], false);
}

#[test]
fn refused_conditions_cost_a_write_and_no_index_entry() {
    let mut catalogue = orders();
    catalogue.patterns[3].conditional_fail_rate = Some(0.5);
    let pattern = report(&catalogue).patterns[3].clone();
    // 2 units accepted or refused, the entry for the accepted half.
    assert!((pattern.write - 2.5).abs() < 1e-9, "{}", pattern.write);
    assert!((pattern.refused - 1.0).abs() < 1e-9);
    catalogue.patterns[3].previous_item_bytes = Some(100.0);
    assert!((report(&catalogue).patterns[3].write - 2.0).abs() < 1e-9);
}

#[test]
fn a_pattern_without_rate_is_not_priced_and_said_so() {
    let mut catalogue = orders();
    catalogue.patterns[1].avg_rps = None;
    catalogue.patterns[1].peak_rps = None;
    let report = report(&catalogue);
    assert_eq!(report.patterns[1].unpriced.as_deref(), Some("no rate is declared"));
    assert!(
        report.notes.contains(&"not priced, because no rate is declared: P2".to_owned()),
        "{:?}",
        report.notes
    );
    assert!(report.text().contains("not priced"));
}

#[test]
fn provisioned_tables_pay_for_what_is_declared_and_warn_where_it_is_short() {
    let report = what_if(&["table.Orders.capacity.write=500", "table.Orders.capacity.read=1000"]);
    let table = &report.tables[0];
    assert_eq!(table.paid, "by declared capacity");
    // 500 WCU and 1,000 RCU of the table; its index is fixed at its peak of 400 WCU and 1 RCU.
    let throughput = 730.0 * (900.0 * 0.00065 + 1001.0 * 0.00013);
    assert_eq!(cents(table.modes[0].throughput), cents(throughput));
    let parts: f64 = table.parts.iter().map(|part| part.read_dollars + part.write_dollars).sum();
    assert_eq!(cents(parts), cents(throughput));
    assert!(
        table.verdict.iter().any(|said| said.starts_with("Orders: 1,600 WCU at the peak exceed")),
        "{:?}",
        table.verdict
    );
}

#[test]
fn replicas_are_written_and_stored_again() {
    let report = what_if(&["table.Orders.replicas=eu-west-1 eu-west-2"]);
    let line = |what: &str| report.lines.iter().find(|line| line.what == what).unwrap();
    assert_eq!(cents(line("replicated writes").dollars), "1314.00");
    assert!(!line("replicated writes").verified);
    // 48 bytes more for each item.
    assert_eq!(
        cents(line("storage of replicas").dollars),
        cents(2.0 * (20e6 * 1548.0 + 1e6 * 448.0) / 1e9 * 0.25)
    );
}

#[test]
fn storage_comes_from_what_is_created_where_no_count_is_declared() {
    let mut catalogue = orders();
    catalogue.entities[0].count = None;
    catalogue.patterns[0].operation = Some(hashrange_api::Operation::PutItem);
    catalogue.patterns[0].entities = vec![("Order".to_owned(), 1.0)];
    let items = report(&catalogue).tables[0].parts[0].entries.unwrap();
    assert!((items - 40.0 * 86_400.0 * 30.0).abs() < 1.0);
    catalogue.patterns[0].operation = None;
    let report = report(&catalogue);
    assert_eq!(report.tables[0].parts[0].entries, None);
    assert!(report.notes[0].contains("storage is not priced"), "{:?}", report.notes);
}

#[test]
fn a_what_if_shows_before_and_after() {
    let (mut catalogue, mut prices) = (orders(), Prices::built_in());
    let before = report(&catalogue);
    let changes: Vec<set::Change> =
        ["entity.Order.bytes=8192", "pattern.P3.avg_rps=500", "price.storage=0.3", "pattern.*.peak_rps=x2"]
            .iter()
            .map(|setting| set::apply(&mut catalogue, &mut prices, setting).unwrap())
            .collect();
    let after = cost_with(&catalogue, &prices, &plans);
    check(
        &print::compare_text(&before, &after, &changes, false),
        &expect![[r"
        What if: $788.86 -> $5,306.19 a month (+572.6 %)
          entity.Order.bytes: 1,400 -> 8,192
          pattern.P3.avg_rps: 60 -> 500
          price.storage: 0.25 -> 0.3
          pattern.*.peak_rps: 200, 300, 60, 200 -> 400, 600, 120, 400

                                  $ before   $ after      change
          writes                    657.00  1,839.60      +180 %
          reads                     118.26  3,383.55  +2,761.1 %
          storage                     7.60     49.87    +556.2 %
          point-in-time recovery      6.00     33.17    +452.8 %
          table Orders              788.86  5,306.19    +572.6 %
          pattern P1                459.90  1,248.30    +171.4 %
          pattern P2                 49.27     98.55      +100 %
          pattern P3                 68.98  3,285.00  +4,661.9 %
          pattern P4                197.10    591.30      +200 %
          total                     788.86  5,306.19    +572.6 %

    "]],
    );
}

#[test]
fn a_wrong_setting_is_refused_with_the_nearest_name() {
    let errors = [
        "entity.Ordr.bytes=1",
        "entity.Order.byte=1",
        "pattern.P1.avg_rsp=5",
        "tabel.Orders.billing=provisioned",
        "table.Orders.billing=free",
        "table.Orders.index.OpenOrder.entry_bytes=4",
        "pattern.P1.fail_rate=2",
        "price.storge=1",
        "assume.scaling_target=95",
        "entity.Order.bytes=-3",
        "entity.Order.p99_bytes=x2",
        "bytes",
    ]
    .map(|setting| set::apply(&mut orders(), &mut Prices::built_in(), setting).unwrap_err());
    check(
        &errors.join("\n"),
        &expect![[r"
        entity.Ordr.bytes: unknown; did you mean Order?
        entity.Order.byte: unknown; did you mean bytes?
        pattern.P1.avg_rsp: unknown; did you mean avg_rps?
        tabel.Orders.billing: unknown; did you mean table?
        table.Orders.billing=free: one of on-demand, provisioned is needed
        table.Orders.index.OpenOrder.entry_bytes: unknown; did you mean OpenOrders?
        pattern.P1.fail_rate=2: a share from 0 to 1 is needed
        price.storge: unknown; did you mean storage?
        assume.scaling_target: 95 is not between 20 and 90
        entity.Order.bytes=-3: a number of 0 or more is needed, or x2 to multiply
        entity.Order.p99_bytes=x2: nothing to multiply: it is not stated
        bytes: a setting is PATH=VALUE, as in entity.Order.bytes=8192"]],
    );
}

#[test]
fn the_worked_example_comes_out_of_a_catalogue_too() {
    let catalogue = crate::testing::yaml(
        r#"
hashrange: 1
name: orders
tables:
  Orders:
    key: {hash: pk, range: sk}
    billing: on-demand
    recovery: true
    indexes:
      OpenOrders: {key: {hash: openAt, range: placed}, projection: [total], entry_bytes: 300, entry_count: 1000000}
entities:
  Order:
    key: {pk: "READER#{readerId}", sk: "ORDER#{placed}#{orderId}"}
    attributes: {readerId: uuid, orderId: uuid, placed: iso-time, openAt: {type: S}, total: "decimal(1,500,2)"}
    bytes: 1400
    count: 20000000
  Stock:
    key: {pk: "BOOK#{bookId}", sk: STOCK}
    attributes: {bookId: uuid, quantity: "int(0,100)"}
    bytes: 200
patterns:
  - id: P1
    name: Place an order
    operation: TransactWriteItems
    actions: [{put: {entity: Order}}, {update: {key: {pk: "BOOK#{bookId}", sk: STOCK}, set: {quantity: 3}}}]
    rate: {avg: 40, peak: 200}
  - id: P2
    name: Get an order
    operation: GetItem
    key: {pk: "READER#{readerId}", sk: "ORDER#{placed}#{orderId}"}
    rate: {avg: 300}
  - id: P3
    name: List a reader's orders
    operation: Query
    key: {pk: "READER#{readerId}", sk: {begins_with: "ORDER#"}}
    items: 20
    rate: {avg: 60}
  - id: P4
    name: Ship an order
    operation: UpdateItem
    key: {pk: "READER#{readerId}", sk: "ORDER#{placed}#{orderId}"}
    update: REMOVE openAt
    writes: [openAt]
    rate: {avg: 40, peak: 200}
"#,
    );
    let report = cost(&catalogue, &Prices::built_in());
    let units: Vec<(f64, f64)> =
        report.patterns.iter().map(|pattern| (pattern.read, pattern.write)).collect();
    assert_eq!(units, [(0.0, 7.0), (0.5, 0.0), (3.5, 0.0), (0.0, 3.0)], "{:?}", report.patterns[0].arms);
    let lines: Vec<String> = report.lines.iter().map(|line| cents(line.dollars)).collect();
    assert_eq!(lines, ["657.00", "118.26", "7.60", "6.00"], "{}", report.text());
    assert_eq!(cents(report.total), "788.86");
}

#[test]
fn a_pattern_that_cannot_be_run_has_no_price_and_is_named() {
    let mut catalogue = orders();
    catalogue.patterns[1].operation = Some(hashrange_api::Operation::SearchVectors);
    let report = cost(&catalogue, &Prices::built_in());
    let told =
        "P2: not run: SearchVectors is not built yet; its searches are an estimate in the line of its table";
    assert!(report.notes.iter().any(|note| note == told), "{:?}", report.notes);
    for text in [report.text(), report.markdown()] {
        let row = text.lines().find(|line| line.contains("Get an order")).unwrap_or_default();
        assert!(row.contains("not run") && !row.contains("0.00") && !row.contains("-0"), "{row}");
        assert!(text.contains(told), "{text}");
    }
    let pattern = &report.json()["patterns"][1];
    assert_eq!(pattern["not_run"], "not run: SearchVectors is not built yet");
    assert!(pattern["dollars"].is_null(), "{pattern}");
}

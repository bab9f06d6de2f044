//! Each change asks of the data what DynamoDB asks.

use expect_test::expect;

use super::*;
use crate::catalogue::{Billing, Index, IndexKind, KeyType, Keys, Projection, Table};

fn index(name: &str, kind: IndexKind, hash: &str, projection: Projection) -> Index {
    Index {
        name: name.to_owned(),
        kind,
        keys: Keys { hash: vec![hash.to_owned()], range: vec!["SK".to_owned()] },
        projection,
        ..Index::default()
    }
}

fn shop() -> Catalogue {
    let entity = Entity {
        name: "Order".to_owned(),
        table: "Shop".to_owned(),
        keys: [("PK", "USER#{userId}"), ("SK", "ORDER#{orderId}"), ("GSI1PK", "STATUS#{status}")]
            .into_iter()
            .map(|(name, text)| (name.to_owned(), Template::parse(text).unwrap()))
            .collect(),
        bytes: Some(1400.0),
        count: Some(20e6),
        ..Entity::default()
    };
    let mut table = Table {
        name: "Shop".to_owned(),
        keys: Keys { hash: vec!["PK".to_owned()], range: vec!["SK".to_owned()] },
        indexes: vec![
            index("ByStatus", IndexKind::Global, "GSI1PK", Projection::KeysOnly),
            index("ByDate", IndexKind::Local, "PK", Projection::KeysOnly),
        ],
        ..Table::default()
    };
    table.definitions.insert("PK".to_owned(), KeyType::S);
    let pattern = Pattern {
        id: "P1".to_owned(),
        name: "An order".to_owned(),
        avg_rps: Some(10.0),
        ..Pattern::default()
    };
    Catalogue {
        name: "shop".to_owned(),
        tables: vec![table],
        entities: vec![entity],
        patterns: vec![pattern],
        ..Catalogue::default()
    }
}

fn no_plans(_: &Catalogue) -> Vec<PatternPlan> {
    Vec::new()
}

fn compared(change: impl FnOnce(&mut Catalogue)) -> Diff {
    let mut after = shop();
    change(&mut after);
    diff_with([&shop(), &after], &Prices::built_in(), &no_plans)
}

#[test]
fn a_model_does_not_differ_from_itself() {
    let diff = compared(|_| {});
    assert!(diff.is_empty());
    assert_eq!(diff.text(), "Nothing changed.\n");
    assert_eq!(diff.json()["same"], true);
}

#[test]
fn each_change_asks_for_what_it_needs() {
    type Change = fn(&mut Catalogue);
    let changes: [(Change, Effect); 14] = [
        (|shop| shop.tables[0].keys.hash[0] = "pk".to_owned(), Effect::NewTable),
        (|shop| _ = shop.tables[0].definitions.insert("PK".to_owned(), KeyType::N), Effect::NewTable),
        (|shop| shop.tables[0].indexes.truncate(1), Effect::NewTable),
        (|shop| shop.tables[0].indexes[1].projection = Projection::All, Effect::NewTable),
        (
            |shop| shop.tables[0].indexes.push(index("New", IndexKind::Global, "x", Projection::All)),
            Effect::Backfill,
        ),
        (|shop| shop.tables[0].indexes[0].projection = Projection::All, Effect::Backfill),
        (|shop| shop.tables[0].indexes[0].keys.range.clear(), Effect::Backfill),
        (|shop| _ = shop.tables[0].indexes.remove(0), Effect::Drop),
        (|shop| shop.tables.clear(), Effect::Drop),
        (|shop| shop.tables[0].billing = Some(Billing::OnDemand), Effect::Update),
        (|shop| shop.tables[0].ttl = Some("expiresAt".to_owned()), Effect::Update),
        (
            |shop| {
                _ = shop.entities[0]
                    .keys
                    .insert("SK".to_owned(), Template::parse("ORDER#{date}#{orderId}").unwrap());
            },
            Effect::Rewrite,
        ),
        (|shop| shop.patterns[0].budget.rcu = Some(0.5), Effect::Free),
        (|shop| shop.patterns.clear(), Effect::Free),
    ];
    for (at, (change, effect)) in changes.into_iter().enumerate() {
        assert_eq!(compared(change).gravest(), effect, "change {at}");
    }
}

#[test]
fn settings_that_a_table_is_run_with_are_changes() {
    use crate::catalogue::{Encryption, Insights, Kinesis, Resource, Units};
    let mut before = shop();
    before.tables[0].resource = Some(Resource::Table);
    let mut after = before.clone();
    let table = &mut after.tables[0];
    table.warm = Units { read: Some(13_000.0), write: None };
    table.on_demand_max.write = Some(500.0);
    table.encryption = Some(Encryption::Key(Some("alias/shop".to_owned())));
    table.insights = Some(Insights::Throttled);
    table.kinesis = Some(Kinesis { stream: Some("arn:shop".to_owned()), precision: None });
    table.policy = Some(serde_json::json!({"Version": "2012-10-17"}));
    table.resource = Some(Resource::GlobalTable);
    table.indexes[0].warm.write = Some(5_000.0);
    table.indexes[0].insights = Some(Insights::All);
    let diff = diff_with([&before, &after], &Prices::built_in(), &no_plans);
    expect![[r#"
          asks for   what                 part                  before                after
          new-table  table Shop           resource              AWS::DynamoDB::Table  AWS::DynamoDB::GlobalTable
          update     index Shop.ByStatus  warm throughput                             5,000 writes
          update     index Shop.ByStatus  contributor insights                        accessed and throttled keys
          update     table Shop           warm throughput                             13,000 reads
          update     table Shop           most on demand                              500 writes
          update     table Shop           encryption                                  alias/shop
          update     table Shop           contributor insights                        throttled keys
          update     table Shop           Kinesis stream                              arn:shop
          update     table Shop           resource policy                             {"Version":"2012-10-17"}

        What to do
          new-table table Shop: keep the table (DeletionPolicy: Retain), take it out of the stack and import it as the other type
          update index Shop.ByStatus: UpdateTable, while the table serves; it is paid once, and never falls again
          update index Shop.ByStatus: UpdateContributorInsights, while the table serves; each event that is counted is paid
          update table Shop: UpdateTable, while the table serves; it is paid once, and never falls again
          update table Shop: UpdateTable, while the table serves
          update table Shop: UpdateTable, while the table serves; readers need the permission to use the key
          update table Shop: UpdateContributorInsights, while the table serves; each event that is counted is paid
          update table Shop: EnableKinesisStreamingDestination or its counterpart; records begin then
          update table Shop: PutResourcePolicy, while the table serves; it holds a moment later
    "#]].assert_eq(&diff.text());
    assert_eq!(diff.gravest(), Effect::NewTable);
    // A file that states no type of resource does not change it.
    after.tables[0] = Table { resource: None, ..before.tables[0].clone() };
    assert!(diff_with([&before, &after], &Prices::built_in(), &no_plans).is_empty());
}

#[test]
fn the_report_for_people() {
    let diff = compared(|shop| {
        shop.entities[0].keys.insert("SK".to_owned(), Template::parse("ORDER#{date}#{orderId}").unwrap());
        shop.tables[0].indexes[0].projection = Projection::Include(vec!["total".to_owned()]);
        shop.tables[0].stream = Some("NEW_IMAGE".to_owned());
        shop.patterns[0].budget.rcu = Some(0.5);
        shop.patterns[0].avg_rps = Some(20.0);
    });
    expect![[r"
          asks for  what                 part        before           after
          rewrite   entity Order         key SK      ORDER#{orderId}  ORDER#{date}#{orderId}
          backfill  index Shop.ByStatus  projection  keys only        keys and total
          update    table Shop           stream                       NEW_IMAGE
          free      pattern P1           rate.avg    10               20
          free      pattern P1           budget.rcu                   0.5

        What to do
          rewrite entity Order: write each item under its new key and delete the old one: 20,000,000 items, 80 M WRU, $50.00
          backfill index Shop.ByStatus: an index cannot be changed: add one under a new name, read from it, then delete the old one: 20,000,000 entries, 20 M WRU, $12.50
          update table Shop: UpdateTable, while the table serves; records begin then

        Costs a month
                      $ before  $ after  change
          table Shop      9.21     9.43  +2.3 %
          total           9.21     9.43  +2.3 %
    "]].assert_eq(&diff.text());
    assert!(diff.markdown().contains("| rewrite | entity Order | key SK |"));
    assert_eq!(diff.json()["gravest"], "rewrite");
}

#[test]
fn plans_and_costs_are_compared() {
    let planner = |catalogue: &Catalogue| {
        let strong = catalogue.patterns[0].strong == Some(true);
        let arm = crate::plan::Arm {
            table: "Shop".to_owned(),
            index: None,
            read: if strong { 1.0 } else { 0.5 },
            write: 0.0,
        };
        vec![PatternPlan {
            pattern: "P1".to_owned(),
            class: crate::PlanClass::Get,
            table: "Shop".to_owned(),
            index: None,
            hash: Vec::new(),
            sort: Vec::new(),
            filter: Vec::new(),
            wanted: Vec::new(),
            forward: None,
            strong,
            transaction: false,
            items: Some(1.0),
            item_bytes: None,
            arms: vec![arm],
            remedy: None,
        }]
    };
    let mut after = shop();
    after.patterns[0].strong = Some(true);
    let diff = diff_with([&shop(), &after], &Prices::built_in(), &planner);
    expect![[r"
          asks for  what        part        before  after
          free      pattern P1  consistent          true

        Plans
          pattern  plan       RCU  WCU
          P1       get   0.5 -> 1    0

        Costs a month
                      $ before  $ after   change
          table Shop     10.86    12.50  +15.1 %
          pattern P1      1.64     3.28   +100 %
          total          10.86    12.50  +15.1 %
    "]]
    .assert_eq(&diff.text());
}

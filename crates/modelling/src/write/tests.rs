use expect_test::{expect, expect_file};

use super::yaml;
use crate::catalogue::Catalogue;
use crate::read::{ReadOptions, SourceFile, read};

fn parse(text: &str) -> Catalogue {
    let file = SourceFile { path: "m.yaml".to_owned(), bytes: text.as_bytes().to_vec() };
    read(&[file], &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

const E_COMMERCE: &str = include_str!("../../../../examples/models/e-commerce/catalogue.yaml");

const SHOP: &str = include_str!("../../tests/data/shop.yaml");

#[test]
fn what_is_written_reads_back_as_it_was() {
    let catalogue = parse(SHOP);
    let written = yaml(&catalogue);
    let again = parse(&written);
    assert_eq!(again, catalogue, "{written}");
    assert_eq!(yaml(&again), written);
}

#[test]
fn short_forms_are_kept() {
    expect_file!["../../tests/data/short_forms.yaml"].assert_eq(&yaml(&parse(SHOP)));
}

#[test]
fn the_schema_and_the_reader_know_the_same_fields() {
    let schema: serde_json::Value = serde_json::from_str(super::SCHEMA).unwrap();
    for (name, shape) in crate::read::own::SHAPES {
        let place = if name == "catalogue" { &schema } else { &schema["$defs"][name] };
        let object = match place["anyOf"].as_array() {
            Some(ways) => ways.iter().find(|way| way.get("properties").is_some()).unwrap(),
            None => place,
        };
        let mut known: Vec<&str> =
            object["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut read: Vec<&str> = shape.keys.to_vec();
        known.sort_unstable();
        read.sort_unstable();
        assert_eq!(known, read, "the fields of {name}: the schema's, then the reader's");
    }
}

#[test]
fn the_other_shapes_read_back_what_they_can_say() {
    let catalogue = parse(E_COMMERCE);
    for (write, format) in
        [(super::shape_m as fn(&Catalogue) -> (String, Vec<String>), "m"), (super::shape_s, "s")]
    {
        let (text, lost) = write(&catalogue);
        assert!(!lost.is_empty(), "the catalogue says more than the shape {format}");
        // What is read has the shape's defaults; from then on nothing changes.
        let again = |text: String| {
            let file = SourceFile { path: format.to_owned(), bytes: text.into_bytes() };
            read(&[file], &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}"))
        };
        let once = again(text);
        assert_eq!(again(write(&once).0), once, "shape {format}");
        let ids =
            |catalogue: &Catalogue| catalogue.patterns.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&once)[..11], ids(&catalogue)[..11], "shape {format}");
    }
}

#[test]
fn what_a_shape_cannot_say_is_listed() {
    let list = |lost: Vec<String>| lost.join("\n");
    expect![[r"
        auto scaling: Shop
        budgets: 1
        counts and sizes: Shop
        declarations: P9, P11, P13
        entities: User, Order
        expected results: P2, P7, P16, P17, P18
        flows: checkout
        needs without an operation: P15
        patterns without a request: P18
        point-in-time recovery: Shop
        rates: 1, P2
        replicas: Shop
        severities of rules: hot-key, index-unused, long-names
        sizes and numbers of items: P2, P15, P18
        waivers: low-cardinality-partition-key
        where {any}, {email}, {flags}, {meta}, {note}, {userId} come from, which stay as they are in the command: P7
        where {name}, {placed}, {seq}, {status}, {token}, {total}, {userId} come from, which stay as they are in the command: P11
        where {placed}, {seq}, {userId} come from, which stay as they are in the command: P8
        where {userId} come from, which stay as they are in the command: 1, P2, P5, P6, P9, P10, P16"]].assert_eq(&list(super::shape_m(&parse(SHOP)).1));
    expect![[r"
        a peak rate, which the shape demands and the catalogue has not: P3, P4, P5, P7, P8, P9, P10, P11, P12, P13, P16, P17, P18
        budgets: 1
        declarations: P9, P11, P13
        expected results: P2, P7, P16, P17, P18
        flows: checkout
        key templates: User, Order
        keys of several attributes: Shop.ByAmount
        local indexes: ByDate
        patterns without an operation or a table: P6, P14, P15
        recovery, protection and scaling: Shop
        requests: 1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P16, P17
        sample items: Shop
        time to live: Shop
        waivers: low-cardinality-partition-key"]].assert_eq(&list(super::shape_s(&parse(SHOP)).1));
}

#[test]
fn the_shop_that_init_starts_with_is_read_without_a_note() {
    let catalogue = parse(E_COMMERCE);
    assert_eq!(catalogue.notes, []);
    assert_eq!(parse(&yaml(&catalogue)), catalogue);
}

use super::*;

fn global(name: &str, state: IndexState) -> GlobalRow {
    GlobalRow {
        name: name.to_owned(),
        space: 1026,
        hash: vec!["a".to_owned(), "b".to_owned()],
        range: vec!["c".to_owned()],
        projection: Projection::Include(vec!["x".to_owned()]),
        throughput: ThroughputRow {
            units: Units { read: 1, write: 2 },
            before: Some(Units { read: 3, write: 4 }),
            changed_ms: Some(5),
            increased_ms: Some(6),
            decreased_ms: Some(7),
            decreases: 8,
        },
        on_demand: OnDemandRow { read: Some(9), write: None },
        warm: WarmRow { units: Units { read: 10, write: 11 }, before: None, changed_ms: Some(12) },
        state,
        updated_ms: Some(13),
    }
}

/// A row with every field filled.
fn full() -> TableRow {
    let attribute = |name: &str, kind| AttributeRow { name: name.to_owned(), kind };
    TableRow {
        id: "11111111-2222-4333-8444-555555555555".to_owned(),
        space: 1024,
        created_ms: 1_767_225_600_000,
        attributes: vec![
            attribute("a", ScalarAttributeType::S),
            attribute("b", ScalarAttributeType::N),
            attribute("c", ScalarAttributeType::B),
            attribute("pk", ScalarAttributeType::S),
        ],
        key: vec!["pk".to_owned(), "c".to_owned()],
        locals: vec![LocalRow {
            name: "local".to_owned(),
            range: "b".to_owned(),
            projection: Projection::KeysOnly,
            row_kind: 16,
        }],
        globals: vec![
            global("with", IndexState::WithTable),
            global("added", IndexState::Added { since_ms: 1, populated: true, filled_ms: Some(2) }),
            global("leaving", IndexState::Deleting { since_ms: 3 }),
        ],
        billing: BillingRow {
            mode: BillingMode::PayPerRequest,
            on_demand_ms: Some(14),
            switches_ms: vec![15, 16],
        },
        throughput: ThroughputRow::default(),
        on_demand: OnDemandRow::default(),
        warm: WarmRow::default(),
        class: Some(ClassRow {
            class: TableClass::StandardInfrequentAccess,
            changes_ms: vec![17],
            changed_ms: Some(17),
        }),
        encryption: EncryptionRow {
            key_arn: Some("arn:aws:kms:us-east-1:000000000000:key/x".to_owned()),
            changed_ms: Some(18),
            changes_ms: vec![18],
        },
        stream: Some(StreamRow { view: StreamViewType::KeysOnly, label: "label".to_owned() }),
        stream_label: Some("label".to_owned()),
        protected: true,
        expiry: Some(ExpiryRow { attribute: "ttl".to_owned(), enabled: false, changed_ms: 19 }),
        tags: vec![TagRow { key: "k".to_owned(), value: "v".to_owned() }],
        updating: Some(UpdatingRow { what: Updating::StreamDisable, since_ms: 20 }),
        deleting_ms: Some(21),
        policy: Some("{}".to_owned()),
    }
}

/// A row with nothing that can be left out.
fn bare() -> TableRow {
    TableRow {
        locals: Vec::new(),
        globals: Vec::new(),
        class: None,
        encryption: EncryptionRow::default(),
        stream: None,
        stream_label: None,
        expiry: None,
        tags: Vec::new(),
        updating: None,
        deleting_ms: None,
        policy: None,
        ..full()
    }
}

#[test]
fn rows_come_back_as_they_were() {
    for row in [full(), bare()] {
        assert_eq!(decode(&encode(&row)), Ok(row));
    }
}

#[test]
fn fields_that_a_later_version_added_are_passed_over() {
    let row = bare();
    let mut bytes = encode(&row).to_vec();
    let entries = bytes[0] & 0x1f;
    assert!(bytes[0] >> 5 == 5 && entries < 22, "a map of fewer than 22 entries says so in its first byte");
    bytes[0] += 2;
    let mut encoder = minicbor::Encoder::new(&mut bytes);
    encoder.u8(98).unwrap().array(2).unwrap().str("later").unwrap().bool(true).unwrap();
    encoder.u8(99).unwrap().map(1).unwrap().u8(0).unwrap().u64(u64::MAX).unwrap();
    assert_eq!(decode(&bytes), Ok(row));
}

#[test]
fn the_layout_does_not_change_unnoticed() {
    let hex = encode(&bare()).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    expect_test::expect!["ae00782431313131313131312d323232322d343333332d383434342d35353535353535353535353501190400021b0000019b76daa8000384a2006161016153a200616201614ea2006163016142a20062706b016153048262706b61630580068007a3006f5041595f5045525f52455155455354010e02820f1008a200820000050009a00aa1008200000ca102800ff51180"].assert_eq(&hex);
}

#[test]
fn bytes_that_are_no_row_are_damage() {
    let corrupt = |bytes: &[u8]| matches!(decode(bytes), Err(StoreError::Corrupt(_)));
    let bytes = encode(&full());
    for length in 0..bytes.len() {
        assert!(corrupt(&bytes[..length]), "{length}");
    }
    let without_definitions = TableRow { attributes: Vec::new(), ..bare() };
    assert!(corrupt(&encode(&without_definitions)));
    let without_key = TableRow { key: Vec::new(), ..bare() };
    assert!(corrupt(&encode(&without_key)));
}

#[test]
fn a_change_of_throughput_is_in_force_once_it_is_over() {
    let (one, ten) = (Units { read: 1, write: 1 }, Units { read: 10, write: 10 });
    let throughput =
        ThroughputRow { units: ten, before: Some(one), changed_ms: Some(1000), ..ThroughputRow::default() };
    assert_eq!(throughput.in_force(1499, 500), (one, 0));
    assert_eq!(throughput.in_force(1500, 500), (ten, 1500));
    assert_eq!(throughput.in_force(1000, 0), (ten, 1000));
    let never_changed = ThroughputRow { units: one, ..ThroughputRow::default() };
    assert_eq!(never_changed.in_force(1000, 500), (one, 0));
}

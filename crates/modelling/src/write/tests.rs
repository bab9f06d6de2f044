use expect_test::expect_file;

use super::{Form, write, yaml};
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

/// Reads files of any form; notes are not compared.
fn read_all(texts: &[&str]) -> Catalogue {
    let file = |text: &&str| SourceFile { path: "model".to_owned(), bytes: text.as_bytes().to_vec() };
    let files: Vec<SourceFile> = texts.iter().map(file).collect();
    let read =
        read(&files, &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems:#?}\n{texts:?}"));
    let mut read = Catalogue { notes: Vec::new(), ..read };
    // The code generator keeps patterns by entity.
    read.patterns.sort_by(|a, b| a.id.cmp(&b.id));
    read
}

fn lines(texts: &[String]) -> String {
    texts.iter().fold(String::new(), |all, text| all + text + "\n")
}

/// Two models are one; where not, their texts say it more shortly.
fn is_same(one: &Catalogue, other: &Catalogue, form: Form) {
    assert_eq!(
        yaml(one).lines().collect::<Vec<_>>(),
        yaml(other).lines().collect::<Vec<_>>(),
        "{}",
        form.name()
    );
    assert_eq!(one, other, "{}", form.name());
}

/// A file of a form is written as it was understood, and nothing is lost.
fn is_written_back(form: Form, texts: &[&str]) {
    let model = read_all(texts);
    let written = write(&model, form, "2026-11-30");
    assert_eq!(written.lost, [""; 0], "{}: {}", form.name(), written.text);
    is_same(&read_all(&[&written.text]), &model, form);
}

#[test]
fn every_form_reads_back_what_it_can_say() {
    for form in Form::ALL {
        for model in [parse(E_COMMERCE), parse(SHOP)] {
            let once = |catalogue: &Catalogue| {
                let written = write(catalogue, form, "2026-11-30");
                match form {
                    // The samples are of the entities of a schema beside them.
                    Form::UsageData => {
                        let schema = write(catalogue, Form::CodeGenerator, "2026-11-30").text;
                        read_all(&[&schema, &written.text])
                    }
                    _ => read_all(&[&written.text]),
                }
            };
            // What is read has the defaults of its form; from then on nothing changes.
            let read = once(&model);
            is_same(&once(&read), &read, form);
        }
    }
}

#[test]
fn what_a_form_cannot_say_is_told() {
    let shop = parse(SHOP);
    let told = |form: Form| {
        let written = write(&shop, form, "2026-11-30");
        format!("{}\n{}-- assumed\n{}", form.name(), lines(&written.lost), lines(&written.assumed))
    };
    let all: Vec<String> = Form::ALL.into_iter().map(told).collect();
    expect_file!["../../tests/data/lost.txt"].assert_eq(&all.join("\n"));
}

#[test]
fn names_of_forms_are_those_of_reading() {
    for form in Form::ALL {
        assert_eq!(Form::from_name(form.name()), Some(form));
        let known = crate::read::Format::from_name(form.name()).is_some();
        assert_eq!(known, form != Form::CloudFormationJson, "{}", form.name());
    }
}

#[test]
fn the_shop_that_init_starts_with_is_read_without_a_note() {
    let catalogue = parse(E_COMMERCE);
    assert_eq!(catalogue.notes, []);
    assert_eq!(parse(&yaml(&catalogue)), catalogue);
}

const TEMPLATE: &str = include_str!("../../tests/data/template.yaml");

const TERRAFORM: &str = include_str!("../../tests/data/main.tf");

#[test]
fn models_of_other_tools_are_written_back_as_they_were() {
    for (form, text) in [
        (Form::OneTable, include_str!("../../tests/data/onetable.json")),
        (Form::CostTool, include_str!("../../tests/data/cost_tool.json")),
        (Form::CodeGenerator, include_str!("../../tests/data/schema.json")),
        (Form::ShapeM, include_str!("../../tests/data/shape_m.json")),
        (Form::ShapeS, include_str!("../../tests/data/shape_s.json")),
        (Form::Workbench, include_str!("../../tests/data/workbench.json")),
    ] {
        is_written_back(form, &[text]);
    }
}

const WORKBENCH: &str = include_str!("../../tests/data/workbench_kept.json");

#[test]
fn members_of_a_workbench_file_that_are_not_known_go_back_to_their_places() {
    let model = read_all(&[WORKBENCH]);
    let written = write(&model, Form::Workbench, "2026-11-30");
    assert_eq!(written.lost, [""; 0]);
    // Nothing is added but a date, nothing is taken away, and nothing is changed.
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let (mut before, mut after) = (json(WORKBENCH), json(&written.text));
    for file in [&mut before, &mut after] {
        file["ModelMetadata"].as_object_mut().unwrap().remove("DateLastModified");
    }
    assert_eq!(after, before);
    is_same(&read_all(&[&written.text]), &model, Form::Workbench);
}

#[test]
fn members_that_are_not_known_are_told_where_another_form_cannot_hold_them() {
    let model = read_all(&[WORKBENCH]);
    let unknown = "members that were not known in the file that was read: ";
    for form in Form::ALL.into_iter().filter(|form| *form != Form::Workbench) {
        let told = write(&model, form, "2026-11-30").lost;
        let told: Vec<&str> = told.iter().filter_map(|text| text.strip_prefix(unknown)).collect();
        assert_eq!(
            told,
            ["AccessPatterns, DataModel[Loans].AccessPatterns, \
              DataModel[Loans].GlobalSecondaryIndexes[ByBook].Projection.Why, \
              DataModel[Loans].GlobalSecondaryIndexes[ByBook].Purpose, \
              DataModel[Loans].KeyAttributes.PartitionKey.Note, DataModel[Loans].NonKeyAttributes[isbn].Mask, \
              DataModel[Loans].TableFacets[Loan].Colour, ModelMetadata.Tags"],
            "{}",
            form.name()
        );
    }
}

#[test]
fn what_is_kept_of_a_workbench_file_gives_way_to_what_other_files_state() {
    let overlay = "hashrange: 1\nname: x\ntables:\n  Loans: {billing: on-demand}\n";
    let written = write(&read_all(&[overlay, WORKBENCH]), Form::Workbench, "2026-11-30");
    let again = read_all(&[&written.text]);
    assert_eq!(again.tables[0].billing, Some(crate::catalogue::Billing::OnDemand));
    assert_eq!(again.tables[0].scaling, [None, None]);
}

#[test]
fn usage_data_are_written_beside_their_schema() {
    let schema = include_str!("../../tests/data/schema.json");
    let usage = r#"{"entities":{"Loan":{"sample_data":{"member_id":"m1","loan_id":"l1","due":7,"isbn":"978-1","branch":"b","title":"x"}}}}"#;
    let model = read_all(&[schema, usage]);
    let written = write(&model, Form::UsageData, "2026-11-30");
    assert_eq!(written.lost, [""; 0]);
    assert_eq!(read_all(&[schema, &written.text]), model);
}

#[test]
fn templates_are_written_back_as_they_were() {
    is_written_back(Form::CloudFormation, &[TEMPLATE]);
    is_written_back(Form::CloudFormationJson, &[TEMPLATE]);
    let mut model = read_all(&[TEMPLATE]);
    let template = write(&model, Form::CloudFormation, "2026-11-30").text;
    expect_file!["../../tests/data/template_written.yaml"].assert_eq(&template);
    // In our own form it is the same model, but for what only formats as a whole state.
    let again = read_all(&[&yaml(&model)]);
    model.states = again.states;
    assert_eq!(again, model);
}

#[test]
fn terraform_is_written_back_as_it_was() {
    is_written_back(Form::Terraform, &[TERRAFORM]);
    let written = write(&read_all(&[TERRAFORM]), Form::Terraform, "2026-11-30");
    expect_file!["../../tests/data/main_written.tf.json"].assert_eq(&written.text);
}

#[test]
fn what_templates_and_terraform_say_of_a_table_is_the_same() {
    for name in ["shop-orders", "world"] {
        let [mut one, mut other] = [TEMPLATE, TERRAFORM].map(|text| {
            let tables = read_all(&[text]).tables;
            tables
                .into_iter()
                .find(|table| table.name == name.replace("world", "World") || table.name == name)
                .unwrap()
        });
        if name == "world" {
            assert_eq!(one.replicas, other.replicas);
            assert_eq!(one.replica_consistency, other.replica_consistency);
            continue;
        }
        for table in [&mut one, &mut other] {
            table.logical_id = None;
            table.resource = None;
            table.indexes.clear();
            table.definitions.clear();
        }
        let key = Some("alias/orders".to_owned());
        assert_eq!(one.encryption, Some(crate::catalogue::Encryption::Key(key)));
        one.encryption.clone_from(&other.encryption);
        one.warm.write = None;
        let reads = one.scaling[0].as_mut().unwrap();
        assert!(reads.disable_scale_in);
        reads.disable_scale_in = false;
        let policy = |table: &mut crate::catalogue::Table| table.policy.take().unwrap();
        let (template, terraform) = (policy(&mut one), policy(&mut other));
        assert_eq!(template["Statement"][0]["Action"], terraform["Statement"][0]["Action"]);
        assert_eq!(terraform["Statement"][0]["Resource"], "${not}");
        assert_eq!(one, other);
    }
}

//! Small files of every kind, in our own words, and what is read from them.

#![expect(
    clippy::needless_raw_string_hashes,
    reason = "golden texts are written by a tool that always adds them"
)]

use std::fmt::Write as _;

use super::super::{Problem, ReadOptions, SourceFile, read};
use crate::catalogue::{Billing, Capacity, Catalogue, Index, Projection, Scaling, Table};
use crate::write::{Form, write};

mod describe;
mod hcl;
mod hostile;
mod plan;
mod serverless;
mod settings;
mod template;

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
}

fn options(parameters: &[(&str, &str)]) -> ReadOptions {
    let parameters =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ReadOptions { parameters, ..ReadOptions::default() }
}

/// What is read from one file, as text; or what is wrong with it.
fn shown(text: &str, parameters: &[(&str, &str)]) -> String {
    shown_all(&[file("f", text)], &options(parameters))
}

fn shown_all(files: &[SourceFile], options: &ReadOptions) -> String {
    match read(files, options) {
        Ok(catalogue) => {
            written_back(&catalogue);
            show(&catalogue)
        }
        Err(problems) => {
            let lines: Vec<String> = problems
                .iter()
                .map(|Problem { place, message }| format!("problem {place}: {message}"))
                .collect();
            lines.join("\n") + "\n"
        }
    }
}

/// What a template or Terraform has no words for, or what is left out of it on purpose.
const UNSPOKEN: [&str; 8] = [
    "sample items",
    "numbers of consumers of streams",
    "counts and sizes of tables",
    "numbers of entries",
    "sizes of entries",
    "types of attributes that are no keys",
    // Terraform has one type of table, and takes other letters for its names; an old template makes replicas beside a plain table.
    "types of resources",
    "names in templates",
];

/// Every fixture, whatever format it came from, is written as a template and as Terraform, which read back as it was.
fn written_back(catalogue: &Catalogue) {
    // A global table that is paid by request has no place for a policy that has no effect.
    let idle =
        |table: &Table| table.billing == Some(Billing::OnDemand) && table.scaling.iter().any(Option::is_some);
    let idle = catalogue.tables.iter().any(idle);
    for form in [Form::CloudFormation, Form::Terraform] {
        let written = write(catalogue, form, "2026-11-30");
        let lost: Vec<&String> = written
            .lost
            .iter()
            .filter(|what| !(idle && what.starts_with("auto scaling")))
            .filter(|what| !UNSPOKEN.iter().any(|unspoken| what.starts_with(unspoken)))
            .collect();
        assert!(lost.is_empty(), "{}: {lost:#?}\n{}", form.name(), written.text);
    }
}

/// Tables in few lines: keys, types, what is on, indexes, samples, notes.
fn show(catalogue: &Catalogue) -> String {
    let mut out = String::new();
    for table in &catalogue.tables {
        show_table(&mut out, table);
    }
    for note in &catalogue.notes {
        writeln!(out, "note {}: {}", note.place, note.message).expect("a string takes all");
    }
    out
}

fn show_table(out: &mut String, table: &Table) {
    let types: Vec<String> =
        table.definitions.iter().map(|(name, kind)| format!("{name}:{kind:?}")).collect();
    let mut words = vec![
        format!("{} ({})", table.name, table.logical_id.as_deref().unwrap_or("-")),
        keys(&table.keys.hash, &table.keys.range),
        types.join(" "),
        billing(table.billing),
    ];
    words.extend(scalings(table.scaling));
    words.extend(table.ttl.iter().map(|ttl| format!("ttl={ttl}")));
    words.extend(table.stream.iter().map(|stream| format!("stream={stream}")));
    words.extend(table.stream_consumers.iter().map(|count| format!("consumers={count}")));
    for (name, flag) in [
        ("recovery", table.recovery),
        ("protection", table.protection),
        ("infrequent", table.infrequent_access),
    ] {
        words.extend(flag.filter(|flag| *flag).map(|_| name.to_owned()));
        if flag.is_none() {
            words.push(format!("{name}?"));
        }
    }
    if !table.replicas.is_empty() {
        words.push(format!("replicas={} {:?}", table.replicas.join(","), table.replica_consistency));
    }
    words.extend(table.item_count.zip(table.item_bytes).map(|(count, bytes)| format!("{count} x {bytes} B")));
    writeln!(out, "{}", words.join("; ")).expect("a string takes all");
    for index in &table.indexes {
        show_index(out, index);
    }
    for sample in &table.samples {
        writeln!(out, "  sample {sample:?}").expect("a string takes all");
    }
}

fn show_index(out: &mut String, index: &Index) {
    let projection = match &index.projection {
        Projection::All => "all".to_owned(),
        Projection::KeysOnly => "keys".to_owned(),
        Projection::Include(names) => format!("[{}]", names.join(" ")),
    };
    let mut words = vec![
        format!("{:?} {}", index.kind, index.name),
        keys(&index.keys.hash, &index.keys.range),
        projection,
    ];
    words.extend(index.capacity.map(units));
    words.extend(scalings(index.scaling));
    words.extend(index.vector.iter().map(|vector| serde_json::Value::Object(vector.clone()).to_string()));
    words.extend(
        index.entry_count.zip(index.entry_bytes).map(|(count, bytes)| format!("{count} x {bytes} B")),
    );
    writeln!(out, "  {}", words.join("; ")).expect("a string takes all");
}

fn keys(hash: &[String], range: &[String]) -> String {
    format!("{} | {}", hash.join(" "), range.join(" "))
}

fn units(capacity: Capacity) -> String {
    format!("{}r {}w", capacity.read, capacity.write)
}

fn billing(billing: Option<Billing>) -> String {
    match billing {
        None => "billing?".to_owned(),
        Some(Billing::OnDemand) => "on demand".to_owned(),
        Some(Billing::Provisioned(None)) => "provisioned ?".to_owned(),
        Some(Billing::Provisioned(Some(capacity))) => format!("provisioned {}", units(capacity)),
    }
}

fn scalings(sides: [Option<Scaling>; 2]) -> Vec<String> {
    let named = ["reads", "writes"].into_iter().zip(sides);
    let words = named.filter_map(|(name, side)| {
        let side = side?;
        let end = if side.disable_scale_in { " up only" } else { "" };
        Some(format!("{name} {}..{} at {}%{end}", side.min, side.max, side.target))
    });
    words.collect()
}

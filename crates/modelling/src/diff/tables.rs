//! Tables and indexes compared: which change a running table takes, and which it does not.

use super::{Ask, Changes, Effect, names};
use crate::catalogue::{
    Billing, Capacity, Catalogue, Consistency, Encryption, Index, IndexKind, Insights, KeyType, Keys,
    Kinesis, Projection, Scaling, Table, Units,
};
use crate::cost::print::figure;
use crate::finding::Subject;
use crate::plan::sizes;

pub(super) fn compare(changes: &mut Changes<'_>, before: &Catalogue, after: &Catalogue) {
    for name in names(before.tables.iter().map(|one| &one.name), after.tables.iter().map(|one| &one.name)) {
        let subject = Subject::Table(name.clone());
        match (before.table(&name), after.table(&name)) {
            (Some(old), Some(new)) => compare_table(changes, &subject, old, new),
            (None, _) => {
                let ask = Ask { effect: Effect::NewTable, advice: "create it".to_owned() };
                changes.push(&subject, "", String::new(), "added".to_owned(), ask);
            }
            _ => {
                let ask = Ask {
                    effect: Effect::Drop,
                    advice: "its items are deleted with it: keep a backup".to_owned(),
                };
                changes.push(&subject, "", "removed".to_owned(), String::new(), ask);
            }
        }
    }
}

fn compare_table(changes: &mut Changes<'_>, subject: &Subject, old: &Table, new: &Table) {
    let copy = copy_all(changes, old);
    for (part, of) in [("partition key", 0), ("sort key", 1)] {
        let texts = [old, new]
            .map(|table| key_text(table, if of == 0 { &table.keys.hash } else { &table.keys.range }));
        changes.text(subject, part, texts, || Ask { effect: Effect::NewTable, advice: copy.clone() });
    }
    for name in names(old.indexes.iter().map(|one| &one.name), new.indexes.iter().map(|one| &one.name)) {
        compare_index(changes, [old, new], &name, &copy);
    }
    settings(changes, subject, old, new);
}

/// What it takes to move all items of a table.
fn copy_all(changes: &Changes<'_>, table: &Table) -> String {
    let count = sizes::table_count(changes.before, table);
    let bytes = sizes::table_bytes(changes.before, table).zip(count).map(|(bytes, count)| bytes / count);
    format!(
        "create a second table, write to both, copy the items, then read from the new one{}",
        changes.effort("items", count, bytes, 1.0)
    )
}

/// Key attributes with their types: `PK (S)`.
fn key_text(table: &Table, names: &[String]) -> String {
    let kind = |name: &String| match table.definitions.get(name) {
        Some(KeyType::N) => "N",
        Some(KeyType::B) => "B",
        _ => "S",
    };
    names.iter().map(|name| format!("{name} ({})", kind(name))).collect::<Vec<_>>().join(", ")
}

fn keys_text(table: &Table, keys: &Keys) -> String {
    [key_text(table, &keys.hash), key_text(table, &keys.range)]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(" / ")
}

fn projection_text(index: &Index) -> String {
    match &index.projection {
        Projection::All => "all".to_owned(),
        Projection::KeysOnly => "keys only".to_owned(),
        Projection::Include(names) => {
            let mut names = names.clone();
            names.sort();
            format!("keys and {}", names.join(", "))
        }
    }
}

fn compare_index(changes: &mut Changes<'_>, tables: [&Table; 2], name: &str, copy: &str) {
    let [old, new] = tables.map(|table| table.index(name));
    let subject = Subject::Index(tables[0].name.clone(), name.to_owned());
    let local = [old, new].into_iter().flatten().any(|index| index.kind == IndexKind::Local);
    let grave = |advice: String| {
        if local {
            let advice = format!("local indexes are made with their table: {copy}");
            return Ask { effect: Effect::NewTable, advice };
        }
        Ask { effect: Effect::Backfill, advice }
    };
    match (old, new) {
        (None, Some(index)) => {
            let text = format!("added: {}, {}", keys_text(tables[1], &index.keys), projection_text(index));
            let advice = format!("it is filled in the background{}", filling(changes, tables[0], index));
            changes.push(&subject, "", String::new(), text, grave(advice));
        }
        (Some(index), None) => {
            let text = format!("removed: {}, {}", keys_text(tables[0], &index.keys), projection_text(index));
            let ask = if local {
                grave(String::new())
            } else {
                Ask { effect: Effect::Drop, advice: "delete it once nothing reads it".to_owned() }
            };
            changes.push(&subject, "", text, String::new(), ask);
        }
        (Some(old), Some(new)) => {
            let again = format!(
                "an index cannot be changed: add one under a new name, read from it, then delete the old one{}",
                filling(changes, tables[0], new)
            );
            let keys = [keys_text(tables[0], &old.keys), keys_text(tables[1], &new.keys)];
            changes.text(&subject, "key", keys, || grave(again.clone()));
            changes.text(&subject, "projection", [old, new].map(projection_text), || grave(again.clone()));
            changes.text(
                &subject,
                "kind",
                [old, new].map(|index| format!("{:?}", index.kind).to_lowercase()),
                || grave(again),
            );
            let online = || Ask::update("UpdateTable, while the table serves");
            changes.text(&subject, "capacity", [old, new].map(|index| capacity_text(index.capacity)), online);
            changes.text(&subject, "scaling", [old, new].map(|index| scaling_text(index.scaling)), online);
            let [before, after] = [old, new].map(|index| index.warm);
            changes.text(&subject, "warm throughput", [before, after].map(units_text), || Ask::update(WARM));
            let most = [old, new].map(|index| units_text(index.on_demand_max));
            changes.text(&subject, "most on demand", most, online);
            let insights = [old, new].map(|index| insights_text(index.insights));
            changes.text(&subject, "contributor insights", insights, || Ask::update(INSIGHTS));
            changes.number(&subject, "entry_bytes", [old.entry_bytes, new.entry_bytes]);
            changes.number(&subject, "entry_count", [old.entry_count, new.entry_count]);
        }
        (None, None) => {}
    }
}

/// The writes that fill an index.
fn filling(changes: &Changes<'_>, table: &Table, index: &Index) -> String {
    let entries = sizes::entry_count(changes.before, table, index);
    let bytes =
        sizes::index_bytes(changes.before, table, index).zip(entries).map(|(bytes, entries)| bytes / entries);
    changes.effort("entries", entries, bytes, 1.0)
}

fn capacity_text(capacity: Option<Capacity>) -> String {
    capacity
        .map(|units| format!("{} RCU, {} WCU", figure(units.read, 2), figure(units.write, 2)))
        .unwrap_or_default()
}

fn scaling_text(scaling: [Option<Scaling>; 2]) -> String {
    let one = |what: &str, scaling: Option<Scaling>| {
        let policy = scaling?;
        let stuck = if policy.disable_scale_in { ", never down" } else { "" };
        Some(format!(
            "{what} {}-{} at {} %{stuck}",
            figure(policy.min, 0),
            figure(policy.max, 0),
            figure(policy.target, 0)
        ))
    };
    [one("read", scaling[0]), one("write", scaling[1])].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

const WARM: &str = "UpdateTable, while the table serves; it is paid once, and never falls again";

const INSIGHTS: &str =
    "UpdateContributorInsights, while the table serves; each event that is counted is paid";

fn units_text(units: Units) -> String {
    let one = |number: Option<f64>, what: &str| Some(format!("{} {what}", figure(number?, 0)));
    [one(units.read, "reads"), one(units.write, "writes")]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

fn insights_text(insights: Option<Insights>) -> String {
    let text = insights.map(|insights| match insights {
        Insights::Off => "off",
        Insights::All => "accessed and throttled keys",
        Insights::Throttled => "throttled keys",
    });
    text.unwrap_or_default().to_owned()
}

fn encryption_text(encryption: Option<&Encryption>) -> String {
    match encryption {
        None => String::new(),
        Some(Encryption::Owned) => "a key that AWS owns".to_owned(),
        Some(Encryption::Managed) => "a key that AWS manages".to_owned(),
        Some(Encryption::Key(None)) => "a key of the account".to_owned(),
        Some(Encryption::Key(Some(key))) => key.clone(),
    }
}

fn kinesis_text(kinesis: Option<&Kinesis>) -> String {
    let Some(kinesis) = kinesis else { return String::new() };
    let stream = kinesis.stream.as_deref().unwrap_or("a stream");
    kinesis.precision.as_ref().map_or_else(|| stream.to_owned(), |precision| format!("{stream}, {precision}"))
}

fn billing_text(billing: Option<Billing>) -> String {
    match billing {
        None => String::new(),
        Some(Billing::OnDemand) => "by request".to_owned(),
        Some(Billing::Provisioned(None)) => "by capacity".to_owned(),
        Some(Billing::Provisioned(capacity)) => capacity_text(capacity),
    }
}

fn settings(changes: &mut Changes<'_>, subject: &Subject, old: &Table, new: &Table) {
    let states = [old, new];
    let mut set = |part: &str, of: &dyn Fn(&Table) -> String, advice: &str| {
        changes.text(subject, part, [of(states[0]), of(states[1])], || Ask::update(advice));
    };
    let switch = |value: Option<bool>| {
        value.map(|value| if value { "on" } else { "off" }.to_owned()).unwrap_or_default()
    };
    set(
        "billing",
        &|table| billing_text(table.billing),
        "UpdateTable, while the table serves; to requests at most four times a day",
    );
    set("scaling", &|table| scaling_text(table.scaling), "a policy of Application Auto Scaling");
    set(
        "class",
        &|table| {
            let name = |cheap: bool| if cheap { "Standard-IA" } else { "Standard" };
            table.infrequent_access.map(|cheap| name(cheap).to_owned()).unwrap_or_default()
        },
        "UpdateTable, while the table serves; at most twice in 30 days",
    );
    set(
        "time to live",
        &|table| table.ttl.clone().unwrap_or_default(),
        "disable it, wait up to an hour, enable it with the new attribute; items without the attribute never expire",
    );
    set(
        "stream",
        &|table| table.stream.clone().unwrap_or_default(),
        if old.stream.is_some() && new.stream.is_some() {
            "the view of a stream cannot be changed: disable it and enable it anew; consumers need the new ARN"
        } else {
            "UpdateTable, while the table serves; records begin then"
        },
    );
    set(
        "point-in-time recovery",
        &|table| switch(table.recovery),
        "UpdateContinuousBackups; recovery reaches back to when it was enabled",
    );
    set("deletion protection", &|table| switch(table.protection), "UpdateTable, while the table serves");
    set(
        "replicas",
        &|table| table.replicas.join(", "),
        "UpdateTable copies the items to a new region, and charges for it",
    );
    set(
        "replica consistency",
        &|table| match table.replica_consistency {
            None => String::new(),
            Some(Consistency::Eventual) => "eventual".to_owned(),
            Some(Consistency::Strong) => "strong".to_owned(),
        },
        "chosen when replicas are added to an empty table",
    );
    upkeep(changes, subject, old, new);
    if let (Some(before), Some(after)) = (old.resource, new.resource) {
        changes.text(subject, "resource", [before, after].map(|one| one.name().to_owned()), || Ask {
            effect: Effect::NewTable,
            advice: "keep the table (DeletionPolicy: Retain), take it out of the stack and import it as the other type"
                .to_owned(),
        });
    }
    changes.number(subject, "count", [old.item_count, new.item_count]);
    changes.number(subject, "bytes", [old.item_bytes, new.item_bytes]);
}

/// Throughput, encryption and what else a table is run with.
fn upkeep(changes: &mut Changes<'_>, subject: &Subject, old: &Table, new: &Table) {
    let mut set = |part: &str, of: &dyn Fn(&Table) -> String, advice: &str| {
        changes.text(subject, part, [of(old), of(new)], || Ask::update(advice));
    };
    set("warm throughput", &|table| units_text(table.warm), WARM);
    set("most on demand", &|table| units_text(table.on_demand_max), "UpdateTable, while the table serves");
    set(
        "encryption",
        &|table| encryption_text(table.encryption.as_ref()),
        "UpdateTable, while the table serves; readers need the permission to use the key",
    );
    set("contributor insights", &|table| insights_text(table.insights), INSIGHTS);
    set(
        "Kinesis stream",
        &|table| kinesis_text(table.kinesis.as_ref()),
        "EnableKinesisStreamingDestination or its counterpart; records begin then",
    );
    set(
        "resource policy",
        &|table| table.policy.as_ref().map(ToString::to_string).unwrap_or_default(),
        "PutResourcePolicy, while the table serves; it holds a moment later",
    );
}

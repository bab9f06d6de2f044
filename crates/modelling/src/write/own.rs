//! Our own form.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashrange_item::{AttributeValue, Attributes, Kind};

use super::raise;
use super::text::{Y, document};
use crate::catalogue::{
    Attribute, Billing, Capacity, Catalogue, Consistency, Declared, Encryption, Entity, Expect, Flow, Index,
    IndexKind, Insights, KeyType, Keys, Kinesis, Pattern, Projection, Purpose, Scaling, Table, Units, Usage,
    Waiver,
};
use crate::read::own::entity::kind_of_format;
use crate::read::own::table::OPEN_KEY;

/// Fields in their order; what is not stated is left out.
#[derive(Default)]
pub(super) struct Entries(pub(super) Vec<(String, Y)>);

impl Entries {
    pub(super) fn put(&mut self, key: &str, value: Option<Y>) {
        self.0.extend(value.map(|value| (key.to_owned(), value)));
    }

    fn text(&mut self, key: &str, text: Option<&String>) {
        self.put(key, text.map(Y::text));
    }

    fn number(&mut self, key: &str, number: Option<f64>) {
        self.put(key, number.map(Y::number));
    }

    fn flag(&mut self, key: &str, flag: Option<bool>) {
        self.put(key, flag.map(|flag| Y::Plain(flag.to_string())));
    }

    /// A flag that is false where it is left out.
    fn set(&mut self, key: &str, flag: bool) {
        self.flag(key, flag.then_some(true));
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        self.put(key, (!texts.is_empty()).then(|| list(texts)));
    }

    fn numbers(&mut self, key: &str, numbers: &[f64]) {
        self.put(
            key,
            (!numbers.is_empty()).then(|| Y::List(numbers.iter().copied().map(Y::number).collect())),
        );
    }

    fn many(&mut self, key: &str, entries: Vec<(String, Y)>) {
        self.put(key, (!entries.is_empty()).then_some(Y::Tall(entries)));
    }
}

fn list(texts: &[String]) -> Y {
    Y::List(texts.iter().map(Y::text).collect())
}

pub(super) fn write(catalogue: &Catalogue) -> String {
    let mut file = Entries::default();
    file.put("hashrange", Some(Y::number(1.0)));
    file.put("name", Some(Y::text(&catalogue.name)));
    file.text("description", catalogue.description.as_ref());
    file.text("tenant", catalogue.tenant.as_ref());
    file.many("tables", catalogue.tables.iter().map(|one| (one.name.clone(), table(one))).collect());
    let only = catalogue.tables.len() == 1;
    file.many(
        "entities",
        catalogue.entities.iter().map(|one| (one.name.clone(), entity(one, only))).collect(),
    );
    let patterns: Vec<Y> = catalogue.patterns.iter().map(|one| raise::pattern(one, catalogue)).collect();
    file.put("patterns", (!patterns.is_empty()).then_some(Y::List(patterns)));
    let flows: Vec<Y> = catalogue.flows.iter().map(flow).collect();
    file.put("flows", (!flows.is_empty()).then_some(Y::List(flows)));
    let waivers: Vec<Y> = catalogue.waivers.iter().map(waiver).collect();
    file.put("waivers", (!waivers.is_empty()).then_some(Y::List(waivers)));
    let severity =
        |severity: &Option<crate::finding::Severity>| severity.map_or("off", |severity| severity.name());
    let rules = catalogue.severities.iter().map(|(rule, one)| (rule.clone(), Y::text(severity(one))));
    file.many("rules", rules.collect());
    file.many(
        "thresholds",
        catalogue.thresholds.iter().map(|(name, one)| (name.clone(), Y::number(*one))).collect(),
    );
    document(&file.0)
}

fn table(table: &Table) -> Y {
    let mut fields = Entries::default();
    fields.text("logical_id", table.logical_id.as_ref());
    fields.put("resource", table.resource.map(|resource| Y::text(resource.name())));
    fields.put("key", (!table.keys.hash.is_empty()).then(|| keys(&table.keys)));
    let types = types(table);
    fields.put("types", (!types.is_empty()).then_some(Y::Map(types)));
    fields.many("indexes", table.indexes.iter().map(|one| (one.name.clone(), index(one))).collect());
    match table.billing {
        Some(Billing::OnDemand) => fields.put("billing", Some(Y::text("on-demand"))),
        Some(Billing::Provisioned(given)) => {
            fields.put("billing", Some(Y::text("provisioned")));
            fields.put("capacity", given.map(capacity));
        }
        None => {}
    }
    fields.put("scaling", scaling(&table.scaling));
    fields.put("warm", units(table.warm));
    fields.put("on_demand_max", units(table.on_demand_max));
    let class = table.infrequent_access.map(|rare| if rare { "infrequent-access" } else { "standard" });
    fields.put("class", class.map(Y::text));
    fields.text("ttl", table.ttl.as_ref());
    fields.text("stream", table.stream.as_ref());
    fields.number("stream_consumers", table.stream_consumers.map(f64::from));
    fields.put("kinesis", table.kinesis.as_ref().map(kinesis));
    fields.put("encryption", table.encryption.as_ref().map(encryption));
    fields.put("insights", table.insights.map(insights));
    fields.put("policy", table.policy.as_ref().map(Y::json));
    fields.flag("recovery", table.recovery);
    fields.flag("protection", table.protection);
    fields.flag("production", table.production);
    fields.texts("replicas", &table.replicas);
    let consistency = table.replica_consistency.map(|one| match one {
        Consistency::Eventual => "eventual",
        Consistency::Strong => "strong",
    });
    fields.put("replica_consistency", consistency.map(Y::text));
    fields.number("count", table.item_count);
    fields.number("bytes", table.item_bytes);
    fields.put("usage", table.usage.map(usage));
    let samples: Vec<Y> = table.samples.iter().map(item).collect();
    fields.put("items", (!samples.is_empty()).then_some(Y::List(samples)));
    Y::Tall(fields.0)
}

fn units(units: Units) -> Option<Y> {
    let mut fields = Entries::default();
    fields.number("read", units.read);
    fields.number("write", units.write);
    units.is_stated().then_some(Y::Map(fields.0))
}

fn kinesis(kinesis: &Kinesis) -> Y {
    let mut fields = Entries::default();
    fields.text("stream", kinesis.stream.as_ref());
    fields.text("precision", kinesis.precision.as_ref());
    Y::Map(fields.0)
}

fn encryption(encryption: &Encryption) -> Y {
    Y::text(match encryption {
        Encryption::Owned => "aws-owned",
        Encryption::Managed => "aws-managed",
        Encryption::Key(key) => key.as_deref().unwrap_or(OPEN_KEY),
    })
}

fn insights(insights: Insights) -> Y {
    Y::text(match insights {
        Insights::Off => "off",
        Insights::All => "all",
        Insights::Throttled => "throttled",
    })
}

fn usage(usage: Usage) -> Y {
    let mut fields = Entries::default();
    fields.number("days", Some(usage.days));
    fields.number("read_units", Some(usage.read_units));
    Y::Map(fields.0)
}

/// Types of attributes that are no keys, or no strings.
fn types(table: &Table) -> Vec<(String, Y)> {
    let keys =
        || table.indexes.iter().map(|index| &index.keys).chain([&table.keys]).flat_map(Keys::attributes);
    let told = |name: &str, kind: KeyType| kind != KeyType::S || !keys().any(|key| key == name);
    let name_of = |kind: KeyType| match kind {
        KeyType::S => "S",
        KeyType::N => "N",
        KeyType::B => "B",
    };
    let definitions = table.definitions.iter().filter(|(name, kind)| told(name, **kind));
    definitions.map(|(name, kind)| (name.clone(), Y::text(name_of(*kind)))).collect()
}

fn keys(keys: &Keys) -> Y {
    let mut fields = Entries::default();
    for (word, names) in [("hash", &keys.hash), ("range", &keys.range)] {
        fields.put(
            word,
            match names.as_slice() {
                [] => None,
                [name] => Some(Y::text(name)),
                names => Some(list(names)),
            },
        );
    }
    Y::Map(fields.0)
}

fn index(index: &Index) -> Y {
    let mut fields = Entries::default();
    let kind = match index.kind {
        IndexKind::Global => None,
        IndexKind::Local => Some("local"),
        IndexKind::Vector => Some("vector"),
    };
    fields.put("kind", kind.map(Y::text));
    fields.put("key", (!index.keys.hash.is_empty()).then(|| keys(&index.keys)));
    fields.put(
        "projection",
        match &index.projection {
            Projection::All => None,
            Projection::KeysOnly => Some(Y::text("keys")),
            Projection::Include(names) => Some(list(names)),
        },
    );
    fields.put("capacity", index.capacity.map(capacity));
    fields.put("scaling", scaling(&index.scaling));
    fields.put("vector", index.vector.as_ref().map(|map| Y::json(&serde_json::Value::Object(map.clone()))));
    fields.put("warm", units(index.warm));
    fields.put("on_demand_max", units(index.on_demand_max));
    fields.put("insights", index.insights.map(insights));
    fields.text("used_for", index.used_for.as_ref());
    fields.number("entry_bytes", index.entry_bytes);
    fields.number("entry_count", index.entry_count);
    fields.put("usage", index.usage.map(usage));
    Y::Map(fields.0)
}

fn capacity(capacity: Capacity) -> Y {
    Y::Map(vec![
        ("read".to_owned(), Y::number(capacity.read)),
        ("write".to_owned(), Y::number(capacity.write)),
    ])
}

fn scaling(scaling: &[Option<Scaling>; 2]) -> Option<Y> {
    let mut fields = Entries::default();
    for (word, policy) in ["read", "write"].into_iter().zip(scaling) {
        let Some(policy) = policy else { continue };
        let mut inner = Entries::default();
        inner.number("min", Some(policy.min));
        inner.number("max", Some(policy.max));
        inner.number("target", Some(policy.target));
        inner.flag("scale_in", policy.disable_scale_in.then_some(false));
        fields.put(word, Some(Y::Map(inner.0)));
    }
    (!fields.0.is_empty()).then_some(Y::Map(fields.0))
}

/// An item, its values as plainly as can be.
pub(super) fn item(item: &Attributes) -> Y {
    Y::Map(item.iter().map(|(name, value)| (name.to_owned(), plain(value))).collect())
}

fn plain(value: &AttributeValue) -> Y {
    let typed = |kind: Kind, content: Y| Y::Map(vec![(kind.name().to_owned(), content)]);
    match value {
        AttributeValue::S(text) => Y::text(text),
        AttributeValue::N(number) => Y::Plain(number.to_string()),
        AttributeValue::B(bytes) => typed(Kind::B, Y::text(STANDARD.encode(bytes))),
        AttributeValue::Bool(truth) => Y::Plain(truth.to_string()),
        AttributeValue::Null => Y::Plain("null".to_owned()),
        AttributeValue::Ss(set) => Y::Set(set.iter().map(Y::text).collect()),
        AttributeValue::Ns(set) => Y::Set(set.iter().map(|number| Y::Plain(number.to_string())).collect()),
        AttributeValue::Bs(set) => {
            typed(Kind::Bs, Y::List(set.iter().map(|bytes| Y::text(STANDARD.encode(bytes))).collect()))
        }
        AttributeValue::L(list) => Y::List(list.iter().map(plain).collect()),
        AttributeValue::M(map) => {
            let inner = item(map);
            // A map of one entry that is called like a type would be taken for a typed value.
            let looks_typed = map.len() == 1 && map.names().any(|name| Kind::from_name(name).is_some());
            if looks_typed { typed(Kind::M, inner) } else { inner }
        }
    }
}

fn entity(entity: &Entity, only_table: bool) -> Y {
    let mut fields = Entries::default();
    fields.put("table", (!only_table && !entity.table.is_empty()).then(|| Y::text(&entity.table)));
    let key = entity.keys.iter().map(|(name, template)| (name.clone(), Y::text(template.to_string())));
    let key: Vec<(String, Y)> = key.collect();
    fields.put("key", (!key.is_empty()).then_some(Y::Map(key)));
    fields
        .many("attributes", entity.attributes.iter().map(|one| (one.name.clone(), attribute(one))).collect());
    fields.number("count", entity.count);
    fields.number("bytes", entity.bytes);
    fields.number("p99_bytes", entity.p99_bytes);
    fields.number("per_collection", entity.per_collection);
    fields.number("max_per_collection", entity.max_per_collection);
    fields.number("retention_days", entity.retention_days);
    fields.set("reference", entity.reference);
    fields.set("shared", entity.shared);
    Y::Tall(fields.0)
}

fn attribute(attribute: &Attribute) -> Y {
    let mut fields = Entries::default();
    let told = attribute.format.as_deref().and_then(kind_of_format);
    let kind = attribute.kind.filter(|kind| Some(*kind) != told);
    fields.put("type", kind.map(|kind| Y::text(kind.name())));
    fields.text("format", attribute.format.as_ref());
    fields.texts("values", &attribute.values);
    fields.numbers("weights", &attribute.weights);
    fields.number("bytes", attribute.bytes);
    fields.number("share", attribute.share);
    fields.set("pii", attribute.pii);
    fields.set("immutable", attribute.immutable);
    let copy = attribute.copy_of.as_ref().map(|(entity, name)| Y::text(format!("{entity}.{name}")));
    fields.put("copy_of", copy);
    match fields.0.as_slice() {
        [(key, short)] if key == "type" || key == "format" => short.clone(),
        _ => Y::Map(fields.0),
    }
}

fn flow(flow: &Flow) -> Y {
    let mut fields = Entries::default();
    fields.put("name", Some(Y::text(&flow.name)));
    let steps = flow.steps.iter().map(|step| {
        let mut fields = Entries::default();
        fields.put("pattern", Some(Y::text(&step.pattern)));
        fields.number("times", Some(step.times).filter(|times| (times - 1.0).abs() > f64::EPSILON));
        fields.set("for_each", step.for_each_previous);
        match fields.0.as_slice() {
            [(_, id)] => id.clone(),
            _ => Y::Map(fields.0),
        }
    });
    fields.put("steps", Some(Y::List(steps.collect())));
    fields.set("stale_ok", flow.stale_ok);
    Y::Tall(fields.0)
}

fn waiver(waiver: &Waiver) -> Y {
    let mut fields = Entries::default();
    fields.put("rule", Some(Y::text(&waiver.rule)));
    fields.text("on", waiver.on.as_ref());
    fields.put("reason", Some(Y::text(&waiver.reason)));
    fields.put("until", Some(Y::text(&waiver.until)));
    Y::Map(fields.0)
}

/// The fields of a pattern before those that make its request.
pub(super) fn pattern_head(pattern: &Pattern) -> Entries {
    let mut fields = Entries::default();
    fields.put("id", Some(Y::text(&pattern.id)));
    fields.put("name", Some(Y::text(&pattern.name)));
    fields.text("who", pattern.who.as_ref());
    fields.text("description", pattern.description.as_ref());
    let purpose = match pattern.purpose {
        Purpose::Request => None,
        Purpose::Batch => Some("batch"),
        Purpose::Export => Some("export"),
        Purpose::Admin => Some("admin"),
    };
    fields.put("purpose", purpose.map(Y::text));
    fields.put("operation", pattern.operation.map(|operation| Y::text(operation.name())));
    fields.text("table", pattern.table.as_ref());
    fields.text("index", pattern.index.as_ref());
    fields
}

/// The fields of a pattern after those that make its request.
pub(super) fn pattern_tail(fields: &mut Entries, pattern: &Pattern) {
    let mut need = Entries::default();
    need.texts("equal", &pattern.need_equal);
    need.text("range", pattern.need_range.as_ref());
    fields.put("need", (!need.0.is_empty()).then_some(Y::Map(need.0)));
    fields.text("external", pattern.external.as_ref());
    fields.put("expect", expect(&pattern.expect));
    let mut budget = Entries::default();
    budget.number("rcu", pattern.budget.rcu);
    budget.number("wcu", pattern.budget.wcu);
    fields.put("budget", (!budget.0.is_empty()).then_some(Y::Map(budget.0)));
    let mut rate = Entries::default();
    rate.number("peak", pattern.peak_rps);
    rate.number("avg", pattern.avg_rps);
    fields.put("rate", (!rate.0.is_empty()).then_some(Y::Map(rate.0)));
    fields.number("p99_items", pattern.p99_items);
    fields.put("max_items", pattern.client_max_items.map(|most| Y::Plain(most.to_string())));
    fields.number("item_bytes", pattern.item_bytes);
    fields.numbers("item_sizes", &pattern.item_sizes);
    fields.number("previous_item_bytes", pattern.previous_item_bytes);
    fields.put("writes", pattern.attributes_written.as_ref().map(|names| list(names)));
    let entities = pattern.entities.iter().map(|(name, count)| (name.clone(), Y::number(*count)));
    let entities: Vec<(String, Y)> = entities.collect();
    fields.put("entities", (!entities.is_empty()).then_some(Y::Map(entities)));
    fields.number("fail_rate", pattern.conditional_fail_rate);
    fields.number("miss_rate", pattern.non_existent_rate);
    fields.number("create_share", pattern.create_share);
    fields.number("retention_days", pattern.retention_days);
    fields.text("skew", pattern.skew.as_ref());
    fields.number("shards", pattern.shards.map(f64::from));
    fields.put("declares", declares(&pattern.declared));
}

fn expect(expect: &Expect) -> Option<Y> {
    let mut fields = Entries::default();
    fields.put("items", expect.items.as_ref().map(|items| Y::List(items.iter().map(item).collect())));
    let whole = |number: Option<u64>| number.map(|number| Y::Plain(number.to_string()));
    match (expect.min, expect.max) {
        (Some(min), Some(max)) if min == max => fields.put("count", whole(Some(min))),
        (None, Some(0)) => fields.set("empty", true),
        (min, max) => {
            fields.put("min", whole(min));
            fields.put("max", whole(max));
        }
    }
    let order =
        expect.order.as_ref().map(|(name, up)| format!("{name} {}", if *up { "asc" } else { "desc" }));
    fields.put("order", order.map(Y::text));
    fields.text("error", expect.error.as_ref());
    fields.text("plan", expect.plan.as_ref());
    fields.put("pages", whole(expect.pages));
    (!fields.0.is_empty()).then_some(Y::Map(fields.0))
}

fn declares(declared: &Declared) -> Option<Y> {
    let mut fields = Entries::default();
    fields.text("strong_reason", declared.strong_reason.as_ref());
    fields.set("stale_ok", declared.stale_ok);
    fields.set("upsert", declared.upsert);
    fields.set("full_replace", declared.full_replace);
    fields.set("last_writer_wins", declared.last_writer_wins);
    fields.set("approximate", declared.approximate);
    fields.set("single_writer", declared.single_writer);
    fields.set("loops", declared.loops);
    fields.set("all_types", declared.all_types);
    fields.set("cached", declared.cached);
    fields.text("transaction_reason", declared.transaction_reason.as_ref());
    if fields.0.is_empty() {
        return None;
    }
    let reasons = declared.strong_reason.is_some() || declared.transaction_reason.is_some();
    if reasons {
        return Some(Y::Map(fields.0));
    }
    Some(Y::List(fields.0.into_iter().map(|(word, _)| Y::Text(word)).collect()))
}

//! From what the service records to what a file holds.

use hashrange_item::KeyAttribute;
use hashrange_modelling::record::{Part, Recording, Seen, SeenArm, SeenIndex, SeenLink, SeenTable, Shape};
use hashrange_service::record::{self, Field, Recorded, TableOutline};

/// The recording as its file holds it.
pub(super) fn recording(recorded: &record::Recording) -> Recording {
    Recording {
        hashrange_recording: Recording::VERSION,
        started_ms: recorded.started.0,
        seconds: recorded.duration.as_secs_f64(),
        sample: recorded.sample,
        tables: recorded.tables.iter().map(table).collect(),
        patterns: recorded.forms.iter().map(seen).collect(),
        other: recorded.other,
        refused: recorded
            .refused
            .iter()
            .map(|(operation, code, count)| (operation.name().to_owned(), code.name().to_owned(), *count))
            .collect(),
        links: recorded.links.iter().map(link).collect(),
    }
}

fn link(link: &record::Link) -> SeenLink {
    SeenLink {
        rule: "n-plus-one".to_owned(),
        from: shape(&link.from).fingerprint(),
        to: shape(&link.to).fingerprint(),
        reads: link.reads,
        followed: link.followed,
        look_ups: link.look_ups,
        most: link.most,
    }
}

fn table(table: &TableOutline) -> SeenTable {
    SeenTable {
        name: table.name.clone(),
        hash: keys(&table.keys[0]),
        range: keys(&table.keys[1]),
        indexes: table
            .indexes
            .iter()
            .map(|index| SeenIndex {
                name: index.name.clone(),
                local: index.local,
                hash: keys(&index.keys[0]),
                range: keys(&index.keys[1]),
                included: index.included.clone(),
            })
            .collect(),
        ttl: table.expiry.clone(),
    }
}

fn keys(attributes: &[KeyAttribute]) -> Vec<(String, String)> {
    attributes.iter().map(|attribute| (attribute.name.clone(), attribute.kind.to_string())).collect()
}

fn shape(shape: &record::Shape) -> Shape {
    Shape {
        fields: shape.fields.iter().map(|(field, text)| (name(*field).to_owned(), text.clone())).collect(),
        requests: shape
            .requests
            .iter()
            .map(|(one, class)| Part { times: class.name().to_owned(), shape: self::shape(one) })
            .collect(),
    }
}

/// What the file calls a field.
fn name(field: Field) -> &'static str {
    match field {
        Field::Operation => "operation",
        Field::Table => "table",
        Field::Index => "index",
        Field::Key => "key",
        Field::Filter => "filter",
        Field::Projection => "projection",
        Field::Select => "select",
        Field::Limit => "limit",
        Field::Descending => "descending",
        Field::Consistent => "consistent",
        Field::Segments => "segments",
        Field::Condition => "condition",
        Field::Update => "update",
        Field::Returns => "returns",
        Field::Token => "token",
        Field::Requests => "parts",
    }
}

fn seen(recorded: &Recorded) -> Seen {
    let shape = shape(&recorded.shape);
    Seen {
        fingerprint: shape.fingerprint(),
        shape,
        count: recorded.count,
        continued: recorded.continued,
        peak: recorded.peak,
        peak_minute: recorded.peak_minute,
        minutes: recorded.minutes.clone(),
        hours: recorded.hours.to_vec(),
        failed: recorded.failed.iter().map(|(code, count)| (code.name().to_owned(), *count)).collect(),
        sampled: recorded.sampled,
        answered: recorded.answered,
        empty: recorded.empty,
        latency_us: recorded.latency_us.to_vec(),
        arms: recorded
            .arms
            .iter()
            .map(|arm| SeenArm {
                table: arm.table.clone(),
                index: arm.index.clone(),
                units: arm.units,
                units_max: arm.units_max,
            })
            .collect(),
        units_max: recorded.units_max,
        returned: recorded.returned,
        examined: recorded.examined,
        examined_max: recorded.examined_max,
        item_bytes: recorded.item_bytes,
        distinct_keys: recorded.distinct_keys,
        key_uses: recorded.key_uses,
        top_keys: recorded.top_keys.clone(),
    }
}

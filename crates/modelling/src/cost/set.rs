//! What-ifs: one number of a model, of the price list or of the assumptions changed by its path, as in `entity.Order.bytes=8192`.

use super::Prices;
use crate::catalogue::{Billing, Capacity, Catalogue, Entity, Index, Pattern, Projection, Scaling, Table};

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path, as given.
    pub path: String,
    /// What it was, for people; several where the name is `*`.
    pub before: String,
    /// What it is.
    pub after: String,
}

/// The message for a name that nothing has, with the nearest known one.
pub(super) fn unknown<'k>(path: &str, name: &str, known: impl Iterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.collect();
    let near = known
        .iter()
        .map(|known| (strsim::jaro_winkler(&known.to_lowercase(), &name.to_lowercase()), known))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|near| near.0 > 0.6);
    match near {
        Some((_, near)) => format!("{path}: unknown; did you mean {near}?"),
        None if known.is_empty() => format!("{path}: unknown; there are none"),
        None => format!("{path}: unknown; there are {}", known.join(", ")),
    }
}

/// Changes what a setting such as `pattern.P3.avg_rps=500` names. `*` in place of a name means all; `x2` in place of a number multiplies.
///
/// # Errors
/// No `=`, an unknown path (with the nearest known one), or a value that does not fit.
pub fn apply(catalogue: &mut Catalogue, prices: &mut Prices, setting: &str) -> Result<Change, String> {
    let wrong = || format!("{setting}: a setting is PATH=VALUE, as in entity.Order.bytes=8192");
    let (path, value) = setting.split_once('=').ok_or_else(wrong)?;
    let (path, value) = (path.trim(), value.trim());
    let (kind, rest) = path.split_once('.').ok_or_else(wrong)?;
    let target = Target { path, value };
    let done = match kind {
        "entity" => in_all(&target, rest, &mut catalogue.entities, |entity| &entity.name, entity)?,
        "pattern" => in_all(&target, rest, &mut catalogue.patterns, |pattern| &pattern.id, pattern)?,
        "table" => in_all(&target, rest, &mut catalogue.tables, |table| &table.name, table)?,
        "price" => {
            let mut price = prices.named(rest).map_err(|error| error.0)?;
            let done = target.number(Some(&mut price))?;
            prices.set(rest, price).map_err(|error| error.0)?;
            done
        }
        "assume" => {
            let mut assumed = prices.assumption(rest).map_err(|error| error.0)?;
            let done = target.number(Some(&mut assumed))?;
            prices.assume(rest, assumed).map_err(|error| error.0)?;
            done
        }
        _ => {
            let known = ["entity", "pattern", "table", "price", "assume"];
            return Err(unknown(path, kind, known.into_iter()));
        }
    };
    Ok(Change { path: path.to_owned(), before: done.0, after: done.1 })
}

/// Before and after, for people.
type Done = (String, String);

/// A setting: where, and what.
struct Target<'a> {
    path: &'a str,
    value: &'a str,
}

impl Target<'_> {
    fn error(&self, what: &str) -> String {
        format!("{}={}: {what}", self.path, self.value)
    }

    /// A number of 0 or more, or `x2.5` times what it was.
    fn number(&self, field: Option<&mut f64>) -> Result<Done, String> {
        let field = field.ok_or_else(|| self.error("nothing to multiply: it is not stated"))?;
        let before = *field;
        let after = self.amount(Some(before))?;
        *field = after;
        Ok((super::print::figure(before, 9), super::print::figure(after, 9)))
    }

    fn amount(&self, before: Option<f64>) -> Result<f64, String> {
        let (factor, digits) = match self.value.strip_prefix(['x', '*']) {
            Some(digits) => {
                (before.ok_or_else(|| self.error("nothing to multiply: it is not stated"))?, digits)
            }
            None => (1.0, self.value),
        };
        let number = digits.replace(['_', ','], "").parse::<f64>().ok();
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        number
            .map(|number| number * factor)
            .ok_or_else(|| self.error("a number of 0 or more is needed, or x2 to multiply"))
    }

    fn optional(&self, field: &mut Option<f64>) -> Result<Done, String> {
        let before = field.map_or_else(|| "not stated".to_owned(), |before| super::print::figure(before, 9));
        let after = self.amount(*field)?;
        *field = Some(after);
        Ok((before, super::print::figure(after, 9)))
    }

    /// A number from 0 to 1.
    fn share(&self, field: &mut Option<f64>) -> Result<Done, String> {
        if self.amount(*field)? > 1.0 {
            return Err(self.error("a share from 0 to 1 is needed"));
        }
        self.optional(field)
    }

    fn switch(&self, field: &mut Option<bool>) -> Result<Done, String> {
        let after = self.choose(&[("true", true), ("false", false)])?;
        let before =
            field.replace(after).map_or_else(|| "not stated".to_owned(), |before| before.to_string());
        Ok((before, after.to_string()))
    }

    fn choose<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, String> {
        let found = choices.iter().find(|(name, _)| *name == self.value);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.error(&format!("one of {} is needed", names.join(", ")))
        })
    }

    fn field(&self, field: &str, known: &[&str]) -> String {
        unknown(self.path, field, known.iter().copied())
    }
}

/// Changes a field of the member of a list whose name begins the path; names may hold dots, so the longest that fits counts.
fn in_all<T>(
    target: &Target<'_>,
    rest: &str,
    list: &mut [T],
    name: fn(&T) -> &String,
    change: fn(&Target<'_>, &mut T, &str) -> Result<Done, String>,
) -> Result<Done, String> {
    let all = rest.strip_prefix("*.");
    let names: Vec<String> = list.iter().map(|member| name(member).clone()).collect();
    let found = names
        .iter()
        .filter_map(|name| Some((name, rest.strip_prefix(name.as_str())?.strip_prefix('.')?)))
        .max_by_key(|(name, _)| name.len());
    let (wanted, field) = match (all, found) {
        (Some(field), _) => (None, field),
        (None, Some((name, field))) => (Some(name), field),
        (None, None) => {
            let first = rest.split('.').next().unwrap_or(rest);
            return Err(unknown(target.path, first, names.iter().map(String::as_str)));
        }
    };
    let mut done: Vec<Done> = Vec::new();
    for member in list.iter_mut().filter(|member| wanted.is_none_or(|wanted| wanted == name(member))) {
        done.push(change(target, member, field)?);
    }
    let join = |side: fn(&Done) -> &String| {
        done.iter().map(|done| side(done).as_str()).collect::<Vec<_>>().join(", ")
    };
    Ok((join(|done| &done.0), join(|done| &done.1)))
}

fn entity(target: &Target<'_>, entity: &mut Entity, field: &str) -> Result<Done, String> {
    match field {
        "bytes" | "estimated_item_size_bytes" => target.optional(&mut entity.bytes),
        "p99_bytes" => target.optional(&mut entity.p99_bytes),
        "count" | "estimated_item_count" => target.optional(&mut entity.count),
        "per_collection" => target.optional(&mut entity.per_collection),
        "max_per_collection" => target.optional(&mut entity.max_per_collection),
        "retention_days" => target.optional(&mut entity.retention_days),
        _ => Err(target.field(
            field,
            &["bytes", "p99_bytes", "count", "per_collection", "max_per_collection", "retention_days"],
        )),
    }
}

fn pattern(target: &Target<'_>, pattern: &mut Pattern, field: &str) -> Result<Done, String> {
    match field {
        "avg_rps" | "rate.avg" => target.optional(&mut pattern.avg_rps),
        "peak_rps" | "rate.peak" => target.optional(&mut pattern.peak_rps),
        "items" | "items_per_request" => target.optional(&mut pattern.items),
        "p99_items" => target.optional(&mut pattern.p99_items),
        "item_bytes" | "estimated_item_size_bytes" => target.optional(&mut pattern.item_bytes),
        "previous_item_bytes" => target.optional(&mut pattern.previous_item_bytes),
        "fail_rate" | "conditional_fail_rate" => target.share(&mut pattern.conditional_fail_rate),
        "miss_rate" | "non_existent_rate" => target.share(&mut pattern.non_existent_rate),
        "create_share" => target.share(&mut pattern.create_share),
        "retention_days" => target.optional(&mut pattern.retention_days),
        "budget.rcu" => target.optional(&mut pattern.budget.rcu),
        "budget.wcu" => target.optional(&mut pattern.budget.wcu),
        "consistent" => consistent(target, pattern),
        _ => Err(target.field(
            field,
            &[
                "avg_rps",
                "peak_rps",
                "rate.avg",
                "rate.peak",
                "items",
                "p99_items",
                "item_bytes",
                "previous_item_bytes",
                "fail_rate",
                "miss_rate",
                "create_share",
                "retention_days",
                "budget.rcu",
                "budget.wcu",
                "consistent",
            ],
        )),
    }
}

/// The request says it too.
fn consistent(target: &Target<'_>, pattern: &mut Pattern) -> Result<Done, String> {
    let done = target.switch(&mut pattern.strong)?;
    if let (Some(request), Some(strong)) = (&mut pattern.request, pattern.strong) {
        request.insert("ConsistentRead".to_owned(), serde_json::Value::Bool(strong));
    }
    Ok(done)
}

fn table(target: &Target<'_>, table: &mut Table, field: &str) -> Result<Done, String> {
    if let Some(rest) = field.strip_prefix("index.") {
        return in_all(target, rest, &mut table.indexes, |index| &index.name, index);
    }
    if let Some(rest) = field.strip_prefix("scaling.") {
        return scaling(target, &mut table.scaling, rest);
    }
    match field {
        "billing" => billing(target, table),
        "class" => {
            let cheap = target.choose(&[("standard", false), ("infrequent-access", true)])?;
            let names = |cheap: bool| if cheap { "infrequent-access" } else { "standard" }.to_owned();
            let before = table.infrequent_access.replace(cheap);
            Ok((before.map_or_else(|| "not stated".to_owned(), names), names(cheap)))
        }
        "capacity.read" | "capacity.write" => {
            let mut capacity = match table.billing {
                Some(Billing::Provisioned(capacity)) => capacity,
                _ => None,
            };
            let done = units(target, &mut capacity, field == "capacity.write");
            table.billing = Some(Billing::Provisioned(capacity));
            done
        }
        "count" => target.optional(&mut table.item_count),
        "bytes" => target.optional(&mut table.item_bytes),
        "recovery" => target.switch(&mut table.recovery),
        "replicas" => {
            let before = std::mem::take(&mut table.replicas).join(" ");
            table.replicas =
                target.value.split([' ', ',']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
            Ok((if before.is_empty() { "none".to_owned() } else { before }, table.replicas.join(" ")))
        }
        _ => Err(target.field(
            field,
            &[
                "billing",
                "class",
                "capacity.read",
                "capacity.write",
                "scaling.read.target",
                "scaling.write.target",
                "count",
                "bytes",
                "recovery",
                "replicas",
                "index",
            ],
        )),
    }
}

fn billing(target: &Target<'_>, table: &mut Table) -> Result<Done, String> {
    let provisioned = target.choose(&[("on-demand", false), ("provisioned", true)])?;
    let name = |billing: &Option<Billing>| match billing {
        None => "not stated".to_owned(),
        Some(Billing::OnDemand) => "on-demand".to_owned(),
        Some(Billing::Provisioned(_)) => "provisioned".to_owned(),
    };
    let before = name(&table.billing);
    table.billing = match (provisioned, table.billing) {
        (false, _) => Some(Billing::OnDemand),
        (true, Some(stated @ Billing::Provisioned(_))) => Some(stated),
        (true, _) => Some(Billing::Provisioned(None)),
    };
    Ok((before, name(&table.billing)))
}

fn units(target: &Target<'_>, capacity: &mut Option<Capacity>, write: bool) -> Result<Done, String> {
    let capacity = capacity.get_or_insert(Capacity { read: 1.0, write: 1.0 });
    target.number(Some(if write { &mut capacity.write } else { &mut capacity.read }))
}

fn scaling(target: &Target<'_>, scaling: &mut [Option<Scaling>; 2], field: &str) -> Result<Done, String> {
    let known = ["read.min", "read.max", "read.target", "write.min", "write.max", "write.target"];
    let (kind, part) = field.split_once('.').unwrap_or((field, ""));
    if !known.contains(&field) {
        return Err(target.field(&format!("scaling.{field}"), &known));
    }
    let new = Scaling { min: 1.0, max: 40_000.0, target: 70.0, disable_scale_in: false };
    let policy = scaling[usize::from(kind == "write")].get_or_insert(new);
    target.number(Some(match part {
        "min" => &mut policy.min,
        "max" => &mut policy.max,
        _ => &mut policy.target,
    }))
}

fn index(target: &Target<'_>, index: &mut Index, field: &str) -> Result<Done, String> {
    if let Some(rest) = field.strip_prefix("scaling.") {
        return scaling(target, &mut index.scaling, rest);
    }
    match field {
        "entry_bytes" => target.optional(&mut index.entry_bytes),
        "entry_count" => target.optional(&mut index.entry_count),
        "capacity.read" | "capacity.write" => units(target, &mut index.capacity, field == "capacity.write"),
        "projection" => {
            let name = |projection: &Projection| match projection {
                Projection::All => "all".to_owned(),
                Projection::KeysOnly => "keys".to_owned(),
                Projection::Include(names) => names.join(" "),
            };
            let before = name(&index.projection);
            index.projection = match target.value {
                "all" => Projection::All,
                "keys" => Projection::KeysOnly,
                names => Projection::Include(names.split([' ', ',']).map(str::to_owned).collect()),
            };
            Ok((before, name(&index.projection)))
        }
        _ => Err(target.field(
            field,
            &[
                "entry_bytes",
                "entry_count",
                "projection",
                "capacity.read",
                "capacity.write",
                "scaling.read.target",
                "scaling.write.target",
            ],
        )),
    }
}

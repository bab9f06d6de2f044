//! The plan of a need: which key serves it, and what would if none does.

use hashrange_language::Condition;

use super::units::Reading;
use super::{Arm, PatternPlan, PlanClass, SortBound, collections, sizes, units, writes};
use crate::catalogue::{Catalogue, Entity, Index, IndexKind, Keys, Pattern, Projection, Table};
use crate::template::{Part, Template};

/// One way to serve a need.
#[derive(Clone, Debug)]
struct Candidate<'a> {
    class: PlanClass,
    table: &'a Table,
    index: Option<&'a Index>,
    hash: Vec<(String, String)>,
    sort: Vec<SortBound>,
    filter: Vec<String>,
    items: Option<f64>,
    bytes: Option<f64>,
}

impl Candidate<'_> {
    fn units(&self) -> f64 {
        let bytes = self.items.zip(self.bytes).map(|(items, bytes)| items * bytes);
        bytes.map_or(f64::INFINITY, |bytes| Reading::Eventual.units(bytes))
    }

    /// Complete ones first, then the cheaper class, fewer units, the table before indexes, by name.
    fn rank(&self) -> (usize, u8, f64, bool, String) {
        let class = match self.class {
            PlanClass::Get => 0,
            PlanClass::Range | PlanClass::IndexRange => 1,
            _ => 2,
        };
        let index = self.index.map(|index| index.name.clone()).unwrap_or_default();
        (self.filter.len(), class, self.units(), self.index.is_some(), format!("{}.{index}", self.table.name))
    }
}

/// Plans a pattern that states only a need.
pub(super) fn plan(catalogue: &Catalogue, pattern: &Pattern, plan: &mut PatternPlan) {
    let mut all = candidates(catalogue, pattern);
    all.sort_by(|a, b| {
        let (a, b) = (a.rank(), b.rank());
        (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then((a.3, &a.4).cmp(&(b.3, &b.4)))
    });
    let Some(best) = all.first() else {
        plan.remedy = Some(missing(catalogue, pattern));
        return;
    };
    plan.class = best.class;
    plan.table.clone_from(&best.table.name);
    plan.index = best.index.map(|index| index.name.clone());
    plan.hash.clone_from(&best.hash);
    plan.sort.clone_from(&best.sort);
    plan.filter.clone_from(&best.filter);
    plan.forward = (best.class != PlanClass::Get).then_some(true);
    if let Some((_, ascending)) = pattern.expect.order {
        plan.forward = Some(ascending);
    }
    plan.items = best.items;
    plan.item_bytes = best.bytes;
    let reading = Reading::of(plan.strong, false);
    let bytes = best.items.zip(best.bytes).map(|(items, bytes)| items * bytes);
    plan.arms = bytes
        .map(|bytes| Arm {
            table: plan.table.clone(),
            index: plan.index.clone(),
            read: reading.units(bytes),
            write: 0.0,
        })
        .into_iter()
        .collect();
    if !best.filter.is_empty() {
        let range = pattern.need_range.as_deref();
        plan.remedy = Some(index_remedy(catalogue, pattern, best.table, &pattern.need_equal, range));
    }
}

fn candidates<'a>(catalogue: &'a Catalogue, pattern: &Pattern) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    if pattern.need_equal.is_empty() {
        return found;
    }
    let is_meant = |table: &&Table| pattern.table.as_ref().is_none_or(|name| *name == table.name);
    for table in catalogue.tables.iter().filter(is_meant) {
        let entities: Vec<&Entity> = entities(catalogue, pattern, table);
        let places = std::iter::once(None).chain(table.indexes.iter().map(Some));
        for index in places {
            if index.is_some_and(|index| index.kind == IndexKind::Vector) {
                continue;
            }
            if pattern.index.is_some() && pattern.index.as_deref() != index.map(|index| index.name.as_str()) {
                continue;
            }
            if entities.is_empty() {
                found.extend(fit(catalogue, pattern, table, index, None));
            }
            found.extend(entities.iter().filter_map(|e| fit(catalogue, pattern, table, index, Some(e))));
        }
    }
    found
}

/// The entities that a need is about: those it names, else those that have all of its attributes.
fn entities<'a>(catalogue: &'a Catalogue, pattern: &Pattern, table: &'a Table) -> Vec<&'a Entity> {
    if !pattern.entities.is_empty() {
        let named = pattern.entities.iter().filter_map(|(name, _)| catalogue.entity(name));
        return named.filter(|entity| entity.table == table.name).collect();
    }
    let names = || pattern.need_equal.iter().chain(&pattern.need_range);
    let knows = |entity: &Entity, name: &str| {
        sizes::has(entity, name) || entity.keys.values().flat_map(Template::gaps).any(|gap| gap == name)
    };
    catalogue.entities_of(&table.name).filter(|entity| names().all(|name| knows(entity, name))).collect()
}

/// How the keys of a table or index serve a need about an entity; `None` where they do not.
fn fit<'a>(
    catalogue: &Catalogue,
    pattern: &Pattern,
    table: &'a Table,
    index: Option<&'a Index>,
    entity: Option<&Entity>,
) -> Option<Candidate<'a>> {
    let keys = index.map_or(&table.keys, |index| &index.keys);
    if let (Some(index), Some(entity)) = (index, entity)
        && sizes::entry_share(index, entity) <= 0.0
    {
        return None;
    }
    let mut given = Given { equal: &pattern.need_equal, used: Vec::new() };
    let mut hash = Vec::new();
    for attribute in &keys.hash {
        hash.push((attribute.clone(), given.equals(entity, attribute)?));
    }
    let sort = given.sort(entity, keys, pattern.need_range.as_deref())?;
    let filter: Vec<String> =
        pattern.need_equal.iter().filter(|name| !given.used.contains(name)).cloned().collect();
    let whole =
        index.is_none() && sort.len() == keys.range.len() && sort.iter().all(|bound| bound.operator == "=");
    let class = match (index.is_some(), sort.is_empty()) {
        _ if whole => PlanClass::Get,
        (false, true) => PlanClass::Collection,
        (false, false) => PlanClass::Range,
        (true, true) => PlanClass::IndexCollection,
        (true, false) => PlanClass::IndexRange,
    };
    let size = || collections::size(catalogue, table, index, entity?);
    let bytes = match (index, entity) {
        (Some(index), Some(entity)) => sizes::entry_bytes(catalogue, table, index, entity),
        (None, Some(entity)) => sizes::entity_bytes(catalogue, entity),
        (Some(index), None) => index.entry_bytes,
        (None, None) => table.item_bytes,
    };
    let items = if whole { Some(1.0) } else { pattern.items.or_else(size) };
    Some(Candidate { class, table, index, hash, sort, filter, items, bytes: pattern.item_bytes.or(bytes) })
}

/// The attributes that a need gives with `=`, and which of them a key has used.
struct Given<'n> {
    equal: &'n [String],
    used: Vec<&'n String>,
}

impl Given<'_> {
    fn find(&mut self, name: &str) -> bool {
        let found = self.equal.iter().find(|given| *given == name);
        self.used.extend(found);
        found.is_some()
    }

    /// What a key attribute must equal: all that it is made of is given.
    fn equals(&mut self, entity: Option<&Entity>, attribute: &str) -> Option<String> {
        if self.find(attribute) {
            return Some(format!("{{{attribute}}}"));
        }
        let template = entity?.keys.get(attribute)?;
        let gaps: Vec<&str> = template.gaps().collect();
        gaps.iter().all(|gap| self.equal.iter().any(|given| given == gap)).then(|| {
            for gap in gaps {
                self.find(gap);
            }
            template.to_string()
        })
    }

    /// The bounds on the sort key: what is given, gapless, then the range. `None` where the range is not next.
    fn sort(&mut self, entity: Option<&Entity>, keys: &Keys, range: Option<&str>) -> Option<Vec<SortBound>> {
        let mut bounds = Vec::new();
        let mut wanted = range;
        for attribute in &keys.range {
            if let Some(text) = self.equals(entity, attribute) {
                bounds.push(bound(attribute, "=", text));
                continue;
            }
            if wanted == Some(attribute.as_str()) {
                wanted = None;
            } else if let Some(template) = entity.and_then(|entity| entity.keys.get(attribute)) {
                let (prefix, next) = self.prefix(template);
                if wanted.is_some() && next.as_deref() == wanted {
                    wanted = None;
                }
                if !prefix.is_empty() {
                    bounds.push(bound(attribute, "begins_with", prefix));
                }
            }
            break;
        }
        wanted.is_none().then_some(bounds)
    }

    /// The part of a template that is literal or given, and the gap after it.
    fn prefix(&mut self, template: &Template) -> (String, Option<String>) {
        let mut text = String::new();
        for part in template.parts() {
            match part {
                Part::Literal(literal) => text.push_str(&literal.replace('{', "{{").replace('}', "}}")),
                Part::Gap { name, .. } if self.find(name) => text.extend(["{", name.as_str(), "}"]),
                Part::Gap { name, .. } => return (text, Some(name.clone())),
            }
        }
        (text, None)
    }
}

fn bound(attribute: &str, operator: &'static str, text: String) -> SortBound {
    SortBound { attribute: attribute.to_owned(), operator, operands: vec![text] }
}

fn missing(catalogue: &Catalogue, pattern: &Pattern) -> String {
    let named = pattern.table.as_deref().and_then(|name| catalogue.table(name));
    let about = |table: &&Table| !entities(catalogue, pattern, table).is_empty();
    let table = named.or_else(|| catalogue.tables.iter().find(about)).or(catalogue.tables.first());
    match table {
        None => "declare a table".to_owned(),
        Some(_) if pattern.need_equal.is_empty() => {
            "say what is given: an operation with its key, or need: {equal: [attribute], range: attribute}"
                .to_owned()
        }
        Some(table) => {
            index_remedy(catalogue, pattern, table, &pattern.need_equal, pattern.need_range.as_deref())
        }
    }
}

/// The index that would serve what a scan tests in its filter.
pub(super) fn for_filter(
    catalogue: &Catalogue,
    pattern: &Pattern,
    table: &Table,
    filter: Option<&Condition>,
) -> Option<String> {
    let tests = filter?.outline();
    let required = || tests.iter().filter(|test| test.is_required);
    let mut equal: Vec<String> =
        required().filter(|test| test.operator == "=").map(|test| test.attribute.to_owned()).collect();
    equal.dedup();
    let ranged = ["<", "<=", ">", ">=", "between", "begins_with"];
    let range = required().find(|test| ranged.contains(&test.operator)).map(|test| test.attribute);
    (!equal.is_empty()).then(|| index_remedy(catalogue, pattern, table, &equal, range))
}

/// The index to add, what it projects, and what it costs.
fn index_remedy(
    catalogue: &Catalogue,
    pattern: &Pattern,
    table: &Table,
    equal: &[String],
    range: Option<&str>,
) -> String {
    let wanted = super::request(catalogue, pattern)
        .and_then(|request| request.actions.into_iter().next()?.wanted)
        .unwrap_or_default();
    let projection = if wanted.is_empty() { "all".to_owned() } else { format!("[{}]", wanted.join(", ")) };
    let hash = match equal {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let range_text = range.map_or_else(String::new, |range| format!(", range: {range}"));
    let key = format!(
        "add a global index to {}: {{key: {{hash: {hash}{range_text}}}, projection: {projection}}}",
        table.name
    );
    let about = entities(catalogue, &Pattern { need_equal: equal.to_vec(), ..pattern.clone() }, table);
    let entity = about.first();
    let index = Index {
        name: String::new(),
        kind: IndexKind::Global,
        keys: Keys::default(),
        projection: if wanted.is_empty() { Projection::All } else { Projection::Include(wanted) },
        ..Index::default()
    };
    let Some(bytes) = entity.and_then(|entity| sizes::entry_bytes(catalogue, table, &index, entity)) else {
        return format!("{key}; each write of such an item then costs at least 1 more write unit");
    };
    let each = units::write(bytes);
    let rate: f64 = catalogue
        .patterns
        .iter()
        .filter(|other| {
            writes::written(catalogue, other).iter().any(|e| about.iter().any(|a| a.name == e.name))
        })
        .filter_map(|other| other.avg_rps.or(other.peak_rps))
        .sum();
    let total = if rate > 0.0 {
        format!(", {:.0} per second at the declared rates", each * rate)
    } else {
        String::new()
    };
    format!(
        "{key}; each write of such an item then costs {each:.0} more write units (an entry of {bytes:.0} bytes){total}"
    )
}

//! Sort keys: whether their order and their prefixes are those that patterns count on.

use std::collections::BTreeSet;

use hashrange_api::Operation;

use super::{BASE, KeyColumn, key_columns};
use crate::catalogue::{KeyType, Pattern, Table};
use crate::check::context::of;
use crate::check::statistics::{Column, KeyPart};
use crate::check::{Context, Example, Judge, Kind, Rule};
use crate::finding::{Evidence, Finding, Severity, Subject};
use crate::plan::{PatternPlan, PlanClass, SortBound, shape};
use crate::recognise::{Look, look};
use crate::template::{Part, Template};

pub(in crate::check) const RULES: &[Rule] = &[
    COMPONENT_ORDER,
    RANDOM_SORT_KEY,
    NUMBER_AS_STRING_KEY,
    DATE_FORMAT,
    PREFIX_AMBIGUITY,
    MIXED_RANGE,
    NON_UNIQUE,
];

const COMPONENT_ORDER: Rule = Rule {
    id: "sk-component-order",
    severity: Severity::Error,
    summary: "A pattern knows a later part of a composite sort key and not an earlier one, so that the key's beginning cannot be named.",
    not_a_fault_when: "another index serves the pattern",
    advice: "Put the parts that are known first and the one that is ranged or sorted by last; or use an index whose sort key has several \
             attributes",
    teach: Example {
        before: "key: {SK: \"ORDER#{date}#{status}\"}     # pattern: status = SHIPPED, any date",
        after: "key: {SK: \"ORDER#{status}#{date}\"}     # begins_with ORDER#SHIPPED#",
    },
    judge: Judge::Any(component_order),
    ..BASE
};

const RANDOM_SORT_KEY: Rule = Rule {
    id: "random-sort-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "A pattern wants items by time, and the sort key begins with a random identifier: they come in no order at all.",
    not_a_fault_when: "the identifier rises with time, as a ULID, a KSUID or a UUID of version 6 or 7 does",
    advice: "Put the time before the identifier: ORDER#{createdAt}#{orderId}",
    teach: Example {
        before: "key: {PK: \"USER#{userId}\", SK: \"ORDER#{orderId}\"}      # newest ten: order: desc, limit: 10",
        after: "key: {PK: \"USER#{userId}\", SK: \"ORDER#{createdAt}#{orderId}\"}",
    },
    judge: Judge::Any(random_sort_key),
    ..BASE
};

const NUMBER_AS_STRING_KEY: Rule = Rule {
    id: "number-as-string-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "Numbers of differing length stand in a sort key of type S, which sorts them as text: \"10\" comes before \"9\".",
    not_a_fault_when: "all have one width; only equality is asked of them",
    advice: "Pad to the widest with zeros, {seq:08}, or give the number a key of type N alone",
    teach: Example {
        before: "key: {SK: \"LINE#{lineNumber}\"}",
        after: "key: {SK: \"LINE#{lineNumber:06}\"}",
    },
    judge: Judge::Any(number_as_string_key),
    ..BASE
};

const DATE_FORMAT: Rule = Rule {
    id: "date-format-key",
    severity: Severity::Error,
    evidence: &[Evidence::Samples],
    summary: "Dates or times in a sort key do not sort by time: days before years, no leading zeros, or forms, zones or units mixed.",
    not_a_fault_when: "only equality is asked of them",
    advice: "Write UTC in ISO 8601 with one precision, 2026-11-30T14:05:09Z, or an epoch of one unit",
    teach: Example { before: "SK: \"02/11/2026\"", after: "SK: \"2026-11-02\"" },
    judge: Judge::Any(date_format),
    ..BASE
};

const PREFIX_AMBIGUITY: Rule = Rule {
    id: "prefix-ambiguity",
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "A begins_with ends inside a part of the key, so that USER#1 finds USER#12 too; or no key can begin so.",
    not_a_fault_when: "all values of the part have one width",
    advice: "End the prefix with the delimiter",
    teach: Example {
        before: "key: {PK: \"ORG#{org}\", SK: {begins_with: \"USER#{userId}\"}}",
        after: "key: {PK: \"ORG#{org}\", SK: {begins_with: \"USER#{userId}#\"}}",
    },
    judge: Judge::Any(prefix_ambiguity),
    ..BASE
};

const MIXED_RANGE: Rule = Rule {
    id: "mixed-entity-range",
    summary: "A range of the sort key reaches past the keys of one kind of item and sweeps in items of others.",
    not_a_fault_when: "all kinds are wanted (declares: [all_types])",
    advice: "Give both bounds the prefix of the kind: between ORDER#2026-01 and ORDER#2026-12",
    teach: Example {
        before: "key: {PK: \"USER#{userId}\", SK: {\">\": \"ORDER#{from}\"}}        # PROFILE comes too",
        after: "key: {PK: \"USER#{userId}\", SK: {between: [\"ORDER#{from}\", \"ORDER#{to}\"]}}",
    },
    judge: Judge::Any(mixed_range),
    ..BASE
};

const NON_UNIQUE: Rule = Rule {
    id: "non-unique-key",
    severity: Severity::Error,
    evidence: &[Evidence::Declared, Evidence::Samples],
    summary: "The sort key is only a time or a score: of two events at one time in a collection the second replaces the first, silently.",
    not_a_fault_when: "one writer makes one item for each key and tick (declares: [single_writer]); a condition refuses the second",
    advice: "Append an identifier: {time}#{eventId}",
    teach: Example {
        before: "key: {PK: \"USER#{userId}\", SK: \"EVENT#{time}\"}",
        after: "key: {PK: \"USER#{userId}\", SK: \"EVENT#{time}#{eventId}\"}",
    },
    judge: Judge::Any(non_unique),
    ..BASE
};

/// Patterns that read a collection, with their plans, tables and the kinds that they touch.
fn collection_reads<'c, 'a>(
    context: &'c Context<'a>,
) -> impl Iterator<Item = (&'a Pattern, &'c PatternPlan, &'a Table, Vec<&'c Kind<'a>>)> {
    context.patterns().filter_map(move |(pattern, plan)| {
        let reads = matches!(
            plan.class,
            PlanClass::Range
                | PlanClass::Collection
                | PlanClass::IndexRange
                | PlanClass::IndexCollection
                | PlanClass::Scatter(_)
        );
        let table = context.table_of(plan).filter(|_| reads)?;
        let kinds = context.touched(pattern).filter(|(kind, _)| kind.table == table.name);
        let kinds = kinds.map(|(kind, _)| kind).collect();
        Some((pattern, plan, table, kinds))
    })
}

/// The sort key attribute of what a plan reads; `None` where the key has several or none.
fn sort_attribute<'a>(context: &Context<'a>, plan: &PatternPlan, table: &'a Table) -> Option<&'a str> {
    let keys = context.index_of(plan).map_or(&table.keys, |index| &index.keys);
    match keys.range.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

fn component_order(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, table, kinds) in collection_reads(context) {
        let Some(attribute) = sort_attribute(context, plan, table) else { continue };
        let found = kinds.iter().find_map(|kind| gap(context, kind, attribute, plan));
        if let Some((early, late, template)) = found {
            let message = format!(
                "{late} is tested after the read, because {early} stands before it in {attribute} ({template}) and is not given"
            );
            findings.push(COMPONENT_ORDER.found(Severity::Error, of(pattern), message));
        }
    }
}

/// The part that is not given, the later one that is filtered by, and the template.
fn gap(
    context: &Context<'_>,
    kind: &Kind<'_>,
    attribute: &str,
    plan: &PatternPlan,
) -> Option<(String, String, String)> {
    let template = context.column(kind, attribute)?.template.as_ref()?;
    let gaps: Vec<&str> = template.gaps().collect();
    let given = plan.sort.iter().find(|bound| bound.attribute == attribute).map_or(0, given_gaps);
    let late = gaps.iter().skip(given + 1).find(|gap| plan.filter.iter().any(|filter| filter == *gap))?;
    Some(((*gaps.get(given)?).to_owned(), (*late).to_owned(), template.to_string()))
}

/// How many gaps a bound fills, by the gaps and the delimiters of its first operand.
fn given_gaps(bound: &SortBound) -> usize {
    let Some(Ok(template)) = bound.operands.first().map(|text| Template::parse(text)) else { return 0 };
    template.gaps().count()
}

fn random_sort_key(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, table, kinds) in collection_reads(context) {
        let Some(attribute) = sort_attribute(context, plan, table) else { continue };
        let Some(wish) = time_order(pattern, plan) else { continue };
        for kind in kinds {
            let Some(column) = context.column(kind, attribute) else { continue };
            let Some(part) = column.parts.first().filter(|part| part.looks(Look::is_random)) else {
                continue;
            };
            let by_it = pattern
                .expect
                .order
                .as_ref()
                .is_some_and(|(order, _)| *order == part.name || order == attribute);
            if by_it {
                continue;
            }
            let (name, evidence) =
                part.look.map_or(("random", Evidence::Declared), |(look, e)| (look.name(), e));
            let severity = if wish.1 { Severity::Error } else { Severity::Note };
            let message =
                format!("{}, and the sort key of {} begins with {} ({name})", wish.0, kind.name, part.name);
            findings.push(RANDOM_SORT_KEY.found(severity, of(pattern), message).rests_on(evidence));
            break;
        }
    }
}

/// How a pattern says that it wants items by time, and whether it says so in its request or only in its name.
fn time_order(pattern: &Pattern, plan: &PatternPlan) -> Option<(String, bool)> {
    if let Some((order, ascending)) = &pattern.expect.order {
        let direction = if *ascending { "rising" } else { "falling" };
        return Some((format!("items are wanted by {order}, {direction}"), true));
    }
    if let Some(range) = &pattern.need_range {
        return Some((format!("items are wanted by {range}"), true));
    }
    if plan.forward == Some(false) {
        return Some(("items are wanted from the end".to_owned(), true));
    }
    let name = pattern.name.to_lowercase();
    let says = ["newest", "latest", "most recent", "by date", "by time", "chronolog"];
    let word = says.iter().find(|word| name.contains(**word))?;
    Some((format!("the name says \"{word}\""), false))
}

/// Patterns that count on the order of a sort key: by a range, or by the order of the answer.
fn ranged(context: &Context<'_>, key: &KeyColumn, kind: &Kind<'_>) -> Option<String> {
    collection_reads(context)
        .filter(|(_, plan, table, kinds)| {
            table.name == kind.table
                && plan.index == key.index
                && kinds.iter().any(|other| other.name == kind.name)
        })
        .find(|(pattern, plan, ..)| {
            let bound = plan.sort.iter().any(|bound| {
                bound.attribute == key.attribute && !matches!(bound.operator, "=" | "begins_with")
            });
            bound || pattern.expect.order.is_some() || plan.forward == Some(false)
        })
        .map(|(pattern, ..)| pattern.id.clone())
}

fn number_as_string_key(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds() {
        for key in key_columns(context, kind).iter().filter(|key| !key.is_hash) {
            let text = kind.schema.definitions.get(&key.attribute).is_none_or(|kind| *kind == KeyType::S);
            let Some((part, evidence, widths)) = key.column.parts.iter().find_map(uneven).filter(|_| text)
            else {
                continue;
            };
            let Some(pattern) = ranged(context, key, kind) else { continue };
            let message = format!(
                "{} of {} in {} is digits of {widths}, and {pattern} counts on their order",
                part.name, kind.name, key.attribute
            );
            findings.push(
                NUMBER_AS_STRING_KEY.found(Severity::Error, key.subject(kind), message).rests_on(evidence),
            );
        }
    }
}

/// A part of digits of differing width, by samples or by a declared number without a width.
fn uneven(part: &KeyPart) -> Option<(&KeyPart, Evidence, String)> {
    let digits = |text: &String| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if part.values.len() >= 2 {
        let widths: BTreeSet<usize> = part.values.iter().map(String::len).collect();
        let (least, most) = (widths.first()?, widths.last()?);
        let uneven = part.values.iter().all(digits) && widths.len() > 1;
        return uneven.then(|| (part, Evidence::Samples, format!("{least} to {most} places")));
    }
    let declared = part.width.is_none() && part.looks(|look| look == Look::Digits(0));
    declared.then(|| (part, Evidence::Declared, "no stated width".to_owned()))
}

fn date_format(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for kind in context.samples.kinds() {
        for key in key_columns(context, kind).iter().filter(|key| !key.is_hash) {
            let Some((part, fault)) = key.column.parts.iter().find_map(|part| Some((part, misdated(part)?)))
            else {
                continue;
            };
            let (severity, who) = match ranged(context, key, kind) {
                Some(pattern) => (Severity::Error, format!("; {pattern} counts on their order")),
                None => (Severity::Warn, String::new()),
            };
            let message = format!("{} of {} in {} holds {fault}{who}", part.name, kind.name, key.attribute);
            findings.push(DATE_FORMAT.found(severity, key.subject(kind), message));
        }
    }
}

/// What keeps the dates of a part from sorting.
fn misdated(part: &KeyPart) -> Option<String> {
    if let Some(text) = part.values.iter().find(|text| look(text) == Look::Unsorted) {
        return Some(format!("\"{text}\", which does not sort"));
    }
    let times = part.values.iter().map(|text| (look(text), text)).filter(|(look, _)| look.is_time());
    let mut forms: Vec<(Look, &String)> = Vec::new();
    for (look, text) in times {
        if forms.iter().all(|(other, _)| *other != look) {
            forms.push((look, text));
        }
    }
    match forms.as_slice() {
        [(_, one), (_, other), ..] => Some(format!("times of several forms, \"{one}\" and \"{other}\"")),
        _ => None,
    }
}

fn prefix_ambiguity(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, table, kinds) in collection_reads(context) {
        for bound in plan.sort.iter().filter(|bound| bound.operator == "begins_with") {
            let Some(Ok(prefix)) = bound.operands.first().map(|text| Template::parse(text)) else { continue };
            let columns: Vec<(&Kind<'_>, &Column)> = kinds
                .iter()
                .filter_map(|kind| Some((*kind, context.column(kind, &bound.attribute)?)))
                .collect();
            let fault = open_end(&columns, &prefix).or_else(|| no_key(context, table, plan, bound, &prefix));
            findings
                .extend(fault.map(|message| PREFIX_AMBIGUITY.found(Severity::Warn, of(pattern), message)));
        }
    }
}

/// A prefix that ends inside a part whose values have several widths.
fn open_end(columns: &[(&Kind<'_>, &Column)], prefix: &Template) -> Option<String> {
    let Some(Part::Gap { name, .. }) = prefix.parts().last() else { return open_word(columns, prefix) };
    let at = prefix.gaps().count() - 1;
    let (kind, part) = columns.iter().find_map(|(kind, column)| {
        let template = column.template.as_ref()?;
        let part = column.parts.get(at)?;
        let fitting = shape::overlap(template, prefix) || template.prefix() == prefix.prefix();
        (fitting && !is_fixed(part)).then_some((kind, part))
    })?;
    Some(format!(
        "the prefix {prefix} ends with {name}, and values of {} of {} may begin one another",
        part.name, kind.name
    ))
}

/// A prefix that is one word and begins another kind's longer word: `ORDER` and `ORDERITEM#`.
fn open_word(columns: &[(&Kind<'_>, &Column)], prefix: &Template) -> Option<String> {
    let text =
        prefix.is_constant().then(|| prefix.prefix()).filter(|text| text.ends_with(char::is_alphanumeric))?;
    let rest = |column: &Column| {
        let template = column.template.as_ref()?;
        template
            .prefix()
            .strip_prefix(text)
            .map(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let longer = columns.iter().find(|(_, column)| rest(column) == Some(true))?;
    let wanted = columns.iter().find(|(_, column)| rest(column) == Some(false))?;
    Some(format!("the prefix {text} of {} begins the keys of {} too", wanted.0.name, longer.0.name))
}

/// Whether all values of a part have one width.
fn is_fixed(part: &KeyPart) -> bool {
    let widths: BTreeSet<usize> = part.values.iter().map(String::len).collect();
    let alike = widths.len() == 1 && part.values.len() >= 2;
    let form = part.looks(|look| look.is_identifier() || (look.is_time() && look != Look::Unsorted));
    part.width.is_some() || alike || form
}

/// A prefix that no kind's key can begin with.
fn no_key(
    context: &Context<'_>,
    table: &Table,
    plan: &PatternPlan,
    bound: &SortBound,
    prefix: &Template,
) -> Option<String> {
    let columns: Vec<&Column> = context
        .samples
        .of_table(&table.name)
        .filter_map(|kind| context.column(kind, &bound.attribute))
        .collect();
    let templates: Vec<&Template> = columns.iter().filter_map(|column| column.template.as_ref()).collect();
    let possible =
        templates.is_empty() || templates.iter().any(|template| shape::may_begin_with(template, prefix));
    let place = plan.index.as_deref().unwrap_or(&table.name);
    (!possible).then(|| {
        format!("no key of {place} can begin with {prefix}: {} is {}", bound.attribute, list(&templates))
    })
}

fn list(templates: &[&Template]) -> String {
    let texts: BTreeSet<String> = templates.iter().map(ToString::to_string).collect();
    texts.into_iter().collect::<Vec<_>>().join(" or ")
}

fn mixed_range(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (pattern, plan, table, _) in
        collection_reads(context).filter(|(pattern, ..)| !pattern.declared.all_types)
    {
        let Some(bound) = plan.sort.iter().find(|bound| !matches!(bound.operator, "=" | "begins_with"))
        else {
            continue;
        };
        let Some((low, high)) = range(bound) else { continue };
        let swept = swept(context, plan, table, bound, (&low, &high));
        let mut wanted = swept.iter().filter(|(_, inside)| *inside).map(|(name, _)| name.as_str());
        let others: Vec<&str> =
            swept.iter().filter(|(_, inside)| !*inside).map(|(name, _)| name.as_str()).collect();
        if let (Some(wanted), false) = (wanted.next(), others.is_empty()) {
            let message =
                format!("{} {} reads {} beside {wanted}", bound.attribute, bound.operator, others.join(", "));
            findings.push(MIXED_RANGE.found(Severity::Warn, of(pattern), message));
        }
    }
}

/// The literal beginnings of the bounds: from, to; an open end is the empty text.
fn range(bound: &SortBound) -> Option<(String, String)> {
    let prefix = |at: usize| Some(Template::parse(bound.operands.get(at)?).ok()?.prefix().to_owned());
    Some(match bound.operator {
        ">" | ">=" => (prefix(0)?, String::new()),
        "<" | "<=" => (String::new(), prefix(0)?),
        "between" => (prefix(0)?, prefix(1)?),
        _ => return None,
    })
}

/// The kinds of the collection whose keys lie in a range; whether each shares the beginning of a bound, as the wanted kind does.
fn swept(
    context: &Context<'_>,
    plan: &PatternPlan,
    table: &Table,
    bound: &SortBound,
    (low, high): (&str, &str),
) -> Vec<(String, bool)> {
    let word = if low.is_empty() { high } else { low };
    let mut found = Vec::new();
    for kind in context.samples.of_table(&table.name).filter(|kind| in_collection(context, kind, plan)) {
        let Some(template) =
            context.column(kind, &bound.attribute).and_then(|column| column.template.as_ref())
        else {
            continue;
        };
        let prefix = template.prefix();
        let own = !word.is_empty()
            && (prefix.starts_with(word) || (!prefix.is_empty() && word.starts_with(prefix)));
        let above = low.is_empty() || prefix >= low;
        let below = high.is_empty() || prefix <= high;
        if own || (!prefix.is_empty() && !word.is_empty() && above && below) {
            found.push((kind.name.clone(), own));
        }
    }
    found
}

/// Whether items of a kind lie in the collection that a plan reads.
fn in_collection(context: &Context<'_>, kind: &Kind<'_>, plan: &PatternPlan) -> bool {
    plan.hash.iter().all(|(attribute, text)| {
        let column = context.column(kind, attribute);
        match (column.and_then(|column| column.template.as_ref()), Template::parse(text)) {
            (Some(template), Ok(wanted)) => shape::overlap(template, &wanted),
            _ => false,
        }
    })
}

fn non_unique(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for table in &context.catalogue.tables {
        findings.extend(clash(table));
    }
    for kind in context.samples.kinds() {
        let [range] = kind.schema.keys.range.as_slice() else { continue };
        let Some(column) = context.column(kind, range) else { continue };
        let timed = |part: &KeyPart| part.looks(Look::is_time) || is_score(part);
        if column.is_constant() || !column.parts.iter().all(timed) || is_guarded(context, kind) {
            continue;
        }
        let names: Vec<&str> = column.parts.iter().map(|part| part.name.as_str()).collect();
        let evidence =
            column.parts.iter().filter_map(|part| Some(part.look?.1)).max().unwrap_or(Evidence::Declared);
        let message = format!(
            "{} of {} is only {}: two in one collection at once are one item",
            range,
            kind.name,
            names.join(" and ")
        );
        findings.push(NON_UNIQUE.found(Severity::Warn, kind.subject(), message).rests_on(evidence));
    }
}

fn is_score(part: &KeyPart) -> bool {
    let name = part.name.to_lowercase();
    part.looks(|look| matches!(look, Look::Digits(_) | Look::Number))
        && (name.ends_with("score") || name.ends_with("points"))
}

/// Whether two items of a kind at one time are declared impossible, or refused.
fn is_guarded(context: &Context<'_>, kind: &Kind<'_>) -> bool {
    let mut writers = context
        .patterns()
        .filter(|(_, plan)| matches!(plan.class, PlanClass::Write(_)) && plan.table == kind.table)
        .filter(|(pattern, _)| context.touches(pattern, kind))
        .map(|(pattern, _)| pattern)
        .peekable();
    let guarded = |pattern: &Pattern| {
        let condition =
            pattern.request.as_ref().and_then(|request| request.get("ConditionExpression")?.as_str());
        // An update of the item of a day or a score adds to it: nothing is lost.
        let adds = pattern.operation == Some(Operation::UpdateItem);
        adds || pattern.declared.single_writer
            || condition.is_some_and(|text| text.contains("attribute_not_exists"))
    };
    writers.peek().is_some() && writers.all(guarded)
}

/// Two samples of a table with equal keys.
fn clash(table: &Table) -> Option<Finding> {
    let mut seen = BTreeSet::new();
    for item in &table.samples {
        let key: Option<Vec<String>> = table
            .keys
            .attributes()
            .map(|attribute| item.get(attribute).map(crate::check::samples::key_text))
            .collect();
        let Some(key) = key.filter(|key| !key.is_empty()) else { continue };
        let text = key.join(", ");
        if !seen.insert(key) {
            let message = format!("two samples have the key {text}: the second replaces the first");
            let finding = NON_UNIQUE.found(Severity::Error, Subject::Table(table.name.clone()), message);
            return Some(finding.rests_on(Evidence::Samples));
        }
    }
    None
}

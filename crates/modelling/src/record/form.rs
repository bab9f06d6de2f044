//! The form of a pattern, in which a recorded one and a declared one can be compared.

use std::collections::BTreeSet;

use hashrange_api::Operation;

use super::{Shape, text};
use crate::catalogue::{Catalogue, Pattern};
use crate::plan::request::{Action, Verb, request};
use crate::template::Template;

/// What a pattern touches and how, without values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    operation: String,
    table: String,
    index: Option<String>,
    clauses: Vec<Clause>,
    descending: bool,
    filter: BTreeSet<String>,
    written: BTreeSet<String>,
    conditional: bool,
    requests: Vec<Form>,
}

/// A comparison of a key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    attribute: String,
    operator: String,
    prefix: Option<String>,
}

impl Form {
    /// Of what was recorded.
    pub(super) fn of_shape(shape: &Shape) -> Form {
        let clauses = text::clauses(shape.field("key").unwrap_or_default());
        let clauses = clauses.into_iter().map(|clause| Clause {
            prefix: clause.values.first().and_then(|(_, prefix)| prefix.map(str::to_owned)),
            operator: clause.operator.to_owned(),
            attribute: clause.attribute,
        });
        Form {
            operation: shape.operation().to_owned(),
            table: shape.table().unwrap_or_default(),
            index: shape.index(),
            clauses: clauses.collect(),
            descending: shape.field("descending").is_some(),
            filter: shape.field("filter").map(text::names).into_iter().flatten().collect(),
            written: shape.field("update").map(text::written).into_iter().flatten().collect(),
            conditional: shape.field("condition").is_some(),
            requests: shape.requests.iter().map(|part| Form::of_shape(&part.shape)).collect(),
        }
    }

    /// Of what is declared; `None` where the pattern states no request that can be compared.
    pub(super) fn of_pattern(catalogue: &Catalogue, pattern: &Pattern) -> Option<Form> {
        let request = request(catalogue, pattern)?;
        if !request.faults.is_empty() {
            return None;
        }
        let actions = request.actions.iter();
        let mut forms: Vec<Form> =
            actions.map(|action| Form::of_action(catalogue, pattern, action)).collect();
        if !request.batch && !request.transaction {
            return if forms.len() == 1 { forms.pop() } else { None };
        }
        let table = forms.first().map(|form| form.table.clone()).unwrap_or_default();
        let operation = match pattern.operation? {
            Operation::ExecuteTransaction if request.writes().next().is_some() => "TransactWriteItems",
            Operation::ExecuteTransaction => "TransactGetItems",
            other => other.name(),
        };
        Some(Form { operation: operation.to_owned(), table, requests: forms, ..Form::default() })
    }

    fn of_action(catalogue: &Catalogue, pattern: &Pattern, action: &Action) -> Form {
        let names = |names: BTreeSet<&str>| names.into_iter().map(str::to_owned).collect();
        let clauses = clauses(catalogue, action);
        Form {
            operation: operation(catalogue, pattern, action, &clauses).to_owned(),
            table: action.table.clone(),
            index: action.index.clone(),
            descending: action.forward == Some(false),
            filter: action
                .filter
                .as_ref()
                .map(|filter| names(filter.top_level_attributes()))
                .unwrap_or_default(),
            written: action
                .update
                .as_ref()
                .map(|update| names(update.changed_attributes()))
                .unwrap_or_default(),
            conditional: action.condition.is_some(),
            clauses,
            requests: Vec::new(),
        }
    }

    /// How well a declared form explains this recorded one; `None` where it does not.
    pub(super) fn fit(&self, declared: &Form) -> Option<u32> {
        let same = self.operation == declared.operation
            && self.table == declared.table
            && self.index == declared.index
            && self.clauses.len() == declared.clauses.len();
        if !same {
            return None;
        }
        let mut fit = 1;
        for (seen, said) in self.clauses.iter().zip(&declared.clauses) {
            fit += seen.fit(said)?;
        }
        if !self.written.is_empty() && self.written.is_disjoint(&declared.written) {
            return None;
        }
        fit += 4 * u32::from(self.written == declared.written);
        fit += 2 * u32::from(self.filter == declared.filter);
        fit += u32::from(self.descending == declared.descending);
        fit += u32::from(self.conditional == declared.conditional);
        Some(fit + fit_requests(&self.requests, &declared.requests)?)
    }

    /// The index that is read, with its table.
    pub(super) fn read_index(&self) -> Option<(&str, &str)> {
        Some((self.table.as_str(), self.index.as_deref()?))
    }
}

impl Clause {
    /// A prefix that is not known, because it was seen too rarely to be told, fits every other.
    fn fit(&self, declared: &Clause) -> Option<u32> {
        if self.attribute != declared.attribute || self.operator != declared.operator {
            return None;
        }
        match (&self.prefix, &declared.prefix) {
            (Some(seen), Some(said)) if seen == said => Some(3),
            (Some(_), Some(_)) => None,
            _ => Some(0),
        }
    }
}

/// Every recorded request is one of the declared ones, and every declared one was seen.
fn fit_requests(seen: &[Form], declared: &[Form]) -> Option<u32> {
    let best = |one: &Form, of: &[Form]| of.iter().filter_map(|other| one.fit(other)).max();
    let mut fit = 0;
    for one in seen {
        fit += best(one, declared)?;
    }
    let all_seen = declared.iter().all(|said| seen.iter().any(|one| one.fit(said).is_some()));
    all_seen.then_some(fit)
}

/// The prefix of a template, where a recording could tell it: capitals before a delimiter.
fn prefix(text: &str) -> Option<String> {
    let template = Template::parse(text).ok()?;
    let literal = template.prefix();
    let end = literal.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))?;
    let is_type = (2..=31).contains(&end) && literal.starts_with(|c: char| c.is_ascii_uppercase());
    let delimiter = literal[end..].starts_with(['#', '|', ':', '/']);
    (is_type && delimiter).then(|| literal[..=end].to_owned())
}

/// What a recording calls the operation: a statement is the operation that it does.
fn operation(catalogue: &Catalogue, pattern: &Pattern, action: &Action, clauses: &[Clause]) -> &'static str {
    match action.verb {
        Verb::Get => "GetItem",
        Verb::Put => "PutItem",
        Verb::Update => "UpdateItem",
        Verb::Delete => "DeleteItem",
        Verb::Check => "ConditionCheck",
        Verb::Scan => "Scan",
        Verb::Search => "SearchVectors",
        Verb::Query => {
            let table = catalogue.table(&action.table);
            let whole = table.is_some_and(|table| table.keys.attributes().count() == clauses.len());
            let one_item = whole && clauses.iter().all(|clause| clause.operator == "=");
            let is_statement = pattern.operation == Some(Operation::ExecuteStatement);
            if one_item && is_statement { "GetItem" } else { "Query" }
        }
    }
}

/// The comparisons of key attributes, in the order of the key.
fn clauses(catalogue: &Catalogue, action: &Action) -> Vec<Clause> {
    let table = catalogue.table(&action.table);
    let keys = table.and_then(|table| match &action.index {
        Some(index) => table.index(index).map(|index| &index.keys),
        None => Some(&table.keys),
    });
    let equal = |attribute: &str, text: &str| Clause {
        attribute: attribute.to_owned(),
        operator: "=".to_owned(),
        prefix: prefix(text),
    };
    let mut clauses: Vec<Clause> = action.key.iter().map(|part| equal(&part.attribute, &part.text)).collect();
    clauses.extend(action.clauses.iter().map(|bound| Clause {
        attribute: bound.attribute.clone(),
        operator: bound.operator.to_owned(),
        prefix: bound.operands.first().and_then(|text| prefix(text)),
    }));
    if let (Some(item), Some(keys)) = (&action.item, keys) {
        let text = |name: &str| item.get(name).and_then(|value| value.as_object()?.values().next()?.as_str());
        clauses.extend(keys.attributes().map(|name| equal(name, text(name).unwrap_or_default())));
    }
    let place = |name: &str| keys.and_then(|keys| keys.attributes().position(|attribute| attribute == name));
    clauses.sort_by_key(|clause| place(&clause.attribute));
    clauses
}

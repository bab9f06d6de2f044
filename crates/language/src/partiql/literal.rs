//! Literals become values, once the syntax is known to be right.

use std::sync::Arc;

use hashrange_item::{AttributeValue, Attributes, Number, NumberError, NumberSet, StringSet, limits};

use super::error::StatementError;
use super::syntax::{Shape, Term};

/// Reads every literal inside `term`.
pub(super) fn read(term: &mut Term) -> Result<(), StatementError> {
    match &mut term.shape {
        Shape::Path(_) | Shape::Parameter(_) | Shape::Value(_) => Ok(()),
        Shape::And(terms) | Shape::Or(terms) | Shape::Call { arguments: terms, .. } => {
            terms.iter_mut().try_for_each(read)
        }
        Shape::Not(inner) | Shape::Is(inner, _) => read(inner),
        Shape::Compare(_, left, right) | Shape::Arithmetic(_, left, right) => {
            read(left)?;
            read(right)
        }
        Shape::Between(three) => three.iter_mut().try_for_each(read),
        Shape::In(subject, list) => {
            read(subject)?;
            list.iter_mut().try_for_each(read)
        }
        Shape::Text(_)
        | Shape::Number(_)
        | Shape::Bool(_)
        | Shape::Null
        | Shape::List(_)
        | Shape::Set(_)
        | Shape::Map(_) => {
            term.shape = Shape::Value(Arc::new(value(term)?));
            Ok(())
        }
    }
}

/// The value of an attribute of an INSERT: a literal or a parameter, nothing that would have to be worked out.
pub(super) fn read_attribute(term: &mut Term) -> Result<(), StatementError> {
    if !matches!(term.shape, Shape::Parameter(_)) {
        term.shape = Shape::Value(Arc::new(value(term)?));
    }
    Ok(())
}

/// The value of a literal.
fn value(term: &Term) -> Result<AttributeValue, StatementError> {
    Reader { under: "root".to_owned(), depth: 0 }.value(term)
}

/// Reads a literal, and knows where inside it it is.
struct Reader {
    /// `root[0].x`
    under: String,
    depth: usize,
}

impl Reader {
    fn value(&mut self, term: &Term) -> Result<AttributeValue, StatementError> {
        if self.depth >= limits::NESTING_MAX {
            return Err(StatementError::TooDeep { under: self.under.clone() });
        }
        match &term.shape {
            Shape::Value(value) => Ok(AttributeValue::clone(value)),
            Shape::Text(text) => Ok(AttributeValue::S(text.clone())),
            Shape::Number(text) => self.number(text).map(AttributeValue::N),
            Shape::Bool(value) => Ok(AttributeValue::Bool(*value)),
            Shape::Null => Ok(AttributeValue::Null),
            Shape::List(terms) => {
                let elements = terms.iter().enumerate();
                let elements = elements.map(|(at, term)| self.below(&format!("[{at}]"), term));
                Ok(AttributeValue::L(elements.collect::<Result<_, _>>()?))
            }
            Shape::Map(entries) => self.map(entries),
            Shape::Set(terms) => self.set(terms),
            _ => Err(self.not_a_literal(term)),
        }
    }

    fn below(&mut self, step: &str, term: &Term) -> Result<AttributeValue, StatementError> {
        let length = self.under.len();
        self.under += step;
        self.depth += 1;
        let value = self.value(term)?;
        self.depth -= 1;
        self.under.truncate(length);
        Ok(value)
    }

    fn map(&mut self, entries: &[(String, Term)]) -> Result<AttributeValue, StatementError> {
        let mut map = Attributes::new();
        for (name, term) in entries {
            let value = self.below(&format!(".{name}"), term)?;
            if map.insert(name.clone(), value).is_some() {
                return Err(StatementError::DuplicateKey(name.clone()));
            }
        }
        Ok(AttributeValue::M(map))
    }

    /// Strings or numbers, not both; binaries have no literal.
    fn set(&mut self, terms: &[Term]) -> Result<AttributeValue, StatementError> {
        let texts = terms.iter().map(|term| match &term.shape {
            Shape::Text(text) => Some(text.clone()),
            _ => None,
        });
        if let Some(members) = texts.collect::<Option<Vec<_>>>().filter(|members| !members.is_empty()) {
            let set = StringSet::new(members.clone());
            return set.map(AttributeValue::Ss).map_err(|_| StatementError::DuplicateStrings(members));
        }
        let numbers = terms.iter().map(|term| match &term.shape {
            Shape::Number(text) => Some(text.clone()),
            _ => None,
        });
        match numbers.collect::<Option<Vec<_>>>() {
            None => Err(StatementError::MixedSet),
            Some(members) if members.is_empty() => Err(StatementError::EmptySet),
            Some(members) => self.number_set(members),
        }
    }

    fn number_set(&self, members: Vec<String>) -> Result<AttributeValue, StatementError> {
        let numbers = members.iter().map(|text| self.number(text)).collect::<Result<Vec<_>, _>>()?;
        let set = NumberSet::new(numbers).map(AttributeValue::Ns);
        set.map_err(|_| StatementError::DuplicateNumbers { members, under: self.under.clone() })
    }

    fn number(&self, text: &str) -> Result<Number, StatementError> {
        let fault = |error: NumberError| StatementError::Number { error, under: self.under.clone() };
        Number::parse_older(text).map_err(fault)
    }

    fn not_a_literal(&self, term: &Term) -> StatementError {
        let what = match &term.shape {
            Shape::Call { name, .. } => name.to_ascii_lowercase(),
            Shape::Parameter(_) => "Parameter".to_owned(),
            Shape::Path(_) => "VariableReference".to_owned(),
            _ => "NAry".to_owned(),
        };
        StatementError::NotALiteral { what, under: self.under.clone(), place: term.place }
    }
}

//! The canonical text of a statement: it parses to the same statement.

use std::fmt;

use hashrange_item::{AttributeValue, Path, Step};

use super::syntax::{Assignment, Body, Inserted, Returning, Select, Shape, Term};
use super::{Order, Statement, words};

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body {
            Body::Select(select) => select.fmt(f),
            Body::Exists(select) => write!(f, "EXISTS({select})"),
            Body::Insert { table, value } => {
                write!(f, "INSERT INTO {} VALUE ", Name(table))?;
                value.fmt(f)
            }
            Body::Update { table, assignments, filter, returning } => {
                write!(f, "UPDATE {}", Name(table))?;
                assignments.iter().try_for_each(|assignment| assignment.fmt(f))?;
                write_tail(f, filter.as_ref(), *returning)
            }
            Body::Delete { table, filter, returning } => {
                write!(f, "DELETE FROM {}", Name(table))?;
                write_tail(f, filter.as_ref(), *returning)
            }
        }
    }
}

fn write_tail(
    f: &mut fmt::Formatter<'_>,
    filter: Option<&Term>,
    returning: Option<Returning>,
) -> fmt::Result {
    if let Some(filter) = filter {
        write!(f, " WHERE {filter}")?;
    }
    returning.map_or(Ok(()), |returning| write!(f, " RETURNING {returning}"))
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SELECT ")?;
        if self.columns.is_empty() {
            f.write_str("*")?;
        }
        write_list(f, self.columns.iter().map(PathText))?;
        write!(f, " FROM {}", Name(&self.table))?;
        if let Some(index) = &self.index {
            write!(f, ".{}", Name(index))?;
        }
        write_tail(f, self.filter.as_ref(), None)?;
        if self.order.is_empty() {
            return Ok(());
        }
        f.write_str(" ORDER BY ")?;
        write_list(f, self.order.iter().map(OrderText))
    }
}

impl fmt::Display for Inserted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inserted::Parameter(_) => f.write_str("?"),
            Inserted::Attributes(attributes) => {
                f.write_str("{")?;
                write_list(f, attributes.iter().map(|(name, term)| format!("{}: {term}", Text(name))))?;
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = PathText(&self.target);
        match &self.value {
            None => write!(f, " REMOVE {target}"),
            Some(value) => write!(f, " SET {target} = {value}"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shape {
            Shape::Path(path) => PathText(path).fmt(f),
            Shape::Value(value) => Literal(value).fmt(f),
            Shape::Call { name, arguments } => {
                write!(f, "{name}(")?;
                write_list(f, arguments.iter().map(Argument))?;
                f.write_str(")")
            }
            Shape::And(terms) => {
                write_joined(f, terms, " AND ", |inner| matches!(inner, Shape::And(_) | Shape::Or(_)))
            }
            Shape::Or(terms) => write_joined(f, terms, " OR ", |inner| matches!(inner, Shape::Or(_))),
            Shape::Not(inner) => match &inner.shape {
                Shape::And(_) | Shape::Or(_) => write!(f, "NOT ({inner})"),
                Shape::Between(_) | Shape::In(..) | Shape::Is(..) => write_test(f, inner, " NOT"),
                _ => write!(f, "NOT {inner}"),
            },
            Shape::Compare(comparator, left, right) => {
                write!(f, "{} {} {}", Enclosed(left), comparator.symbol(), Enclosed(right))
            }
            Shape::Between(_) | Shape::In(..) | Shape::Is(..) => write_test(f, self, ""),
            Shape::Arithmetic(sign, left, right) => {
                write!(f, "{left} {} {}", sign.symbol(), Enclosed(right))
            }
            // Literals that were not read yet are in no statement that was parsed.
            Shape::Parameter(_)
            | Shape::Text(_)
            | Shape::Number(_)
            | Shape::Bool(_)
            | Shape::Null
            | Shape::List(_)
            | Shape::Set(_)
            | Shape::Map(_) => f.write_str("?"),
        }
    }
}

/// BETWEEN, IN and IS, with a word for their opposite.
fn write_test(f: &mut fmt::Formatter<'_>, term: &Term, not: &str) -> fmt::Result {
    match &term.shape {
        Shape::Between(three) => {
            let [subject, low, high] = three.as_ref();
            write!(f, "{}{not} BETWEEN {} AND {}", Enclosed(subject), Enclosed(low), Enclosed(high))
        }
        Shape::In(subject, list) => {
            write!(f, "{}{not} IN [", Enclosed(subject))?;
            write_list(f, list.iter().map(Enclosed))?;
            f.write_str("]")
        }
        Shape::Is(subject, test) => write!(f, "{} IS{not} {}", Enclosed(subject), words::type_name(*test)),
        _ => fmt::Display::fmt(term, f),
    }
}

/// An argument of a function: sums stand there as they are, where there can be any.
struct Argument<'a>(&'a Term);

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.0.shape, Shape::Arithmetic(..)) { self.0.fmt(f) } else { Enclosed(self.0).fmt(f) }
    }
}

/// A term inside another: in parentheses, unless it is one piece. Here they were written, too; where they need not be
/// they are left out, because the parser bounds how deep they nest: with more of them than were written, a statement could
/// not be read again.
struct Enclosed<'a>(&'a Term);

impl fmt::Display for Enclosed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_piece = matches!(
            self.0.shape,
            Shape::Path(_) | Shape::Parameter(_) | Shape::Value(_) | Shape::Call { .. }
        );
        if one_piece { self.0.fmt(f) } else { write!(f, "({})", self.0) }
    }
}

/// Terms joined by AND or OR. An AND inside an OR binds tighter without parentheses; any other of the two inside was
/// written in parentheses.
fn write_joined(
    f: &mut fmt::Formatter<'_>,
    terms: &[Term],
    word: &str,
    is_enclosed: fn(&Shape) -> bool,
) -> fmt::Result {
    for (position, term) in terms.iter().enumerate() {
        let word = if position > 0 { word } else { "" };
        if is_enclosed(&term.shape) {
            write!(f, "{word}({term})")?;
        } else {
            write!(f, "{word}{term}")?;
        }
    }
    Ok(())
}

fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: impl IntoIterator<Item = T>,
) -> fmt::Result {
    for (position, item) in items.into_iter().enumerate() {
        let comma = if position > 0 { ", " } else { "" };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}

struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

struct Text<'a>(&'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

struct PathText<'a>(&'a Path);

impl fmt::Display for PathText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Name(self.0.top()).fmt(f)?;
        self.0.rest().iter().try_for_each(|step| match step {
            Step::Name(name) => write!(f, ".{}", Name(name)),
            Step::Index(index) => write!(f, "[{index}]"),
        })
    }
}

struct OrderText<'a>(&'a Order);

impl fmt::Display for OrderText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", PathText(&self.0.path), if self.0.descending { "DESC" } else { "ASC" })
    }
}

/// A value as a literal; binaries, which have none, cannot come from a text.
struct Literal<'a>(&'a AttributeValue);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AttributeValue::S(text) => Text(text).fmt(f),
            AttributeValue::N(number) => number.fmt(f),
            AttributeValue::Bool(value) => write!(f, "{value}"),
            AttributeValue::Null | AttributeValue::B(_) | AttributeValue::Bs(_) => f.write_str("NULL"),
            AttributeValue::Ss(set) => {
                f.write_str("<<")?;
                write_list(f, set.iter().map(|member| Text(member)))?;
                f.write_str(">>")
            }
            AttributeValue::Ns(set) => {
                f.write_str("<<")?;
                write_list(f, set.iter())?;
                f.write_str(">>")
            }
            AttributeValue::L(list) => {
                f.write_str("[")?;
                write_list(f, list.iter().map(Literal))?;
                f.write_str("]")
            }
            AttributeValue::M(map) => {
                f.write_str("{")?;
                write_list(f, map.iter().map(|(name, value)| format!("{}: {}", Text(name), Literal(value))))?;
                f.write_str("}")
            }
        }
    }
}

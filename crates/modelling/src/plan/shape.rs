//! Texts with gaps compared: which entity's key could a pattern's key be?

use std::borrow::Cow;

use hashrange_item::AttributeValue;

use crate::template::{Part, Template};

/// A key value as text: numbers in their digits; `None` for what is no string or number.
pub fn text(value: &AttributeValue) -> Option<Cow<'_, str>> {
    match value {
        AttributeValue::S(text) => Some(Cow::Borrowed(text)),
        AttributeValue::N(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
    }
}

/// Characters that all keys of a template share.
pub fn literal_length(template: &Template) -> usize {
    let length = |part: &Part| match part {
        Part::Literal(text) => text.len(),
        Part::Gap { .. } => 0,
    };
    template.parts().iter().map(length).sum()
}

/// Whether a text could come from a template: its literals occur in order, with at least one character in each gap.
pub fn matches(template: &Template, text: &str) -> bool {
    values(template, text).is_some()
}

/// What fills each gap of a template in a text, by name; `None` where the text cannot come from it. A gap ends where the literal after it
/// first occurs.
pub fn values<'t>(template: &'t Template, text: &'t str) -> Option<Vec<(&'t str, &'t str)>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut open: Option<&str> = None;
    let last = template.parts().len().saturating_sub(1);
    for (at, part) in template.parts().iter().enumerate() {
        match (part, open.take()) {
            (Part::Literal(literal), None) => rest = rest.strip_prefix(literal.as_str())?,
            (Part::Literal(literal), Some(name)) => {
                let end = if at == last {
                    rest.len().checked_sub(literal.len()).filter(|end| rest.get(*end..) == Some(literal))?
                } else {
                    rest.find(literal.as_str())?
                };
                found.push((name, rest.get(..end).filter(|value| !value.is_empty())?));
                rest = &rest[end + literal.len()..];
            }
            (Part::Gap { name, .. }, None) => open = Some(name),
            // Two gaps side by side: the first takes one character, which is as good a guess as any.
            (Part::Gap { name, .. }, Some(before)) => {
                let end = rest.chars().next()?.len_utf8();
                found.push((before, &rest[..end]));
                rest = &rest[end..];
                open = Some(name);
            }
        }
    }
    match open {
        Some(name) if !rest.is_empty() => found.push((name, rest)),
        None if rest.is_empty() => {}
        _ => return None,
    }
    Some(found)
}

/// Whether some text comes from both templates, where no gap is filled with the delimiter `#`: `TENANT#{t}` is no `TENANT#{t}#USER#{u}`. A
/// template without `#`, such as `{key}`, may be filled with anything.
pub fn overlap(a: &Template, b: &Template) -> bool {
    let (left, right) = (segments(a), segments(b));
    let open = |segments: &[Vec<Part>]| segments.len() == 1 && segments[0].iter().any(is_gap);
    if open(&left) || open(&right) {
        return wholly(a, b);
    }
    left.len() == right.len() && left.iter().zip(&right).all(|(left, right)| meet(left, right))
}

fn is_gap(part: &Part) -> bool {
    matches!(part, Part::Gap { .. })
}

/// The parts between delimiters.
fn segments(template: &Template) -> Vec<Vec<Part>> {
    let mut found = vec![Vec::new()];
    for part in template.parts() {
        let Part::Literal(text) = part else {
            found.last_mut().expect("one segment at least").push(part.clone());
            continue;
        };
        for (at, piece) in text.split('#').enumerate() {
            if at > 0 {
                found.push(Vec::new());
            }
            if !piece.is_empty() {
                found.last_mut().expect("one segment at least").push(Part::Literal(piece.to_owned()));
            }
        }
    }
    found
}

/// Whether some text comes from both segments, by the literals at their ends.
fn meet(a: &[Part], b: &[Part]) -> bool {
    let end = |part: Option<&Part>| match part {
        Some(Part::Literal(text)) => text.clone(),
        _ => String::new(),
    };
    let (first, second) = ((end(a.first()), end(a.last())), (end(b.first()), end(b.last())));
    if !a.iter().any(is_gap) && !b.iter().any(is_gap) {
        return first.0 == second.0;
    }
    let starts = first.0.starts_with(&second.0) || second.0.starts_with(&first.0);
    starts && (first.1.ends_with(&second.1) || second.1.ends_with(&first.1))
}

/// As [`overlap`], where a gap may be filled with anything. Judged by the literals before the first and after the last gap, so it may say yes
/// too often, never no.
fn wholly(a: &Template, b: &Template) -> bool {
    if b.is_constant() {
        return a.is_constant() && a == b || !a.is_constant() && matches(a, b.prefix());
    }
    if a.is_constant() {
        return matches(b, a.prefix());
    }
    let starts = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
    let ends = |a: &str, b: &str| a.ends_with(b) || b.ends_with(a);
    starts(a.prefix(), b.prefix()) && ends(suffix(a), suffix(b))
}

/// Whether some text of the template begins with some text of `prefix`.
pub fn may_begin_with(template: &Template, prefix: &Template) -> bool {
    let (of, with) = (template.prefix(), prefix.prefix());
    if prefix.is_constant() {
        return of.starts_with(with) || (!template.is_constant() && with.starts_with(of));
    }
    of.starts_with(with) || with.starts_with(of) && !template.is_constant()
}

fn suffix(template: &Template) -> &str {
    match template.parts().last() {
        Some(Part::Literal(text)) => text,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(text: &str) -> Template {
        Template::parse(text).unwrap()
    }

    #[test]
    fn gaps_are_found_in_a_text() {
        let template = t("ORDER#{date}#{orderId}");
        assert_eq!(
            values(&template, "ORDER#2026-11-30#7"),
            Some(vec![("date", "2026-11-30"), ("orderId", "7")])
        );
        for wrong in ["ORDER#2026", "ORDER##7", "ORDER#2026#", "USER#1", ""] {
            assert!(!matches(&template, wrong), "{wrong}");
        }
        assert!(matches(&t("PROFILE"), "PROFILE"));
        assert!(!matches(&t("PROFILE"), "PROFILES"));
        assert!(matches(&t("{a}#end"), "x#end#end"));
    }

    #[test]
    fn templates_overlap_where_a_text_fits_both() {
        assert!(overlap(&t("USER#{userId}"), &t("USER#{id}")));
        assert!(overlap(&t("{pk}"), &t("USER#{id}")));
        assert!(overlap(&t("USER#7"), &t("USER#{id}")));
        assert!(!overlap(&t("USER#{id}"), &t("ORG#{id}")));
        assert!(!overlap(&t("PROFILE"), &t("ORDER#{id}")));
        assert!(!overlap(&t("{a}#x"), &t("{a}#y")));
        assert!(!overlap(&t("TENANT#{t}"), &t("TENANT#{t}#USER#{u}")));
        assert!(overlap(&t("TENANT#{t}#USER#7"), &t("TENANT#{t}#USER#{u}")));
        assert!(overlap(&t("DAY#{year}-{day}"), &t("DAY#{date}")));
    }

    #[test]
    fn a_prefix_reaches_the_templates_that_begin_with_it() {
        assert!(may_begin_with(&t("ORDER#{date}#{id}"), &t("ORDER#")));
        assert!(may_begin_with(&t("ORDER#{date}"), &t("ORDER#2026")));
        assert!(!may_begin_with(&t("PROFILE"), &t("ORDER#")));
        assert!(!may_begin_with(&t("ORDER"), &t("ORDER#")));
        assert!(may_begin_with(&t("{sk}"), &t("ORDER#")));
    }
}

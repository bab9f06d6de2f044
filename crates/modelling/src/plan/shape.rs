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

/// Whether some text comes from both templates. Judged by the literals before the first and after the last gap, so it may say yes too often,
/// never no.
pub fn overlap(a: &Template, b: &Template) -> bool {
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

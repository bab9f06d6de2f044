//! Key templates: `ORDER#{date}#{orderId}`.

use std::fmt;

/// A text with named gaps, such as `USER#{userId}`. `{{` and `}}` stand for the braces themselves.
///
/// A gap may give a width, to which digits are padded with zeros: `{seq:08}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// A piece of a [`Template`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text that all keys of the template share.
    Literal(String),
    /// What differs from item to item.
    Gap {
        /// The attribute or parameter that fills it.
        name: String,
        /// Digits are padded with zeros to this width.
        width: Option<usize>,
    },
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Where, in bytes from the start.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {}", self.message, self.at + 1)
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// A brace without its partner, an empty name, a width that is not a small number.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let offset = text.len() - rest.len() + at;
            literal.push_str(&rest[..at]);
            let tail = &rest[at..];
            if tail.starts_with("{{") || tail.starts_with("}}") {
                literal.push_str(&tail[..1]);
                rest = &tail[2..];
                continue;
            }
            let error = |message: &str| TemplateError { at: offset, message: message.to_owned() };
            if tail.starts_with('}') {
                return Err(error("a } without its {; write }} for the brace itself"));
            }
            let end =
                tail.find('}').ok_or_else(|| error("a { without its }; write {{ for the brace itself"))?;
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(gap(&tail[1..end]).map_err(error)?);
            rest = &tail[end + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Template { parts })
    }

    /// Its pieces, in order; no two literals are neighbours.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The names of its gaps, in order, repeated where they are repeated.
    pub fn gaps(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Gap { name, .. } => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// Whether it has no gap.
    pub fn is_constant(&self) -> bool {
        self.gaps().next().is_none()
    }

    /// The literal text before the first gap.
    pub fn prefix(&self) -> &str {
        match self.parts.first() {
            Some(Part::Literal(text)) => text,
            _ => "",
        }
    }

    /// The text with its gaps filled; `None` where a value is missing.
    pub fn render<'v>(
        &self,
        mut value: impl FnMut(&str) -> Option<std::borrow::Cow<'v, str>>,
    ) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Gap { name, width } => {
                    let value = value(name)?;
                    let missing = width.unwrap_or(0).saturating_sub(value.len());
                    if value.bytes().all(|byte| byte.is_ascii_digit()) {
                        text.extend(std::iter::repeat_n('0', missing));
                    }
                    text.push_str(&value);
                }
            }
        }
        Some(text)
    }
}

fn gap(text: &str) -> Result<Part, &'static str> {
    let (name, width) = match text.split_once(':') {
        Some((name, width)) => (name, Some(width)),
        None => (text, None),
    };
    if name.is_empty() || name.contains(['{', ' ']) {
        return Err("a gap needs a name without spaces, as in {userId}");
    }
    let width = width.map(|width| width.parse::<usize>().ok().filter(|width| (1..=38).contains(width)));
    match width {
        Some(None) => Err("a gap's width is a number from 1 to 38, as in {seq:08}"),
        Some(width) => Ok(Part::Gap { name: name.to_owned(), width }),
        None => Ok(Part::Gap { name: name.to_owned(), width: None }),
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Literal(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}"))?,
                Part::Gap { name, width: Some(width) } => write!(f, "{{{name}:0{width}}}")?,
                Part::Gap { name, width: None } => write!(f, "{{{name}}}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_and_padded() {
        let template = Template::parse("ORDER#{date}#{seq:04}").unwrap();
        let text = template.render(|name| Some(if name == "seq" { "7".into() } else { "2026-11-30".into() }));
        assert_eq!(text.as_deref(), Some("ORDER#2026-11-30#0007"));
        assert_eq!(template.prefix(), "ORDER#");
        assert_eq!(template.gaps().collect::<Vec<_>>(), ["date", "seq"]);
        assert_eq!(template.render(|_| None), None);
    }

    #[test]
    fn a_template_prints_as_it_was_written() {
        for text in ["", "PROFILE", "USER#{userId}", "a{{b}}{c}", "{n:012}", "{a}{b}"] {
            assert_eq!(Template::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_brace_without_partner_is_refused_with_its_place() {
        assert_eq!(Template::parse("A#{b").unwrap_err().at, 2);
        assert_eq!(Template::parse("A}").unwrap_err().at, 1);
        for wrong in ["{}", "{a b}", "{n:x}", "{n:99}", "{a{b}"] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! Functions that make texts and choose from lists and maps.

use super::{Evaluator, texts};
use crate::read::iac::tree::{Tree, Value};

/// Most bytes of a text that a function makes: far more than any name.
const TEXT_MAX: usize = 64 << 10;

impl Evaluator<'_> {
    /// `Fn::Sub`: a text with `${name}`, alone or with a map of values.
    pub(super) fn sub(&self, argument: &Tree) -> Result<Value, String> {
        let (text, values) = match argument.elements() {
            [text, values] => (text, values.entries()),
            [text] => (text, &[][..]),
            _ => (argument, &[][..]),
        };
        let text = text.as_text().ok_or("Fn::Sub takes a string")?;
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            out.push_str(&rest[..start]);
            let tail = &rest[start + 2..];
            let Some(end) = tail.find('}') else {
                rest = &rest[start..];
                break;
            };
            self.substitute(&tail[..end], values, &mut out)?;
            rest = &tail[end + 1..];
        }
        out.push_str(rest);
        self.made(out).map(Value::Text)
    }

    /// Writes what stands for `${name}`; `${!name}` is a literal `${name}`.
    fn substitute(&self, name: &str, values: &[(String, Tree)], out: &mut String) -> Result<(), String> {
        if let Some(literal) = name.strip_prefix('!') {
            out.push_str("${");
            out.push_str(literal);
            out.push('}');
            return Ok(());
        }
        let name = name.trim();
        if let Some((_, value)) = values.iter().find(|(key, _)| key == name) {
            out.push_str(&self.text(value)?);
            return self.made_so_far(out);
        }
        let value = match name.split_once('.') {
            Some((resource, attribute)) => self.attribute(resource, attribute)?,
            None => self.reference(name)?,
        };
        let Value::Text(text) = value else { return Err(format!("{name} is no string")) };
        out.push_str(&text);
        self.made_so_far(out)
    }

    /// `Fn::Join: [delimiter, list]`.
    pub(super) fn join(&self, argument: &Tree) -> Result<Value, String> {
        let [delimiter, list] = argument.elements() else {
            return Err("Fn::Join takes a delimiter and a list".to_owned());
        };
        let delimiter = self.text(delimiter)?;
        let mut out = String::new();
        for (at, element) in self.list(list)?.iter().enumerate() {
            if at > 0 {
                out.push_str(&delimiter);
            }
            out.push_str(&self.text(element)?);
            self.made_so_far(&out)?;
        }
        self.made(out).map(Value::Text)
    }

    /// `Fn::Select: [index, list]`.
    pub(super) fn select(&self, argument: &Tree) -> Result<Value, String> {
        let [at, list] = argument.elements() else {
            return Err("Fn::Select takes an index and a list".to_owned());
        };
        let at: usize =
            self.text(at)?.trim().parse().map_err(|_| "Fn::Select takes a whole number as index")?;
        let elements = self.list(list)?;
        elements
            .into_iter()
            .nth(at)
            .map(|element| element.value)
            .ok_or_else(|| "Fn::Select is out of range".to_owned())
    }

    /// `Fn::Split: [delimiter, text]`.
    pub(super) fn split(&self, argument: &Tree) -> Result<Value, String> {
        let [delimiter, text] = argument.elements() else {
            return Err("Fn::Split takes a delimiter and a string".to_owned());
        };
        let (delimiter, text) = (self.text(delimiter)?, self.text(text)?);
        if delimiter.is_empty() {
            return Err("Fn::Split takes a delimiter that is not empty".to_owned());
        }
        self.spend(text.len())?;
        Ok(texts(text.split(delimiter.as_str())))
    }

    /// `Fn::FindInMap: [map, key, key]`, and a default where loops are on.
    pub(super) fn find_in_map(&self, argument: &Tree) -> Result<Value, String> {
        let ([map, top, second] | [map, top, second, _]) = argument.elements() else {
            return Err("Fn::FindInMap takes a map and two keys".to_owned());
        };
        let path = [self.text(map)?, self.text(top)?, self.text(second)?];
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        self.spend(self.mappings.as_ref().map_or(0, |mappings| mappings.entries().len() / 32))?;
        if let Some(found) = self.mappings.as_ref().and_then(|mappings| mappings.at(&path)) {
            self.spend(found.weight())?;
            return Ok(found.value.clone());
        }
        let default = argument.elements().get(3).and_then(|options| options.get("DefaultValue"));
        default
            .map(|default| self.some(default).value)
            .ok_or_else(|| format!("mapping {} has no {}.{}", path[0], path[1], path[2]))
    }

    /// Pays for a text, and refuses one that is too long.
    fn made(&self, text: String) -> Result<String, String> {
        self.made_so_far(&text)?;
        self.spend(1 + text.len() / 16)?;
        Ok(text)
    }

    #[expect(clippy::unused_self, reason = "reads as its siblings do")]
    fn made_so_far(&self, text: &str) -> Result<(), String> {
        if text.len() > TEXT_MAX {
            return Err("the text becomes too long".to_owned());
        }
        Ok(())
    }
}

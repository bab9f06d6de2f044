//! Conditions, and what depends on them.

use super::Evaluator;
use crate::read::iac::tree::{Tree, Value};
use crate::read::node::Mark;

impl Evaluator<'_> {
    /// Whether a named condition holds, or why that is not known.
    pub(in crate::read::iac) fn holds(&self, name: &str) -> Result<bool, String> {
        let node = self.conditions.get(name).ok_or_else(|| format!("condition {name} is not in the file"))?;
        self.guarded(&format!("condition {name}"), || self.condition(node))
    }

    /// Whether the expression of a condition holds.
    fn condition(&self, node: &Tree) -> Result<bool, String> {
        if let [(name, argument)] = node.entries() {
            return match name.as_str() {
                "Condition" => self.holds(argument.as_text().ok_or("Condition takes a name")?),
                name => self.judge(name, argument),
            };
        }
        truth(self.some(node))
    }

    /// `Fn::Equals`, `Fn::And`, `Fn::Or`, `Fn::Not`; anything else by its value.
    pub(super) fn judge(&self, function: &str, argument: &Tree) -> Result<bool, String> {
        self.enter(1)?;
        let result =
            match (function, argument.elements()) {
                ("Fn::Equals", [one, other]) => self.equal(one, other),
                ("Fn::And", parts) => self.any(parts, false).map(|found| !found),
                ("Fn::Or", parts) => self.any(parts, true),
                ("Fn::Not", [part]) => self.condition(part).map(|holds| !holds),
                ("Fn::Equals" | "Fn::Not", _) => Err(format!("{function} takes other arguments")),
                _ => truth(self.some(&Tree::new(
                    argument.mark,
                    Value::Map(vec![(function.to_owned(), argument.clone())]),
                ))),
            };
        self.depth.set(self.depth.get() - 1);
        result
    }

    fn equal(&self, one: &Tree, other: &Tree) -> Result<bool, String> {
        let (one, other) = (self.some(one), self.some(other));
        if let Some(why) = one.why_unknown().or_else(|| other.why_unknown()) {
            return Err(why.to_owned());
        }
        Ok(match (one.scalar(), other.scalar()) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        })
    }

    /// Whether one of the parts is `wanted`. One that is settles it, whatever the others are.
    fn any(&self, parts: &[Tree], wanted: bool) -> Result<bool, String> {
        let mut unknown = None;
        for part in parts {
            match self.condition(part) {
                Ok(holds) if holds == wanted => return Ok(true),
                Ok(_) => {}
                Err(why) => unknown = Some(why),
            }
        }
        unknown.map_or(Ok(false), Err)
    }

    /// `Fn::If`. Where the condition is not known, both branches are looked at: equal ones need no condition, and something that one
    /// of them leaves out is taken as there.
    pub(super) fn choice(&self, argument: &Tree, mark: Mark) -> Option<Tree> {
        let [condition, yes, no] = argument.elements() else {
            return Some(Tree::unknown(mark, "Fn::If takes a condition and two values"));
        };
        let name = condition.as_text().unwrap_or_default();
        let why = match self.holds(name) {
            Ok(holds) => return self.evaluate(if holds { yes } else { no }),
            Err(why) => why,
        };
        match (self.evaluate(yes), self.evaluate(no)) {
            (Some(yes), Some(no)) if yes == no => Some(yes),
            (Some(_), Some(_)) => Some(Tree::unknown(mark, format!("condition {name} is open: {why}"))),
            (None, None) => None,
            (Some(value), None) | (None, Some(value)) => {
                let message =
                    format!("condition {name} is open, and what depends on it is taken as there: {why}");
                self.assumed.borrow_mut().push((mark, message));
                Some(value)
            }
        }
    }
}

fn truth(value: Tree) -> Result<bool, String> {
    match (value.scalar().as_deref(), value.value) {
        (Some("true"), _) => Ok(true),
        (Some("false"), _) => Ok(false),
        (_, Value::Unknown(why)) => Err(why),
        _ => Err("a condition is expected".to_owned()),
    }
}

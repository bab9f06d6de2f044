//! The canonical text of an update.

use std::fmt;

use super::{Action, Change, Expression, Update};
use crate::text::ValueText;

impl fmt::Display for Update {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, action) in self.actions.iter().enumerate() {
            let space = if position > 0 { " " } else { "" };
            write!(formatter, "{space}{action}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = &self.target;
        match &self.change {
            Change::Set(expression) => write!(formatter, "SET {target} = {expression}"),
            Change::Remove => write!(formatter, "REMOVE {target}"),
            Change::Add(value) => write!(formatter, "ADD {target} {}", ValueText(value)),
            Change::Delete(value) => write!(formatter, "DELETE {target} {}", ValueText(value)),
            Change::Append(value) => write!(formatter, "APPEND {target} {}", ValueText(value)),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(formatter, "{}", ValueText(value)),
            Self::Path(path) => write!(formatter, "{path}"),
            Self::IfNotExists(path, default) => write!(formatter, "if_not_exists({path}, {default})"),
            Self::ListAppend(left, right) => write!(formatter, "list_append({left}, {right})"),
            Self::Arithmetic(sign, left, right) => write!(formatter, "{left} {} {right}", sign.symbol()),
        }
    }
}

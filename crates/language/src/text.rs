//! Values as the canonical texts of conditions and updates print them.

use std::fmt;

use hashrange_item::AttributeValue;

/// Prints a value: `"text"`, `12.5`, `0x00ff`, `true`, `null`, `<<"a", "b">>`, `[1, 2]`, `{"k": 1}`.
pub(crate) struct ValueText<'a>(pub(crate) &'a AttributeValue);

impl fmt::Display for ValueText<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AttributeValue::S(text) => write!(formatter, "{text:?}"),
            AttributeValue::N(number) => write!(formatter, "{number}"),
            AttributeValue::B(bytes) => write!(formatter, "{}", Hex(bytes)),
            AttributeValue::Bool(value) => write!(formatter, "{value}"),
            AttributeValue::Null => formatter.write_str("null"),
            AttributeValue::Ss(set) => {
                write_list(formatter, "<<", set.iter().map(|text| format!("{text:?}")), ">>")
            }
            AttributeValue::Ns(set) => write_list(formatter, "<<", set.iter(), ">>"),
            AttributeValue::Bs(set) => write_list(formatter, "<<", set.iter().map(|bytes| Hex(bytes)), ">>"),
            AttributeValue::L(list) => write_list(formatter, "[", list.iter().map(ValueText), "]"),
            AttributeValue::M(map) => {
                let entries = map.iter().map(|(name, value)| format!("{name:?}: {}", ValueText(value)));
                write_list(formatter, "{", entries, "}")
            }
        }
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("0x")?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

fn write_list<T: fmt::Display>(
    formatter: &mut fmt::Formatter<'_>,
    open: &str,
    items: impl Iterator<Item = T>,
    close: &str,
) -> fmt::Result {
    formatter.write_str(open)?;
    for (position, item) in items.enumerate() {
        let comma = if position > 0 { ", " } else { "" };
        write!(formatter, "{comma}{item}")?;
    }
    formatter.write_str(close)
}

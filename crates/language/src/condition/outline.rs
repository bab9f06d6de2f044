//! A condition as a list of tests on attributes, for those who judge it rather than evaluate it.

use std::sync::Arc;

use hashrange_item::{AttributeValue, Path};

use super::{Condition, Operand, Test};

/// One test on one attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeTest<'a> {
    /// The top-level attribute.
    pub attribute: &'a str,
    /// `=`, `<>`, `<`, `<=`, `>`, `>=`, `between`, `in`, `begins_with`, `contains`, `attribute_exists`, `attribute_not_exists`,
    /// `attribute_type`; with `size` in front where the size of the attribute is compared.
    pub operator: &'static str,
    /// The values of the request that it is compared with.
    pub values: Vec<&'a AttributeValue>,
    /// Whether the whole condition fails where this test fails: it stands under no OR and no NOT.
    pub is_required: bool,
}

impl Condition {
    /// Every test on an attribute, in the order in which they are written. Tests that compare two attributes are not in it.
    pub fn outline(&self) -> Vec<AttributeTest<'_>> {
        let mut found = Vec::new();
        collect(&self.test, true, &mut found);
        found
    }
}

fn collect<'a>(test: &'a Test, required: bool, found: &mut Vec<AttributeTest<'a>>) {
    let mut push = |subject: &'a Operand, operator, others: &[&'a Operand]| {
        if let Operand::Path(path) = subject {
            found.push(AttributeTest {
                attribute: path.top(),
                operator,
                values: others.iter().filter_map(|other| value(other)).collect(),
                is_required: required,
            });
        }
    };
    match test {
        Test::All(tests) => tests.iter().for_each(|test| collect(test, required, found)),
        Test::Any(tests) => {
            for test in tests {
                collect(test, required && tests.len() == 1, found);
            }
        }
        Test::Not(test) => collect(test, false, found),
        Test::Compare(comparator, left @ Operand::Path(_), right @ Operand::Value(_)) => {
            push(left, comparator.symbol(), &[right]);
        }
        Test::Compare(comparator, left @ Operand::Value(_), right @ Operand::Path(_)) => {
            push(right, comparator.mirrored().symbol(), &[left]);
        }
        Test::Compare(_, Operand::Size(of), _) | Test::Compare(_, _, Operand::Size(of)) => {
            push(of, "size", &[]);
        }
        Test::Compare(..) => {}
        Test::Between(subject, low, high) => push(subject, "between", &[low, high]),
        Test::In(subject, list) => push(subject, "in", &list.iter().collect::<Vec<_>>()),
        Test::BeginsWith(subject, prefix) => push(subject, "begins_with", &[prefix]),
        Test::Contains(subject, part) => push(subject, "contains", &[part]),
        Test::IsOfType(subject, _) => push(subject, "attribute_type", &[]),
        Test::Exists(path) => found.push(presence(path, "attribute_exists", required)),
        Test::NotExists(path) => found.push(presence(path, "attribute_not_exists", required)),
    }
}

fn presence<'a>(path: &'a Path, operator: &'static str, is_required: bool) -> AttributeTest<'a> {
    AttributeTest { attribute: path.top(), operator, values: Vec::new(), is_required }
}

fn value(operand: &Operand) -> Option<&AttributeValue> {
    match operand {
        Operand::Value(value) => Some(Arc::as_ref(value)),
        _ => None,
    }
}

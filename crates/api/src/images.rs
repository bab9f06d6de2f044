//! Equality of images: a stored row equals a tree with the same attributes.

use std::collections::BTreeMap;

use hashrange_item::Image;

/// Equality by attributes. A damaged row equals nothing.
pub(crate) trait Same {
    fn same(&self, other: &Self) -> bool;
}

impl Same for Image {
    fn same(&self, other: &Self) -> bool {
        matches!((self.to_item(), other.to_item()), (Ok(one), Ok(two)) if one == two)
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(one), Some(two)) => one.same(two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}

impl<T: Same> Same for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(one, two)| one.same(two))
    }
}

impl<T: Same> Same for BTreeMap<String, T> {
    fn same(&self, other: &Self) -> bool {
        let equal =
            |((name, one), (other, two)): ((&String, &T), (&String, &T))| name == other && one.same(two);
        self.len() == other.len() && self.iter().zip(other).all(equal)
    }
}

#[cfg(test)]
mod tests {
    use hashrange_item::{AttributeValue, Attributes, Row};

    use super::*;

    #[test]
    fn a_row_equals_the_tree_it_encodes() {
        let item = Attributes::from_pairs(vec![("a".to_owned(), AttributeValue::Bool(true))]);
        let row = Image::from(Row::encode(&item));
        assert!(row.same(&Image::from(item)));
        assert!(!row.same(&Image::from(Attributes::new())));
    }
}

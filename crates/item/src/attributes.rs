//! A sorted collection of named attribute values: an item, or a value of type map.

use crate::AttributeValue;

/// Named attribute values with unique names, sorted by the UTF-8 bytes of the name. An item and a value of
/// type `M` have this form alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(Vec<(String, AttributeValue)>);

/// A whole item.
pub type Item = Attributes;

impl Attributes {
    /// No attributes.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes `pairs` in any order; of pairs with one name the last wins.
    pub fn from_pairs(mut pairs: Vec<(String, AttributeValue)>) -> Self {
        if !pairs.windows(2).all(|two| two[0].0 < two[1].0) {
            pairs.sort_by(|left, right| left.0.cmp(&right.0)); // stable: equal names keep their order
            pairs.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    std::mem::swap(later, earlier);
                }
                same
            });
        }
        Self(pairs)
    }

    /// For callers that already know `pairs` to be sorted and unique.
    pub(crate) fn from_sorted(pairs: Vec<(String, AttributeValue)>) -> Self {
        debug_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0), "names are sorted and unique");
        Self(pairs)
    }

    /// The value of the attribute called `name`.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        self.find(name).ok().map(|at| &self.0[at].1)
    }

    /// The value of the attribute called `name`, to be changed in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut AttributeValue> {
        self.find(name).ok().map(|at| &mut self.0[at].1)
    }

    /// Whether there is an attribute called `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Sets the attribute called `name`; answers the value that it replaces.
    pub fn insert(&mut self, name: String, value: AttributeValue) -> Option<AttributeValue> {
        match self.find(&name) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (name, value));
                None
            }
        }
    }

    /// Removes the attribute called `name`; answers its value.
    pub fn remove(&mut self, name: &str) -> Option<AttributeValue> {
        self.find(name).ok().map(|at| self.0.remove(at).1)
    }

    /// Names and values, sorted by name.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = (&str, &AttributeValue)> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The names, sorted.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The size of an item with these attributes, in bytes: see [`crate::size::item`].
    pub fn size(&self) -> usize {
        crate::size::item(self)
    }

    /// Levels below and including these attributes' values: 0 without attributes, 1 if all are scalars.
    pub fn depth(&self) -> usize {
        self.0.iter().map(|(_, value)| value.depth()).max().unwrap_or(0)
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(have, _)| have.as_str().cmp(name))
    }
}

impl IntoIterator for Attributes {
    type Item = (String, AttributeValue);
    type IntoIter = std::vec::IntoIter<(String, AttributeValue)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Attributes {
    type Item = &'a (String, AttributeValue);
    type IntoIter = std::slice::Iter<'a, (String, AttributeValue)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl FromIterator<(String, AttributeValue)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (String, AttributeValue)>>(pairs: I) -> Self {
        Self::from_pairs(pairs.into_iter().collect())
    }
}

impl<const N: usize> From<[(&str, AttributeValue); N]> for Attributes {
    fn from(pairs: [(&str, AttributeValue); N]) -> Self {
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

#[cfg(test)]
mod tests;

//! The three sets: never empty, members unique, kept sorted so that equality and output need no more work.

use crate::{Duplicates, Kind, Number, SetError};

/// A set of strings, sorted by UTF-8 bytes.
pub type StringSet = Set<String>;
/// A set of numbers, sorted by value; `1` and `1.0` are one member.
pub type NumberSet = Set<Number>;
/// A set of byte strings, sorted by unsigned bytes.
pub type BinarySet = Set<Vec<u8>>;

/// A member type of a set: `String`, [`Number`] or `Vec<u8>`.
pub trait Member: Ord + Clone + Default + private::Sealed {
    /// The kind of a set of such members.
    const KIND: Kind;

    #[doc(hidden)]
    fn duplicates(sent: Vec<Self>) -> Duplicates;
}

mod private {
    pub trait Sealed {}
    impl Sealed for String {}
    impl Sealed for crate::Number {}
    impl Sealed for Vec<u8> {}
}

impl Member for String {
    const KIND: Kind = Kind::Ss;
    fn duplicates(sent: Vec<Self>) -> Duplicates {
        Duplicates::Strings(sent)
    }
}

impl Member for Number {
    const KIND: Kind = Kind::Ns;
    fn duplicates(sent: Vec<Self>) -> Duplicates {
        Duplicates::Numbers(sent)
    }
}

impl Member for Vec<u8> {
    const KIND: Kind = Kind::Bs;
    fn duplicates(sent: Vec<Self>) -> Duplicates {
        Duplicates::Binaries(sent)
    }
}

/// A set of DynamoDB: at least one member, each once, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Set<T>(Vec<T>);

impl<T: Member> Set<T> {
    /// Makes a set of `members`, which may come in any order.
    ///
    /// Fails with [`SetError::Empty`] for no members and [`SetError::Duplicate`] (with the members as sent) if
    /// one occurs twice.
    pub fn new(members: Vec<T>) -> Result<Self, SetError> {
        if members.is_empty() {
            return Err(SetError::Empty(T::KIND));
        }
        if strictly_sorted(&members) {
            return Ok(Self(members));
        }
        Self::sort(members)
    }

    /// Sorts an index rather than the members, so that an error can still show them as they were sent.
    fn sort(mut members: Vec<T>) -> Result<Self, SetError> {
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_unstable_by(|&left, &right| members[left].cmp(&members[right]));
        if order.windows(2).any(|pair| members[pair[0]] == members[pair[1]]) {
            return Err(SetError::Duplicate(T::duplicates(members)));
        }
        Ok(Self(order.into_iter().map(|index| std::mem::take(&mut members[index])).collect()))
    }

    /// For callers that already know `members` to be some, sorted and unique.
    pub(crate) fn from_sorted(members: Vec<T>) -> Self {
        debug_assert!(!members.is_empty() && strictly_sorted(&members), "members are sorted and unique");
        Self(members)
    }

    /// The members, sorted.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The members, sorted, by value.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }

    /// The members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// How many members there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "a set is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether `member` is in the set.
    pub fn contains(&self, member: &T) -> bool {
        self.0.binary_search(member).is_ok()
    }

    /// The members of either set (`ADD`).
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut members = Vec::with_capacity(self.len() + other.len());
        members.extend(self.iter().cloned());
        members.extend(other.iter().filter(|member| !self.contains(member)).cloned());
        members.sort_unstable();
        Self(members)
    }

    /// The members that are not in `other` (`DELETE`); `None` if none is left, as a set is never empty.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<Self> {
        let left: Vec<T> = self.iter().filter(|member| !other.contains(member)).cloned().collect();
        (!left.is_empty()).then_some(Self(left))
    }
}

impl<'a, T: Member> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn strictly_sorted<T: Ord>(members: &[T]) -> bool {
    members.windows(2).all(|pair| pair[0] < pair[1])
}

#[cfg(test)]
mod tests;

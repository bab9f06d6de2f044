//! Several document paths of one item as a tree: finds overlaps and takes fragments out of an item.

use std::collections::BTreeMap;

use hashrange_item::{AttributeValue, Attributes, Lookup, Path, Step};

use crate::error::Problem;

/// A set of paths of which none lies inside another. A node that is a leaf has no children, and no node has
/// children of both kinds. Its depth is that of the longest path.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathTree {
    pub(crate) names: BTreeMap<String, PathTree>,
    pub(crate) indexes: BTreeMap<usize, PathTree>,
    /// The position, among the paths of the expression, of the path that ends here.
    pub(crate) leaf: Option<usize>,
    /// The position of the first path that passes or ends here.
    first: usize,
}

/// The relation of a path with an earlier one that makes it unwelcome.
enum Clash {
    /// One is the other, or lies inside it.
    Overlap(usize),
    /// One takes for a map what the other takes for a list.
    Conflict(usize),
}

impl PathTree {
    /// The tree of `paths`. Errors: [`Problem::Overlap`], [`Problem::Conflict`], for the first path that
    /// does not go with those before it. Takes time in proportion to the paths' steps (and a logarithm).
    pub(crate) fn new<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, Problem> {
        let paths: Vec<&Path> = paths.into_iter().collect();
        let mut tree = Self::default();
        for (position, path) in paths.iter().enumerate() {
            tree.insert(path, position).map_err(|clash| clash.problem(&paths, position))?;
        }
        Ok(tree)
    }

    fn insert(&mut self, path: &Path, position: usize) -> Result<(), Clash> {
        let mut node = self.names.entry(path.top().to_owned()).or_insert_with(|| Self::born(position));
        for step in path.rest() {
            if let Some(earlier) = node.leaf {
                return Err(Clash::Overlap(earlier));
            }
            node = node.child(step, position)?;
        }
        if node.leaf.is_some() || !node.is_childless() {
            return Err(Clash::Overlap(node.first));
        }
        node.leaf = Some(position);
        Ok(())
    }

    fn born(position: usize) -> Self {
        Self { first: position, ..Self::default() }
    }

    fn is_childless(&self) -> bool {
        self.names.is_empty() && self.indexes.is_empty()
    }

    fn child(&mut self, step: &Step, position: usize) -> Result<&mut Self, Clash> {
        let first = self.first;
        match step {
            Step::Name(_) if !self.indexes.is_empty() => Err(Clash::Conflict(first)),
            Step::Index(_) if !self.names.is_empty() => Err(Clash::Conflict(first)),
            Step::Name(name) => Ok(self.names.entry(name.clone()).or_insert_with(|| Self::born(position))),
            Step::Index(index) => Ok(self.indexes.entry(*index).or_insert_with(|| Self::born(position))),
        }
    }

    /// The parts of `item` at the paths, in the structure they have there: lists keep only the elements
    /// asked for, in order; what is absent is left out.
    pub(crate) fn fragments(&self, item: &dyn Lookup) -> Attributes {
        let found = self.names.iter().filter_map(|(name, node)| {
            let value = item.attribute(name)?;
            let part = if node.leaf.is_some() { Some(value.into_owned()) } else { node.fragment(&value) };
            part.map(|part| (name.clone(), part))
        });
        found.collect()
    }

    /// The part of `value` at the paths below this node; `None` if it has nothing there.
    fn fragment(&self, value: &AttributeValue) -> Option<AttributeValue> {
        match value {
            value if self.leaf.is_some() => Some(value.clone()),
            AttributeValue::M(map) => {
                let parts: Attributes = self
                    .names
                    .iter()
                    .filter_map(|(name, node)| Some((name.clone(), node.fragment(map.get(name)?)?)))
                    .collect();
                (!parts.is_empty()).then_some(AttributeValue::M(parts))
            }
            AttributeValue::L(list) => {
                let parts: Vec<AttributeValue> = self
                    .indexes
                    .iter()
                    .filter_map(|(index, node)| node.fragment(list.get(*index)?))
                    .collect();
                (!parts.is_empty()).then_some(AttributeValue::L(parts))
            }
            _ => None,
        }
    }
}

impl Clash {
    fn problem(self, paths: &[&Path], position: usize) -> Problem {
        let two = paths[position].clone();
        match self {
            Self::Overlap(earlier) => Problem::Overlap { one: paths[earlier].clone(), two },
            Self::Conflict(earlier) => Problem::Conflict { one: paths[earlier].clone(), two },
        }
    }
}

#[cfg(test)]
mod tests;

//! Projections: what ProjectionExpression and AttributesToGet become.

use std::collections::BTreeSet;
use std::fmt;

use hashrange_item::{Attributes, Lookup, Path};

use crate::binder::Binder;
use crate::error::Problem;
use crate::paths::PathTree;
use crate::syntax::{NodeId, Shape, Tree};

/// Which parts of an item to return. `Display` lists the paths in the order they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    paths: Vec<Path>,
    tree: PathTree,
    /// The names, sorted, if each path is a plain top-level name.
    whole: Option<Vec<String>>,
}

impl Projection {
    pub(crate) fn bind(tree: &Tree<'_>, ids: &[NodeId], binder: &mut Binder<'_>) -> Result<Self, Problem> {
        let parts = ids.iter().map(|&id| match &tree.nodes[id].shape {
            Shape::Path(parts) => parts,
            _ => unreachable!("a projection is parsed from paths only"),
        });
        let paths = parts.map(|parts| binder.path(parts)).collect::<Result<Vec<_>, _>>()?;
        Self::new(paths)
    }

    /// A projection to `paths`; fails with [`Problem::Overlap`] or [`Problem::Conflict`].
    pub(crate) fn new(paths: Vec<Path>) -> Result<Self, Problem> {
        let tree = PathTree::new(&paths)?;
        let plain = paths.iter().all(Path::is_top_level);
        let whole = plain.then(|| tree.names.keys().cloned().collect());
        Ok(Self { paths, tree, whole })
    }

    /// The parts of `item` that are asked for: absent ones are left out, elements of lists close up in
    /// ascending order, and parts of one map or list come together. Keys are not added.
    pub fn project(&self, item: &dyn Lookup) -> Attributes {
        self.tree.fragments(item)
    }

    /// The names of the top-level attributes that the projection reads.
    pub fn top_level_attributes(&self) -> BTreeSet<&str> {
        self.paths.iter().map(Path::top).collect()
    }

    /// As [`Condition::nested_attributes`](crate::Condition::nested_attributes).
    pub fn nested_attributes(&self) -> BTreeSet<&str> {
        self.paths.iter().filter(|path| !path.is_top_level()).map(Path::top).collect()
    }

    /// The attribute names, sorted, if the projection asks for whole top-level attributes only: a stored row
    /// can then be filtered by name without decoding values.
    pub fn whole_top_level(&self) -> Option<&[String]> {
        self.whole.as_deref()
    }
}

impl fmt::Display for Projection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.paths.iter().map(Path::to_string).collect();
        formatter.write_str(&paths.join(", "))
    }
}

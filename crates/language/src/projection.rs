//! Projections: what ProjectionExpression and AttributesToGet become.

use std::collections::BTreeSet;
use std::fmt;

use hashrange_item::{Attributes, Lookup, Path, Step};

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
    /// The name that each path has in the answer, where that is not its place in the item.
    columns: Option<Vec<String>>,
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
        Ok(Self { paths, tree, whole, columns: None })
    }

    /// The columns of a PartiQL SELECT: the value at each path comes under the path's last name, with the indexes that
    /// follow it (`k[0]`). Source: measured.
    pub(crate) fn of_columns(paths: Vec<Path>) -> Self {
        if paths.iter().all(Path::is_top_level)
            && let Ok(projection) = Self::new(paths.clone())
        {
            return projection;
        }
        let columns = paths.iter().map(column_name).collect();
        Self { paths, tree: PathTree::default(), whole: None, columns: Some(columns) }
    }

    /// As they were written.
    pub(crate) fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The parts of `item` that are asked for: absent ones are left out, elements of lists close up in
    /// ascending order, and parts of one map or list come together. Keys are not added.
    pub fn project(&self, item: &dyn Lookup) -> Attributes {
        let Some(columns) = &self.columns else { return self.tree.fragments(item) };
        let found = columns.iter().zip(&self.paths).filter_map(|(name, path)| {
            let value = path.resolve_in(item)?;
            Some((name.clone(), value.into_owned()))
        });
        Attributes::from_pairs(found.collect())
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

fn column_name(path: &Path) -> String {
    let last = path.rest().iter().rposition(|step| matches!(step, Step::Name(_)));
    let (name, after) = match last.map(|at| (&path.rest()[at], at + 1)) {
        Some((Step::Name(name), after)) => (name.as_str(), after),
        _ => (path.top(), 0),
    };
    let indexes = path.rest()[after..].iter().map(|step| match step {
        Step::Index(index) => format!("[{index}]"),
        Step::Name(_) => unreachable!("the last name stands before"),
    });
    name.to_owned() + &indexes.collect::<String>()
}

impl fmt::Display for Projection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.paths.iter().map(Path::to_string).collect();
        formatter.write_str(&paths.join(", "))
    }
}

//! Keys and partitions.

use super::Rule;

pub(super) const RULES: &[Rule] = &[];

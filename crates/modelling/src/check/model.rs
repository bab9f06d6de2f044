//! The model as a whole.

use super::Rule;

pub(super) const RULES: &[Rule] = &[];

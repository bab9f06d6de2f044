//! What the API refuses.

use super::Rule;

pub(super) const RULES: &[Rule] = &[];

//! Smaller checks.

use super::Rule;

pub(super) const RULES: &[Rule] = &[];

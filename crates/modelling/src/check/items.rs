//! Items, attributes and expiry.

use super::Rule;

pub(super) const RULES: &[Rule] = &[];

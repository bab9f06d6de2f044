//! A [`Catalogue`] written as a file: our own form, or one of the shapes of `dynamodb_data_model.json`.

mod own;
mod raise;
mod text;

use crate::catalogue::Catalogue;

/// The catalogue in our own form, in short forms where they say all. Notes and what formats can state are not written.
pub fn yaml(catalogue: &Catalogue) -> String {
    own::write(catalogue)
}

#[cfg(test)]
mod tests;

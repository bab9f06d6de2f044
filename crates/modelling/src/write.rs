//! A [`Catalogue`] written as a file: our own form, or one of the shapes of `dynamodb_data_model.json`.

mod own;
mod raise;
mod shape_m;
mod shape_s;
mod text;

use std::collections::BTreeMap;

use crate::catalogue::Catalogue;

/// The JSON Schema of our own form.
pub const SCHEMA: &str = include_str!("../schema/catalogue.schema.json");

/// The catalogue in our own form, in short forms where they say all. Notes and what formats can state are not written.
pub fn yaml(catalogue: &Catalogue) -> String {
    own::write(catalogue)
}

/// The catalogue as `dynamodb_data_model.json` with command lines, and what that cannot say.
pub fn shape_m(catalogue: &Catalogue) -> (String, Vec<String>) {
    let (value, lost) = shape_m::write(catalogue);
    (format!("{value:#}\n"), lost.told())
}

/// The catalogue as `dynamodb_data_model.json` with sizes and rates, and what that cannot say.
pub fn shape_s(catalogue: &Catalogue) -> (String, Vec<String>) {
    let (value, lost) = shape_s::write(catalogue);
    (format!("{value:#}\n"), lost.told())
}

/// What a shape cannot say, each with the names of those that say it.
#[derive(Debug, Default)]
struct Lost(BTreeMap<String, Vec<String>>);

impl Lost {
    fn all<'n>(&mut self, what: &str, names: impl IntoIterator<Item = &'n str>) {
        for name in names {
            self.0.entry(what.to_owned()).or_default().push(name.to_owned());
        }
    }

    fn told(self) -> Vec<String> {
        self.0.into_iter().map(|(what, names)| format!("{what}: {}", names.join(", "))).collect()
    }
}

#[cfg(test)]
mod tests;

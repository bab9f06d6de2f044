//! A [`Catalogue`] written as a file: our own form, or one of the forms of others that hold a model or its tables.
//!
//! What a form cannot hold is not worked out beforehand: the file is read again, and each thing that the catalogue states and the file
//! does not is told. So a writer that forgets something is found out by its reader.

mod cloudformation;
mod code_generator;
mod cost_tool;
mod lost;
mod onetable;
mod own;
mod raise;
mod shape_m;
mod shape_s;
mod terraform;
mod text;
mod words;
mod workbench;

use std::collections::BTreeMap;

use serde_json::Value;

use self::text::Y;
use crate::catalogue::{Catalogue, Index, IndexKind, KeptAs};
use crate::read::workbench::kept;
use crate::read::{ReadOptions, SourceFile, read};

/// The JSON Schema of our own form.
pub const SCHEMA: &str = include_str!("../schema/catalogue.schema.json");

/// The forms that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Our own.
    Yaml,
    /// `dynamodb_data_model.json` with command lines.
    ShapeM,
    /// `dynamodb_data_model.json` with sizes and rates.
    ShapeS,
    /// NoSQL Workbench.
    Workbench,
    /// OneTable's schema.
    OneTable,
    /// The input of AWS's cost tool.
    CostTool,
    /// `schema.json` of AWS's code generator.
    CodeGenerator,
    /// `usage_data.json` beside it.
    UsageData,
    /// A template of CloudFormation in YAML.
    CloudFormation,
    /// The same in JSON.
    CloudFormationJson,
    /// Terraform's language in JSON: `main.tf.json`.
    Terraform,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 11] = [
        Form::Yaml,
        Form::ShapeM,
        Form::ShapeS,
        Form::Workbench,
        Form::OneTable,
        Form::CostTool,
        Form::CodeGenerator,
        Form::UsageData,
        Form::CloudFormation,
        Form::CloudFormationJson,
        Form::Terraform,
    ];

    /// What a command line calls it; as reading calls it, where both can.
    pub fn name(self) -> &'static str {
        match self {
            Form::Yaml => "yaml",
            Form::ShapeM => "m",
            Form::ShapeS => "s",
            Form::Workbench => "workbench",
            Form::OneTable => "onetable",
            Form::CostTool => "cost-tool",
            Form::CodeGenerator => "schema-json",
            Form::UsageData => "usage-data",
            Form::CloudFormation => "cloudformation",
            Form::CloudFormationJson => "cloudformation-json",
            Form::Terraform => "terraform",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Form::Yaml => "our own form",
            Form::ShapeM => "dynamodb_data_model.json of AWS's MCP server, with command lines",
            Form::ShapeS => "dynamodb_data_model.json of AWS's skill, with sizes and rates",
            Form::Workbench => "a model of NoSQL Workbench",
            Form::OneTable => "a schema of OneTable",
            Form::CostTool => "the input of AWS's cost tool",
            Form::CodeGenerator => "schema.json of AWS's code generator",
            Form::UsageData => "usage_data.json beside it",
            Form::CloudFormation => "a template of CloudFormation, in YAML",
            Form::CloudFormationJson => "a template of CloudFormation, in JSON",
            Form::Terraform => "Terraform's main.tf.json",
        }
    }

    /// The form of that name.
    pub fn from_name(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }
}

/// A file, and what there is to say of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub text: String,
    /// What the form cannot say, each with the names of those that say it: `budgets: P1, P2`.
    pub lost: Vec<String>,
    /// What the form demands and the catalogue does not state, with what was written for it.
    pub assumed: Vec<String>,
}

/// The catalogue in our own form, in short forms where they say all. Notes and what formats can state are not written.
pub fn yaml(catalogue: &Catalogue) -> String {
    own::write(catalogue)
}

/// The catalogue in one of the forms. `today` is a date such as `2026-11-30`, for forms that say when they were made.
pub fn write(catalogue: &Catalogue, form: Form, today: &str) -> Written {
    let mut assumed = Told::default();
    let keyed = keyed(catalogue, form);
    if form == Form::CodeGenerator {
        for (old, new) in catalogue.patterns.iter().zip(&keyed.patterns).filter(|(old, new)| old.id != new.id)
        {
            assumed.add("ids of patterns are whole numbers here", &format!("{} as {}", old.id, new.id));
        }
    }
    if matches!(form, Form::ShapeM | Form::CloudFormation | Form::CloudFormationJson | Form::Terraform) {
        words::check_vectors(&keyed, &mut assumed);
    }
    let mut value = value(&keyed, form, today, &mut assumed);
    let unplaced = match form {
        Form::Workbench => kept::put_back(&catalogue.kept, &mut value),
        _ => catalogue.kept.iter().collect::<Vec<_>>(),
    };
    let unknown = || {
        let unknown = unplaced.iter().filter(|one| one.kept_as == KeptAs::Unknown);
        let places: Vec<String> = unknown.map(|one| kept::place(one)).collect();
        let told = format!("members that were not known in the file that was read: {}", places.join(", "));
        if places.is_empty() { Vec::new() } else { vec![told] }
    };
    let text = match (form, &value) {
        // It can say all that a model is.
        (Form::Yaml, _) => {
            return Written { text: yaml(catalogue), lost: unknown(), ..Written::default() };
        }
        (Form::CloudFormation, Value::Object(map)) => {
            let entries: Vec<(String, Y)> =
                map.iter().map(|(name, value)| (name.clone(), Y::json(value))).collect();
            text::document(&entries)
        }
        _ => format!("{value:#}\n"),
    };
    let mut lost = match again(catalogue, form, &text) {
        Ok(again) => lost::lost(&named(catalogue, form), &again).told(),
        Err(problem) => vec![format!("this, so that the file does not read back: {problem}")],
    };
    lost.extend(unknown());
    Written { text, lost, assumed: assumed.told() }
}

/// The catalogue with the ids that the form takes.
fn named(catalogue: &Catalogue, form: Form) -> Catalogue {
    match form {
        Form::CodeGenerator | Form::UsageData => code_generator::numbered(catalogue),
        _ => catalogue.clone(),
    }
}

/// The tables and indexes whose keys are known: most forms take no others.
fn keyed(catalogue: &Catalogue, form: Form) -> Catalogue {
    let mut keyed = named(catalogue, form);
    if !matches!(form, Form::Yaml | Form::ShapeS | Form::CostTool) {
        keyed.tables.retain(|table| !table.keys.hash.is_empty());
        let known = |index: &Index| index.kind == IndexKind::Vector || !index.keys.hash.is_empty();
        keyed.tables.iter_mut().for_each(|table| table.indexes.retain(known));
    }
    keyed
}

fn value(catalogue: &Catalogue, form: Form, today: &str, assumed: &mut Told) -> Value {
    match form {
        Form::Yaml => Value::Null,
        Form::ShapeM => shape_m::write(catalogue, assumed),
        Form::ShapeS => shape_s::write(catalogue, assumed),
        Form::Workbench => workbench::write(catalogue, today, assumed),
        Form::OneTable => onetable::write(catalogue, assumed),
        Form::CostTool => cost_tool::write(catalogue, assumed),
        Form::CodeGenerator => code_generator::write(catalogue, assumed),
        Form::UsageData => code_generator::usage(catalogue, assumed),
        Form::CloudFormation | Form::CloudFormationJson => cloudformation::write(catalogue, assumed),
        Form::Terraform => terraform::write(catalogue, assumed),
    }
}

/// What the written file says.
fn again(catalogue: &Catalogue, form: Form, text: &str) -> Result<Catalogue, String> {
    let file = |name: &str, text: String| SourceFile { path: name.to_owned(), bytes: text.into_bytes() };
    let mut files = vec![file(form.name(), text.to_owned())];
    if form == Form::UsageData {
        // The samples are of the entities of the schema beside them.
        let schema = code_generator::write(&keyed(catalogue, form), &mut Told::default());
        files.push(file("schema.json", schema.to_string()));
    }
    read(&files, &ReadOptions::default())
        .map_err(|problems| problems.first().map_or_else(String::new, ToString::to_string))
}

/// Things to tell, each with the names of those that it is about.
#[derive(Debug, Default)]
struct Told(BTreeMap<String, Vec<String>>);

impl Told {
    fn add(&mut self, what: &str, name: &str) {
        self.0.entry(what.to_owned()).or_default().push(name.to_owned());
    }

    fn told(self) -> Vec<String> {
        self.0.into_iter().map(|(what, names)| format!("{what}: {}", names.join(", "))).collect()
    }
}

#[cfg(test)]
mod tests;

//! Tables as they are deployed: CloudFormation and its family, Terraform, answers of DescribeTable.
//!
//! Each file becomes a [`tree`] in which what only a deployment knows is marked as such, with the reason. Then one rule holds for all
//! formats. A key, a type, a projection or a list of indexes that is not known is a problem at its line and column. The name of a table
//! that is not known is the name that the file gives its resource, with a note. Capacity and other settings that are not known stay
//! unknown, with a note, and checks stay silent about them.

use std::collections::BTreeMap;

use self::context::Context;
use self::tree::Tree;
use super::{Format, Input, ReadOptions};
use crate::catalogue::{Catalogue, States, Table};

mod aws;
mod context;
mod describe;
mod evaluate;
mod lower;
mod paths;
mod scaling;
mod serverless;
mod settings;
mod template;
mod terraform;
pub mod tree;

pub use paths::includes;

/// Reads all files of one of the formats of infrastructure, which may refer to each other.
///
/// Problems and notes go to the log of the input that they are about.
pub fn read(format: Format, inputs: &mut [Input<'_>], options: &ReadOptions) -> Catalogue {
    let (tables, ttl) = match format {
        Format::CloudFormation => (templates(inputs, options), true),
        Format::TerraformJson => (plans(inputs), true),
        Format::TerraformHcl => (terraform::hcl::tables(inputs, &options.parameters), true),
        _ => descriptions(inputs),
    };
    Catalogue { tables, states: States { ttl, ..states() }, ..Catalogue::default() }
}

/// What infrastructure can state: tables and their settings, no patterns.
fn states() -> States {
    States {
        requests: false,
        local_indexes: true,
        ttl: true,
        settings: true,
        rates: false,
        declarations: false,
    }
}

/// Templates and service files. A file that a service file includes is no template of its own.
fn templates(inputs: &mut [Input<'_>], options: &ReadOptions) -> Vec<Table> {
    let trees: Vec<Tree> = inputs.iter().map(|input| lower::lower(&input.root)).collect();
    let mut services = BTreeMap::new();
    let mut included = Vec::new();
    for (at, tree) in trees.iter().enumerate().filter(|(_, tree)| serverless::is_service(tree)) {
        let path = inputs[at].file.path.clone();
        let open = |name: &str| paths::open(&path, name, &options.included);
        let near = |name: &str| {
            let found =
                inputs.iter().position(|input| paths::same(&input.file.path, &paths::beside(&path, name)));
            found.map_or_else(|| open(name), |found| Ok(trees[found].clone()))
        };
        let mut log = super::Log::new(&path);
        let service = serverless::service(tree, &options.parameters, &near, &mut log);
        included.extend(service.used.iter().map(|name| paths::beside(&path, name)));
        services.insert(at, (service, log));
    }
    let mut tables = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        let input = &mut inputs[at];
        if let Some((service, log)) = services.get_mut(&at) {
            input.log.append(log);
            tables.extend(template::tables(&service.template, &service.given, &mut input.log));
        } else if !included.iter().any(|path| paths::same(path, &input.file.path)) {
            tables.extend(template::tables(tree, &options.parameters, &mut input.log));
        }
    }
    tables
}

fn plans(inputs: &mut [Input<'_>]) -> Vec<Table> {
    let mut resources = Vec::new();
    for (at, input) in inputs.iter_mut().enumerate() {
        resources.extend(terraform::plan::resources(&lower::lower(&input.root), at, &mut input.log));
    }
    terraform::tables(&resources, inputs)
}

/// The tables of answers, and whether all of them tell the time to live.
fn descriptions(inputs: &mut [Input<'_>]) -> (Vec<Table>, bool) {
    let (mut tables, mut ttl) = (Vec::new(), true);
    for input in inputs {
        let root = lower::lower(&input.root);
        ttl &= describe::tells_expiry(&root);
        tables.extend(describe::tables(&root, &mut Context { log: &mut input.log }));
    }
    (tables, ttl)
}

#[cfg(test)]
mod tests;

//! Paths that a file names, relative to itself.

use super::lower::lower;
use super::serverless;
use super::tree::Tree;
use crate::read::node::Node;
use crate::read::{Log, ReadOptions, SourceFile};

/// The files, relative to this one, that it includes and that are not in [`ReadOptions::included`] yet: `${file(path)}` of a service file.
///
/// Whoever reads files hands them over there and asks again, until there are no more: a file that is included may include others.
pub fn includes(file: &SourceFile, options: &ReadOptions) -> Vec<String> {
    let text = std::str::from_utf8(&file.bytes).unwrap_or_default();
    if !text.contains("${file(") {
        return Vec::new();
    }
    let Some(root) = Node::parse(text).ok().map(|node| lower(&node)).filter(serverless::is_service) else {
        return Vec::new();
    };
    let near = |name: &str| open(&file.path, name, &options.included);
    let service = serverless::service(&root, &options.parameters, &near, &mut Log::new(&file.path));
    let is_missing = |name: &String| {
        let path = beside(&file.path, name);
        is_data(name) && !options.included.iter().any(|have| same(&have.path, &path))
    };
    service.used.into_iter().filter(is_missing).collect()
}

/// Whether a file holds values, not code.
fn is_data(name: &str) -> bool {
    [".yml", ".yaml", ".json"].iter().any(|end| name.ends_with(end))
}

/// The tree of a file that `from` names.
pub(super) fn open(from: &str, name: &str, included: &[SourceFile]) -> Result<Tree, String> {
    let path = beside(from, name);
    if !is_data(name) {
        return Err(format!("{path} is code, and is not run"));
    }
    let Some(file) = included.iter().find(|file| same(&file.path, &path)) else {
        return Err(format!("{path} is not among the files that were given"));
    };
    let text = std::str::from_utf8(&file.bytes).map_err(|_| format!("{path} is no UTF-8 text"))?;
    Node::parse(text).map(|node| lower(&node)).map_err(|fault| format!("{path}: {}", fault.message))
}

/// The path of `name`, which is relative to the folder of `from`.
pub(super) fn beside(from: &str, name: &str) -> String {
    match from.rsplit_once('/') {
        Some((folder, _)) if !name.starts_with('/') => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}

/// The folder of a path, empty where it has none.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether two paths name one file, `.` and `..` resolved.
pub(super) fn same(one: &str, other: &str) -> bool {
    parts(one) == parts(other)
}

fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

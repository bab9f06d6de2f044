//! Paths that a file names, relative to itself.

use super::lower::lower;
use super::tree::Tree;
use crate::read::SourceFile;
use crate::read::node::Node;

/// The files, relative to this one, that it includes: `${file(path)}` of a service file. Whoever reads files hands them over in
/// [`ReadOptions::included`](crate::read::ReadOptions).
pub fn includes(file: &SourceFile) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(&file.bytes) else { return Vec::new() };
    let mut paths: Vec<String> = Vec::new();
    for rest in text.split("file(").skip(1) {
        let Some((path, _)) = rest.split_once(')') else { continue };
        let path = path.trim();
        let is_data = [".yml", ".yaml", ".json"].iter().any(|end| path.ends_with(end));
        if is_data && !path.contains("${") && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// The tree of a file that `from` names.
pub(super) fn open(from: &str, name: &str, included: &[SourceFile]) -> Result<Tree, String> {
    let path = beside(from, name);
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

//! Every crate inherits its lints, version and dependencies from the workspace, where each dependency has its reason.

use super::{Finding, Project};

const INHERITED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

/// No crate has lints, versions or dependency versions of its own.
pub(super) fn inherited(project: &Project) -> Vec<Finding> {
    let manifests = project.files.iter().filter(|file| {
        file.path.ends_with("/Cargo.toml")
            && (file.path.starts_with("crates/") || file.path.starts_with("xtask/"))
    });
    manifests.flat_map(|file| findings_of(&file.path, &file.text)).collect()
}

fn findings_of(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for key in INHERITED {
        if !text.lines().any(|line| line == format!("{key}.workspace = true")) {
            findings.push(Finding::new(path, format!("write `{key}.workspace = true`")));
        }
    }
    if !text.contains("[lints]\nworkspace = true\n") {
        findings.push(Finding::new(path, "write `[lints]` with `workspace = true`"));
    }
    let mut section = "";
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && line.contains('=')
            && !line.contains("workspace = true")
        {
            findings.push(Finding::at(
                path,
                number + 1,
                "name the dependency in the workspace and inherit it",
            ));
        }
    }
    findings
}

/// Each outside dependency of the workspace manifest says on its line why it is there.
pub(super) fn dependencies_have_reasons(project: &Project) -> Vec<Finding> {
    let Some(manifest) = project.file("Cargo.toml") else { return Vec::new() };
    let mut section = "";
    let mut findings = Vec::new();
    for (number, line) in manifest.text.lines().enumerate() {
        if line.starts_with('[') {
            section = line;
        }
        let outside = section == "[workspace.dependencies]" && line.contains('=') && !line.contains("path =");
        if outside && !line.starts_with('#') && !line.contains(" # ") {
            findings.push(Finding::at(
                "Cargo.toml",
                number + 1,
                "add the reason of this dependency as a comment",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n\
        [lints]\nworkspace = true\n\n[dependencies]\nbytes.workspace = true\n\
        tokio = { workspace = true, features = [\"net\"] }\n";

    #[test]
    fn a_crate_inherits_everything() {
        assert_eq!(inherited(&Project::of(&[("crates/a/Cargo.toml", GOOD)])), []);
        let own = GOOD.replace("bytes.workspace = true", "bytes = \"1\"").replace("[lints]\n", "[lint]\n");
        let findings = inherited(&Project::of(&[("crates/a/Cargo.toml", &own)]));
        assert_eq!(findings[0].message, "write `[lints]` with `workspace = true`");
        assert_eq!(findings[1].place, "crates/a/Cargo.toml:13");
    }

    #[test]
    fn a_dependency_has_its_reason() {
        let manifest =
            |line: &str| format!("[workspace.dependencies]\nours = {{ path = \"crates/ours\" }}\n{line}\n");
        let findings =
            |line: &str| dependencies_have_reasons(&Project::of(&[("Cargo.toml", &manifest(line))]));
        assert_eq!(findings("bytes = \"1\"  # shared slices"), []);
        assert_eq!(findings("bytes = \"1\"")[0].place, "Cargo.toml:3");
    }
}

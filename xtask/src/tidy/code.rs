//! Rules about what may stand in the code.

use super::{Finding, Project};

/// Calls that make a run depend on the world, and the files that may make them.
struct Ban {
    call: &'static str,
    instead: &'static str,
}

const BANS: [Ban; 12] = [
    Ban { call: "SystemTime::now", instead: "env.clock.now()" },
    Ban { call: "Instant::now", instead: "env.clock.monotonic()" },
    Ban { call: "thread::spawn", instead: "Env::thread()" },
    Ban { call: "thread::Builder", instead: "Env::thread()" },
    Ban { call: "thread::sleep", instead: "env.tasks.sleep()" },
    Ban { call: "tokio::spawn", instead: "env.tasks.spawn()" },
    Ban { call: "task::spawn", instead: "env.tasks.spawn()" },
    Ban { call: "time::sleep", instead: "env.tasks.sleep()" },
    Ban { call: "time::timeout", instead: "env.tasks.sleep() in a select" },
    Ban { call: "time::interval", instead: "env.tasks.sleep() in a loop" },
    Ban { call: "RandomState::new", instead: "env.random" },
    Ban { call: "rand::", instead: "env.random" },
];

/// What stands outside the database and watches it in real time or from other threads: tests of whole processes,
/// measurements, and tools.
const WATCHERS: [&str; 7] = [
    "crates/bench/",
    "crates/conformance/",
    "crates/hashrange/tests/",
    "crates/language/tests/hostile.rs",
    "crates/store-local/examples/",
    "fuzz/",
    "xtask/",
];

/// Nothing but `env` reads the clock, draws randomness, waits or spawns.
pub(super) fn banned_calls(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in project.rust() {
        let may =
            file.path.starts_with("crates/env/") || WATCHERS.iter().any(|start| file.path.starts_with(start));
        for ban in BANS.iter().filter(|_| !may) {
            for line in rust.lines_with(ban.call) {
                let message = format!("{} is banned, use {}", ban.call, ban.instead);
                findings.push(Finding::at(&file.path, line, message));
            }
        }
    }
    findings
}

/// Nothing is left to do or to debug.
pub(super) fn leftovers(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in project.rust() {
        for call in ["todo!", "unimplemented!", "dbg!"] {
            let lines = rust.lines_with(call).into_iter();
            findings.extend(
                lines.map(|line| Finding::at(&file.path, line, format!("{call} is left over: finish it"))),
            );
        }
        let own = file.path.starts_with("xtask/src/tidy/");
        let marked = file.text.lines().enumerate().filter(|(_, line)| !own && line.contains("FIXME"));
        findings.extend(marked.map(|(line, _)| {
            Finding::at(
                &file.path,
                line + 1,
                "FIXME is left over: mend it, or write why it may stay as it is",
            )
        }));
    }
    findings
}

/// Every exception from a lint says why.
pub(super) fn exceptions_have_reasons(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in project.rust().filter(|(file, _)| !file.is_generated()) {
        for (index, window) in rust.tokens.windows(3).enumerate() {
            let lint = window[1].text.as_str();
            let is_exception =
                window[0].text == "[" && ["allow", "expect"].contains(&lint) && window[2].text == "(";
            if is_exception && !has_reason(&rust.tokens[index..]) {
                let message = format!("#[{lint}(..)] needs a reason: `reason = \"..\"`");
                findings.push(Finding::at(&file.path, window[1].line, message));
            }
        }
    }
    findings
}

fn has_reason(tokens: &[super::project::Token]) -> bool {
    tokens.iter().take_while(|token| token.text != "]").any(|token| token.text == "reason")
}

/// The size limit of items is read in one place: the write path.
pub(super) fn one_reader_of_the_item_limit(project: &Project) -> Vec<Finding> {
    let engine = project
        .rust()
        .filter(|(file, _)| file.path.starts_with("crates/engine/src/") && !file.is_for_development());
    let reads = engine.filter_map(|(file, rust)| {
        let line = rust.lines_with("ITEM_SIZE_MAX").into_iter().find(|line| !rust.is_test_line(*line))?;
        Some((file, line))
    });
    let extra = reads.skip(1);
    let message = "reads ITEM_SIZE_MAX, which another file of the engine reads already: use its check";
    extra.map(|(file, line)| Finding::at(&file.path, line, message)).collect()
}

/// The methods of the store contract as committed. Its width is a decision: one more needs an ADR.
const STORE_METHODS_MAX: usize = 12;

/// The trait that every storage engine implements stays narrow.
pub(super) fn narrow_store_trait(project: &Project) -> Vec<Finding> {
    let Some(file) = project.file("crates/store/src/contract.rs") else { return Vec::new() };
    let Ok(source) = syn::parse_file(&file.text) else { return Vec::new() };
    let store = source.items.iter().find_map(|item| match item {
        syn::Item::Trait(item) if item.ident == "Store" => Some(item),
        _ => None,
    });
    let methods = store.map_or(0, |item| item.items.len());
    if methods <= STORE_METHODS_MAX {
        return Vec::new();
    }
    let message =
        format!("the trait Store has {methods} methods, more than {STORE_METHODS_MAX}: that needs an ADR");
    vec![Finding::new(&file.path, message)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_read_in_env_and_by_watchers_only() {
        let source = "fn f() { let now = std::time::Instant::now(); }";
        assert_eq!(
            banned_calls(&Project::of(&[("crates/env/src/real.rs", source), ("xtask/src/a.rs", source)])),
            []
        );
        let findings = banned_calls(&Project::of(&[("crates/engine/src/a.rs", source)]));
        assert_eq!(
            findings[0].to_string(),
            "crates/engine/src/a.rs:1: Instant::now is banned, use env.clock.monotonic()"
        );
    }

    #[test]
    fn leftovers_are_found() {
        let source = "fn f() {\n    todo!()\n}\n// FIXME later\n";
        let places: Vec<_> = leftovers(&Project::of(&[("crates/a/src/a.rs", source)]))
            .into_iter()
            .map(|finding| finding.place)
            .collect();
        assert_eq!(places, ["crates/a/src/a.rs:2", "crates/a/src/a.rs:4"]);
    }

    #[test]
    fn an_exception_without_a_reason_is_found() {
        let source = "#[allow(dead_code)]\nfn f() {}\n#[expect(dead_code, reason = \"why\")]\nfn g() {}\n";
        let findings = exceptions_have_reasons(&Project::of(&[("crates/a/src/a.rs", source)]));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].place, "crates/a/src/a.rs:1");
    }

    #[test]
    fn only_one_file_of_the_engine_reads_the_item_limit() {
        let read = "fn f(size: usize) -> bool { size > ITEM_SIZE_MAX }";
        let in_test = "#[cfg(test)]\nmod tests { const A: usize = ITEM_SIZE_MAX; }";
        let good = [
            ("crates/engine/src/write.rs", read),
            ("crates/engine/src/a.rs", in_test),
            ("crates/item/src/b.rs", read),
        ];
        assert_eq!(one_reader_of_the_item_limit(&Project::of(&good)), []);
        let bad = [("crates/engine/src/check.rs", read), ("crates/engine/src/write.rs", read)];
        assert_eq!(one_reader_of_the_item_limit(&Project::of(&bad))[0].place, "crates/engine/src/write.rs:1");
    }

    #[test]
    fn the_store_trait_does_not_grow() {
        let methods = |count: usize| {
            let body = "fn method(&self);".repeat(count);
            narrow_store_trait(&Project::of(&[(
                "crates/store/src/contract.rs",
                &format!("pub trait Store {{ {body} }}"),
            )]))
        };
        assert_eq!(methods(STORE_METHODS_MAX), []);
        assert_eq!(methods(STORE_METHODS_MAX + 1).len(), 1);
    }
}

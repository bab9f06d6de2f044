//! `serve --check-config`: what is in force, what is wrong, and that nothing is done.

use std::path::Path;
use std::process::Output;

use expect_test::{Expect, expect};

use super::{Server, hashrange, temporary, text};

fn check(flags: &[&str]) -> Output {
    check_with(flags, None)
}

fn check_with(flags: &[&str], variable: Option<(&str, &str)>) -> Output {
    let mut command = hashrange(&[&["serve", "--check-config"], flags].concat());
    command.envs(variable).output().expect("the program runs")
}

/// What is on standard error, without the random folder; and the exit code.
fn complains(output: &Output, code: i32, folder: &Path, expected: &Expect) {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).replace(text(folder), "FOLDER");
    expected.assert_eq(said.trim_end());
}

#[test]
fn settings_in_force_are_printed_with_their_sources_and_nothing_is_made() {
    let folder = temporary();
    let (data, config) = (folder.path().join("data"), folder.path().join("h.toml"));
    std::fs::write(&config, "index-lag = \"2s\"\nlog-level = \"warn\"\n").expect("a writable folder");
    let flags =
        ["--config", text(&config), "--data", text(&data), "--log-level", "error", "--tls-self-signed"];
    let output = check_with(&flags, Some(("HASHRANGE_CACHE_SIZE", "128MiB")));
    complains(&output, 0, folder.path(), &expect![""]);
    let said = String::from_utf8(output.stdout).expect("text").replace(text(folder.path()), "FOLDER");
    let chosen = ["addr", "data", "tls-self-signed", "cache-size", "index-lag", "log-level", "metrics"];
    let told: Vec<_> =
        said.lines().filter(|line| chosen.iter().any(|name| line.split(' ').next() == Some(name))).collect();
    expect![[r#"
        addr = "127.0.0.1:8000"  # default
        data = "FOLDER/data"  # --data
        tls-self-signed = "true"  # --tls-self-signed
        cache-size = "128MiB"  # HASHRANGE_CACHE_SIZE
        index-lag = "2s"  # FOLDER/h.toml
        metrics = "local"  # default
        log-level = "error"  # --log-level"#]]
    .assert_eq(&told.join("\n"));
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    // What is printed is a file of settings itself.
    let printed = folder.path().join("printed.toml");
    std::fs::write(&printed, said.replace("FOLDER", text(folder.path()))).expect("a writable folder");
    assert_eq!(check(&["--config", text(&printed)]).status.code(), Some(0));
}

#[test]
fn the_folder_of_a_running_server_can_be_checked() {
    let folder = temporary();
    let data = folder.path().join("data");
    let server = Server::start(&["--data", text(&data)]);
    complains(&check(&["--data", text(&data)]), 0, folder.path(), &expect![""]);
    assert_eq!(server.stop("-TERM"), Some(0));
}

#[test]
fn mistakes_in_the_settings_end_with_two() {
    let folder = temporary();
    let config = folder.path().join("h.toml");
    std::fs::write(&config, "tabel-delay = \"1s\"\n").expect("a writable folder");
    complains(
        &check(&["--config", text(&config)]),
        2,
        folder.path(),
        &expect![[r#"error: FOLDER/h.toml: "tabel-delay" is not a setting: did you mean "table-delay"?"#]],
    );
    complains(
        &check_with(&["--in-memory"], Some(("HASHRANGE_TABEL_DELAY", "1s"))),
        2,
        folder.path(),
        &expect![
            "error: HASHRANGE_TABEL_DELAY is not a setting and is ignored; did you mean HASHRANGE_TABLE_DELAY?"
        ],
    );
    complains(
        &check(&["--metrics", "friends"]),
        2,
        folder.path(),
        &expect![[r#"error: --metrics: "friends" is not one of local, all or off"#]],
    );
}

#[test]
fn what_would_keep_a_server_from_starting_ends_with_one_all_at_once() {
    let folder = temporary();
    let (file, keys) = (folder.path().join("file"), folder.path().join("keys.toml"));
    std::fs::write(&file, "something else").expect("a writable folder");
    std::fs::write(&keys, "\n[[credential]]\naccess-key = \"a\"\n").expect("a writable folder");
    let below = file.join("data");
    complains(
        &check(&["--addr", "127.0.0.1:0", "--data", text(&below), "--credentials", text(&keys)]),
        1,
        folder.path(),
        &expect![[r"
            error: the folder FOLDER/file/data cannot be used (Not a directory (os error 20)); give this user write permission, or choose another folder
            error: FOLDER/keys.toml, line 2: secret-key is missing: add a line `secret-key = …`"]],
    );
    complains(
        &check(&["--addr", "0.0.0.0:8000", "--data", text(folder.path())]),
        1,
        folder.path(),
        &expect![[r"
            error: other machines can reach 0.0.0.0:8000, and without credentials everyone there may read and write everything; give --credentials FILE, or listen on this machine only with --addr 127.0.0.1:8000, or add --insecure
            error: the folder FOLDER holds files that are not Hashrange's; choose an empty or a new folder"]],
    );
    let nowhere = folder.path().join("cert.pem");
    complains(
        &check(&["--in-memory", "--tls-cert", text(&nowhere), "--tls-key", text(&nowhere)]),
        1,
        folder.path(),
        &expect![
            "error: FOLDER/cert.pem: No such file or directory (os error 2): check the path and who may read it"
        ],
    );
}

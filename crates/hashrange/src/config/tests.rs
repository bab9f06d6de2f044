//! Precedence, and every message that a wrong setting can bring.

use std::path::PathBuf;

use expect_test::{Expect, expect, expect_file};

use super::*;

fn given(pairs: &[(&str, &str)]) -> Given {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn flags(pairs: &[(&str, &str)]) -> Result<Settings, String> {
    resolve(&given(pairs), &Given::new()).map(|resolved| resolved.settings)
}

/// Resolves with a file of this text; its random folder is taken out of messages.
fn with_file(text: &str, flags: &[(&str, &str)], variables: &[(&str, &str)]) -> Result<Settings, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("hashrange.toml");
    std::fs::write(&path, text).expect("a writable folder");
    let mut flags = given(flags);
    flags.insert(CONFIG.to_owned(), path.to_str().expect("a readable path").to_owned());
    let resolved = resolve(&flags, &given(variables)).map(|resolved| resolved.settings);
    resolved.map_err(|message| message.replace(&format!("{}/", folder.path().display()), ""))
}

fn refused(result: Result<Settings, String>, message: &Expect) {
    message.assert_eq(&result.expect_err("the setting is wrong"));
}

#[test]
fn without_any_source_the_defaults_of_the_table_hold() {
    let settings = flags(&[]).expect("defaults are good");
    assert_eq!(settings.addr, "127.0.0.1:8000");
    assert_eq!(settings.data, PathBuf::from("hashrange-data"));
    assert!(!settings.in_memory);
    assert_eq!(settings.credentials, None);
    assert_eq!(settings.cache_bytes, 64 << 20);
    assert_eq!(settings.tls, TlsSettings::default());
    assert!(!settings.insecure);
    assert_eq!(settings.wire, hashrange_wire::Options::default());
    assert_eq!(settings.table_delay, Duration::ZERO);
    assert_eq!(settings.log_level, tracing::Level::INFO);
    assert_eq!(settings.log_format, LogFormat::Text);
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let file = "table-delay = \"3s\"\n";
    let variable = [("HASHRANGE_TABLE_DELAY", "2s")];
    let delay = |flags: &[(&str, &str)], variables: &[(&str, &str)]| {
        with_file(file, flags, variables).expect("all are good").table_delay.as_secs()
    };
    assert_eq!(delay(&[], &[]), 3);
    assert_eq!(delay(&[], &variable), 2);
    assert_eq!(delay(&[("table-delay", "1s")], &variable), 1);
}

#[test]
fn the_file_can_be_named_by_a_variable() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("h.toml");
    std::fs::write(&path, "in-memory = true\n").expect("a writable folder");
    let variables = given(&[("HASHRANGE_CONFIG", path.to_str().expect("a readable path"))]);
    assert!(resolve(&Given::new(), &variables).expect("all are good").settings.in_memory);
}

#[test]
fn every_source_takes_every_setting() {
    let example = |key: &Key| match key.name {
        "in-memory" | "tls-self-signed" => "true",
        "log-format" => "json",
        "credentials" => "keys.toml",
        "max-connections" => "7",
        _ => key.default,
    };
    let lines: Vec<String> = KEYS.iter().map(|key| format!("{} = \"{}\"", key.name, example(key))).collect();
    let by_file = with_file(&lines.join("\n"), &[], &[]).expect("all are good");
    let by_flag: Vec<_> = KEYS.iter().map(|key| (key.name, example(key))).collect();
    assert_eq!(flags(&by_flag).expect("all are good"), by_file);
    let by_variable = KEYS.iter().map(|key| (key.variable(), example(key).to_owned())).collect();
    assert_eq!(resolve(&Given::new(), &by_variable).expect("all are good").settings, by_file);
    assert_eq!(by_file.credentials, Some(PathBuf::from("keys.toml")));
    assert_eq!(with_file("credentials = \"none\"", &[], &[]).expect("all are good").credentials, None);
    assert!(by_file.tls.self_signed && by_file.wire.max_connections == 7);
    assert!(by_file.in_memory && by_file.log_format == LogFormat::Json);
}

#[test]
fn a_bare_switch_means_true_and_can_be_turned_off() {
    let parse = |words: &[&str]| {
        let matches = command().try_get_matches_from(words).expect("a good command line");
        given_flags(matches.subcommand().expect("a subcommand").1)
    };
    assert_eq!(parse(&["hashrange", "serve", "--in-memory"]), given(&[("in-memory", "true")]));
    assert_eq!(parse(&["hashrange", "serve", "--in-memory=false"]), given(&[("in-memory", "false")]));
    assert_eq!(parse(&["hashrange", "serve", "--addr", "[::1]:0"]), given(&[("addr", "[::1]:0")]));
}

#[test]
fn a_wrong_value_is_refused_with_its_source_and_the_fix() {
    refused(
        flags(&[("addr", "8000")]),
        &expect![[
            r#"--addr: "8000" is not an address: write host and port, for example 127.0.0.1:8000 or [::1]:8000"#
        ]],
    );
    refused(
        flags(&[("addr", "localhost:http")]),
        &expect![[r#"--addr: the port in "localhost:http" is not a number from 0 to 65535"#]],
    );
    refused(
        flags(&[("data", "")]),
        &expect!["--data: the path is empty: name a folder, for example ./hashrange-data"],
    );
    refused(
        flags(&[("credentials", "")]),
        &expect!["--credentials: the path is empty: name a file, or write none"],
    );
    refused(flags(&[("in-memory", "yes")]), &expect![[r#"--in-memory: "yes" is neither true nor false"#]]);
    refused(
        flags(&[("log-level", "loud")]),
        &expect![[r#"--log-level: "loud" is not one of error, warn, info, debug or trace"#]],
    );
    refused(flags(&[("log-format", "xml")]), &expect![[r#"--log-format: "xml" is not one of text or json"#]]);
    refused(
        flags(&[("table-delay", "5")]),
        &expect![[
            r#"--table-delay: "5" is not a duration: write a whole number and ms, s, m or h, for example 250ms or 2s"#
        ]],
    );
    refused(
        flags(&[("table-delay", "2h")]),
        &expect!["--table-delay: 2h is too long: at most 1h is allowed"],
    );
    refused(
        flags(&[("cache-size", "lots")]),
        &expect![[
            r#"--cache-size: "lots" is not a size: write a whole number and KiB, MiB or GiB, for example 64MiB"#
        ]],
    );
    refused(
        flags(&[("cache-size", "1KiB")]),
        &expect!["--cache-size: 1KiB is too small: at least 1MiB is needed"],
    );
    refused(
        flags(&[("cache-size", "2048GiB")]),
        &expect!["--cache-size: 2048GiB is too large: at most 1024GiB is allowed"],
    );
}

#[test]
fn limits_of_the_wire_have_bounds() {
    refused(
        flags(&[("header-timeout", "0s")]),
        &expect!["--header-timeout: 0s is too short: at least 100ms is needed"],
    );
    refused(
        flags(&[("max-connections", "0")]),
        &expect!["--max-connections: 0 is too small: at least 1 is needed"],
    );
    refused(
        flags(&[("max-connections", "2000000")]),
        &expect!["--max-connections: 2000000 is too large: at most 1000000 is allowed"],
    );
    refused(
        flags(&[("max-connections", "many")]),
        &expect![[r#"--max-connections: "many" is not a whole number"#]],
    );
    refused(
        flags(&[("request-memory", "16MiB")]),
        &expect!["--request-memory: 16MiB is too small: at least 192MiB is needed"],
    );
}

#[test]
fn certificate_and_key_belong_together() {
    refused(flags(&[("tls-cert", "a.pem")]), &expect!["tls-cert has no key: give tls-key as well"]);
    refused(flags(&[("tls-key", "a.pem")]), &expect!["tls-key has no certificate: give tls-cert as well"]);
    refused(
        flags(&[("tls-client-ca", "a.pem")]),
        &expect!["tls-client-ca asks for TLS: give tls-cert and tls-key as well, or tls-self-signed"],
    );
    refused(
        flags(&[("tls-cert", "a.pem"), ("tls-key", "b.pem"), ("tls-self-signed", "true")]),
        &expect![
            "tls-self-signed makes a certificate and a key: leave it out, or leave tls-cert and tls-key out"
        ],
    );
    let good = flags(&[("tls-client-ca", "a.pem"), ("tls-self-signed", "true")]).expect("all are good");
    assert_eq!(good.tls.client_ca, Some(PathBuf::from("a.pem")));
}

#[test]
fn a_wrong_variable_or_file_entry_names_its_source() {
    let variables = given(&[("HASHRANGE_TABLE_DELAY", "soon")]);
    let message = resolve(&Given::new(), &variables).expect_err("the setting is wrong");
    assert!(message.starts_with("HASHRANGE_TABLE_DELAY: \"soon\" is not a duration"), "{message}");
    refused(
        with_file("log-level = \"loud\"", &[], &[]),
        &expect![[r#"log-level in hashrange.toml: "loud" is not one of error, warn, info, debug or trace"#]],
    );
}

#[test]
fn a_file_that_cannot_be_used_says_where_and_why() {
    refused(
        with_file("tabel_delay = \"2s\"", &[], &[]),
        &expect![[r#"hashrange.toml: "tabel_delay" is not a setting: did you mean "table-delay"?"#]],
    );
    refused(
        with_file("colour = \"red\"", &[], &[]),
        &expect![[
            r#"hashrange.toml: "colour" is not a setting: the settings are addr, data, in-memory, credentials, insecure, tls-cert, tls-key, tls-client-ca, tls-self-signed, header-timeout, body-timeout, idle-timeout, max-connections, request-memory, cache-size, table-delay, index-lag, item-collection-limit, throttle, metrics, record, record-sample, log-level, log-format and log-values"#
        ]],
    );
    refused(
        with_file("addr = [\"a\"]", &[], &[]),
        &expect!["addr in hashrange.toml: write the value as a text in quotes"],
    );
    refused(
        with_file("data = \"x\"\naddr = oops\n", &[], &[]),
        &expect!["hashrange.toml, line 2: string values must be quoted, expected literal string"],
    );
    refused(
        flags(&[("config", "/nowhere/h.toml")]),
        &expect![
            "--config /nowhere/h.toml: No such file or directory (os error 2): check the path, or leave the setting out"
        ],
    );
}

#[test]
fn a_variable_that_almost_names_a_setting_brings_a_warning() {
    let variables = given(&[
        ("HASHRANGE_CONFGI", "h.toml"),
        ("HASHRANGE_ENDPOINT", "http://localhost"),
        ("HASHRANGE_TABEL_DELAY", "2s"),
    ]);
    let warnings = resolve(&Given::new(), &variables).expect("all are good").warnings;
    assert_eq!(
        warnings,
        [
            "HASHRANGE_CONFGI is not a setting and is ignored; did you mean HASHRANGE_CONFIG?",
            "HASHRANGE_TABEL_DELAY is not a setting and is ignored; did you mean HASHRANGE_TABLE_DELAY?"
        ]
    );
}

#[test]
fn every_setting_in_force_tells_where_it_comes_from() {
    let variables = given(&[("HASHRANGE_INDEX_LAG", "1s")]);
    let resolved = resolve(&given(&[("addr", "[::1]:0")]), &variables).expect("all are good");
    let told = |name: &str| {
        let origin = resolved.origins.iter().find(|origin| origin.name == name).expect("it is a setting");
        (origin.text.clone(), origin.source.clone())
    };
    assert_eq!(told("addr"), ("[::1]:0".to_owned(), "--addr".to_owned()));
    assert_eq!(told("index-lag"), ("1s".to_owned(), "HASHRANGE_INDEX_LAG".to_owned()));
    assert_eq!(told("log-level"), ("info".to_owned(), "default".to_owned()));
    assert_eq!(resolved.origins.len(), KEYS.len());
}

#[test]
fn the_configuration_page_is_written_from_the_table() {
    expect_file!["../../../../docs/configuration.md"].assert_eq(&document::page());
}

#[test]
fn help_shows_every_setting_with_its_default() {
    let help = command().find_subcommand_mut("serve").expect("serve exists").render_long_help().to_string();
    for key in KEYS {
        assert!(help.contains(&format!("--{}", key.name)), "{}", key.name);
        assert!(help.contains(&format!("default: {}", key.default)), "{}", key.name);
    }
}

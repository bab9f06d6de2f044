//! Both formats, each mistake that can be made in them, and what a keyring does with them.

use std::fs;

use super::*;

const TOML: &str = r#"
# who may sign
[[credential]]
access-key = "AKID"
secret-key = "secret"

[[credential]]
access-key = "ASIA"
secret-key = "other"
session-token = "token"
account = "123456789012"
expires = 2026-01-01T01:00:00+01:00
"#;

const PROFILES: &str = "# for the command line
[default]
aws_access_key_id = AKID
aws_secret_access_key=secret
region = eu-west-2
s3 =
    max_concurrent_requests = 20

[profile assumed]
role_arn = arn:aws:iam::123456789012:role/x
; temporary
[session]
AWS_ACCESS_KEY_ID = ASIA
aws_secret_access_key = other
aws_session_token = token
aws_account_id = 123456789012
[again]
\taws_access_key_id = AKID
\taws_secret_access_key = secret
";

fn credentials(text: &str) -> Credentials {
    parse(text).and_then(collect).unwrap()
}

fn mistake(text: &str) -> String {
    let Mistake { line, text } = parse(text).and_then(collect).map(|_| ()).unwrap_err();
    format!("line {line}: {text}")
}

fn entry(secret: &str, token: Option<&str>, account: &str, expires: Option<u64>) -> Entry {
    Entry {
        secret_key: Secret(secret.to_owned()),
        session_token: token.map(|text| Secret(text.to_owned())),
        account: account.into(),
        expires: expires.map(WallMs),
    }
}

#[test]
fn twelve_digits_are_an_account() {
    assert_eq!(account_of("123456789012"), "123456789012");
    for key in ["AKIAIOSFODNN7EXAMPLE", "", "12345678901", "1234567890123", "12345678901x", "١٢٣٤٥٦"] {
        assert_eq!(account_of(key), DEFAULT_ACCOUNT, "{key}");
    }
}

#[test]
fn the_document_gives_its_credentials() {
    let credentials = credentials(TOML);
    assert_eq!(credentials.len(), 2);
    assert_eq!(credentials["AKID"].entry, entry("secret", None, DEFAULT_ACCOUNT, None));
    let temporary = entry("other", Some("token"), "123456789012", Some(1_767_225_600_000));
    assert_eq!(credentials["ASIA"].entry, temporary);
}

#[test]
fn profiles_give_their_credentials() {
    let credentials = credentials(PROFILES);
    assert_eq!(credentials.len(), 2);
    assert_eq!(credentials["AKID"].entry, entry("secret", None, DEFAULT_ACCOUNT, None));
    assert_eq!(credentials["ASIA"].entry, entry("other", Some("token"), "123456789012", None));
}

#[test]
fn a_key_of_twelve_digits_is_its_own_account() {
    let text = "[a]\naws_access_key_id=123456789012\naws_secret_access_key=x\n";
    assert_eq!(credentials(text)["123456789012"].entry.account.as_ref(), "123456789012");
}

#[test]
fn mistakes_in_a_document_name_their_line_and_the_fix() {
    let one =
        |lines: &str| mistake(&format!("\n[[credential]]\naccess-key = \"a\"\nsecret-key = \"b\"\n{lines}"));
    let names = "a credential has access-key, secret-key, session-token, account and expires";
    assert_eq!(one("acess = \"x\""), format!("line 5: \"acess\" is not known: {names}"));
    assert_eq!(
        one("account = \"123\""),
        "line 2: account \"123\" is not an account: write twelve digits in quotes"
    );
    assert_eq!(one("account = 123456789012"), "line 5: account is not a text: write the value in quotes");
    assert_eq!(
        one("session-token = \"\""),
        "line 5: session-token is empty: write a value or leave the line out"
    );
    let zone = "line 5: expires is not a time with a zone: write it like expires = 2026-12-31T18:00:00Z";
    for expires in ["2026-12-31T18:00:00", "2026-12-31", "\"soon\"", "1", "1960-01-01T00:00:00Z"] {
        assert_eq!(one(&format!("expires = {expires}")), zone, "{expires}");
    }
    assert_eq!(
        one("[[credential]]\naccess-key = \"a\"\nsecret-key = \"c\""),
        "line 5: the access key a stands in line 2 with another secret, token, account or end: give each key once"
    );
    assert_eq!(
        one("[[credential]]\nsecret-key = \"c\""),
        "line 5: access-key is missing: add a line `access-key = …`"
    );
    assert_eq!(
        one("[[credential]]\naccess-key = \"c\""),
        "line 5: secret-key is missing: add a line `secret-key = …`"
    );
    let plain = "access-key must be at most 128 printable ASCII characters without space, comma, slash and equals sign";
    for key in ["a/b", "a b", "a,b", "a=b", "é", &"a".repeat(129)] {
        let text = format!("[[credential]]\naccess-key = \"{key}\"\nsecret-key = \"c\"");
        assert_eq!(mistake(&text), format!("line 1: {plain}"));
    }
}

#[test]
fn a_file_in_neither_format_is_refused() {
    let table = "is not expected here: write each key in a table [[credential]]";
    assert_eq!(mistake("\nx = 1"), format!("line 2: \"x\" {table}"));
    assert_eq!(mistake("[credential]\naccess-key = \"a\""), format!("line 1: \"credential\" {table}"));
    assert_eq!(mistake("credential = [1]"), format!("line 1: \"credential\" {table}"));
    assert_eq!(mistake("[[credentials]]"), format!("line 1: \"credentials\" {table}"));
    assert!(mistake("\n\naccess-key = AKID").starts_with("line 3: "));
    assert!(mistake("\n\naccess-key = AKID").ends_with(": correct the TOML"));
    for empty in ["", "# nothing\n", "credential = []"] {
        assert_eq!(
            mistake(empty),
            "line 1: the file has no credential, so nobody could sign: add a [[credential]] with access-key and \
             secret-key, or a [profile] with aws_access_key_id and aws_secret_access_key"
        );
    }
}

#[test]
fn mistakes_in_profiles_name_their_line_and_the_fix() {
    let one = |lines: &str| mistake(&format!("[default]\naws_access_key_id = a\n{lines}"));
    assert_eq!(one(""), "line 1: aws_secret_access_key is missing: add a line `aws_secret_access_key = …`");
    assert_eq!(
        one("aws_secret_access_key ="),
        "line 3: aws_secret_access_key has no value: write one or leave the line out"
    );
    assert_eq!(one("what is this"), "line 3: this line is no setting: write name = value");
    assert_eq!(one("[other"), "line 3: the name of a profile ends with ]: write [name]");
    assert_eq!(
        one("aws_secret_access_key = b\naws_account_id = 12"),
        "line 1: aws_account_id \"12\" is not an account: write twelve digits in quotes"
    );
    assert_eq!(
        mistake("\naws_access_key_id = a"),
        "line 2: this line stands in no profile: put [default] before it"
    );
}

#[test]
fn secrets_are_never_printed() {
    let shown = format!("{:?}", credentials(TOML));
    assert!(shown.contains("ASIA") && !shown.contains("other") && !shown.contains("\"token\""), "{shown}");
}

#[test]
fn a_token_must_be_the_one_of_its_key_and_in_time() {
    let credentials = credentials(TOML);
    let outcome = |key: &str, token: Option<&str>, now: u64| {
        credentials[key].check_token(token, WallMs(now)).map_err(|error| error.code)
    };
    let end = 1_767_225_600_000;
    assert_eq!(outcome("AKID", None, end), Ok(()));
    assert_eq!(outcome("AKID", Some("token"), end), Err(ErrorCode::UnrecognizedClientException));
    assert_eq!(outcome("ASIA", Some("token"), end - 1), Ok(()));
    assert_eq!(outcome("ASIA", Some("token"), end), Err(ErrorCode::ExpiredTokenException));
    for wrong in [None, Some(""), Some("tokem"), Some("token2"), Some("tok")] {
        assert_eq!(outcome("ASIA", wrong, end), Err(ErrorCode::UnrecognizedClientException), "{wrong:?}");
    }
}

#[test]
fn the_signing_keys_that_are_kept_are_bounded() {
    let credential = Credential::new(entry("secret", None, DEFAULT_ACCOUNT, None));
    for day in 0..100 {
        let key = SigningKey::derive("secret", "x", "y", "z");
        credential.keep(CachedKey { date: day.to_string(), region: "r".to_owned(), key });
    }
    let kept: Vec<_> = credential.signing_keys.read().iter().map(|cached| cached.date.clone()).collect();
    assert_eq!(kept.len(), SIGNING_KEYS_MAX);
    assert_eq!((kept[0].as_str(), kept[15].as_str()), ("84", "99"));
}

#[test]
fn a_file_that_cannot_be_read_keeps_the_old_one_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials");
    let name = path.display();
    let missing = Keyring::open(&path).unwrap_err();
    assert_eq!(
        missing,
        format!("{name}: No such file or directory (os error 2): check the path and who may read it")
    );

    fs::write(&path, TOML).unwrap();
    let keyring = Keyring::open(&path).unwrap();
    assert_eq!(keyring.count(), 2);
    fs::write(&path, "[[credential]]\naccess-key = \"a\"").unwrap();
    let mistake = keyring.reload().unwrap_err();
    assert_eq!(mistake, format!("{name}, line 1: secret-key is missing: add a line `secret-key = …`"));
    assert_eq!(keyring.count(), 2);
    fs::write(&path, "[a]\naws_access_key_id=a\naws_secret_access_key=b").unwrap();
    assert_eq!(keyring.reload(), Ok(()));
    assert_eq!(keyring.count(), 1);
}

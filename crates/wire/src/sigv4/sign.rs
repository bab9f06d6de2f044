//! The other side: a client that signs its requests.

use std::fmt;

use hashrange_env::WallMs;

use super::key::{SigningKey, digest, hex};
use super::time::basic;
use super::{ALGORITHM, SERVICE, TERMINATOR};

/// An access key with its secret, for a program that asks a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Signer {
    /// The access key id.
    pub access_key: String,
    /// The secret access key. It is never printed.
    pub secret_key: String,
    /// The session token of a temporary key.
    pub session_token: Option<String>,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("access_key", &self.access_key).finish_non_exhaustive()
    }
}

impl Signer {
    /// The headers that sign a POST to `/` at that time: `x-amz-date`, `x-amz-security-token` where there is a token, and
    /// `authorization`. `signed` are further headers that are sent and signed, by lower-case names, `host` among them.
    pub fn sign(
        &self,
        region: &str,
        now: WallMs,
        signed: &[(&str, &str)],
        body: &[u8],
    ) -> Vec<(&'static str, String)> {
        let timestamp = basic(i64::try_from(now.seconds()).unwrap_or(i64::MAX / 2));
        let date = &timestamp[..8];
        let mut added = vec![("x-amz-date", timestamp.clone())];
        added.extend(self.session_token.clone().map(|token| ("x-amz-security-token", token)));
        let own = added.iter().map(|(name, value)| (*name, value.as_str()));
        let mut headers: Vec<(&str, &str)> = signed.iter().copied().chain(own).collect();
        headers.sort_unstable();
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let mut canonical = String::from("POST\n/\n\n");
        for (name, value) in &headers {
            canonical.extend([*name, ":", value.trim(), "\n"]);
        }
        canonical.extend(["\n", &names, "\n", &digits(&digest(body))]);
        let scope = format!("{date}/{region}/{SERVICE}/{TERMINATOR}");
        let text = format!("{ALGORITHM}\n{timestamp}\n{scope}\n{}", digits(&digest(canonical.as_bytes())));
        let key = SigningKey::derive(&self.secret_key, date, region, SERVICE);
        let signature = digits(&key.sign(text.as_bytes()));
        let access_key = &self.access_key;
        added.push((
            "authorization",
            format!(
                "{ALGORITHM} Credential={access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
            ),
        ));
        added
    }
}

fn digits(hash: &[u8; 32]) -> String {
    hex(hash).iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_what_another_client_makes_of_the_same_request() {
        let signer = Signer {
            access_key: "AKIDEXAMPLE".to_owned(),
            secret_key: "secret/key".to_owned(),
            session_token: Some("token".to_owned()),
        };
        let signed = [
            ("x-amz-target", "DynamoDB_20120810.ListTables"),
            ("host", "localhost:8000"),
            ("content-type", "application/x-amz-json-1.0"),
        ];
        let headers = signer.sign("eu-west-1", WallMs(1_796_040_000_000), &signed, b"{}");
        assert_eq!(headers[0], ("x-amz-date", "20261130T120000Z".to_owned()));
        assert_eq!(headers[1], ("x-amz-security-token", "token".to_owned()));
        // botocore 1.43 (SigV4Auth), at that time.
        let expected = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/eu-west-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=0e771f849d3c72423717e4d425d408778dbad6ab6164fb386d00d774406109b8";
        assert_eq!(headers[2], ("authorization", expected.to_owned()));
    }

    #[test]
    fn a_secret_is_not_printed() {
        let signer = Signer {
            access_key: "A".to_owned(),
            secret_key: "hidden".to_owned(),
            session_token: Some("token".to_owned()),
        };
        let printed = format!("{signer:?}");
        assert!(
            printed.contains('A') && !printed.contains("hidden") && !printed.contains("token"),
            "{printed}"
        );
    }
}

//! `sign`: what it costs to verify the signature of a request, in this process and without HTTP.
//!
//! The requests are those of the load generator, with the headers of a boto3 client, signed here with `hmac` and `sha2`
//! alone. The keyring under test has seen the access key before, so its signing key is at hand, as it is for every
//! request but the first of a day.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use hashrange_env::WallMs;
use hashrange_wire::{Keyring, Seen};
use hmac::{Hmac, KeyInit, Mac};
use hyper::Request;
use hyper::header::{AUTHORIZATION, HeaderValue};
use hyper::http::request::Parts;
use sha2::{Digest, Sha256};

use crate::Failure;
use crate::report::median;
use crate::requests::{Layout, Template};

/// 2026-11-30T12:00:00Z, when the requests are signed.
const NOW: WallMs = WallMs(1_796_040_000_000);
const TIMESTAMP: &str = "20261130T120000Z";
const SCOPE: &str = "20261130/us-east-1/dynamodb/aws4_request";
const ACCESS_KEY: &str = "AKIAIOSFODNN7EXAMPLE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/// Different requests in turn, so that none is verified twice in a row.
const REQUESTS: u64 = 64;

/// The most that a verification may cost, besides hashing what the body has over a GetItem's: SHA-256 takes what it takes, and
/// its own time is measured beside it.
const BAR_US: f64 = 1.2;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Rounds; the median counts. They are short, so that other work on the machine falls between them.
    #[arg(long, default_value_t = 4000)]
    rounds: usize,
    /// Verifications of one round.
    #[arg(long, default_value_t = 100)]
    verifications: u32,
    /// Prints the figures without judging them.
    #[arg(long)]
    report_only: bool,
}

/// A request as the server sees it.
struct Signed {
    head: Parts,
    body: Vec<u8>,
}

/// Verifies requests of both sizes and prints microseconds for each; exit code 1 when the bar does not hold.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("credentials.toml");
    std::fs::write(
        &file,
        format!("[[credential]]\naccess-key = \"{ACCESS_KEY}\"\nsecret-key = \"{SECRET}\"\n"),
    )?;
    let keyring = Keyring::open(&file)?;
    println!(
        "| verification | body bytes | median us | fastest round us | of it hashing the body | judged us | at most us | |\n\
         |---|---|---|---|---|---|---|---|"
    );
    let mut holds = true;
    let mut least_hashing = f64::INFINITY;
    for (name, template) in
        [("GetItem", Template::get(Layout::default())), ("PutItem", Template::put(Layout::default()))]
    {
        let requests = signed(template)?;
        let rounds = measure(&keyring, &requests, args)?;
        let fastest = rounds.iter().copied().fold(f64::INFINITY, f64::min);
        let hashing = median(measure_hashing(&requests, args));
        least_hashing = least_hashing.min(hashing);
        let measured = median(rounds);
        let judged = measured - (hashing - least_hashing);
        let verdict = if judged <= BAR_US { "pass" } else { "**FAIL**" };
        holds &= judged <= BAR_US;
        let bytes = requests[0].body.len();
        println!(
            "| {name} | {bytes} | {measured:.3} | {fastest:.3} | {hashing:.3} | {judged:.3} | {BAR_US} | {verdict} |"
        );
    }
    Ok(ExitCode::from(u8::from(!holds && !args.report_only)))
}

/// Microseconds for each verification, one figure for each round. A signature that is refused is a failure.
fn measure(keyring: &Keyring, requests: &[Signed], args: &Args) -> Result<Vec<f64>, Failure> {
    let mut rounds = Vec::new();
    for _ in 0..args.rounds {
        let started = Instant::now();
        for request in requests.iter().cycle().take(args.verifications as usize) {
            let outcome = keyring.verify(&Seen::of(black_box(&request.head)), black_box(&request.body), NOW);
            black_box(outcome.map_err(|error| error.to_string())?);
        }
        rounds.push(started.elapsed().as_secs_f64() * 1e6 / f64::from(args.verifications));
    }
    Ok(rounds)
}

/// The same for the hash of the body alone.
fn measure_hashing(requests: &[Signed], args: &Args) -> Vec<f64> {
    let round = |_| {
        let started = Instant::now();
        for request in requests.iter().cycle().take(args.verifications as usize) {
            black_box(Sha256::digest(black_box(&request.body)));
        }
        started.elapsed().as_secs_f64() * 1e6 / f64::from(args.verifications)
    };
    (0..args.rounds).map(round).collect()
}

fn signed(mut template: Template) -> Result<Vec<Signed>, Failure> {
    (0..REQUESTS).map(|item| sign(template.fill(item, item * 7919))).collect()
}

/// The request in `bytes` with a signature that is right.
fn sign(bytes: &[u8]) -> Result<Signed, Failure> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut parsed = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = parsed.parse(bytes)? else {
        return Err("the template is no whole request".into());
    };
    let body = bytes[length..].to_vec();
    let mut request = Request::builder().method("POST").uri("/");
    for header in parsed.headers.iter() {
        request = request.header(header.name, header.value);
    }
    let (mut head, ()) = request.body(())?.into_parts();
    let authorization = HeaderValue::try_from(authorization(&head, &body)?)?;
    head.headers.insert(AUTHORIZATION, authorization);
    Ok(Signed { head, body })
}

fn authorization(head: &Parts, body: &[u8]) -> Result<String, Failure> {
    const NAMES: [&str; 4] = ["content-type", "host", "x-amz-date", "x-amz-target"];
    let mut canonical = String::from("POST\n/\n\n");
    for name in NAMES {
        let value = head.headers.get(name).ok_or("a header is missing")?.to_str()?;
        canonical.extend([name, ":", value, "\n"]);
    }
    let names = NAMES.join(";");
    canonical.extend(["\n", &names, "\n", &hex(&Sha256::digest(body))]);
    let text = format!("AWS4-HMAC-SHA256\n{TIMESTAMP}\n{SCOPE}\n{}", hex(&Sha256::digest(canonical)));
    let mut key = format!("AWS4{SECRET}").into_bytes();
    for part in SCOPE.split('/') {
        key = mac(&key, part);
    }
    let signature = hex(&mac(&key, &text));
    Ok(format!(
        "AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{SCOPE}, SignedHeaders={names}, Signature={signature}"
    ))
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

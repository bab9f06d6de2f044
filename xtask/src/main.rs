//! Automation of this workspace: `cargo xtask NAME`.

mod ci;
mod clients;
mod codegen;
mod fuzz;
mod process;
mod tidy;

use std::process::{Command, ExitCode};

use process::Outcome;

const USAGE: &str = "\
cargo xtask ci [--skip-tests]     everything that CI checks, in its order
cargo xtask tidy                  our own rules: crate edges, banned calls, sizes, documents
cargo xtask codegen [--check]     write the generated code, or check that it is fresh
cargo xtask clients [NAME..]      walk the server with every SDK that this machine can run
cargo xtask crash [--rounds N]    kill a server N times under load and check what it comes back with
cargo xtask sim --seeds N         run the whole database in N simulated worlds; `--seed N` shows one
cargo xtask fuzz [--minutes N]    random requests, expressions, rows, heads, files; one minute each, or longer
cargo xtask bench items           throughput, latency and CPU, against a bare server and the raw disk
cargo xtask bench query           the same for Query, Scan, batches and indexes
cargo xtask bench transact        the same for transactions and statements
cargo xtask bench record          what a recording of traffic costs
cargo xtask bench sign            time to verify a signature";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Outcome {
    match words {
        ["ci", rest @ ..] => ci::run(rest),
        ["tidy"] => tidy::run(),
        ["clients", names @ ..] => clients::run(names),
        ["codegen", rest @ ..] => codegen(rest),
        ["crash", rest @ ..] => crash(rest),
        ["sim", rest @ ..] => sim(rest),
        ["bench", rest @ ..] => bench(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        _ => Err(format!("no such command; there are\n{USAGE}")),
    }
}

fn codegen(words: &[&str]) -> Outcome {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let fresh = codegen::run(&process::root(), &words);
    if fresh {
        Ok(())
    } else {
        Err("generated code is stale: run `cargo xtask codegen` and commit the result".to_owned())
    }
}

/// The crash and isolation tests of `cargo test`, longer: they read the number of rounds from a variable.
fn crash(words: &[&str]) -> Outcome {
    let rounds = match words {
        [] => "200",
        ["--rounds", rounds] if rounds.parse::<u32>().is_ok() => rounds,
        _ => return Err("cargo xtask crash [--rounds N], N a whole number".to_owned()),
    };
    process::cargo(["build", "--release", "--package", "hashrange"])?;
    let mut test = process::cargo_command([
        "test",
        "--release",
        "--package",
        "hashrange",
        "--test",
        "crash",
        "--test",
        "isolation",
        "--",
        "--nocapture",
    ]);
    process::run(test.env("HASHRANGE_CRASH_ROUNDS", rounds))
}

/// The simulation in the profile of its test, so that both run the same worlds; `hashrange-sim` knows its flags.
fn sim(words: &[&str]) -> Outcome {
    let run = ["run", "--quiet", "--package", "hashrange-sim", "--"];
    process::cargo(run.iter().chain(words))
}

/// The benchmarks run release builds in processes of their own; `hashrange-bench` knows the rest.
fn bench(words: &[&str]) -> Outcome {
    let (what, rest) = match words {
        ["sign", rest @ ..] => return bench_in_process("sign", rest),
        [what @ ("items" | "query" | "record" | "transact"), rest @ ..] => (what, rest),
        _ => return Err("cargo xtask bench items|query|record|transact|sign [FLAGS]".to_owned()),
    };
    process::cargo(["build", "--release", "--package", "hashrange", "--package", "hashrange-bench"])?;
    let built = process::target_folder()?.join("release");
    let mut bench = Command::new(built.join("hashrange-bench"));
    process::run(bench.arg(what).arg("--server").arg(built.join("hashrange")).args(rest))
}

/// A benchmark that needs no server.
fn bench_in_process(what: &str, rest: &[&str]) -> Outcome {
    process::cargo(["build", "--release", "--package", "hashrange-bench"])?;
    let bench = process::target_folder()?.join("release").join("hashrange-bench");
    process::run(Command::new(bench).arg(what).args(rest))
}

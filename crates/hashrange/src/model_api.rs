//! Models in test suites: the access patterns of a program, run on the real engine in the test's own process.
//!
//! ```
//! use hashrange::model::Model;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = Model::from_text(
//!     r#"
//! hashrange: 1
//! name: shop
//! tables:
//!   Shop: {key: {hash: PK, range: SK}}
//! entities:
//!   User:
//!     key: {PK: "USER#{userId}", SK: PROFILE}
//!     attributes: {userId: uuid, name: name}
//!     bytes: 400
//! patterns:
//!   - id: P1
//!     name: user by id
//!     operation: GetItem
//!     key: {PK: "USER#{userId}", SK: PROFILE}
//!     expect: {count: 1, plan: get}
//!     budget: {rcu: 0.5}
//! "#,
//! )?;
//! model.test().scales(&[1, 10]).await.assert();
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::future::IntoFuture;
use std::path::Path;
use std::pin::Pin;

use hashrange_api::{Error, ErrorCode};
use hashrange_env::{Clock, RealClock};
use hashrange_modelling::report::{self, Form, Found};
use hashrange_modelling::target::{Answer, Call, Reply, Target};
use hashrange_modelling::{read, run};
use hashrange_wire::json;
use serde_json::Value;

use crate::{Database, OpenError};

pub use hashrange_modelling::catalogue;
pub use hashrange_modelling::finding::{Evidence, Finding, Severity, Subject};
pub use hashrange_modelling::run::{Report, Run, Tested};
pub use hashrange_modelling::{Catalogue, check};

/// Most files that a model may be made of.
const FILES_MAX: usize = 100;

/// Tables, entities and access patterns, read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    catalogue: Catalogue,
}

/// Why a file is no model: each problem with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// One line each.
    pub problems: Vec<String>,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl std::error::Error for ModelError {}

impl Model {
    /// Reads a model in any of the formats that `hashrange model` reads, with the files that it names as its sources.
    ///
    /// # Errors
    /// When a file cannot be read, or is no model.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Model, ModelError> {
        let mut files = vec![load(path.as_ref())?];
        let mut at = 0;
        while at < files.len() && files.len() < FILES_MAX {
            let folder = Path::new(&files[at].path).parent().unwrap_or(Path::new("")).to_path_buf();
            for source in read::sources(&files[at]) {
                files.push(load(&folder.join(source))?);
            }
            at += 1;
        }
        Model::read(&files)
    }

    /// Reads a model from a text.
    ///
    /// # Errors
    /// When it is no model.
    pub fn from_text(text: &str) -> Result<Model, ModelError> {
        Model::read(&[read::SourceFile { path: "model".to_owned(), bytes: text.as_bytes().to_vec() }])
    }

    fn read(files: &[read::SourceFile]) -> Result<Model, ModelError> {
        let catalogue = read::read(files, &read::ReadOptions::default());
        let problems = |problems: Vec<read::Problem>| problems.iter().map(ToString::to_string).collect();
        Ok(Model { catalogue: catalogue.map_err(|error| ModelError { problems: problems(error) })? })
    }

    /// What was read.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Judges the model by its declarations and samples, without running anything. `today` is a date such as `2026-11-30`, by which
    /// waivers expire.
    pub fn check(&self, today: &str) -> Vec<Finding> {
        check::check(&self.catalogue, today)
    }

    /// Runs every pattern, on an engine in this process with samples of its own; await it.
    pub fn test(&self) -> Test<'_> {
        Test { model: self, seed: 1, scales: vec![1, 10], shared_state: false, patterns: Vec::new() }
    }
}

fn load(path: &Path) -> Result<read::SourceFile, ModelError> {
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => Ok(read::SourceFile { path: name, bytes }),
        Err(error) => Err(ModelError { problems: vec![format!("{name}: cannot be read: {error}")] }),
    }
}

/// A run that is about to begin: await it.
#[derive(Clone, Debug)]
pub struct Test<'m> {
    model: &'m Model,
    seed: u64,
    scales: Vec<usize>,
    shared_state: bool,
    patterns: Vec<String>,
}

impl Test<'_> {
    /// Tells sample data apart; 1 by default. The same seed gives the same data.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How large the tables are, in blocks of samples; 1 and 10 by default, since no budget may grow with a table.
    #[must_use]
    pub fn scales(mut self, scales: &[usize]) -> Self {
        self.scales = scales.to_vec();
        self
    }

    /// Writes stay for the patterns after them, in the order of the file, instead of being put back.
    #[must_use]
    pub fn shared_state(mut self) -> Self {
        self.shared_state = true;
        self
    }

    /// Only this pattern, and others that are named so.
    #[must_use]
    pub fn pattern(mut self, id: impl Into<String>) -> Self {
        self.patterns.push(id.into());
        self
    }

    async fn run(self) -> Outcome {
        let today = today();
        let options = run::Options {
            seed: self.seed,
            scales: &self.scales,
            shared_state: self.shared_state,
            patterns: &self.patterns,
            today: &today,
            progress: &|_| (),
        };
        let report = match Embedded::in_memory().await {
            Ok(target) => run::run(&self.model.catalogue, &target, &options).await,
            Err(error) => Report { problems: vec![error.to_string()], ..Report::default() },
        };
        Outcome { report }
    }
}

impl<'m> IntoFuture for Test<'m> {
    type Output = Outcome;
    type IntoFuture = Pin<Box<dyn Future<Output = Outcome> + Send + 'm>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// What came of a run. Prints as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Everything that was observed.
    pub report: Report,
}

impl Outcome {
    /// Whether every pattern that could be run passed.
    pub fn passed(&self) -> bool {
        self.report.passed()
    }

    /// Fails the test that calls it, with the table and every finding, unless all patterns passed.
    ///
    /// # Panics
    /// Where a pattern failed.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.passed(), "\n{self}");
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |_: &Finding| (String::new(), None);
        let found = Found { model: &self.report.model, findings: &[], place: &place };
        f.write_str(&report::run(&self.report, &found, Form::Table))
    }
}

/// A database of this process as a [`Target`].
#[derive(Clone, Debug)]
pub struct Embedded {
    database: Database,
}

impl Embedded {
    /// A new database in memory.
    ///
    /// # Errors
    /// None that a database in memory meets.
    pub async fn in_memory() -> Result<Embedded, OpenError> {
        Ok(Embedded { database: Database::in_memory().await? })
    }

    /// That database. A run makes the tables of its model and removes them.
    pub fn new(database: Database) -> Embedded {
        Embedded { database }
    }

    async fn answer(&self, call: &Call) -> Result<(Value, Option<String>), Error> {
        let request = json::decode(call.operation, call.body.to_string().as_bytes())?;
        let (response, plan) = if call.explain {
            let (response, explanation) = self.database.run_explained(request).await?;
            (response, Some(explanation.plan))
        } else {
            (self.database.run(request).await?, None)
        };
        let mut body = Vec::new();
        // A row that cannot be read is damaged; in memory there is none.
        json::encode_response(&response, &mut body)
            .map_err(|_| Error::bare(ErrorCode::InternalServerError))?;
        Ok((serde_json::from_slice(&body).unwrap_or(Value::Null), plan))
    }
}

impl Target for Embedded {
    fn call(&self, call: Call) -> Answer<'_> {
        Box::pin(async move {
            Ok(match self.answer(&call).await {
                Ok((body, plan)) => Reply { status: 200, body, plan },
                Err(error) => Reply {
                    status: error.code.status(),
                    body: serde_json::from_slice(&json::encode_error(&error)).unwrap_or(Value::Null),
                    plan: None,
                },
            })
        })
    }
}

/// Today in UTC, as waivers write it: `2026-11-30`.
pub fn today() -> String {
    hashrange_modelling::samples::day(RealClock::new().now().seconds())
}

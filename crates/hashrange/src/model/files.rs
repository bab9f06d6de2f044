//! Getting hold of models: files, standard input, folders, running servers, and what a file names in `sources`.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use hashrange_api::Operation;
use hashrange_modelling::read::node::BYTES_MAX;
use hashrange_modelling::read::{self, ReadOptions, SourceFile};
use serde_json::{Value, json};

use crate::client;

/// Most files of one model, with those of folders and of `sources`.
const FILES_MAX: usize = 1_000;

/// How deep folders are looked through.
const FOLDERS_MAX: usize = 6;

/// Files of a folder that may hold a model; which one each holds is told by its content.
const ENDINGS: [&str; 6] = ["json", "yaml", "yml", "template", "tf", "tfvars"];

/// What was loaded.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// The files that are read as models.
    pub(crate) files: Vec<SourceFile>,
    /// What was noticed.
    pub(crate) notes: Vec<String>,
}

/// Loads what a command line names, then what those files name in `sources`.
///
/// # Errors
/// What cannot be read, and why.
pub(crate) fn load(paths: &[String]) -> Result<Loaded, Vec<String>> {
    let mut loader = Loader::default();
    for path in paths {
        loader.load(path, None);
    }
    let mut at = 0;
    while at < loader.loaded.files.len() {
        let base = Path::new(&loader.loaded.files[at].path).parent().map(Path::to_path_buf);
        for source in read::sources(&loader.loaded.files[at]) {
            loader.load(&source, base.as_deref());
        }
        at += 1;
    }
    if loader.problems.is_empty() { Ok(loader.loaded) } else { Err(loader.problems) }
}

/// Loads what files include into the options. What cannot be read is told where a file needs it.
pub(crate) fn include(files: &[SourceFile], options: &mut ReadOptions) {
    for file in files {
        let folder = Path::new(&file.path).parent().map(Path::to_path_buf).unwrap_or_default();
        loop {
            let before = options.included.len();
            for name in read::iac::includes(file, options) {
                let path = folder.join(&name);
                if let Ok(bytes) = bytes(&path) {
                    options.included.push(SourceFile { path: path.display().to_string(), bytes });
                }
            }
            if options.included.len() == before || before >= FILES_MAX {
                break;
            }
        }
    }
}

#[derive(Default)]
struct Loader {
    loaded: Loaded,
    problems: Vec<String>,
}

impl Loader {
    fn load(&mut self, name: &str, base: Option<&Path>) {
        if name.starts_with("http://") || name.starts_with("https://") {
            return match describe_all(name) {
                Ok(file) => self.add(file),
                Err(problem) => self.problems.push(problem),
            };
        }
        if name == "-" {
            let mut bytes = Vec::new();
            return match std::io::stdin().lock().take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes) {
                Ok(_) => self.add(SourceFile { path: "standard input".to_owned(), bytes }),
                Err(error) => self.problems.push(format!("cannot read standard input: {error}")),
            };
        }
        let path = base.map_or_else(|| PathBuf::from(name), |base| base.join(name));
        if path.is_dir() {
            self.folder(&path, 0);
        } else {
            self.file(&path);
        }
    }

    fn add(&mut self, file: SourceFile) {
        if self.loaded.files.iter().any(|have| have.path == file.path) {
            return;
        }
        if self.loaded.files.len() >= FILES_MAX {
            return self.problems.push(format!("{}: more than {FILES_MAX} files", file.path));
        }
        self.loaded.files.push(file);
    }

    fn file(&mut self, path: &Path) {
        match bytes(path) {
            Ok(bytes) => self.add(SourceFile { path: path.display().to_string(), bytes }),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// All files of a folder that hold a model; the others are passed over.
    fn folder(&mut self, folder: &Path, depth: usize) {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.problems.push(unreadable(folder, &error)),
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || matches!(name.as_str(), "node_modules" | "target") {
                continue;
            }
            if path.is_dir() && depth < FOLDERS_MAX && !path.is_symlink() {
                self.folder(&path, depth + 1);
            } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|have| ending == *have)) {
                self.candidate(&path);
            }
        }
    }

    fn candidate(&mut self, path: &Path) {
        let Ok(bytes) = bytes(path) else { return };
        let file = SourceFile { path: path.display().to_string(), bytes };
        match read::format_of(&file) {
            Some(_) => self.add(file),
            None => self.loaded.notes.push(format!("{}: holds no model, passed over", file.path)),
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let size = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?.len();
    if size > BYTES_MAX as u64 {
        return Err(problem(&format!("the file is larger than {} MiB", BYTES_MAX >> 20)));
    }
    std::fs::read(path).map_err(|error| unreadable(path, &error))
}

/// Why a file cannot be read, and what to do.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let path = path.display();
    match error.kind() {
        std::io::ErrorKind::NotFound => format!(
            "{path}: there is no such file; name a model, a template, a folder of them or the address of a server, \
             or start a catalogue with \"hashrange model init --output {path}\""
        ),
        std::io::ErrorKind::PermissionDenied => {
            format!("{path}: this user may not read it; change its permissions, or run as its owner")
        }
        _ => format!("{path}: {error}"),
    }
}

/// The tables of a running server, as a list of answers of DescribeTable, each with its time to live.
fn describe_all(endpoint: &str) -> Result<SourceFile, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the system gives no timer: {error}"))?;
    let tables = runtime.block_on(descriptions(endpoint))?;
    if tables.is_empty() {
        let region = client::region();
        return Err(format!(
            "{endpoint} has no tables in region {region} for this access key; create them, or name others with AWS_REGION and \
             AWS_ACCESS_KEY_ID"
        ));
    }
    let bytes = Value::Array(tables).to_string().into_bytes();
    Ok(SourceFile { path: endpoint.to_owned(), bytes })
}

async fn descriptions(endpoint: &str) -> Result<Vec<Value>, String> {
    let mut tables = Vec::new();
    let mut start = Value::Null;
    loop {
        let mut request = json!({});
        if !start.is_null() {
            request["ExclusiveStartTableName"] = start;
        }
        let mut list = ask(endpoint, Operation::ListTables, &request).await?;
        for name in list["TableNames"].as_array().into_iter().flatten() {
            let request = json!({ "TableName": name });
            let mut table = ask(endpoint, Operation::DescribeTable, &request).await?;
            if let Ok(ttl) = ask(endpoint, Operation::DescribeTimeToLive, &request).await {
                table["TimeToLiveDescription"] = ttl["TimeToLiveDescription"].clone();
            }
            if let Ok(backups) = ask(endpoint, Operation::DescribeContinuousBackups, &request).await {
                table["ContinuousBackupsDescription"] = backups["ContinuousBackupsDescription"].clone();
            }
            for (operation, member, request) in beside(name, &table) {
                if let Ok(Value::Object(answer)) = ask(endpoint, operation, &json!({member: request})).await
                    && let Some(table) = table.as_object_mut()
                {
                    table.extend(answer.into_iter().filter(|(name, _)| ANSWERS.contains(&name.as_str())));
                }
            }
            tables.push(table);
        }
        start = list["LastEvaluatedTableName"].take();
        if start.is_null() || tables.len() >= FILES_MAX {
            return Ok(tables);
        }
    }
}

/// What answers of other operations add to that of DescribeTable.
const ANSWERS: [&str; 4] =
    ["KinesisDataStreamDestinations", "ContributorInsightsStatus", "ContributorInsightsMode", "Policy"];

/// Operations that tell more of a table, each with the one member of its request.
fn beside(name: &Value, table: &Value) -> [(Operation, &'static str, Value); 3] {
    [
        (Operation::DescribeKinesisStreamingDestination, "TableName", name.clone()),
        (Operation::DescribeContributorInsights, "TableName", name.clone()),
        (Operation::GetResourcePolicy, "ResourceArn", table["Table"]["TableArn"].clone()),
    ]
}

async fn ask(endpoint: &str, operation: Operation, request: &Value) -> Result<Value, String> {
    let (region, ca) = (client::region(), client::ca_of_environment());
    let server = client::Server { endpoint, region: &region, ca: ca.as_deref() };
    let answer = client::ask(server, operation, &request.to_string(), &[]).await?;
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    if !answer.is_success() {
        return Err(format!("{endpoint} refuses {}: {body}", operation.name()));
    }
    serde_json::from_str(&body)
        .map_err(|error| format!("{endpoint} answers no JSON to {}: {error}", operation.name()))
}

/// Writes a file that a command makes; another one in its place stays unless `force` is given.
///
/// # Errors
/// One line that says what to do.
pub(crate) fn write(path: &str, text: &str, force: bool) -> Result<(), String> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).truncate(force).create(force).create_new(!force);
    let file = options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{path} exists; give --force to write over it"),
        _ => format!("cannot write {path}: {error}"),
    });
    file.and_then(|mut file| {
        file.write_all(text.as_bytes()).map_err(|error| format!("cannot write {path}: {error}"))
    })
}

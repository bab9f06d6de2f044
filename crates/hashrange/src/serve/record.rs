//! `hashrange serve --record FILE`: the forms of requests, written to a file now and then and at the end.

mod convert;
#[cfg(test)]
mod tests;

use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashrange::Database;
use hashrange_env::Env;
use hashrange_modelling::record::Recording;
use hashrange_service::Recorder;

use crate::config::Settings;

/// How much of a recording a crash may take.
const FLUSH_EVERY: Duration = Duration::from_secs(10);

/// A recording that is under way.
#[derive(Clone, Debug)]
pub(super) struct Record {
    file: PathBuf,
    recorder: Arc<Recorder>,
}

impl Record {
    /// Begins a recording, where the settings ask for one.
    ///
    /// # Errors
    /// One line: why the file cannot be written, and what to do.
    pub(super) fn start(
        settings: &Settings,
        database: &Database,
        env: &Env,
    ) -> Result<Option<Record>, String> {
        let Some(file) = settings.record.clone() else { return Ok(None) };
        refuse_foreign(&file)?;
        let sample = u64::try_from(settings.record_sample).unwrap_or(u64::MAX);
        let record = Record { file, recorder: Arc::new(Recorder::new(env, sample)) };
        record.save().map_err(|error| {
            format!(
                "cannot write the recording {}: {error}; name a file in a folder that can be written",
                record.file.display()
            )
        })?;
        database.service().record(Arc::clone(&record.recorder));
        record.flush_now_and_then(env);
        Ok(Some(record))
    }

    fn flush_now_and_then(&self, env: &Env) {
        let (record, tasks) = (self.clone(), Arc::clone(&env.tasks));
        let flush = async move {
            loop {
                tasks.sleep(FLUSH_EVERY).await;
                record.clone().save_in_background().await;
            }
        };
        env.tasks.spawn("recording", Box::pin(flush));
    }

    async fn save_in_background(self) {
        let file = self.file.clone();
        let saved = tokio::task::spawn_blocking(move || self.save()).await;
        if let Err(error) = saved.expect("saving a recording does not panic") {
            tracing::warn!(%error, file = %file.display(), "cannot write the recording; it is tried again");
        }
    }

    /// Writes what was recorded until the end of the server.
    pub(super) async fn finish(self) {
        tracing::info!(file = %self.file.display(), "the recording is complete");
        self.save_in_background().await;
    }

    fn save(&self) -> io::Result<()> {
        write(&self.file, &convert::recording(&self.recorder.recording()).to_json())
    }
}

/// A file that is there and is no recording is somebody's.
fn refuse_foreign(file: &Path) -> Result<(), String> {
    let bytes = match std::fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => {
            other.map_err(|error| format!("cannot read {}: {error}; name another file", file.display()))?
        }
    };
    if bytes.is_empty() || Recording::from_json(&bytes).is_ok() {
        return Ok(());
    }
    Err(format!("{} is there and is no recording: name another file, or remove it", file.display()))
}

/// Replaces the file as a whole, so that a reader meets the old or the new one. Only its owner may read it.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = file.with_file_name(name);
    let mut options = std::fs::OpenOptions::new();
    let mut written = options.write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    let replaced = written
        .write_all(bytes)
        .and_then(|()| written.sync_all())
        .and_then(|()| std::fs::rename(&beside, file));
    if replaced.is_err() {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&beside);
    }
    replaced
}

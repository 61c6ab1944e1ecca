//! Keeps pending refreshes on disk: one small file for each node that has one.
//!
//! A file is written before the change that it is for, and removed after the refresh. Nothing else is in
//! the directory, and nothing is created while nothing is pending.
//!
//! A log of all changes would have to be read and shortened; files for what is owed are none most of the time. A change
//! that failed early leaves a refresh too many, which is the price of never missing one. A record is named by the hash
//! of module and node, so runs of different modules need not know of each other.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::sdk::context::RunId;
use crate::system::{Files, Follow, System, SystemError, WriteFile};
use crate::types::id::NodeId;

/// What module and node become in paths: so many bytes of their hash.
const HASH_BYTES: usize = 16;

/// Only the user that runs the program may read the records: names may say more than they should.
const DIRECTORY_MODE: u32 = 0o700;

/// The form of the files; a later version of this program may write another.
const FORMAT: u32 = 1;

/// How many causes are named. One is enough for a refresh, so the file stays small, and is not written again
/// for each of many changes.
const CAUSES: usize = 8;

/// The records of one root module.
#[derive(Debug)]
pub(super) struct Journal {
    system: Arc<dyn System>,
    directory: PathBuf,
    module: String,
    run: RunId,
}

/// The pending refresh of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    format: u32,
    /// The root module.
    module: String,
    node: String,
    /// The run since which it is pending.
    run: String,
    /// What was changed, as the module names it.
    causes: Vec<String>,
}

/// A record could not be read, written or removed.
#[derive(Debug, thiserror::Error)]
pub(super) enum JournalError {
    #[error(transparent)]
    System(#[from] SystemError),
    /// There is something in its place.
    #[error(
        "{} should hold the refresh that `{node}` owes, but {problem}; remove the file, and run {node} by hand \
         if it has to take notice of an earlier change",
        .path.display()
    )]
    InvalidRecord { path: PathBuf, node: String, problem: InvalidRecord },
    #[error("{}: {error}", .path.display())]
    Encode { path: PathBuf, error: serde_json::Error },
}

/// Why the text of a file is no record of a node.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidRecord {
    /// It is something else, or was cut off.
    #[error("it is not a record of an owed refresh: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// A later version of this program wrote it.
    #[error("it has the format {0}, which this version does not know")]
    Format(u32),
    #[error("it is about `{node}` of {module}")]
    Foreign { node: String, module: String },
}

impl Journal {
    pub(super) fn new(system: Arc<dyn System>, directory: &Path, module: String, run: RunId) -> Self {
        Self { system, directory: directory.join(hash(&module)), module, run }
    }

    fn path(&self, node: &NodeId) -> PathBuf {
        self.directory.join(format!("{}.json", hash(node.as_str())))
    }

    pub(super) async fn read(&self, node: &NodeId) -> Result<Option<Record>, JournalError> {
        let path = self.path(node);
        let Some(content) = self.system.files().read(&path).await? else { return Ok(None) };
        self.parse(&content.bytes, node).map(Some).map_err(|problem| JournalError::InvalidRecord {
            path,
            node: node.short().to_owned(),
            problem,
        })
    }

    fn parse(&self, bytes: &[u8], node: &NodeId) -> Result<Record, InvalidRecord> {
        #[derive(Deserialize)]
        struct FormatVersion {
            format: u32,
        }
        // The format first: the rest of a file of another one may be anything.
        let FormatVersion { format } = serde_json::from_slice(bytes)?;
        if format != FORMAT {
            return Err(InvalidRecord::Format(format));
        }
        let record: Record = serde_json::from_slice(bytes)?;
        if record.module != self.module || record.node != node.as_str() {
            return Err(InvalidRecord::Foreign { node: record.node, module: record.module });
        }
        Ok(record)
    }

    /// Adds a cause to the record of a node. When this returns it has reached the disk.
    pub(super) async fn add(
        &self,
        have: Option<Record>,
        node: &NodeId,
        cause: &str,
    ) -> Result<Record, JournalError> {
        let is_new = have.is_none();
        let mut record = have.unwrap_or_else(|| Record {
            format: FORMAT,
            module: self.module.clone(),
            node: node.to_string(),
            run: self.run.as_str().to_owned(),
            causes: Vec::new(),
        });
        if record.causes.len() >= CAUSES || record.causes.iter().any(|have| have == cause) {
            return Ok(record);
        }
        record.causes.push(cause.to_owned());
        let files = self.system.files();
        if is_new {
            create_all(files, &self.directory).await?;
        }
        let path = self.path(node);
        let mut bytes = serde_json::to_vec_pretty(&record)
            .map_err(|error| JournalError::Encode { path: path.clone(), error })?;
        bytes.push(b'\n');
        files.write(&path, WriteFile { durable: true, ..WriteFile::new(&bytes) }).await?;
        Ok(record)
    }

    pub(super) async fn remove(&self, node: &NodeId) -> Result<(), JournalError> {
        Ok(self.system.files().remove_file(&self.path(node)).await?)
    }
}

impl Record {
    /// `owed since run 18c2: file.content.conf changed`.
    pub(super) fn reason(&self) -> String {
        format!("owed since run {}: {} changed", self.run, self.causes.join(", "))
    }
}

/// Creates a directory and those around it, so that they outlast a crash as the records in them do. Another run may do
/// the same at the same time.
async fn create_all(files: &dyn Files, directory: &Path) -> Result<(), SystemError> {
    let mut missing = Vec::new();
    for at in directory.ancestors().filter(|at| !at.as_os_str().is_empty()) {
        if files.metadata(at, Follow::Links).await?.is_some() {
            break;
        }
        missing.push(at);
    }
    for at in missing.into_iter().rev() {
        if let Err(error) = files.create_dir(at, DIRECTORY_MODE).await
            && files.metadata(at, Follow::Links).await?.is_none()
        {
            return Err(error);
        }
        let around = at.parent().filter(|around| !around.as_os_str().is_empty());
        files.sync_dir(around.unwrap_or(Path::new("."))).await?;
    }
    Ok(())
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(HASH_BYTES).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

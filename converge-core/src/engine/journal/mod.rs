//! Refreshes that are owed, on disk: one small file for each node that owes one.
//!
//! A file is written before the change that it is for, and removed after the refresh. Nothing else is in
//! the directory, and nothing is created while nothing is owed.

mod record;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

pub(super) use self::record::Record;
use self::record::{Changed, NotARecord};
use crate::context::RunId;
use crate::graph::NodeId;
use crate::system::{Follow, System, SystemError, WriteFile};

/// What module and node become in paths: so many bytes of their hash.
const HASH_BYTES: usize = 16;

/// Only who runs the program may read what it owes: names may say more than they should.
const DIRECTORY_MODE: u32 = 0o700;

/// The records of one root module.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    directory: PathBuf,
    module: String,
}

/// A record could not be read, written or removed.
#[derive(Debug, thiserror::Error)]
pub(super) enum JournalError {
    /// The files cannot be used.
    #[error(transparent)]
    System(#[from] SystemError),
    /// There is something in its place.
    #[error(
        "{} should hold the refresh that `{node}` owes, but {problem}; remove the file, and run {node} by hand \
         if it has to take notice of an earlier change",
        .path.display()
    )]
    NotARecord {
        /// The file.
        path: PathBuf,
        /// The node whose record it should be.
        node: String,
        /// What it is instead.
        problem: NotARecord,
    },
    /// A record has no form as JSON.
    #[error("{}: {error}", .path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Why.
        error: serde_json::Error,
    },
}

impl Journal {
    pub(super) fn new(directory: &Path, module: String) -> Self {
        Self { directory: directory.join(hash(&module)), module }
    }

    fn path(&self, node: &NodeId) -> PathBuf {
        self.directory.join(format!("{}.json", hash(node.as_str())))
    }

    /// What a node owes.
    pub(super) async fn read(
        &self,
        system: &dyn System,
        node: &NodeId,
    ) -> Result<Option<Record>, JournalError> {
        let path = self.path(node);
        let Some(content) = system.files().read(&path).await? else { return Ok(None) };
        match Record::parse(&content.bytes, &self.module, node) {
            Ok(record) => Ok(Some(record)),
            Err(problem) => Err(JournalError::NotARecord { path, node: node.short().to_owned(), problem }),
        }
    }

    /// Adds a cause to what a node owes. When this returns it has reached the disk.
    pub(super) async fn add(
        &self,
        system: &dyn System,
        have: Option<Record>,
        node: &NodeId,
        run: &RunId,
        cause: &str,
    ) -> Result<Record, JournalError> {
        let is_new = have.is_none();
        let mut record = have.unwrap_or_else(|| Record::new(&self.module, node, run));
        if record.add(cause) == Changed::No {
            return Ok(record);
        }
        if is_new {
            create_all(system, &self.directory).await?;
        }
        let path = self.path(node);
        let bytes = record.to_bytes().map_err(|error| JournalError::Form { path: path.clone(), error })?;
        let write = WriteFile { durable: true, ..WriteFile::new(&bytes) };
        system.files().write(&path, write).await?;
        Ok(record)
    }

    /// A node owes nothing any more.
    pub(super) async fn clear(&self, system: &dyn System, node: &NodeId) -> Result<(), JournalError> {
        Ok(system.files().remove_file(&self.path(node)).await?)
    }
}

/// Creates a directory and those around it, so that they outlast a crash as the records in them do. Another run may do
/// the same at the same time.
async fn create_all(system: &dyn System, directory: &Path) -> Result<(), SystemError> {
    let files = system.files();
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

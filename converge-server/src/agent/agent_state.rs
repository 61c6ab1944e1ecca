//! The persistent state of an agent, which it enforces while the server is unreachable.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use converge_controller::{Resource, Status, Typed};
use converge_core::state::{State, StateError};
use serde::{Deserialize, Serialize};

use super::secrets::Secrets;
use crate::fleet::types::{Assignment, Revision};
use crate::private_files::{FileError, read_secret};

/// The name of the agent's folder inside the state folder.
const FOLDER: &str = "agent";
const LOCK: &str = "lock";
const FILE: &str = "assignments.json";
const RUNS: &str = "runs";
/// The file with the identity of a machine that has joined.
pub(super) const IDENTITY: &str = "identity.json";
/// The file with the identity of a machine that is about to join.
pub(super) const JOINING: &str = "joining.json";
const PLANS: &str = "plans";

/// A reason why the agent cannot persist its state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    #[error(transparent)]
    State(#[from] StateError),
    #[error("another agent already uses {}", .0.display())]
    InUse(PathBuf),
    #[error("cannot write in {}: {error}", folder.display())]
    Io { folder: PathBuf, error: io::Error },
}

/// The last known state of one assignment.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    assignment: Resource,
    revision: Resource,
    /// The status that was not reported yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unreported: Option<Status>,
    /// The secrets of the assignment.
    ///
    /// They are stored with it, so that no secret outlives its use.
    #[serde(default)]
    secrets: Secrets,
}

/// The persisted state of one assignment after it has been read.
pub(super) struct Before {
    pub(super) assignment: Typed<Assignment>,
    pub(super) revision: Typed<Revision>,
    pub(super) unreported: Option<Status>,
    pub(super) secrets: Secrets,
}

impl Kept {
    pub(super) fn new(
        assignment: &Typed<Assignment>,
        revision: &Typed<Revision>,
        unreported: Option<&Status>,
        secrets: &Secrets,
    ) -> Self {
        let (assignment, revision) = (assignment.clone().into_resource(), revision.clone().into_resource());
        Self { assignment, revision, unreported: unreported.cloned(), secrets: secrets.clone() }
    }

    /// Converts the persisted state; `None` if another program version wrote it with other types.
    pub(super) fn read(self) -> Option<Before> {
        let (assignment, revision) =
            (Typed::decode(self.assignment).ok()?, Typed::decode(self.revision).ok()?);
        Some(Before { assignment, revision, unreported: self.unreported, secrets: self.secrets })
    }
}

/// The folder of one agent, which no other user may write to and no other agent may open.
#[derive(Debug)]
pub(super) struct Keep {
    folder: PathBuf,
    _lock: File,
}

impl Keep {
    /// Opens the agent's folder inside the state folder, and creates it if it is missing.
    pub(super) fn open(state: &Path) -> Result<Self, KeepError> {
        let folder = State::create(state.join(FOLDER))?.folder().to_owned();
        let failed = |error| KeepError::Io { folder: folder.clone(), error };
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let path = folder.join(LOCK);
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder, _lock: lock }),
            Err(std::fs::TryLockError::WouldBlock) => Err(KeepError::InUse(folder)),
            Err(std::fs::TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// Reads the assignments.
    ///
    /// Unreadable entries are dropped, because the server sends them again.
    pub(super) fn read(&self) -> Vec<Kept> {
        let Some(bytes) = self.bytes(FILE) else { return Vec::new() };
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(%error, "the stored state cannot be read, and is ignored");
            Vec::new()
        })
    }

    /// Reads a file that no other user may read, or returns `None` if it is missing.
    pub(super) fn read_secret(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        match read_secret(&self.folder.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FileError::Read { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a file that no other user may read.
    ///
    /// The file survives a loss of power right after.
    pub(super) fn write_secret(&self, name: &str, bytes: &[u8]) -> Result<(), KeepError> {
        self.replace(name, bytes)?;
        let synced = File::open(&self.folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| KeepError::Io { folder: self.folder.clone(), error })
    }

    /// Removes a file that is no longer needed.
    ///
    /// A failure is ignored, because the file does no harm.
    pub(super) fn forget(&self, name: &str) {
        let _ = std::fs::remove_file(self.folder.join(name));
    }

    /// Reads the stored runs.
    pub(super) fn read_runs(&self) -> Option<Vec<u8>> {
        self.bytes(RUNS)
    }

    /// Writes the runs, as [`write`](Self::write) does.
    pub(super) fn write_runs(&self, bytes: &[u8]) -> Result<(), KeepError> {
        self.replace(RUNS, bytes)
    }

    /// Reads the stored plans.
    pub(super) fn read_plans(&self) -> Option<Vec<u8>> {
        self.bytes(PLANS)
    }

    /// Writes the plans, as [`write`](Self::write) does.
    pub(super) fn write_plans(&self, bytes: &[u8]) -> Result<(), KeepError> {
        self.replace(PLANS, bytes)
    }

    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        match std::fs::read(self.folder.join(name)) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(%error, "the stored state cannot be read, and is ignored");
                }
                None
            }
        }
    }

    /// Replaces the stored assignments atomically.
    pub(super) fn write(&self, entries: &[Kept]) -> Result<(), KeepError> {
        let failed = |error| KeepError::Io { folder: self.folder.clone(), error };
        let bytes = serde_json::to_vec(entries).map_err(|error| failed(error.into()))?;
        self.replace(FILE, &bytes)
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), KeepError> {
        let failed = |error| KeepError::Io { folder: self.folder.clone(), error };
        let new = self.folder.join(format!("{name}.new"));
        let mut file = OpenOptions::new();
        let result =
            file.write(true).create(true).truncate(true).mode(0o600).open(&new).and_then(|mut file| {
                file.write_all(bytes)?;
                file.sync_all()
            });
        result.and_then(|()| std::fs::rename(&new, self.folder.join(name))).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a folder that no other user can write to, unlike the usual folder of temporary files.
    fn folder() -> tempfile::TempDir {
        let executable = std::env::current_exe().unwrap();
        let private = converge_core::testing::private_folder(executable.parent().unwrap()).unwrap();
        tempfile::tempdir_in(private).unwrap()
    }

    #[test]
    fn one_agent_at_a_time() {
        let folder = folder();
        let store = Keep::open(folder.path()).unwrap();
        let refused = Keep::open(folder.path()).unwrap_err().to_string();
        assert!(refused.starts_with("another agent already uses "), "{refused}");
        drop(store);
        assert!(Keep::open(folder.path()).is_ok());
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let folder = folder();
        let store = Keep::open(folder.path()).unwrap();
        assert!(store.read().is_empty());
        store.write(&[]).unwrap();
        std::fs::write(folder.path().join("agent").join(FILE), "{").unwrap();
        assert!(store.read().is_empty());
    }
}

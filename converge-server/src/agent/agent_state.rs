//! What an agent keeps, so that it goes on when it begins anew while the server is away.

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

/// Below the folder of the state.
const FOLDER: &str = "agent";
const LOCK: &str = "lock";
const FILE: &str = "assignments.json";
const RUNS: &str = "runs";
/// By what this machine is known to servers.
pub(super) const IDENTITY: &str = "identity.json";
/// By what it will be, when it has joined.
pub(super) const JOINING: &str = "joining.json";
const PLANS: &str = "plans";

/// Why nothing can be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    #[error(transparent)]
    State(#[from] StateError),
    #[error("another agent works with {}: one at a time does", .0.display())]
    InUse(PathBuf),
    #[error("cannot write in {}: {error}", folder.display())]
    Io { folder: PathBuf, error: io::Error },
}

/// One assignment, as it was last.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    assignment: Resource,
    revision: Resource,
    /// What was not reported yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unreported: Option<Status>,
    /// They go with it, so that nothing is kept that is not needed any more.
    #[serde(default)]
    secrets: Secrets,
}

/// What was kept of one assignment.
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

    /// What was kept; none when another version of this program kept it, with other types.
    pub(super) fn read(self) -> Option<Before> {
        let (assignment, revision) =
            (Typed::decode(self.assignment).ok()?, Typed::decode(self.revision).ok()?);
        Some(Before { assignment, revision, unreported: self.unreported, secrets: self.secrets })
    }
}

/// A folder that nobody else may write to, and that no other agent has.
#[derive(Debug)]
pub(super) struct Keep {
    folder: PathBuf,
    _lock: File,
}

impl Keep {
    /// Opens the folder of the agent in that of the state, or makes it.
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

    /// What was kept. What cannot be read is as nothing: the server will tell it again.
    pub(super) fn read(&self) -> Vec<Kept> {
        let Some(bytes) = self.bytes(FILE) else { return Vec::new() };
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(%error, "what was kept cannot be read, and is left out");
            Vec::new()
        })
    }

    /// What was kept and nobody else may read, if it is there.
    pub(super) fn read_secret(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        match read_secret(&self.folder.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FileError::Read { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Keeps this also when the power is lost right after.
    pub(super) fn write_secret(&self, name: &str, bytes: &[u8]) -> Result<(), KeepError> {
        self.replace(name, bytes)?;
        let synced = File::open(&self.folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| KeepError::Io { folder: self.folder.clone(), error })
    }

    /// Forgets what is not needed any more. What cannot be removed does no harm.
    pub(super) fn forget(&self, name: &str) {
        let _ = std::fs::remove_file(self.folder.join(name));
    }

    /// The runs that were kept.
    pub(super) fn read_runs(&self) -> Option<Vec<u8>> {
        self.bytes(RUNS)
    }

    /// Keeps runs, as [`write`](Self::write) does.
    pub(super) fn write_runs(&self, bytes: &[u8]) -> Result<(), KeepError> {
        self.replace(RUNS, bytes)
    }

    /// The plans that were kept.
    pub(super) fn read_plans(&self) -> Option<Vec<u8>> {
        self.bytes(PLANS)
    }

    /// Keeps plans, as [`write`](Self::write) does.
    pub(super) fn write_plans(&self, bytes: &[u8]) -> Result<(), KeepError> {
        self.replace(PLANS, bytes)
    }

    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        match std::fs::read(self.folder.join(name)) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(%error, "what was kept cannot be read, and is left out");
                }
                None
            }
        }
    }

    /// Keeps this instead of what was kept: whole, or not at all.
    pub(super) fn write(&self, kept: &[Kept]) -> Result<(), KeepError> {
        let failed = |error| KeepError::Io { folder: self.folder.clone(), error };
        let bytes = serde_json::to_vec(kept).map_err(|error| failed(error.into()))?;
        self.replace(FILE, &bytes)
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), KeepError> {
        let failed = |error| KeepError::Io { folder: self.folder.clone(), error };
        let new = self.folder.join(format!("{name}.new"));
        let mut file = OpenOptions::new();
        let written =
            file.write(true).create(true).truncate(true).mode(0o600).open(&new).and_then(|mut file| {
                file.write_all(bytes)?;
                file.sync_all()
            });
        written.and_then(|()| std::fs::rename(&new, self.folder.join(name))).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder where nobody else can write, as everybody can where temporary files usually are.
    fn folder() -> tempfile::TempDir {
        let this = std::env::current_exe().unwrap();
        let private = converge_core::testing::private_folder(this.parent().unwrap()).unwrap();
        tempfile::tempdir_in(private).unwrap()
    }

    #[test]
    fn one_agent_at_a_time() {
        let folder = folder();
        let keep = Keep::open(folder.path()).unwrap();
        let refused = Keep::open(folder.path()).unwrap_err().to_string();
        assert!(refused.starts_with("another agent works with "), "{refused}");
        drop(keep);
        assert!(Keep::open(folder.path()).is_ok());
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let folder = folder();
        let keep = Keep::open(folder.path()).unwrap();
        assert!(keep.read().is_empty());
        keep.write(&[]).unwrap();
        std::fs::write(folder.path().join("agent").join(FILE), "{").unwrap();
        assert!(keep.read().is_empty());
    }
}

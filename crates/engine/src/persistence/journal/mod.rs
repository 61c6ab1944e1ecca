//! The journal of pending refreshes on disk: one small file per node that has one.
//!
//! A file is written before the change that causes the refresh, and removed after the refresh. The directory
//! holds nothing else, and nothing is created while nothing is pending.
//!
//! A log of all changes would have to be read and compacted; files for pending refreshes usually do not
//! exist. A change that fails early leaves a superfluous refresh, which is the price of never missing one.
//! Records of nodes with one name share a directory, whatever their module, so that a node is found again
//! after its module has moved.
//!
//! Records contain hashes of declarations. The hashes are salted: a reader of a single record, as in a
//! backup, cannot guess short texts in it. The salt is a file next to the directory.

mod expiry;
mod record;
mod salt;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use tokio::sync::OnceCell;

pub(crate) use record::Record;
use record::{Claim, InvalidRecord};
use salt::Salt;

use super::refresh_identity::{Identity, hash};
use crate::events::error::EngineError;
use crate::redact::Redactor;
use crate::sdk::context::RunId;
use crate::system::{Files, Follow, System, SystemError, WriteFile};
use crate::types::id::NodeId;

/// The mode of the directory. Names may reveal too much, so only the user of the process may read them.
const DIRECTORY_MODE: u32 = 0o700;

/// The file in which Linux gives a unique id of the current boot.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// The maximum number of bytes read from the file, which has 37.
const MAX_BOOT_ID_BYTES: u64 = 64;

/// The journal as seen by a run of one root module.
#[derive(Debug)]
pub(crate) struct Journal {
    system: Arc<dyn System>,
    /// The machine that the run changes. The records may be stored elsewhere.
    machine: Arc<dyn System>,
    /// The boot id of the machine, once it has been read.
    boot: OnceCell<Option<String>>,
    directory: PathBuf,
    module: String,
    run: RunId,
    /// Redacts the records. They are found by hashes, which are not redacted.
    redactor: Redactor,
    /// The salt, once it has been read or created.
    salt: OnceLock<Salt>,
}

/// A pending refresh that applies to a node.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    path: PathBuf,
    pub(crate) record: Record,
    pub(super) claim: Claim,
    /// Whether a boot of the machine has already done this refresh.
    pub(crate) is_over: bool,
}

/// A record could not be read, written or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JournalError {
    #[error(transparent)]
    System(#[from] SystemError),
    /// The file is not a valid record.
    #[error(
        "{} should hold the pending refresh of `{node}`, but {problem}; remove the file, and run {node} by hand if it must react to an earlier change",
        .path.display()
    )]
    InvalidRecord { path: PathBuf, node: String, problem: InvalidRecord },
    /// The run is over.
    #[error(transparent)]
    Stopped(#[from] EngineError),
    #[error("{}: {error}", .path.display())]
    Encode { path: PathBuf, error: serde_json::Error },
}

impl Journal {
    pub(crate) fn new(
        system: Arc<dyn System>,
        machine: Arc<dyn System>,
        directory: &Path,
        module: String,
        run: RunId,
        redactor: Redactor,
    ) -> Self {
        let (directory, boot, salt) = (directory.to_owned(), OnceCell::new(), OnceLock::new());
        Self { system, machine, boot, directory, module, run, redactor, salt }
    }

    /// Returns the directory for the records of all nodes with this name.
    fn directory(&self, node: &NodeId) -> PathBuf {
        self.directory.join(hash(node.name()))
    }

    /// Returns the path of the record for this node of this module.
    fn path(&self, node: &NodeId) -> PathBuf {
        self.directory(node).join(format!("{}.json", hash(&format!("{}\0{node}", self.module))))
    }

    /// Returns the pending refreshes of a node from earlier runs.
    ///
    /// `identity` is called only if there are records. `is_here` tells whether the module has a node with an
    /// id. `by_boot` tells whether a boot of the machine counts as the refresh of the node.
    pub(crate) async fn find<F: Future<Output = Result<Identity, EngineError>>>(
        &self,
        node: &NodeId,
        identity: impl Fn() -> F,
        is_here: impl Fn(&str) -> bool,
        by_boot: bool,
    ) -> Result<Vec<Found>, JournalError> {
        let identity_cell = OnceCell::new();
        let (files, directory, own_path) = (self.system.files(), self.directory(node), self.path(node));
        if files.metadata(&directory, Follow::Never).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut entries = Vec::new();
        for entry in files.read_dir(&directory).await? {
            if entry.path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            // Another run may have removed the file in the meantime if no lock separates the runs.
            let Some(content) = files.read(&entry.path).await? else { continue };
            let is_own = entry.path == own_path;
            let record = Record::parse(&content.bytes)
                .and_then(|record| if is_own { record.expect(&self.module, node) } else { Ok(record) });
            let record = record.map_err(|problem| {
                let node = node.short().to_owned();
                JournalError::InvalidRecord { path: entry.path.clone(), node, problem }
            })?;
            let claim = match is_own {
                true => Some(Claim::Own),
                false if record.node != node.as_str() && is_here(&record.node) => None,
                false => record.claim(
                    &self.module,
                    identity_cell.get_or_try_init(&identity).await?,
                    self.salt().await?,
                ),
            };
            let is_over = by_boot && record.is_before_boot(self.boot().await);
            entries.extend(claim.map(|claim| Found { path: entry.path, record, claim, is_over }));
        }
        Ok(entries)
    }

    /// Adds a cause to the record of a node. The record is on disk when this returns.
    pub(crate) async fn add(
        &self,
        found: &mut Vec<Found>,
        node: &NodeId,
        cause: &str,
        identity: impl Future<Output = Result<Identity, EngineError>>,
    ) -> Result<(), JournalError> {
        // The new record replaces one that is over.
        found.retain(|entry| entry.claim != Claim::Own || !entry.is_over);
        let index = found.iter().position(|entry| entry.claim == Claim::Own);
        let record = if let Some(entry) = index.and_then(|index| found.get(index)) {
            entry.record.clone()
        } else {
            // The salt is stored next to the directory, so this also creates the parent of the salt.
            create_all(self.system.files(), &self.directory(node)).await?;
            let identity = self.get_or_create_salt().await?.hide(identity.await?);
            let timestamp = Timestamp::try_from(self.system.clock().now()).unwrap_or_default();
            let record =
                Record::new(&self.module, &node.redacted(&self.redactor), identity, &self.run, timestamp);
            record.with_boot(self.boot().await)
        };
        let Some(record) = record.with_cause(&self.redactor.redact(cause)) else { return Ok(()) };
        let path = self.path(node);
        self.write(&path, &record).await?;
        match index.and_then(|index| found.get_mut(index)) {
            Some(entry) => entry.record = record,
            None => found.push(Found { path, record, claim: Claim::Own, is_over: false }),
        }
        Ok(())
    }

    /// Removes a record, or marks it as done, after the node was refreshed.
    pub(crate) async fn refreshed(&self, entry: &Found) -> Result<(), JournalError> {
        match entry.claim {
            Claim::Own | Claim::Same => Ok(self.system.files().remove_file(&entry.path).await?),
            // Done for this node, but still pending for the node with the other values.
            Claim::Similar => {
                let salt = self.salt().await?;
                self.write(&entry.path, &entry.record.clone().done_in(&self.module, salt)).await
            }
        }
    }

    /// Returns the boot id of the machine, or `None` if it has none.
    async fn boot(&self) -> Option<&str> {
        let ask = async || {
            let content = self.machine.files().read_head(Path::new(BOOT), MAX_BOOT_ID_BYTES).await.ok()??;
            String::from_utf8(content.bytes)
                .ok()
                .map(|boot| boot.trim().to_owned())
                .filter(|boot| !boot.is_empty())
        };
        self.boot.get_or_init(ask).await.as_deref()
    }

    /// Returns the path of the salt, next to the directory, which stays empty while nothing is pending.
    fn salt_path(&self) -> PathBuf {
        let mut path = OsString::from(&self.directory);
        path.push(".salt");
        path.into()
    }

    /// Returns the salt of the records, or `None` while there is none.
    async fn salt(&self) -> Result<Option<&Salt>, JournalError> {
        if self.salt.get().is_none()
            && let Some(salt) = Salt::read(self.system.files(), &self.salt_path()).await?
        {
            return Ok(Some(self.salt.get_or_init(|| salt)));
        }
        Ok(self.salt.get())
    }

    /// Returns the salt of the records, and creates it if there is none.
    async fn get_or_create_salt(&self) -> Result<&Salt, JournalError> {
        if let Some(salt) = self.salt().await? {
            return Ok(salt);
        }
        let new_salt = Salt::make(self.system.files(), &self.salt_path()).await?;
        Ok(self.salt.get_or_init(|| new_salt))
    }

    async fn write(&self, path: &Path, record: &Record) -> Result<(), JournalError> {
        let mut bytes = serde_json::to_vec_pretty(record)
            .map_err(|error| JournalError::Encode { path: path.to_owned(), error })?;
        bytes.push(b'\n');
        Ok(self.system.files().write(path, WriteFile::new(&bytes)).await?)
    }
}

/// Creates a directory and its parents durably, so that they survive a crash as the records do.
///
/// Another run may create them at the same time.
pub(super) async fn create_all(files: &dyn Files, directory: &Path) -> Result<(), SystemError> {
    let mut missing = Vec::new();
    for ancestor in directory.ancestors().filter(|at| !at.as_os_str().is_empty()) {
        if files.metadata(ancestor, Follow::Links).await?.is_some() {
            break;
        }
        missing.push(ancestor);
    }
    for ancestor in missing.into_iter().rev() {
        if let Err(error) = files.create_dir(ancestor, DIRECTORY_MODE).await
            && files.metadata(ancestor, Follow::Links).await?.is_none()
        {
            return Err(error);
        }
        let parent = ancestor.parent().filter(|around| !around.as_os_str().is_empty());
        files.sync_dir(parent.unwrap_or(Path::new("."))).await?;
    }
    Ok(())
}

//! Keeps pending refreshes on disk: one small file for each node that has one.
//!
//! A file is written before the change that it is for, and removed after the refresh. Nothing else is in
//! the directory, and nothing is created while nothing is pending.
//!
//! A log of all changes would have to be read and shortened; files for what is owed are none most of the time. A change
//! that failed early leaves a refresh too many, which is the price of never missing one. Records of nodes with one name are in
//! one directory, whatever module they are in, so that a node is found again in a module that has moved.
//!
//! Records hold hashes of what nodes are declared to be. They are salted: whoever gets to see a record, as in a backup of single
//! files, cannot try what a short text in it may have been. The salt is a file beside the directory.

mod expiry;
mod record;
mod salt;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use tokio::sync::OnceCell;

pub(super) use record::Record;
use record::{Claim, InvalidRecord};
use salt::Salt;

use super::error::EngineError;
use super::refresh_identity::{Identity, hash};
use crate::redact::Redactor;
use crate::sdk::context::RunId;
use crate::system::{Files, Follow, System, SystemError, WriteFile};
use crate::types::id::NodeId;

/// Only the user that runs the program may read the records: names may say more than they should.
const DIRECTORY_MODE: u32 = 0o700;

/// Where Linux says which boot it is, by a number that each has another of.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// It has 37 bytes.
const MOST_OF_BOOT: u64 = 64;

/// The records, as the run of one root module sees them.
#[derive(Debug)]
pub(super) struct Journal {
    system: Arc<dyn System>,
    /// The machine that the run changes, which the records need not be on.
    machine: Arc<dyn System>,
    /// Which boot of that machine this is, once it was asked.
    boot: OnceCell<Option<String>>,
    directory: PathBuf,
    module: String,
    run: RunId,
    /// What the records may not show. They are found by the hashes of what they are about.
    redactor: Redactor,
    /// Once it was read or made.
    salt: OnceLock<Salt>,
}

/// The pending refresh of a node, and whether it is the one of this run.
#[derive(Clone, Debug)]
pub(super) struct Found {
    path: PathBuf,
    pub(super) record: Record,
    pub(super) claim: Claim,
    /// Whether a boot of the machine was this refresh.
    pub(super) is_over: bool,
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
    /// The run is over.
    #[error(transparent)]
    Stopped(#[from] EngineError),
    #[error("{}: {error}", .path.display())]
    Encode { path: PathBuf, error: serde_json::Error },
}

impl Journal {
    pub(super) fn new(
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

    /// The records of all nodes with the name of this one.
    fn directory(&self, node: &NodeId) -> PathBuf {
        self.directory.join(hash(node.name()))
    }

    /// The record of this node of this module.
    fn path(&self, node: &NodeId) -> PathBuf {
        self.directory(node).join(format!("{}.json", hash(&format!("{}\0{node}", self.module))))
    }

    /// What a node owes since earlier runs. `identity` is asked for only when something is owed, and `is_here` says whether
    /// the module has a node of its own for an id. `by_boot` is whether a boot of the machine is the refresh of the node.
    pub(super) async fn find<F: Future<Output = Result<Identity, EngineError>>>(
        &self,
        node: &NodeId,
        identity: impl Fn() -> F,
        is_here: impl Fn(&str) -> bool,
        by_boot: bool,
    ) -> Result<Vec<Found>, JournalError> {
        let known = OnceCell::new();
        let (files, directory, own) = (self.system.files(), self.directory(node), self.path(node));
        if files.metadata(&directory, Follow::Never).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for entry in files.read_dir(&directory).await? {
            if entry.path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            // Another run may have come to its end in the meantime, where nothing keeps runs apart.
            let Some(content) = files.read(&entry.path).await? else { continue };
            let is_own = entry.path == own;
            let record = Record::parse(&content.bytes)
                .and_then(|record| if is_own { record.expect(&self.module, node) } else { Ok(record) });
            let record = record.map_err(|problem| {
                let node = node.short().to_owned();
                JournalError::InvalidRecord { path: entry.path.clone(), node, problem }
            })?;
            let claim = match is_own {
                true => Some(Claim::Own),
                false if record.node != node.as_str() && is_here(&record.node) => None,
                false => {
                    record.claim(&self.module, known.get_or_try_init(&identity).await?, self.salt().await?)
                }
            };
            let is_over = by_boot && record.is_before(self.boot().await);
            found.extend(claim.map(|claim| Found { path: entry.path, record, claim, is_over }));
        }
        Ok(found)
    }

    /// Adds a cause to the record of a node. When this returns it has reached the disk.
    pub(super) async fn add(
        &self,
        found: &mut Vec<Found>,
        node: &NodeId,
        cause: &str,
        identity: impl Future<Output = Result<Identity, EngineError>>,
    ) -> Result<(), JournalError> {
        // The new record takes the place of what is over.
        found.retain(|found| found.claim != Claim::Own || !found.is_over);
        let at = found.iter().position(|found| found.claim == Claim::Own);
        let record = if let Some(found) = at.and_then(|at| found.get(at)) {
            found.record.clone()
        } else {
            // The salt is beside the directory, so there is room for it then.
            create_all(self.system.files(), &self.directory(node)).await?;
            let identity = self.made_salt().await?.hide(identity.await?);
            let since = Timestamp::try_from(self.system.clock().now()).unwrap_or_default();
            let record =
                Record::new(&self.module, &node.redacted(&self.redactor), identity, &self.run, since);
            record.in_boot(self.boot().await)
        };
        let Some(record) = record.with_cause(&self.redactor.redact(cause)) else { return Ok(()) };
        let path = self.path(node);
        self.write(&path, &record).await?;
        match at.and_then(|at| found.get_mut(at)) {
            Some(found) => found.record = record,
            None => found.push(Found { path, record, claim: Claim::Own, is_over: false }),
        }
        Ok(())
    }

    /// Crosses out what is no longer owed, as the node was refreshed.
    pub(super) async fn refreshed(&self, found: &Found) -> Result<(), JournalError> {
        match found.claim {
            Claim::Own | Claim::Same => Ok(self.system.files().remove_file(&found.path).await?),
            // It is done here, and still owed by what has the other values.
            Claim::Similar => {
                let salt = self.salt().await?;
                self.write(&found.path, &found.record.clone().done_in(&self.module, salt)).await
            }
        }
    }

    /// Which boot of the machine this is; `None` where it does not say.
    async fn boot(&self) -> Option<&str> {
        let ask = async || {
            let said = self.machine.files().read_head(Path::new(BOOT), MOST_OF_BOOT).await.ok()??;
            String::from_utf8(said.bytes)
                .ok()
                .map(|boot| boot.trim().to_owned())
                .filter(|boot| !boot.is_empty())
        };
        self.boot.get_or_init(ask).await.as_deref()
    }

    /// Where the salt is: beside the directory, in which nothing is while nothing is owed.
    fn salt_path(&self) -> PathBuf {
        let mut path = OsString::from(&self.directory);
        path.push(".salt");
        path.into()
    }

    /// The salt of the records; `None` while there is none.
    async fn salt(&self) -> Result<Option<&Salt>, JournalError> {
        if self.salt.get().is_none()
            && let Some(salt) = Salt::read(self.system.files(), &self.salt_path()).await?
        {
            return Ok(Some(self.salt.get_or_init(|| salt)));
        }
        Ok(self.salt.get())
    }

    /// The salt of the records, which is made when there is none.
    async fn made_salt(&self) -> Result<&Salt, JournalError> {
        if let Some(salt) = self.salt().await? {
            return Ok(salt);
        }
        let made = Salt::make(self.system.files(), &self.salt_path()).await?;
        Ok(self.salt.get_or_init(|| made))
    }

    async fn write(&self, path: &Path, record: &Record) -> Result<(), JournalError> {
        let mut bytes = serde_json::to_vec_pretty(record)
            .map_err(|error| JournalError::Encode { path: path.to_owned(), error })?;
        bytes.push(b'\n');
        Ok(self.system.files().write(path, WriteFile::new(&bytes)).await?)
    }
}

/// Creates a directory and those around it, so that they outlast a crash as the records in them do. Another run may do
/// the same at the same time.
pub(super) async fn create_all(files: &dyn Files, directory: &Path) -> Result<(), SystemError> {
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

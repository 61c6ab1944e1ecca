//! Locks that runs share.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::StateError;
use super::owner::Owner;
use super::{State, private_files};

/// How often a lock that another process has is tried again.
const PAUSE: Duration = Duration::from_millis(100);

/// The locks of one machine, for [engines](crate::engine::Engine::with_locks) that work on it at the same time. Every clone is
/// the same locks.
///
/// - The [lock of a type](crate::guide::locks) is of the machine: with one such value, no two runs change packages at once, whoever
///   owns them.
/// - A `group` belongs to the [`Owner`] of a run: runs of one owner take turns, and those of others know nothing of it.
///
/// Without it, a run keeps apart only what is in it.
///
/// ```
/// use std::sync::Arc;
/// use converge_core::prelude::embed::*;
/// use converge_core::state::Locks;
///
/// let locks = Locks::new();
/// let engine = |owner: &str| -> Result<Engine, converge_core::state::InvalidOwner> {
///     let engine = Engine::new(Arc::new(LocalSystem::new()));
///     Ok(engine.with_owner(owner.parse()?).with_locks(locks.clone()))
/// };
/// let (blue, green) = (engine("blue")?, engine("green")?);
/// # Ok::<(), converge_core::state::InvalidOwner>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Locks(Arc<Table>);

#[derive(Debug, Default)]
struct Table {
    /// Where other processes see what is locked.
    folder: Option<PathBuf>,
    /// Those that a run has, or waits for, or remembers.
    locks: Mutex<HashMap<LockName, Weak<Lock>>>,
}

/// What is locked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LockName {
    /// What some types of resources have in common.
    Type(&'static str),
    /// What a module names.
    Group { owner: Option<Owner>, name: Arc<str> },
}

/// One lock.
#[derive(Debug)]
pub(crate) struct Lock {
    name: LockName,
    /// Who waits in this process, in the order in which they came.
    turn: Arc<Semaphore>,
    sequence: AtomicU64,
    /// For other processes.
    file: Option<PathBuf>,
}

/// A lock that is had, until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    lock: Arc<Lock>,
    /// How often it had been taken and given back before.
    pub(crate) before: u64,
    file: Option<File>,
    _turn: OwnedSemaphorePermit,
}

impl Locks {
    /// Locks of this process.
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks of all processes that have the same state. One that is killed holds none.
    ///
    /// Each process asks again ten times a second for what another one has.
    pub fn in_state(state: &State) -> Self {
        let folder = Some(state.folder().join("locks"));
        Self(Arc::new(Table { folder, locks: Mutex::default() }))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.locks.lock().map_or(0, |locks| locks.len())
    }

    pub(crate) fn get(&self, name: &LockName) -> Arc<Lock> {
        let mut locks = self.0.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(name).and_then(Weak::upgrade) {
            return lock;
        }
        // Names come and go with modules.
        if locks.len() == locks.capacity() {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let file = self.0.folder.as_ref().map(|folder| folder.join(name.file()));
        let turn = Arc::new(Semaphore::new(1));
        let lock = Arc::new(Lock { name: name.clone(), turn, sequence: AtomicU64::new(0), file });
        locks.insert(name.clone(), Arc::downgrade(&lock));
        lock
    }
}

impl LockName {
    /// A group can be named anything, and is not for everybody to read.
    fn file(&self) -> String {
        let text = match self {
            Self::Type(name) => return (*name).to_owned(),
            Self::Group { owner, name } => format!("{}\0{name}", owner.as_ref().map_or("", Owner::as_str)),
        };
        let digest = Sha256::digest(text.as_bytes());
        digest.iter().take(16).fold("group-".to_owned(), |file, byte| format!("{file}{byte:02x}"))
    }
}

impl Lock {
    pub(crate) fn name(&self) -> &LockName {
        &self.name
    }

    /// How often the lock was taken and given back, with a number that is odd while somebody has it: what was seen of the machine
    /// at one number need not be so at another.
    pub(crate) fn sequence(&self) -> u64 {
        match &self.file {
            None => self.sequence.load(Ordering::SeqCst),
            // Where it cannot be read nothing is known to be as it was.
            Some(path) => private_files::open_to_read(path).map_or(0, |file| read(&file)),
        }
    }

    /// Waits for the lock, behind those who wait for it already. To drop the future is to wait no longer.
    pub(crate) async fn take(self: Arc<Self>) -> Result<Held, StateError> {
        let Ok(turn) = Arc::clone(&self.turn).acquire_owned().await else {
            // Nobody closes it.
            return std::future::pending().await;
        };
        let (file, before) = match &self.file {
            None => (None, self.sequence.load(Ordering::SeqCst)),
            Some(path) => {
                let file = open_locked(path).await?;
                let before = read(&file);
                (Some(file), before)
            }
        };
        // Whoever had it was killed.
        let before = before.next_multiple_of(2);
        let held = Held { lock: self, before, file, _turn: turn };
        held.mark(before + 1);
        Ok(held)
    }
}

impl Held {
    fn mark(&self, sequence: u64) {
        match &self.file {
            None => self.lock.sequence.store(sequence, Ordering::SeqCst),
            Some(file) => {
                // When the disk is full others check again, or find what they found before: the lock itself is not in the text.
                let _ = private_files::write_first(file, &sequence.to_le_bytes());
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.mark(self.before + 2);
    }
}

fn read(file: &File) -> u64 {
    let mut bytes = [0; 8];
    // An empty file is a new one.
    match private_files::read_first(file, &mut bytes) {
        Ok(8) => u64::from_le_bytes(bytes),
        _ => 0,
    }
}

async fn open_locked(path: &Path) -> Result<File, StateError> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder).map_err(|error| StateError::file("create", folder, error))?;
    }
    let file = private_files::open(path).map_err(|error| StateError::file("open", path, error))?;
    while !private_files::try_lock(&file).map_err(|error| StateError::file("lock", path, error))? {
        tokio::time::sleep(PAUSE).await;
    }
    Ok(file)
}

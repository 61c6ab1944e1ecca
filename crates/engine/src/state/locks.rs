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

/// The time between attempts to take a lock that another process has.
const PAUSE: Duration = Duration::from_millis(100);

/// The locks of one machine, shared by engines that work on it at the same time.
///
/// See [`Engine::with_locks`](crate::Engine::with_locks). All clones share the same locks.
///
/// - The lock of a type applies to the machine. Two runs that share this value never
///   change packages at once, whoever owns them.
/// - A `group` belongs to the [`Owner`] of a run. Runs of one owner take turns; runs of others are not
///   affected.
///
/// Without this value, locks apply within one run only.
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
    /// The folder of lock files for other processes, if any.
    folder: Option<PathBuf>,
    /// The locks that a run holds, waits for or remembers.
    locks: Mutex<HashMap<LockName, Weak<Lock>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LockName {
    /// The lock that some resource types share.
    Type(&'static str),
    /// A lock that a module names.
    Group { owner: Option<Owner>, name: Arc<str> },
}

#[derive(Debug)]
pub(crate) struct Lock {
    name: LockName,
    /// The queue of waiters in this process, in the order of their arrival.
    turn: Arc<Semaphore>,
    sequence: AtomicU64,
    /// The lock file for other processes, if any.
    file: Option<PathBuf>,
}

/// A lock that is held until this guard is dropped.
#[derive(Debug)]
pub(crate) struct LockGuard {
    lock: Arc<Lock>,
    /// The sequence number before the lock was taken.
    pub(crate) before: u64,
    file: Option<File>,
    _turn: OwnedSemaphorePermit,
}

impl Locks {
    /// Creates locks for this process.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates locks for all processes that use the same state.
    ///
    /// A killed process holds none.
    ///
    /// A process polls ten times a second for a lock that another process has.
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
        // Names come and go with modules, so unused locks are dropped before the table grows.
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
    /// Returns the file name of the lock.
    ///
    /// Group names are hashed: they may contain any character, and may be confidential.
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

    /// Returns the sequence number: even when the lock is free, odd while it is held.
    ///
    /// Taking and releasing the lock each add one. Observations of the machine at one number may be outdated
    /// at another.
    pub(crate) fn sequence(&self) -> u64 {
        match &self.file {
            None => self.sequence.load(Ordering::SeqCst),
            // Zero is the number of a lock that was never taken. For an unreadable file, it makes earlier
            // observations outdated.
            Some(path) => private_files::open_to_read(path).map_or(0, |file| read(&file)),
        }
    }

    /// Waits for the lock, in the order of arrival.
    ///
    /// Dropping the future gives up waiting.
    pub(crate) async fn take(self: Arc<Self>) -> Result<LockGuard, StateError> {
        let Ok(turn) = Arc::clone(&self.turn).acquire_owned().await else {
            // Unreachable, as nobody closes the semaphore.
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
        // An odd number means that the last holder was killed.
        let before = before.next_multiple_of(2);
        let lock = LockGuard { lock: self, before, file, _turn: turn };
        lock.mark(before + 1);
        Ok(lock)
    }
}

impl LockGuard {
    fn mark(&self, sequence: u64) {
        match &self.file {
            None => self.lock.sequence.store(sequence, Ordering::SeqCst),
            Some(file) => {
                // If the disk is full, others may check again or use an outdated observation. The lock itself
                // does not depend on the content.
                let _ = private_files::write_first(file, &sequence.to_le_bytes());
            }
        }
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        self.mark(self.before + 2);
    }
}

fn read(file: &File) -> u64 {
    let mut bytes = [0; 8];
    // A new file is empty.
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

//! The state that readers and the writer share.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use redb::{Database, ReadableDatabase as _};

use super::error::{Failure, contained};
use super::tables::Snapshot;
use crate::storage::watch_hub::Hub;

/// The state that readers and the writer share.
pub(super) struct Shared {
    file: PathBuf,
    /// The open file; `None` if it could not be opened again after an error.
    ///
    /// Reads and commits take the lock for reading. Only the replacement of the whole file takes it for
    /// writing.
    database: RwLock<Option<Database>>,
    hub: Mutex<Hub>,
    gathering: Gathering,
}

/// The number of requests that the writer waits for before a commit; 0 while it does not wait.
#[derive(Default)]
pub(super) struct Gathering(AtomicUsize);

impl Gathering {
    pub(super) fn begin(&self, expected: usize) {
        self.0.store(expected, Ordering::SeqCst);
    }

    pub(super) fn end(&self) {
        self.0.store(0, Ordering::SeqCst);
    }

    /// Returns whether the writer waits for exactly this number of requests.
    ///
    /// It is called after each request. If two concurrent calls both find one missing, the writer continues
    /// after its timeout.
    pub(super) fn is_complete(&self, waiting: usize) -> bool {
        let expected = self.0.load(Ordering::SeqCst);
        expected > 0 && waiting >= expected
    }
}

impl Shared {
    pub(super) fn new(file: PathBuf, database: Database) -> Self {
        Self {
            file,
            database: RwLock::new(Some(database)),
            hub: Mutex::default(),
            gathering: Gathering::default(),
        }
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn gathering(&self) -> &Gathering {
        &self.gathering
    }

    pub(super) fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn database(&self) -> RwLockReadGuard<'_, Option<Database>> {
        self.database.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for running reads, and excludes new ones.
    pub(super) fn alone(&self) -> RwLockWriteGuard<'_, Option<Database>> {
        self.database.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the current state.
    pub(super) fn snapshot<T>(
        &self,
        read: impl FnOnce(&Snapshot) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        look(self.database().as_ref(), read)
    }

    /// Reads the current state, unless that would wait for a compaction or for the file to be opened again.
    pub(super) fn try_snapshot<T>(
        &self,
        read: impl FnOnce(&Snapshot) -> Result<T, Failure>,
    ) -> Option<Result<T, Failure>> {
        match self.database.try_read() {
            Ok(database) => Some(look(database.as_ref(), read)),
            Err(TryLockError::Poisoned(database)) => Some(look(database.into_inner().as_ref(), read)),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

fn look<T>(
    database: Option<&Database>,
    read: impl FnOnce(&Snapshot) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let database = database.ok_or(Failure::Closed)?;
    contained(|| read(&Snapshot::new(database.begin_read()?)))
}

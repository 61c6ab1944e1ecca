//! The handles that a plugin task has open on the system.

use std::collections::HashMap;
use std::fmt;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{ReadHalf, WriteHalf};
use tokio::sync::Mutex as AsyncMutex;

use crate::system::{
    Directory, HttpBody, ReadAt, ScratchFile, StagedFile, Stream, SystemError, SystemErrorKind, TempDir,
};

/// The maximum number of handles that a task has open at a time.
const MAX_HANDLES: usize = 1024;

/// A value that one request uses at a time, and that a request may consume.
pub(super) type Exclusive<T> = Arc<AsyncMutex<Option<T>>>;

#[derive(Clone)]
pub(super) enum Handle {
    Read(Arc<dyn ReadAt>),
    Staged(Staged),
    Scratch(Exclusive<Box<dyn ScratchFile>>),
    TempDir(Exclusive<Box<dyn TempDir>>, Arc<Path>),
    Directory(Arc<dyn Directory>),
    Stream(Connection),
    Body(Exclusive<Box<dyn HttpBody>>),
}

#[derive(Clone)]
pub(super) struct Staged {
    pub(super) file: Exclusive<Box<dyn StagedFile>>,
    /// Whether the file is in a temporary directory.
    pub(super) temporary: bool,
}

/// The read half and the write half of a connection, which are used at the same time.
#[derive(Clone)]
pub(super) struct Connection {
    pub(super) reads: Exclusive<ReadHalf<Box<dyn Stream>>>,
    pub(super) writes: Exclusive<WriteHalf<Box<dyn Stream>>>,
}

/// Wraps a value for exclusive use.
pub(super) fn exclusive<T>(value: T) -> Exclusive<T> {
    Arc::new(AsyncMutex::new(Some(value)))
}

#[derive(Default)]
pub(super) struct Handles {
    next: AtomicU64,
    open: Mutex<HashMap<u64, Handle>>,
}

impl fmt::Debug for Handles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handles").field("open", &self.open().len()).finish_non_exhaustive()
    }
}

impl Handles {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Handle>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keep(&self, handle: Handle) -> Result<u64, SystemError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut open = self.open();
        if open.len() >= MAX_HANDLES {
            return Err(SystemError::other("open", "more for the plugin", SystemErrorKind::TooManyOpenFiles));
        }
        open.insert(id, handle);
        Ok(id)
    }

    pub(super) fn close(&self, id: u64) {
        // The lock is released first, because dropping a handle may block.
        let handle = self.open().remove(&id);
        drop(handle);
    }

    pub(super) fn close_all(&self) {
        let handles = std::mem::take(&mut *self.open());
        drop(handles);
    }

    fn get<T>(&self, id: u64, kind: impl FnOnce(Handle) -> Option<T>) -> Result<T, SystemError> {
        let handle = self.open().get(&id).cloned();
        handle.and_then(kind).ok_or_else(|| {
            let reason = "the plugin has nothing of this kind open under that number".to_owned();
            SystemError::other("use", format!("the handle {id}"), SystemErrorKind::Other(reason))
        })
    }

    pub(super) fn file(&self, id: u64) -> Result<Arc<dyn ReadAt>, SystemError> {
        self.get(id, |handle| if let Handle::Read(file) = handle { Some(file) } else { None })
    }

    pub(super) fn staged(&self, id: u64) -> Result<Exclusive<Box<dyn StagedFile>>, SystemError> {
        self.get(id, |handle| if let Handle::Staged(staged) = handle { Some(staged.file) } else { None })
    }

    pub(super) fn temp_dir(&self, id: u64) -> Result<Exclusive<Box<dyn TempDir>>, SystemError> {
        self.get(id, |handle| if let Handle::TempDir(folder, _) = handle { Some(folder) } else { None })
    }

    /// Whether a path is below an open temporary directory.
    pub(super) fn is_temporary(&self, path: &Path) -> bool {
        // A path with `..` may lead out of the directory.
        path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
            && self.open().values().any(|handle| {
                matches!(handle, Handle::TempDir(_, folder) if path != &**folder && path.starts_with(folder))
            })
    }

    /// Whether the staged file of this handle is in a temporary directory.
    pub(super) fn is_staged_in_temporary(&self, id: u64) -> bool {
        matches!(self.open().get(&id), Some(Handle::Staged(staged)) if staged.temporary)
    }

    pub(super) fn scratch(&self, id: u64) -> Result<Exclusive<Box<dyn ScratchFile>>, SystemError> {
        self.get(id, |handle| if let Handle::Scratch(file) = handle { Some(file) } else { None })
    }

    pub(super) fn directory(&self, id: u64) -> Result<Arc<dyn Directory>, SystemError> {
        self.get(id, |handle| if let Handle::Directory(directory) = handle { Some(directory) } else { None })
    }

    pub(super) fn stream(&self, id: u64) -> Result<Connection, SystemError> {
        self.get(id, |handle| if let Handle::Stream(stream) = handle { Some(stream) } else { None })
    }

    pub(super) fn body(&self, id: u64) -> Result<Exclusive<Box<dyn HttpBody>>, SystemError> {
        self.get(id, |handle| if let Handle::Body(body) = handle { Some(body) } else { None })
    }
}

/// Returns the error for a handle that another request has consumed.
pub(super) fn used_up(subject: &str) -> SystemError {
    SystemError::other(
        "use",
        subject,
        SystemErrorKind::Other("it was used up by another question".to_owned()),
    )
}

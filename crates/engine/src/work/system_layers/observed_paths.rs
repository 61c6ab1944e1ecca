//! A `System` that records the paths that a check reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::system::{
    Clock, DirEntry, Directory, ExtendedAttribute, FileContent, Files, Follow, Inherit, Inode, Metadata,
    Network, Platform, Processes, Random, ReadAt, System, SystemError, Users, WrapFiles, WrapSystem,
};

/// The files with the users and groups of the machine itself.
///
/// Changes in a directory service are not observed.
const ACCOUNTS: [&str; 2] = ["/etc/group", "/etc/passwd"];

/// A system that records what is asked of another one.
#[derive(Debug)]
pub(crate) struct ObservedSystem {
    system: Arc<dyn System>,
    /// The paths that were read, or `None` once anything else was asked.
    reads: Mutex<Option<BTreeSet<PathBuf>>>,
}

impl ObservedSystem {
    pub(crate) fn new(system: Arc<dyn System>) -> Self {
        Self { system, reads: Mutex::new(Some(BTreeSet::new())) }
    }

    /// Returns the paths that were read, or `None` if something else was asked as well.
    pub(crate) fn reads(&self) -> Option<BTreeSet<PathBuf>> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, path: &Path) {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(paths) = &mut *reads
            && !paths.contains(path)
        {
            paths.insert(path.to_owned());
        }
    }

    fn record_other(&self) {
        *self.reads.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl WrapSystem for ObservedSystem {
    fn wrapped_system(&self) -> &dyn System {
        &*self.system
    }

    fn files(&self) -> &dyn Files {
        self
    }

    fn users(&self) -> &dyn Users {
        for path in ACCOUNTS {
            self.record(path.as_ref());
        }
        self.system.users()
    }

    fn platform(&self) -> &Platform {
        self.record_other();
        self.system.platform()
    }

    fn processes(&self) -> &dyn Processes {
        self.record_other();
        self.system.processes()
    }

    fn network(&self) -> &dyn Network {
        self.record_other();
        self.system.network()
    }

    fn clock(&self) -> &dyn Clock {
        self.record_other();
        self.system.clock()
    }

    fn random(&self) -> &dyn Random {
        self.record_other();
        self.system.random()
    }
}

#[async_trait]
impl WrapFiles for ObservedSystem {
    fn wrapped_files(&self) -> &dyn Files {
        self.system.files()
    }

    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError> {
        self.record(path);
        self.wrapped_files().metadata(path, follow).await
    }

    async fn read_head(&self, path: &Path, limit: u64) -> Result<Option<FileContent>, SystemError> {
        self.record(path);
        self.wrapped_files().read_head(path, limit).await
    }

    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        self.record(path);
        self.wrapped_files().open(path).await
    }

    async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError> {
        self.record(path);
        self.wrapped_files().inherited(path, inherit).await
    }

    async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError> {
        self.record(path);
        self.wrapped_files().may_change(path, follow).await
    }

    async fn extended_attributes(
        &self,
        path: &Path,
        follow: Follow,
    ) -> Result<Option<Vec<ExtendedAttribute>>, SystemError> {
        self.record(path);
        self.wrapped_files().extended_attributes(path, follow).await
    }

    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError> {
        self.record(path);
        self.wrapped_files().read_link(path).await
    }

    async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError> {
        self.record(path);
        self.wrapped_files().inode(path, follow).await
    }

    /// The entries of a directory have paths of their own.
    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError> {
        self.record_other();
        self.wrapped_files().read_dir(path).await
    }

    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        self.record_other();
        self.wrapped_files().open_dir(path).await
    }
}

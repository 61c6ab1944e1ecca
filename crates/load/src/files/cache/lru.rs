//! The files of a cache in the order of their last use.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::entry::CheckedFile;
use crate::diagnostic::FileId;
use crate::sdk::registry::RegistryIdentity;

/// The counters and the size of a [`ModuleCache`](super::ModuleCache).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    /// The number of lookups that found the file.
    pub hits: u64,
    /// The number of lookups that did not, so that the file was parsed and checked.
    pub misses: u64,
    /// The number of files evicted to make room.
    pub evicted: u64,
    /// The number of files in the cache.
    pub files: usize,
    /// The estimated size of the files in bytes.
    pub bytes: u64,
}

/// The key of a file: everything that its content depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileKey {
    pub(crate) registry: RegistryIdentity,
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

#[derive(Default)]
pub(super) struct CachedFiles {
    files: HashMap<FileKey, Entry>,
    /// The keys by the time of their last use.
    by_use: BTreeMap<u64, FileKey>,
    /// A counter that each use increments.
    clock: u64,
    last_id: Option<FileId>,
    stats: CacheStats,
}

struct Entry {
    file: Arc<CheckedFile>,
    used: u64,
}

impl CachedFiles {
    pub(super) fn stats(&self) -> CacheStats {
        CacheStats { files: self.files.len(), ..self.stats }
    }

    /// Returns the next file ID; IDs repeat after four billion files.
    pub(super) fn next_id(&mut self) -> FileId {
        let next = self.last_id.and_then(FileId::next).unwrap_or(FileId::FIRST);
        *self.last_id.insert(next)
    }

    pub(super) fn find(
        &mut self,
        key: &FileKey,
        is_usable: impl FnOnce(&CheckedFile) -> bool,
    ) -> Option<Arc<CheckedFile>> {
        let Some(entry) = self.files.get_mut(key).filter(|entry| is_usable(&entry.file)) else {
            self.stats.misses += 1;
            return None;
        };
        self.stats.hits += 1;
        self.clock += 1;
        let before = std::mem::replace(&mut entry.used, self.clock);
        if let Some(key) = self.by_use.remove(&before) {
            self.by_use.insert(self.clock, key);
        }
        Some(Arc::clone(&entry.file))
    }

    /// Stores a file in a cache of at most `most` bytes; returns the evicted files.
    ///
    /// Returns `file` itself if it is not stored.
    pub(super) fn keep(
        &mut self,
        key: FileKey,
        file: Arc<CheckedFile>,
        maximum: u64,
    ) -> Vec<Arc<CheckedFile>> {
        // Another load may have stored the file first, or stored one that this load cannot use.
        if file.bytes > maximum || self.files.contains_key(&key) {
            return vec![file];
        }
        let mut forgotten = Vec::new();
        while self.stats.bytes > maximum - file.bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else { break };
            if let Some(Entry { file, .. }) = self.files.remove(&oldest) {
                self.stats.bytes -= file.bytes;
                self.stats.evicted += 1;
                forgotten.push(file);
            }
        }
        self.clock += 1;
        self.stats.bytes += file.bytes;
        self.by_use.insert(self.clock, key.clone());
        self.files.insert(key, Entry { file, used: self.clock });
        forgotten
    }

    /// Empties the cache and returns the files.
    pub(super) fn take(&mut self) -> impl Sized + use<> {
        self.stats.bytes = 0;
        (std::mem::take(&mut self.files), std::mem::take(&mut self.by_use))
    }
}

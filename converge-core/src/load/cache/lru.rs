//! The files of a cache, and in which order they were used.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::entry::CheckedFile;
use crate::diagnostic::FileId;
use crate::sdk::registry::RegistryIdentity;

/// What a [`ModuleCache`](super::ModuleCache) did so far, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    /// How many files were found in it.
    pub hits: u64,
    /// How many were not, and so were parsed and checked.
    pub misses: u64,
    /// How many were forgotten, as there was no room for them.
    pub evicted: u64,
    /// How many there are.
    pub files: usize,
    /// About how many bytes they take.
    pub bytes: u64,
}

/// All that decides what a file declares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileKey {
    pub(crate) registry: RegistryIdentity,
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

#[derive(Default)]
pub(super) struct Kept {
    files: HashMap<FileKey, Entry>,
    /// By the time of the last use of each.
    by_use: BTreeMap<u64, FileKey>,
    /// Turned by each use.
    clock: u64,
    last_id: Option<FileId>,
    stats: CacheStats,
}

struct Entry {
    file: Arc<CheckedFile>,
    used: u64,
}

impl Kept {
    pub(super) fn stats(&self) -> CacheStats {
        CacheStats { files: self.files.len(), ..self.stats }
    }

    /// An id that is given again only after four billion others.
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

    /// Keeps a file, of which there is room for so many bytes. Gives what was forgotten for it.
    pub(super) fn keep(&mut self, key: FileKey, file: Arc<CheckedFile>, most: u64) -> Vec<Arc<CheckedFile>> {
        // Another load was faster, or the one that has it could not use it.
        if file.bytes > most || self.files.contains_key(&key) {
            return vec![file];
        }
        let mut forgotten = Vec::new();
        while self.stats.bytes > most - file.bytes {
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

    /// Forgets all files, and gives them.
    pub(super) fn take(&mut self) -> impl Sized + use<> {
        self.stats.bytes = 0;
        (std::mem::take(&mut self.files), std::mem::take(&mut self.by_use))
    }
}

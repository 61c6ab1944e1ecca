//! A cache of module files that were read and checked before.
//!
//! The content of a file depends only on its name, its text and the types of the registry. It does not depend
//! on the previous file, a parameter, a limit or the machine. Files are therefore cached by these three, and
//! a load that finds a file gets the same result as one that parses it. State of a load is recomputed for
//! each load: redacted ranges, known secrets, and the work that counts.

mod entry;
mod lru;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::lru::CachedFiles;
use crate::diagnostic::FileId;

pub(super) use self::entry::CheckedFile;
pub use self::lru::CacheStats;
pub(super) use self::lru::FileKey;

/// A cache of checked module files, so that loading modules again costs only what has changed.
///
/// A [`Loader`](crate::Loader) with a cache ([`with_cache`](crate::Loader::with_cache)) still reads the text
/// of each module from its source. A text that was seen before, under the same name and with the same
/// registry, is neither parsed nor checked again. The rest of the load is done each time, because it depends
/// on parameters and on calls between modules. The graph, the diagnostics and the plan therefore equal those
/// of a load without a cache. Modules never need to be invalidated, because a changed module is another text.
///
/// A clone is the same cache. Any number of loads may use it at once, on any threads. No load waits while
/// another one parses.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::{Loader, Memory, ModuleCache, Sources};
///
/// let registry = Registry::new();
/// let cache = ModuleCache::new();
/// let load = |port: u16| {
///     let modules = Memory::new()
///         .with("site.hcl", "module \"web.hcl\" \"web\" {}\nmodule \"db.hcl\" \"db\" {}")
///         .with("web.hcl", format!("param \"port\" {{ default = {port} }}"))
///         .with("db.hcl", "param \"port\" { default = 5432 }");
///     Loader::new(&registry).with_sources(Sources::only(modules)).with_cache(&cache).load("site.hcl").into_graph()
/// };
/// load(80)?;
/// assert_eq!((cache.stats().hits, cache.stats().misses), (0, 3));
/// load(8080)?;
/// // Of the three modules one has changed.
/// assert_eq!((cache.stats().hits, cache.stats().misses), (2, 4));
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
///
/// # Guarantees
///
/// - A text is found by its whole content and not by a digest. Tenants that share a cache therefore never get
///   each other's content: only a load that has a text can find it. The time of a load and
///   [`stats`](Self::stats) can, however, reveal that a text was cached.
/// - Sensitive text is hidden in each load, whether its file was cached or not.
/// - The cache takes at most the memory that it [may](Self::with_bytes), by an estimate for each file. The
///   least recently used files are evicted first, and a file larger than the whole cache is not stored.
///
/// # Caveats
///
/// - Registries count as equal if one is a [clone](Clone) of the other. Two that were built in the same way
///   are different.
/// - Files with an error are not cached.
/// - The texts, including secrets written in them, stay in memory until they are evicted or the cache is
///   dropped.
#[derive(Clone)]
pub struct ModuleCache(Arc<Shared>);

struct Shared {
    most: u64,
    kept: Mutex<CachedFiles>,
}

impl ModuleCache {
    /// Creates a cache of at most 64 MiB, which holds some thousand modules.
    pub fn new() -> Self {
        Self::with_bytes(64 << 20)
    }

    /// Creates a cache with a limit in bytes.
    pub fn with_bytes(maximum: u64) -> Self {
        Self(Arc::new(Shared { most: maximum, kept: Mutex::default() }))
    }

    /// Returns the counters and the size of the cache.
    pub fn stats(&self) -> CacheStats {
        self.kept().stats()
    }

    /// Removes all files.
    pub fn clear(&self) {
        let files = self.kept().take();
        drop(files);
    }

    /// Returns a cached file that this load can use.
    pub(super) fn find(
        &self,
        key: &FileKey,
        is_usable: impl FnOnce(&CheckedFile) -> bool,
    ) -> Option<Arc<CheckedFile>> {
        self.kept().find(key, is_usable)
    }

    pub(super) fn keep(&self, key: FileKey, file: CheckedFile) {
        let (maximum, file) = (self.0.most, Arc::new(file));
        let forgotten = self.kept().keep(key, file, maximum);
        // Evicted files are dropped after the lock is released, so that other loads do not wait.
        drop(forgotten);
    }

    /// Returns the ID for the next file to be parsed.
    pub(super) fn next_id(&self) -> FileId {
        self.kept().next_id()
    }

    /// Locks the cache; its content is consistent even after a panic, because no operation panics halfway.
    fn kept(&self) -> MutexGuard<'_, CachedFiles> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ModuleCache {
    fn default() -> Self {
        Self::new()
    }
}

/// Shows no texts.
impl fmt::Debug for ModuleCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ModuleCache").field(&self.stats()).finish()
    }
}

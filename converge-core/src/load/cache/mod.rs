//! Module files that were read and checked before.
//!
//! What a file declares follows from its name, its text and the types of the registry, and from nothing else of a load: not from the
//! file before it, a parameter, a limit or the machine. So it is kept by these three, and a load that finds it there is the same
//! load. What belongs to a load is made for each: the places that are hidden, the secrets that are known, and what the work
//! counts for.

mod entry;
mod lru;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::lru::Kept;
use crate::diagnostic::FileId;

pub(super) use self::entry::CheckedFile;
pub use self::lru::CacheStats;
pub(super) use self::lru::FileKey;

/// Keeps the module files that were read and checked, so that to load modules again costs what has changed in them.
///
/// A [`Loader`](super::Loader) that has it ([`with_cache`](super::Loader::with_cache)) reads the text of each module as ever, from
/// wherever it comes. A text that it has seen under this name and with this registry is then neither parsed nor checked again.
/// The rest of the load is done each time, as parameters and what modules call each other decide it. So the graph, the diagnostics and
/// the plan are those of a load without a cache, and modules need not be told to be forgotten: one that has changed is another text.
///
/// A clone is the same cache. Any number of loads may use it at once, on any threads. None of them waits while another one parses.
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
/// - A text is found by all of itself and not by a digest of it, so one tenant gets nothing of another's through a cache that they
///   share: whoever finds a text has brought it. That it was there already can be told from the time that a load takes, and from
///   [`stats`](Self::stats).
/// - What is sensitive is hidden in each load, whether it was found here or not.
/// - It takes no more memory than it [may](Self::with_bytes), by an estimate of what each file takes: what was not used for the
///   longest time is forgotten first, and a file that is larger than all of that is not kept.
///
/// # Caveats
///
/// - Registries are one when one is a [clone](Clone) of the other. Two that were built in the same way are two.
/// - Files with a mistake in them are not kept.
/// - The texts stay in memory, and so do the secrets that are written in them, until they are forgotten or the cache is dropped.
#[derive(Clone)]
pub struct ModuleCache(Arc<Shared>);

struct Shared {
    most: u64,
    kept: Mutex<Kept>,
}

impl ModuleCache {
    /// One that takes at most 64 MiB: some thousand modules.
    pub fn new() -> Self {
        Self::with_bytes(64 << 20)
    }

    /// One that takes at most so many bytes.
    pub fn with_bytes(most: u64) -> Self {
        Self(Arc::new(Shared { most, kept: Mutex::default() }))
    }

    /// What it did so far, and what it holds.
    pub fn stats(&self) -> CacheStats {
        self.kept().stats()
    }

    /// Forgets all files.
    pub fn clear(&self) {
        let files = self.kept().take();
        drop(files);
    }

    /// A file that was kept, when this load can use it.
    pub(super) fn find(
        &self,
        key: &FileKey,
        is_usable: impl FnOnce(&CheckedFile) -> bool,
    ) -> Option<Arc<CheckedFile>> {
        self.kept().find(key, is_usable)
    }

    /// Keeps a file.
    pub(super) fn keep(&self, key: FileKey, file: CheckedFile) {
        let (most, file) = (self.0.most, Arc::new(file));
        let forgotten = self.kept().keep(key, file, most);
        // Others need not wait until it is taken apart.
        drop(forgotten);
    }

    /// The id of the next file that is parsed.
    pub(super) fn next_id(&self) -> FileId {
        self.kept().next_id()
    }

    /// What is in it is whole after a panic, too: nothing here ends halfway.
    fn kept(&self) -> MutexGuard<'_, Kept> {
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

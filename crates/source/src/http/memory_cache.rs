//! The in-memory cache of fetched modules.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache::Origin;
use crate::error::SourceError;
use crate::pin::ContentHash;
use crate::system::http::Url;

/// The approximate limit of the cache in bytes.
const MOST: usize = 64 << 20;

/// The estimated size of an entry without its text, in bytes.
const OVERHEAD: usize = 1 << 10;

pub(super) type Fetched = Result<Arc<str>, SourceError>;

type Key = (Url, Option<ContentHash>);

/// A cache of recently fetched contents; the least recently used ones are dropped at the limit.
#[derive(Debug)]
pub(super) struct MemoryCache {
    most: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: HashMap<Key, Entry>,
    size: usize,
    /// A counter that each use increments.
    time: u64,
    /// The number of refreshes.
    refreshes: u64,
}

#[derive(Debug)]
struct Entry {
    fetched: Fetched,
    origin: Option<Arc<Origin>>,
    used: u64,
    round: u64,
}

/// The cached state of a URL.
#[derive(Debug)]
pub(super) enum Known {
    /// The URL was fetched since the last refresh, and is not requested again.
    Fetched(Fetched),
    /// The content and origin from before the last refresh.
    Stale(Arc<Origin>, Arc<str>),
    Nothing,
}

impl Default for MemoryCache {
    fn default() -> Self {
        Self { most: MOST, inner: Mutex::default() }
    }
}

impl MemoryCache {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, url: &Url, pin: Option<ContentHash>) -> Known {
        let inner = &mut *self.lock();
        inner.time += 1;
        let Some(entry) = inner.entries.get_mut(&(url.clone(), pin)) else { return Known::Nothing };
        entry.used = inner.time;
        match (&entry.fetched, &entry.origin) {
            (fetched, _) if entry.round == inner.refreshes => Known::Fetched(fetched.clone()),
            (Ok(text), Some(origin)) => Known::Stale(Arc::clone(origin), Arc::clone(text)),
            _ => Known::Nothing,
        }
    }

    pub(super) fn insert(
        &self,
        url: &Url,
        pin: Option<ContentHash>,
        fetched: Fetched,
        origin: Option<Arc<Origin>>,
    ) {
        let inner = &mut *self.lock();
        inner.time += 1;
        let entry = Entry { fetched, origin, used: inner.time, round: inner.refreshes };
        inner.size += entry.size();
        if let Some(before) = inner.entries.insert((url.clone(), pin), entry) {
            inner.size -= before.size();
        }
        while inner.size > self.most && inner.entries.len() > 1 {
            let oldest = inner.entries.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { break };
            inner.size -= inner.entries.remove(&oldest).map_or(0, |entry| entry.size());
        }
    }

    /// Marks all entries as stale, so that they are requested again.
    pub(super) fn refresh(&self) {
        self.lock().refreshes += 1;
    }
}

impl Entry {
    fn size(&self) -> usize {
        OVERHEAD + self.fetched.as_ref().map_or(0, |text| text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_longest_ago_is_forgotten() {
        let cache = MemoryCache { most: 2 * (OVERHEAD + 10), ..MemoryCache::default() };
        let url = |name: &str| format!("https://h/{name}").parse::<Url>().unwrap();
        let add =
            |name: &str, bytes: usize| cache.insert(&url(name), None, Ok("x".repeat(bytes).into()), None);
        let is_cached = |name: &str| matches!(cache.get(&url(name), None), Known::Fetched(Ok(_)));
        add("a", 10);
        add("b", 10);
        assert!(is_cached("a"));
        add("c", 10);
        assert!(is_cached("a") && is_cached("c") && !is_cached("b"));
        // The new text replaces the previous one.
        add("c", 9);
        assert!(is_cached("a") && is_cached("c"));
        // A single text may exceed the limit.
        add("d", 5000);
        assert!(is_cached("d") && !is_cached("a") && !is_cached("c"));
        add("e", 1);
        assert!(is_cached("e") && !is_cached("d"));
        let inner = cache.lock();
        assert_eq!((inner.entries.len(), inner.size), (1, OVERHEAD + 1));
    }
}

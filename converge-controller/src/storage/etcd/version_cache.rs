//! A cache of recently used resources for transactions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::resource::Resource;

use super::super::key::Key;

/// The number of resources in one generation of the cache.
const LEAST: usize = 4_096;

/// The stored state of a key, as far as a transaction needs it.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    /// The resource, without its data and statuses.
    pub(super) resource: Arc<Resource>,
    pub(super) create_revision: i64,
    pub(super) mod_revision: i64,
}

impl Stored {
    pub(super) fn new(resource: &Resource, create_revision: i64, mod_revision: i64) -> Self {
        let resource = Resource {
            id: resource.id.clone(),
            owner: resource.owner.clone(),
            version: resource.version.clone(),
            generation: None,
            metadata: resource.metadata.clone(),
            status: std::collections::BTreeMap::new(),
            data: None,
        };
        Self { resource: Arc::new(resource), create_revision, mod_revision }
    }
}

/// A cache of recently read or written resources, which saves transactions a read.
///
/// Transactions compare the cached state, so outdated entries are harmless.
#[derive(Default)]
pub(super) struct Known(Mutex<Generations>);

/// Two generations of entries. When the young one is full it becomes the old one, which is discarded.
#[derive(Default)]
struct Generations {
    young: HashMap<Key, Stored>,
    old: HashMap<Key, Stored>,
}

impl Known {
    pub(super) fn get(&self, key: &Key) -> Option<Stored> {
        let generations = self.generations();
        let entry = generations.young.get(key).or_else(|| generations.old.get(key));
        entry.cloned()
    }

    /// Stores an entry, unless a newer one is known.
    pub(super) fn learn(&self, key: Key, stored: Stored) {
        let mut generations = self.generations();
        if generations.young.len() >= LEAST {
            generations.old = std::mem::take(&mut generations.young);
        }
        let newer = |known: &Stored| known.mod_revision > stored.mod_revision;
        if !generations.young.get(&key).is_some_and(newer) {
            generations.young.insert(key, stored);
        }
    }

    pub(super) fn forget(&self, key: &Key) {
        let mut generations = self.generations();
        generations.young.remove(key);
        generations.old.remove(key);
    }

    fn generations(&self) -> std::sync::MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

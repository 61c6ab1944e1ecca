//! What is known of resources without asking.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::resource::Resource;

use super::super::key::Key;

/// How many resources are known at least, after as many were read.
const LEAST: usize = 4_096;

/// What is stored under a key, as far as a transaction has to know it.
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

/// The resources that were read or written last. It saves a transaction the look before: what is known is compared in it,
/// so that nothing goes wrong when it is old.
#[derive(Default)]
pub(super) struct Known(Mutex<Generations>);

/// When the young are too many they become the old, and the old are forgotten.
#[derive(Default)]
struct Generations {
    young: HashMap<Key, Stored>,
    old: HashMap<Key, Stored>,
}

impl Known {
    pub(super) fn get(&self, key: &Key) -> Option<Stored> {
        let generations = self.generations();
        let found = generations.young.get(key).or_else(|| generations.old.get(key));
        found.cloned()
    }

    /// Learns what is stored, unless something newer is known.
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

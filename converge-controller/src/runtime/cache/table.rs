//! The resources of one type, sorted by each of its indexes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use crate::resource::Resource;

use super::key::Key;

/// The resources of one type, sorted by identity and by each of its indexes.
#[derive(Default)]
pub(super) struct Table {
    resources: BTreeMap<Arc<Key>, Entry>,
    /// In the order in which the type's indexes were declared: what is sorted by, and whose it is.
    indexes: Vec<BTreeSet<(Arc<Key>, Arc<Key>)>>,
}

struct Entry {
    resource: Arc<Resource>,
    /// For each index, the keys under which it is there.
    keys: Vec<Vec<Arc<Key>>>,
}

impl Table {
    pub(super) fn new(indexes: usize) -> Self {
        Self { resources: BTreeMap::new(), indexes: vec![BTreeSet::new(); indexes] }
    }

    /// Puts a resource in, under these keys of each index. Gives the state that it replaces.
    pub(super) fn insert(
        &mut self,
        resource: Arc<Resource>,
        keys: Vec<BTreeSet<Key>>,
    ) -> Option<Arc<Resource>> {
        let id = Arc::new(Key::of(&resource.id));
        let previous = self.remove(&id);
        let keys: Vec<Vec<Arc<Key>>> =
            keys.into_iter().map(|keys| keys.into_iter().map(Arc::new).collect()).collect();
        for (index, keys) in self.indexes.iter_mut().zip(&keys) {
            index.extend(keys.iter().map(|key| (Arc::clone(key), Arc::clone(&id))));
        }
        self.resources.insert(id, Entry { resource, keys });
        previous
    }

    /// Takes a resource out. Gives its last state.
    pub(super) fn remove(&mut self, id: &Key) -> Option<Arc<Resource>> {
        let (id, entry) = self.resources.remove_entry(id)?;
        for (index, keys) in self.indexes.iter_mut().zip(entry.keys) {
            for key in keys {
                index.remove(&(key, Arc::clone(&id)));
            }
        }
        Some(entry.resource)
    }

    pub(super) fn len(&self) -> usize {
        self.resources.len()
    }

    /// The resource of an identity.
    pub(super) fn get(&self, id: &Key) -> Option<&Arc<Resource>> {
        self.resources.get(id).map(|entry| &entry.resource)
    }

    /// The resources whose identity begins so, in order.
    pub(super) fn by_id(&self, prefix: &Key) -> Vec<Arc<Resource>> {
        self.resources
            .range::<Key, _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(_, entry)| Arc::clone(&entry.resource))
            .collect()
    }

    /// The resources under the keys of an index that begin so, in the order of the keys and then of the identities. One
    /// that is under several of these keys is there once.
    pub(super) fn by_index(&self, index: usize, prefix: &Key) -> Vec<Arc<Resource>> {
        let from = (Arc::new(prefix.clone()), Arc::default());
        let found = self.indexes.get(index).into_iter().flat_map(|index| index.range(from.clone()..));
        self.once(found.take_while(|(key, _)| key.starts_with(prefix)).map(|(_, id)| id))
    }

    /// The resources under exactly a key of an index.
    pub(super) fn under(&self, index: usize, key: &Key) -> Vec<Arc<Resource>> {
        let from = (Arc::new(key.clone()), Arc::default());
        let found = self.indexes.get(index).into_iter().flat_map(|index| index.range(from.clone()..));
        self.once(found.take_while(|(found, _)| **found == *key).map(|(_, id)| id))
    }

    /// The resources under the keys of an index that `key` begins with, those with the shortest keys first.
    pub(super) fn parents(&self, index: usize, key: &Key) -> Vec<Arc<Resource>> {
        let Some(index) = self.indexes.get(index) else { return Vec::new() };
        let mut found = Vec::new();
        // From the greatest key that may be meant downwards: a key that is not one of those says how much at most of
        // `key` the next can have.
        let mut length = key.as_bytes().len();
        loop {
            let above = Arc::new(key.cut(length).next());
            let below = index.range(..(above, Arc::default())).next_back();
            let Some((candidate, _)) = below else { break };
            let common = candidate.common(key);
            if common == candidate.as_bytes().len() {
                let under = index.range((Arc::clone(candidate), Arc::default())..);
                let under: Vec<_> = under.take_while(|(key, _)| key == candidate).map(|(_, id)| id).collect();
                found.push(under);
                let Some(shorter) = common.checked_sub(1) else { break };
                length = shorter;
            } else {
                length = common;
            }
        }
        self.once(found.into_iter().rev().flatten())
    }

    fn once<'a>(&self, ids: impl Iterator<Item = &'a Arc<Key>>) -> Vec<Arc<Resource>> {
        let mut seen = BTreeSet::new();
        ids.filter(|id| seen.insert(Arc::clone(id)))
            .filter_map(|id| self.resources.get(id))
            .map(|entry| Arc::clone(&entry.resource))
            .collect()
    }
}

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
    /// The entries of each index, in the order of declaration.
    ///
    /// An entry is a key, and the identity key of the resource.
    indexes: Vec<BTreeSet<(Arc<Key>, Arc<Key>)>>,
}

struct Entry {
    resource: Arc<Resource>,
    /// The keys of the resource in each index.
    keys: Vec<Vec<Arc<Key>>>,
}

impl Table {
    pub(super) fn new(indexes: usize) -> Self {
        Self { resources: BTreeMap::new(), indexes: vec![BTreeSet::new(); indexes] }
    }

    /// Inserts a resource with its keys in each index, and returns the state that it replaces.
    pub(super) fn insert(
        &mut self,
        resource: Arc<Resource>,
        keys: Vec<BTreeSet<Key>>,
    ) -> Option<Arc<Resource>> {
        let id = Arc::new(Key::from_value(&resource.id));
        let previous = self.remove(&id);
        let keys: Vec<Vec<Arc<Key>>> =
            keys.into_iter().map(|keys| keys.into_iter().map(Arc::new).collect()).collect();
        for (index, keys) in self.indexes.iter_mut().zip(&keys) {
            index.extend(keys.iter().map(|key| (Arc::clone(key), Arc::clone(&id))));
        }
        self.resources.insert(id, Entry { resource, keys });
        previous
    }

    /// Removes a resource, and returns its last state.
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

    /// Returns the resource with an identity.
    pub(super) fn get(&self, id: &Key) -> Option<&Arc<Resource>> {
        self.resources.get(id).map(|entry| &entry.resource)
    }

    /// Returns the resources whose identity begins with a prefix, in order.
    pub(super) fn by_id(&self, prefix: &Key) -> Vec<Arc<Resource>> {
        self.resources
            .range::<Key, _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(_, entry)| Arc::clone(&entry.resource))
            .collect()
    }

    /// Returns the resources whose keys in an index begin with a prefix, sorted by key and then identity.
    ///
    /// A resource with several of these keys is included once.
    pub(super) fn by_index(&self, index: usize, prefix: &Key) -> Vec<Arc<Resource>> {
        let from = (Arc::new(prefix.clone()), Arc::default());
        let entries = self.indexes.get(index).into_iter().flat_map(|index| index.range(from.clone()..));
        self.once(entries.take_while(|(key, _)| key.starts_with(prefix)).map(|(_, id)| id))
    }

    /// Returns the resources with exactly this key in an index.
    pub(super) fn under(&self, index: usize, key: &Key) -> Vec<Arc<Resource>> {
        let from = (Arc::new(key.clone()), Arc::default());
        let entries = self.indexes.get(index).into_iter().flat_map(|index| index.range(from.clone()..));
        self.once(entries.take_while(|(found, _)| **found == *key).map(|(_, id)| id))
    }

    /// Returns the resources whose key in an index is a prefix of `key`, shortest keys first.
    pub(super) fn parents(&self, index: usize, key: &Key) -> Vec<Arc<Resource>> {
        let Some(index) = self.indexes.get(index) else { return Vec::new() };
        let mut groups = Vec::new();
        // The search goes down from the longest possible prefix. The nearest key that is not a prefix limits
        // the length of the next candidate.
        let mut length = key.as_bytes().len();
        loop {
            let bound = Arc::new(key.cut(length).next());
            let preceding = index.range(..(bound, Arc::default())).next_back();
            let Some((candidate, _)) = preceding else { break };
            let common = candidate.common(key);
            if common == candidate.as_bytes().len() {
                let ids = index.range((Arc::clone(candidate), Arc::default())..);
                let ids: Vec<_> = ids.take_while(|(key, _)| key == candidate).map(|(_, id)| id).collect();
                groups.push(ids);
                let Some(shorter) = common.checked_sub(1) else { break };
                length = shorter;
            } else {
                length = common;
            }
        }
        self.once(groups.into_iter().rev().flatten())
    }

    fn once<'a>(&self, ids: impl Iterator<Item = &'a Arc<Key>>) -> Vec<Arc<Resource>> {
        let mut visited = BTreeSet::new();
        ids.filter(|id| visited.insert(Arc::clone(id)))
            .filter_map(|id| self.resources.get(id))
            .map(|entry| Arc::clone(&entry.resource))
            .collect()
    }
}

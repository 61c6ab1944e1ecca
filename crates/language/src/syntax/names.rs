//! The names in one body or map, for the detection of duplicates.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::ops::Range;

/// The number of names up to which comparing one by one is faster than hashing.
const FEW: usize = 16;

pub(super) struct Names<K> {
    few: Vec<(K, Range<usize>)>,
    many: HashMap<K, Range<usize>>,
}

impl<K: Eq + Hash> Names<K> {
    pub(super) fn new() -> Self {
        Self { few: Vec::new(), many: HashMap::new() }
    }

    /// Adds a name.
    ///
    /// Returns the range of an earlier use of the same name.
    pub(super) fn insert(&mut self, name: K, range: Range<usize>) -> Option<Range<usize>> {
        if self.many.is_empty() {
            if let Some((_, first)) = self.few.iter().find(|(taken, _)| *taken == name) {
                return Some(first.clone());
            }
            if self.few.len() < FEW {
                self.few.push((name, range));
                return None;
            }
            self.many.extend(self.few.drain(..));
        }
        match self.many.entry(name) {
            Entry::Occupied(first) => Some(first.get().clone()),
            Entry::Vacant(free) => {
                free.insert(range);
                None
            }
        }
    }
}

//! The names of one body or map, so that a second use of one is found.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::ops::Range;

/// Up to so many names are compared one by one, which is faster than to hash them.
const FEW: usize = 16;

pub(super) struct Names<K> {
    few: Vec<(K, Range<usize>)>,
    many: HashMap<K, Range<usize>>,
}

impl<K: Eq + Hash> Names<K> {
    pub(super) fn new() -> Self {
        Self { few: Vec::new(), many: HashMap::new() }
    }

    /// Takes a name; gives the place where it was taken before.
    pub(super) fn take(&mut self, name: K, at: Range<usize>) -> Option<Range<usize>> {
        if self.many.is_empty() {
            if let Some((_, first)) = self.few.iter().find(|(taken, _)| *taken == name) {
                return Some(first.clone());
            }
            if self.few.len() < FEW {
                self.few.push((name, at));
                return None;
            }
            self.many.extend(self.few.drain(..));
        }
        match self.many.entry(name) {
            Entry::Occupied(first) => Some(first.get().clone()),
            Entry::Vacant(free) => {
                free.insert(at);
                None
            }
        }
    }
}

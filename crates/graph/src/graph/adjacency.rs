//! Adjacency lists in one block of memory, because most lists are short and there are very many.

use super::index::NodeIndex;

#[derive(Debug)]
pub(super) struct AdjacencyLists<T> {
    items: Vec<T>,
    /// The start of each node's list, and the end of the last one.
    starts: Vec<usize>,
}

impl<T> Default for AdjacencyLists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), starts: vec![0] }
    }
}

impl<T: Copy> AdjacencyLists<T> {
    /// Creates lists for `len` nodes, with the items of each in the given order.
    ///
    /// Items for other nodes are dropped.
    pub(super) fn group(len: usize, given: &[(NodeIndex, T)]) -> Self {
        let mut starts = vec![0; len + 1];
        for (node, _) in given {
            if let Some(count) = starts.get_mut(node.as_usize() + 1) {
                *count += 1;
            }
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        let Some((_, first)) = given.first() else { return Self { items: Vec::new(), starts } };
        let mut items = vec![*first; before];
        let mut next = starts.clone();
        for (node, item) in given {
            if node.as_usize() < len
                && let Some(at) = next.get_mut(node.as_usize())
                && let Some(slot) = items.get_mut(*at)
            {
                *slot = *item;
                *at += 1;
            }
        }
        Self { items, starts }
    }

    /// Returns the number of items in all lists.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn of(&self, node: NodeIndex) -> &[T] {
        let ends = self.starts.get(node.as_usize()..).unwrap_or_default();
        match ends {
            [start, end, ..] => self.items.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Sorts every list and removes duplicates, keeping the first of each.
    pub(super) fn sort_and_dedup<K: Ord>(&mut self, key: impl Fn(&T) -> K, same: impl Fn(&T, &T) -> bool) {
        let (mut kept, mut start) = (0, 0);
        for at in 1..self.starts.len() {
            let end = self.starts[at];
            self.items[start..end].sort_by_key(&key);
            let first = kept;
            for from in start..end {
                if kept == first || !same(&self.items[kept - 1], &self.items[from]) {
                    self.items[kept] = self.items[from];
                    kept += 1;
                }
            }
            self.starts[at] = kept;
            start = end;
        }
        self.items.truncate(kept);
    }
}

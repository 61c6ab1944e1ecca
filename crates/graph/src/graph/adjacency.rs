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
    pub(super) fn group(len: usize, entries: &[(NodeIndex, T)]) -> Self {
        let mut starts = vec![0; len + 1];
        for (node, _) in entries {
            if let Some(count) = starts.get_mut(node.as_usize() + 1) {
                *count += 1;
            }
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        let Some((_, first)) = entries.first() else { return Self { items: Vec::new(), starts } };
        let mut items = vec![*first; before];
        let mut next = starts.clone();
        for (node, item) in entries {
            if node.as_usize() < len
                && let Some(position) = next.get_mut(node.as_usize())
                && let Some(slot) = items.get_mut(*position)
            {
                *slot = *item;
                *position += 1;
            }
        }
        Self { items, starts }
    }

    /// Returns the number of items in all lists.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn neighbors(&self, node: NodeIndex) -> &[T] {
        let bounds = self.starts.get(node.as_usize()..).unwrap_or_default();
        match bounds {
            [start, end, ..] => self.items.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Sorts every list and removes duplicates, keeping the first of each.
    pub(super) fn sort_and_dedup<K: Ord>(&mut self, key: impl Fn(&T) -> K, is_same: impl Fn(&T, &T) -> bool) {
        let (mut length, mut start) = (0, 0);
        for row in 1..self.starts.len() {
            let end = self.starts[row];
            self.items[start..end].sort_by_key(&key);
            let first = length;
            for from in start..end {
                if length == first || !is_same(&self.items[length - 1], &self.items[from]) {
                    self.items[length] = self.items[from];
                    length += 1;
                }
            }
            self.starts[row] = length;
            start = end;
        }
        self.items.truncate(length);
    }
}

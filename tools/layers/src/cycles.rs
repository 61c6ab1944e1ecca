//! Cycles in a graph of names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Returns the shortest cycle through each edge.
///
/// Each cycle occurs once and begins with its smallest name.
pub(crate) fn shortest_cycles<'a>(
    edges: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> BTreeSet<Vec<&'a str>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    let mut rings = BTreeSet::new();
    for (from, targets) in &next {
        for to in targets {
            if let Some(mut ring) = shortest_path(&next, to, from) {
                let minimum = ring.iter().enumerate().min_by_key(|(_, name)| **name).map_or(0, |(at, _)| at);
                ring.rotate_left(minimum);
                rings.insert(ring);
            }
        }
    }
    rings
}

/// Returns the names on the shortest path from one name to another, both included.
pub(crate) fn shortest_path<'a>(
    next: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    from: &'a str,
    to: &'a str,
) -> Option<Vec<&'a str>> {
    let mut came_from = BTreeMap::from([(from, from)]);
    let mut queue = VecDeque::from([from]);
    while let Some(current) = queue.pop_front() {
        if current == to {
            let mut path = vec![to];
            let mut step = to;
            while step != from {
                step = came_from.get(step)?;
                path.push(step);
            }
            path.reverse();
            return Some(path);
        }
        for &name in next.get(current).into_iter().flatten() {
            came_from.entry(name).or_insert_with(|| {
                queue.push_back(name);
                current
            });
        }
    }
    None
}

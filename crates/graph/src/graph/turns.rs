//! The order in which resources change a common thing, such as a file or the rules of a firewall.
//!
//! Turns are not edges. Resources wait for their turn only in an apply, and regardless of the outcome of the
//! others. Each resource is checked at once, a plan shows the change of each, and a failure stops no other.
//! The order is that of the text, with dependencies first. The result therefore does not depend on timing.

use std::ops::Range;

use super::index::NodeIndex;

/// Nodes that change the same thing one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct TurnList {
    /// The lock of their resource types.
    #[doc(hidden)]
    pub lock: &'static str,
    /// The nodes in order.
    #[doc(hidden)]
    pub nodes: Vec<NodeIndex>,
}

/// Sorts the lists by declaration, with dependencies first, and drops lists with a single node.
///
/// All members must be among `nodes`.
#[doc(hidden)]
pub fn in_order<K: Ord + Copy, D: Iterator<Item = NodeIndex>>(
    mut lists: Vec<TurnList>,
    nodes: Range<usize>,
    declared: impl Fn(NodeIndex) -> K,
    dependencies: impl Fn(NodeIndex) -> D,
) -> Vec<TurnList> {
    for list in &mut lists {
        list.nodes.sort_unstable();
        list.nodes.dedup();
    }
    lists.retain(|list| list.nodes.len() > 1);
    let mut members: Vec<NodeIndex> = lists.iter().flat_map(|list| &list.nodes).copied().collect();
    if members.is_empty() {
        return lists;
    }
    let by_place =
        |nodes: &mut Vec<NodeIndex>| nodes.sort_unstable_by_key(|index| (declared(*index), *index));
    by_place(&mut members);
    // The position of each node in the order, from 1; 0 if it has none yet.
    let mut places = vec![0_u32; nodes.len()];
    let mut visited = vec![false; nodes.len()];
    let offset = |index: NodeIndex| index.as_usize().wrapping_sub(nodes.start);
    let mut is_new =
        |index| visited.get_mut(offset(index)).is_some_and(|seen| !std::mem::replace(seen, true));
    // Each node with its dependencies that are still to be visited, the next one last.
    let mut path: Vec<(NodeIndex, Vec<NodeIndex>)> = Vec::new();
    let behind = |index| {
        let mut nodes: Vec<NodeIndex> = dependencies(index).collect();
        by_place(&mut nodes);
        nodes.reverse();
        (index, nodes)
    };
    let mut next = 1..;
    for start in members {
        if is_new(start) {
            path.push(behind(start));
        }
        while let Some((index, before)) = path.last_mut() {
            match before.pop() {
                Some(dependency) if is_new(dependency) => path.push(behind(dependency)),
                Some(_) => {}
                None => {
                    if let (Some(place), Some(next)) = (places.get_mut(offset(*index)), next.next()) {
                        *place = next;
                    }
                    path.pop();
                }
            }
        }
    }
    for list in &mut lists {
        list.nodes.sort_unstable_by_key(|index| places.get(offset(*index)).copied());
    }
    lists
}

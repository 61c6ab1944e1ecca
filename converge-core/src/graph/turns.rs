//! In which order resources change a thing that several of them change: the lines of a file, the rules of a firewall.
//!
//! They wait for each other in an apply only, and whatever comes of the others, so these are no edges: each is checked at once, a plan
//! says of each what it would change, and one that fails halts nobody. It is the order of the text, in which what somebody waits for comes
//! before that: so what the same module makes of a machine does not depend on what was quicker.

use std::ops::Range;

use super::index::NodeIndex;

/// Nodes that change the same thing one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TurnList {
    /// The lock of their types.
    pub(crate) lock: &'static str,
    /// In their order.
    pub(crate) nodes: Vec<NodeIndex>,
}

/// The lists that have several nodes, each in the order in which these are declared, where what a node waits for comes before it. All are among
/// `nodes`.
pub(crate) fn in_order<K: Ord + Copy, D: Iterator<Item = NodeIndex>>(
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
    let mut all: Vec<NodeIndex> = lists.iter().flat_map(|list| &list.nodes).copied().collect();
    if all.is_empty() {
        return lists;
    }
    let by_place =
        |nodes: &mut Vec<NodeIndex>| nodes.sort_unstable_by_key(|index| (declared(*index), *index));
    by_place(&mut all);
    // Where each is in the order, from 1 on; 0 for those that have none yet.
    let mut places = vec![0_u32; nodes.len()];
    let mut seen = vec![false; nodes.len()];
    let at = |index: NodeIndex| index.as_usize().wrapping_sub(nodes.start);
    let mut is_new = |index| seen.get_mut(at(index)).is_some_and(|seen| !std::mem::replace(seen, true));
    // Each node with what is still to come before it, the next of that at the end.
    let mut path: Vec<(NodeIndex, Vec<NodeIndex>)> = Vec::new();
    let behind = |index| {
        let mut nodes: Vec<NodeIndex> = dependencies(index).collect();
        by_place(&mut nodes);
        nodes.reverse();
        (index, nodes)
    };
    let mut next = 1..;
    for start in all {
        if is_new(start) {
            path.push(behind(start));
        }
        while let Some((index, before)) = path.last_mut() {
            match before.pop() {
                Some(on) if is_new(on) => path.push(behind(on)),
                Some(_) => {}
                None => {
                    if let (Some(place), Some(next)) = (places.get_mut(at(*index)), next.next()) {
                        *place = next;
                    }
                    path.pop();
                }
            }
        }
    }
    for list in &mut lists {
        list.nodes.sort_unstable_by_key(|index| places.get(at(*index)).copied());
    }
    lists
}

//! Nodes that read or change everything below a path: a recursive change of owners, a package manager that reads all of its
//! sources.
//!
//! Who reads a tree waits for who makes something in it. Who changes a tree comes before what is said of single paths in it,
//! so that this holds in the end.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;

use super::uses::{Phase, TreeUse, Use, Uses};
use crate::graph::{AutomaticEdge, NodeIndex};
use crate::types::footprint::Thing;

pub(super) fn add_edges(uses: &Uses<'_>, edges: &mut Vec<AutomaticEdge>) {
    if uses.trees.is_empty() {
        return;
    }
    let paths = uses.things().enumerate().filter(|(_, (thing, _))| thing.is_path());
    let paths: BTreeMap<&str, usize> = paths.map(|(place, (thing, _))| (thing.name(), place)).collect();
    let roots: HashSet<(NodeIndex, &str)> =
        uses.trees.iter().map(|(root, tree)| (tree.node, root.name())).collect();
    for (root, tree) in &uses.trees {
        let below = if root.name() == "/" { "/".to_owned() } else { format!("{}/", root.name()) };
        let own = paths.get(root.name()).into_iter();
        let inside = paths.range::<str, _>((Bound::Included(below.as_str()), Bound::Unbounded));
        let inside = inside.take_while(|(path, _)| path.starts_with(&below)).map(|(_, place)| place);
        for place in own.chain(inside) {
            let Some((thing, of_thing)) = uses.at(*place) else { continue };
            for other in of_thing {
                // Of two that go through the same tree neither is first.
                let is_twin = *thing == **root && roots.contains(&(other.node, root.name()));
                if other.node != tree.node && !is_twin {
                    edges.extend(edge(root, *tree, *other));
                }
            }
        }
    }
}

/// The order of one that goes through a tree, and one that does something to a path in it.
fn edge(root: &Thing, tree: TreeUse, other: Use) -> Option<AutomaticEdge> {
    let comes_first = match other.phase {
        Phase::Made | Phase::Ensured | Phase::Filled => tree.reads,
        Phase::Changed | Phase::Permitted => !tree.changes,
        // Both only look.
        Phase::Used if !tree.changes => return None,
        Phase::Used => false,
    };
    let (from, on) = if comes_first { (tree.node, other.node) } else { (other.node, tree.node) };
    Some(AutomaticEdge { from, on, gives_way: false, thing: Some(root.clone()) })
}

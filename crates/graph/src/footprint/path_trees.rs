//! The order of nodes that read or change a whole tree.
//!
//! Examples are a recursive change of owners, and a package manager that reads all of its sources. A node
//! that reads a tree waits for nodes that make something in it. A node that changes a tree comes before
//! changes of single paths in it, so that the specific settings win.

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
        let prefix = if root.name() == "/" { "/".to_owned() } else { format!("{}/", root.name()) };
        let is_own = |one: &Use| one.node == tree.node && one.phase.makes() && !one.removes;
        let makes_root = uses.of_path(root.name()).iter().any(is_own);
        let root_uses = paths.get(root.name()).into_iter();
        let inside = paths.range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded));
        let inside = inside.take_while(|(path, _)| path.starts_with(&prefix)).map(|(_, place)| place);
        for place in root_uses.chain(inside) {
            let Some((thing, of_thing)) = uses.at(*place) else { continue };
            for node_use in of_thing {
                // Two nodes that traverse the same tree have no order.
                let is_twin = *thing == **root && roots.contains(&(node_use.node, root.name()));
                if node_use.node != tree.node && !is_twin {
                    edges.extend(edge((root, makes_root), *tree, *node_use));
                }
            }
        }
    }
}

/// Returns the edge between a node that traverses a tree and a node that works with a path in it.
fn edge((root, makes_root): (&Thing, bool), tree: TreeUse, node_use: Use) -> Option<AutomaticEdge> {
    let comes_first = match node_use.phase {
        // Nothing can be in a folder before the node that makes the folder.
        phase if phase.provides() => tree.reads && !makes_root,
        Phase::Changed | Phase::Permitted => !tree.changes,
        // Both nodes only read.
        Phase::Used if !tree.changes => return None,
        _ => false,
    };
    let (from, dependency) =
        if comes_first { (tree.node, node_use.node) } else { (node_use.node, tree.node) };
    Some(AutomaticEdge {
        from,
        on: dependency,
        gives_way: false,
        thing: Some(root.clone()),
        even_after: false,
    })
}

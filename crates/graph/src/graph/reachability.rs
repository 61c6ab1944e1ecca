//! Reachability: whether one node depends on another, directly or indirectly.
//!
//! A search per question takes linear time, and a module may ask for each of its resources. Therefore one
//! traversal of the whole graph numbers the nodes when it enters and leaves them, and most answers follow
//! from these numbers. The answer is yes if the traversal entered one node while it was inside the other. The
//! answer is no if a node was left outside of the range that the other leads to. Only the remaining questions
//! need a search, which skips the branches that the numbers exclude. (The numbers are those of GRAIL,
//! Yildirim, Chaoji and Zaki 2010, with one traversal.)

use super::adjacency::AdjacencyLists;
use super::edge::Edge;
use super::index::NodeIndex;

const NONE: u32 = u32::MAX;

/// The traversal numbers of the nodes of an acyclic graph, by index.
#[derive(Debug)]
pub(super) struct Reach {
    /// The position at which the traversal entered a node.
    entered: Vec<u32>,
    /// The position at which the traversal left a node after all its dependencies.
    left: Vec<u32>,
    /// The smallest `left` of a node and all its dependencies.
    lowest: Vec<u32>,
}

impl Reach {
    /// Computes the numbers for a graph of `len` nodes with these edges.
    pub(super) fn new(
        len: usize,
        dependencies: &AdjacencyLists<Edge>,
        dependents: &AdjacencyLists<NodeIndex>,
    ) -> Self {
        let numbers = || vec![NONE; len];
        let mut reach = Self { entered: numbers(), left: numbers(), lowest: numbers() };
        let (mut entered, mut left) = (0, 0);
        let mut enter = |reach: &mut Self, index: NodeIndex| {
            reach.entered[index.as_usize()] = entered;
            entered += 1;
            (index, dependencies.neighbors(index).iter())
        };
        for start in (0..len).map(NodeIndex::new).filter(|index| dependents.neighbors(*index).is_empty()) {
            let mut path = vec![enter(&mut reach, start)];
            while let Some((at, edges)) = path.last_mut() {
                let index = at.as_usize();
                match edges.next() {
                    Some(edge) if reach.entered[edge.on.as_usize()] == NONE => {
                        path.push(enter(&mut reach, edge.on));
                    }
                    Some(edge) => {
                        reach.lowest[index] = reach.lowest[index].min(reach.lowest[edge.on.as_usize()]);
                    }
                    None => {
                        reach.left[index] = left;
                        let lowest = reach.lowest[index].min(left);
                        reach.lowest[index] = lowest;
                        left += 1;
                        path.pop();
                        if let Some((around, _)) = path.last() {
                            let lowest_outer = &mut reach.lowest[around.as_usize()];
                            *lowest_outer = lowest.min(*lowest_outer);
                        }
                    }
                }
            }
        }
        reach
    }

    /// Returns whether a node depends on another if the numbers decide it, and otherwise `None`.
    pub(super) fn depends_on(&self, index: NodeIndex, dependency: NodeIndex) -> Option<bool> {
        let (index, dependency) = (index.as_usize(), dependency.as_usize());
        if self.left[dependency] > self.left[index] || self.lowest[dependency] < self.lowest[index] {
            return Some(false);
        }
        (self.entered[dependency] >= self.entered[index]).then_some(true)
    }
}

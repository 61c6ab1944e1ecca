//! Whether one node waits for another, directly or through others.
//!
//! A walk for each question is linear, and a module may ask for each of its resources. So one walk over the whole graph
//! numbers the nodes as it enters and leaves them, and most answers follow from the numbers of the two: yes, when the walk
//! entered one while it was in the other; no, when one was left outside of the range that the other leads to. A walk for
//! one question is only needed in between, and goes nowhere where the numbers say no. (The numbers are those of GRAIL, Yildirim,
//! Chaoji and Zaki 2010, with one traversal.)

use super::adjacency::AdjacencyLists;
use super::edge::Edge;
use super::index::NodeIndex;

const NONE: u32 = u32::MAX;

/// The numbers of the nodes of a graph without cycles, by their index.
#[derive(Debug)]
pub(super) struct Reach {
    /// When the walk came to a node.
    entered: Vec<u32>,
    /// When it had been at all that the node waits for.
    left: Vec<u32>,
    /// The least `left` of all that the node waits for, and its own.
    lowest: Vec<u32>,
}

impl Reach {
    /// The numbers of so many nodes that wait for each other like this.
    pub(super) fn of(
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
            (index, dependencies.of(index).iter())
        };
        for start in (0..len).map(NodeIndex::new).filter(|index| dependents.of(*index).is_empty()) {
            let mut path = vec![enter(&mut reach, start)];
            while let Some((at, edges)) = path.last_mut() {
                let at = at.as_usize();
                match edges.next() {
                    Some(edge) if reach.entered[edge.on.as_usize()] == NONE => {
                        path.push(enter(&mut reach, edge.on));
                    }
                    Some(edge) => reach.lowest[at] = reach.lowest[at].min(reach.lowest[edge.on.as_usize()]),
                    None => {
                        reach.left[at] = left;
                        let lowest = reach.lowest[at].min(left);
                        reach.lowest[at] = lowest;
                        left += 1;
                        path.pop();
                        if let Some((around, _)) = path.last() {
                            let around = &mut reach.lowest[around.as_usize()];
                            *around = lowest.min(*around);
                        }
                    }
                }
            }
        }
        reach
    }

    /// What the numbers say of whether a node waits for another one; `None` when they do not say it.
    pub(super) fn known(&self, index: NodeIndex, on: NodeIndex) -> Option<bool> {
        let (index, on) = (index.as_usize(), on.as_usize());
        if self.left[on] > self.left[index] || self.lowest[on] < self.lowest[index] {
            return Some(false);
        }
        (self.entered[on] >= self.entered[index]).then_some(true)
    }
}

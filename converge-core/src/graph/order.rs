//! Cycles and orders.

use super::{Edge, Graph, NodeIndex};

/// A circle of nodes that wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Each node with the edge by which it waits for the next; the last waits for the first. The
    /// smallest node comes first.
    pub steps: Vec<(NodeIndex, Edge)>,
}

impl Graph {
    /// One cycle for each set of nodes that wait for each other; none when the graph can be run.
    ///
    /// Linear in nodes and edges, and without recursion, so a long chain cannot exhaust the stack.
    pub fn cycles(&self) -> Vec<Cycle> {
        let left = self.unordered();
        let mut done = vec![false; self.len()];
        let mut cycles = Vec::new();
        for (start, _) in self.nodes() {
            if !left[start.as_usize()] || done[start.as_usize()] {
                continue;
            }
            // Every node that is left waits for another one that is left, so walking on must come back.
            let mut path: Vec<(NodeIndex, Edge)> = Vec::new();
            let mut position = std::collections::HashMap::new();
            let mut at = start;
            while !done[at.as_usize()] && !position.contains_key(&at) {
                let waits = self.dependencies(at).iter().find(|edge| left[edge.on.as_usize()]);
                let Some(edge) = waits else { break };
                position.insert(at, path.len());
                path.push((at, *edge));
                at = edge.on;
            }
            if let Some(&from) = position.get(&at)
                && !done[at.as_usize()]
            {
                let mut steps = path.split_off(from);
                for (node, _) in &steps {
                    done[node.as_usize()] = true;
                }
                let smallest =
                    steps.iter().enumerate().min_by_key(|(_, (node, _))| *node).map_or(0, |(at, _)| at);
                steps.rotate_left(smallest);
                cycles.push(Cycle { steps });
            }
            for (node, _) in path {
                done[node.as_usize()] = true;
            }
        }
        cycles
    }

    /// The nodes that can never be begun or only lead to such ones: removes from both ends what is in
    /// no cycle, and marks the rest.
    fn unordered(&self) -> Vec<bool> {
        let mut left = vec![true; self.len()];
        let mut waits: Vec<usize> = self
            .nodes()
            .map(|(index, _)| {
                let edges = self.dependencies(index);
                edges.chunk_by(|a, b| a.on == b.on).count()
            })
            .collect();
        let mut ready: Vec<NodeIndex> =
            self.nodes().map(|(index, _)| index).filter(|index| waits[index.as_usize()] == 0).collect();
        while let Some(index) = ready.pop() {
            left[index.as_usize()] = false;
            for dependent in self.dependents(index) {
                let waits = &mut waits[dependent.as_usize()];
                *waits -= 1;
                if *waits == 0 {
                    ready.push(*dependent);
                }
            }
        }
        left
    }
}

//! Cycles and topological orders.
//!
//! All algorithms are linear in nodes and edges and not recursive, so a long chain cannot exhaust the stack.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use super::dependency_graph::Graph;
use super::edge::Edge;
use super::index::NodeIndex;

/// A dependency cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Each node with the edge to the next; the last one depends on the first.
    ///
    /// The smallest node comes first.
    pub steps: Vec<(NodeIndex, Edge)>,
}

impl Graph {
    /// Returns one cycle for each strongly connected component, or none if the graph can be run.
    ///
    /// It is a shortest cycle through the smallest node of the component. Components are in the order of
    /// these nodes.
    pub fn cycles(&self) -> Vec<Cycle> {
        if self.is_ordered.get() == Some(&true) {
            return Vec::new();
        }
        let left = self.unordered();
        if !left.contains(&true) {
            return Vec::new();
        }
        let components = self.components(&left);
        let mut visited = HashSet::new();
        let nodes = self.nodes().map(|(index, _)| index).filter(|index| left[index.as_usize()]);
        nodes
            .filter(|index| visited.insert(components[index.as_usize()]))
            .filter_map(|smallest| self.shortest_cycle(smallest, &components))
            .collect()
    }

    /// Returns all nodes in an order in which each follows its dependencies, smallest id first.
    ///
    /// Nodes in cycles, and those that depend on them, are omitted.
    pub fn order(&self) -> Vec<NodeIndex> {
        let mut waits: Vec<u32> = self.nodes().map(|(index, _)| self.waits_for(index)).collect();
        let ready = self.nodes().map(|(index, _)| index).filter(|index| waits[index.as_usize()] == 0);
        let mut ready: BinaryHeap<Reverse<NodeIndex>> = ready.map(Reverse).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse(index)) = ready.pop() {
            order.push(index);
            for dependent in self.dependents(index) {
                let waits = &mut waits[dependent.as_usize()];
                *waits -= 1;
                if *waits == 0 {
                    ready.push(Reverse(*dependent));
                }
            }
        }
        order
    }

    /// Returns the number of dependencies of a node.
    #[doc(hidden)]
    pub fn waits_for(&self, index: NodeIndex) -> u32 {
        let count = self.dependencies(index).chunk_by(|a, b| a.on == b.on).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Whether `index` depends on `on`, directly or indirectly, in a graph without cycles.
    ///
    /// Also returns the number of nodes that were visited.
    #[doc(hidden)]
    pub fn depends_on(&self, index: NodeIndex, dependency: NodeIndex) -> (bool, usize) {
        if self.is_direct(index, dependency) {
            return (true, 1);
        }
        if let Some(grown) = &self.grown {
            return grown.depends_on(index, dependency);
        }
        let (reach, mut steps) = self.reach();
        let mut visited = HashSet::new();
        let mut open: Vec<NodeIndex> = self.dependencies(index).iter().map(|edge| edge.on).collect();
        while let Some(current) = open.pop() {
            steps += 1;
            match reach.depends_on(current, dependency) {
                Some(true) => return (true, steps),
                Some(false) => {}
                None => {
                    let next = self.dependencies(current).iter().map(|edge| edge.on);
                    open.extend(next.filter(|next| visited.insert(*next)));
                }
            }
        }
        (false, steps)
    }

    /// Marks the nodes that can never begin: those in a cycle and their dependents.
    pub(super) fn unordered(&self) -> Vec<bool> {
        let mut left = vec![true; self.len()];
        let mut waits: Vec<u32> = self.nodes().map(|(index, _)| self.waits_for(index)).collect();
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
        self.is_ordered.get_or_init(|| !left.contains(&true));
        left
    }

    /// Numbers the strongly connected components of the marked nodes, by Kosaraju's algorithm.
    pub(super) fn components(&self, marked: &[bool]) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        // The nodes in post-order.
        let mut finish_order = Vec::new();
        let mut visited = vec![false; self.len()];
        for (start, _) in self.nodes() {
            let mut path = Vec::new();
            if marked[start.as_usize()] && !std::mem::replace(&mut visited[start.as_usize()], true) {
                path.push((start, self.dependencies(start).iter()));
            }
            while let Some((at, edges)) = path.last_mut() {
                match edges.next() {
                    None => {
                        finish_order.push(*at);
                        path.pop();
                    }
                    Some(edge) => {
                        let dependency = edge.on;
                        if marked[dependency.as_usize()]
                            && !std::mem::replace(&mut visited[dependency.as_usize()], true)
                        {
                            path.push((dependency, self.dependencies(dependency).iter()));
                        }
                    }
                }
            }
        }
        let mut components = vec![NONE; self.len()];
        for (component, start) in finish_order.into_iter().rev().enumerate() {
            let mut open = vec![start];
            while let Some(current) = open.pop() {
                if marked[current.as_usize()] && components[current.as_usize()] == NONE {
                    components[current.as_usize()] = component;
                    open.extend(self.dependents(current));
                }
            }
        }
        components
    }

    /// Returns the shortest cycle through a node within its component, if there is one.
    fn shortest_cycle(&self, start: NodeIndex, components: &[usize]) -> Option<Cycle> {
        let component = components[start.as_usize()];
        let mut came_by: HashMap<NodeIndex, (NodeIndex, Edge)> = HashMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(current) = open.pop_front() {
            for edge in
                self.dependencies(current).iter().filter(|edge| components[edge.on.as_usize()] == component)
            {
                if edge.on == start {
                    let mut steps = vec![(current, *edge)];
                    while let Some(step) = steps.last().and_then(|(at, _)| came_by.get(at)) {
                        steps.push(*step);
                    }
                    steps.reverse();
                    return Some(Cycle { steps });
                }
                if let std::collections::hash_map::Entry::Vacant(entry) = came_by.entry(edge.on) {
                    entry.insert((current, *edge));
                    open.push_back(edge.on);
                }
            }
        }
        None
    }
}

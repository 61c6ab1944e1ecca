//! Collapse of deferred `for_each` patterns: the end node of each `for_each` stands for its instances.

use std::sync::Arc;

use super::dependency_graph::Graph;
use super::edge::Edge;
use super::index::NodeIndex;
use super::node::Node;
use super::pattern::{Pattern, PatternDependency, PatternEdge};

/// The nodes that belong to patterns of deferred instances.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Patterns {
    /// The end nodes, sorted, so that outer ones come before inner ones.
    ends: Vec<NodeIndex>,
    /// The innermost pattern of each node, as a position in `ends`. Empty if there are no patterns.
    owners: Vec<Option<usize>>,
}

/// The positions of the original nodes after the collapse.
#[derive(Debug)]
#[doc(hidden)]
pub struct Collapsed {
    places: Vec<NodeIndex>,
}

impl Collapsed {
    /// Returns the current index of a node, or that of the end node that stands for it.
    pub(crate) fn place(&self, index: NodeIndex) -> NodeIndex {
        self.places.get(index.as_usize()).copied().unwrap_or(index)
    }
}

impl Patterns {
    /// Finds the patterns of a graph that was just linked.
    #[doc(hidden)]
    pub fn from_graph(graph: &Graph) -> Self {
        let deferred_nodes =
            graph.nodes().filter(|(_, node)| node.deferred().is_some()).map(|(index, _)| index);
        let end_nodes: Vec<NodeIndex> = deferred_nodes.collect();
        if end_nodes.is_empty() {
            return Self::default();
        }
        let mut owners = vec![None; graph.len()];
        for (place, end) in end_nodes.iter().enumerate() {
            let pattern = graph.node(*end).id.pattern();
            for (index, _) in graph.with_prefix(pattern.as_str()) {
                owners[index.as_usize()] = Some(place);
            }
        }
        Self { ends: end_nodes, owners }
    }

    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the position of each node within its pattern or the graph.
    fn places(&self, len: usize) -> Vec<usize> {
        let (mut graph_count, mut counts) = (0, vec![0; self.ends.len()]);
        let mut place = |index| {
            let count = self.owner(index).and_then(|owner| counts.get_mut(owner)).unwrap_or(&mut graph_count);
            *count += 1;
            *count - 1
        };
        (0..len).map(NodeIndex::new).map(&mut place).collect()
    }

    fn owner(&self, index: NodeIndex) -> Option<usize> {
        self.owners.get(index.as_usize()).copied().flatten()
    }

    /// Returns the end node of the innermost pattern that contains a node.
    pub(crate) fn end(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.ends.get(self.owner(index)?).copied()
    }

    /// Returns the representative of a node in a pattern or the graph: the node, or an end node around it.
    ///
    /// `None` means that the node is not inside the pattern.
    fn seen_from(&self, mut index: NodeIndex, pattern: Option<usize>) -> Option<NodeIndex> {
        while self.owner(index) != pattern {
            index = self.end(index)?;
        }
        Some(index)
    }
}

impl Graph {
    /// Moves the nodes of patterns out of the graph.
    ///
    /// The end node takes over their dependencies and dependents.
    #[doc(hidden)]
    pub fn collapse(&mut self, patterns: &Patterns) -> Collapsed {
        let places = patterns.places(self.len());
        let place = |index: NodeIndex| places.get(index.as_usize()).copied().unwrap_or_default();
        let (mut edges, mut of_patterns) = (Vec::new(), Vec::new());
        for (from, edge) in self.edges() {
            let mut current = from;
            let mut inner = Vec::new();
            // This finds the innermost pattern that contains both nodes.
            let dependency = loop {
                match (patterns.seen_from(edge.on, patterns.owner(current)), patterns.end(current)) {
                    (Some(on), _) => break on,
                    (None, Some(end)) => {
                        inner.push(current);
                        current = end;
                    }
                    // The graph itself contains every node.
                    (None, None) => break edge.on,
                }
            };
            let of_pattern =
                |dependency| PatternEdge { on: dependency, reason: edge.reason, span: edge.span };
            let outer_target = || PatternDependency::Around(self.node(dependency).id.clone());
            of_patterns.extend(inner.into_iter().map(|index| (index, of_pattern(outer_target()))));
            // An end node receives its instances only in a run.
            if current == dependency {
                continue;
            }
            match patterns.owner(current) {
                None => {
                    edges.push((
                        NodeIndex::new(place(current)),
                        Edge { on: NodeIndex::new(place(dependency)), ..edge },
                    ));
                }
                Some(_) => {
                    of_patterns.push((current, of_pattern(PatternDependency::Within(place(dependency)))));
                }
            }
        }
        let (mut graph_nodes, mut pattern_list) = self.split(patterns);
        for (from, edge) in of_patterns {
            if let Some(pattern) = patterns.owner(from).and_then(|owner| pattern_list.get_mut(owner)) {
                pattern.add(place(from), edge);
            }
        }
        // Inner patterns are completed before outer ones.
        for end in patterns.ends.iter().rev() {
            let Some(pattern) = pattern_list.pop() else { break };
            let node = match patterns.owner(*end) {
                None => graph_nodes.get_mut(place(*end)),
                Some(around) => {
                    pattern_list.get_mut(around).and_then(|outer_pattern| outer_pattern.node_mut(place(*end)))
                }
            };
            if let Some(deferred) = node.and_then(|node| node.meta.as_mut()?.deferred.as_mut()) {
                deferred.pattern = Arc::new(pattern);
            }
        }
        let mut graph = Self::unconnected(graph_nodes, Arc::clone(self.sources()));
        graph.functions = self.functions.clone();
        graph.connect(&edges);
        *self = graph;
        let outermost = |index| patterns.seen_from(index, None).unwrap_or(index);
        let nodes = (0..places.len()).map(NodeIndex::new);
        Collapsed { places: nodes.map(|index| NodeIndex::new(place(outermost(index)))).collect() }
    }

    /// Splits the nodes into those of the graph and those of each pattern.
    fn split(&mut self, patterns: &Patterns) -> (Vec<Node>, Vec<Pattern<Node>>) {
        let ids: Vec<_> = patterns.ends.iter().map(|end| self.node(*end).id.pattern()).collect();
        let mut of_patterns: Vec<Vec<Node>> = ids.iter().map(|_| Vec::new()).collect();
        let mut graph_nodes = Vec::new();
        for (index, node) in std::mem::take(&mut self.nodes).into_iter().enumerate() {
            let owner = patterns.owner(NodeIndex::new(index));
            owner.and_then(|owner| of_patterns.get_mut(owner)).unwrap_or(&mut graph_nodes).push(node);
        }
        (graph_nodes, ids.into_iter().zip(of_patterns).map(|(id, nodes)| Pattern::new(id, nodes)).collect())
    }
}

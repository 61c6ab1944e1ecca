//! Takes what instances are made from out of a graph, so that the end of each `for_each` stands for them.

use std::sync::Arc;

use super::dependency_graph::Graph;
use super::edge::Edge;
use super::index::NodeIndex;
use super::node::Node;
use super::pattern::{On, Pattern, PatternEdge};

/// Which nodes of a graph instances are made from that only a run knows.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    /// The ends, sorted; what one is in comes before it.
    ends: Vec<NodeIndex>,
    /// Of each node the innermost pattern that it is in, by its place in `ends`. Empty where there are no patterns.
    owners: Vec<Option<usize>>,
}

/// Where the nodes of a graph are after that.
#[derive(Debug)]
pub(crate) struct Collapsed {
    places: Vec<NodeIndex>,
}

impl Collapsed {
    /// What a node is by now: itself, or the end that stands for it.
    pub(crate) fn place(&self, index: NodeIndex) -> NodeIndex {
        self.places.get(index.as_usize()).copied().unwrap_or(index)
    }
}

impl Patterns {
    /// Those of a graph that was just linked.
    pub(crate) fn of(graph: &Graph) -> Self {
        let ends = graph.nodes().filter(|(_, node)| node.deferred().is_some()).map(|(index, _)| index);
        let ends: Vec<NodeIndex> = ends.collect();
        if ends.is_empty() {
            return Self::default();
        }
        let mut owners = vec![None; graph.len()];
        for (place, end) in ends.iter().enumerate() {
            let pattern = graph.node(*end).id.pattern();
            for (index, _) in graph.with_prefix(pattern.as_str()) {
                owners[index.as_usize()] = Some(place);
            }
        }
        Self { ends, owners }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where each node is among those that it is with.
    fn places(&self, len: usize) -> Vec<usize> {
        let (mut here, mut counts) = (0, vec![0; self.ends.len()]);
        let mut place = |index| {
            let count = self.owner(index).and_then(|owner| counts.get_mut(owner)).unwrap_or(&mut here);
            *count += 1;
            *count - 1
        };
        (0..len).map(NodeIndex::new).map(&mut place).collect()
    }

    fn owner(&self, index: NodeIndex) -> Option<usize> {
        self.owners.get(index.as_usize()).copied().flatten()
    }

    /// The end of the innermost pattern that a node is in.
    pub(crate) fn end(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.ends.get(self.owner(index)?).copied()
    }

    /// What stands for a node in a pattern, or in the graph itself: the node, or an end around it; `None` when it is not in there.
    fn seen_from(&self, mut index: NodeIndex, pattern: Option<usize>) -> Option<NodeIndex> {
        while self.owner(index) != pattern {
            index = self.end(index)?;
        }
        Some(index)
    }
}

impl Graph {
    /// Takes the nodes of patterns out of the graph. What one of them waits for, its end waits for; what waits for one of them, waits for
    /// its end.
    pub(crate) fn collapse(&mut self, patterns: &Patterns) -> Collapsed {
        let places = patterns.places(self.len());
        let place = |index: NodeIndex| places.get(index.as_usize()).copied().unwrap_or_default();
        let (mut edges, mut of_patterns) = (Vec::new(), Vec::new());
        for (from, edge) in self.edges() {
            let mut at = from;
            let mut inner = Vec::new();
            // The innermost place that both are in.
            let on = loop {
                match (patterns.seen_from(edge.on, patterns.owner(at)), patterns.end(at)) {
                    (Some(on), _) => break on,
                    (None, Some(end)) => {
                        inner.push(at);
                        at = end;
                    }
                    // Everything is in the graph.
                    (None, None) => break edge.on,
                }
            };
            let of_pattern = |on| PatternEdge { on, reason: edge.reason, span: edge.span };
            let around = || On::Around(self.node(on).id.clone());
            of_patterns.extend(inner.into_iter().map(|index| (index, of_pattern(around()))));
            // An end has its parts in a run.
            if at == on {
                continue;
            }
            match patterns.owner(at) {
                None => {
                    edges.push((NodeIndex::new(place(at)), Edge { on: NodeIndex::new(place(on)), ..edge }));
                }
                Some(_) => of_patterns.push((at, of_pattern(On::Within(place(on))))),
            }
        }
        let (mut here, mut made) = self.split(patterns);
        for (from, edge) in of_patterns {
            if let Some(pattern) = patterns.owner(from).and_then(|owner| made.get_mut(owner)) {
                pattern.add(place(from), edge);
            }
        }
        // What is in another one is complete before that is.
        for end in patterns.ends.iter().rev() {
            let Some(pattern) = made.pop() else { break };
            let node = match patterns.owner(*end) {
                None => here.get_mut(place(*end)),
                Some(around) => made.get_mut(around).and_then(|around| around.node_mut(place(*end))),
            };
            if let Some(deferred) = node.and_then(|node| node.meta.as_mut()?.deferred.as_mut()) {
                deferred.pattern = Arc::new(pattern);
            }
        }
        let mut graph = Self::unconnected(here, Arc::clone(self.sources()));
        graph.functions = self.functions.clone();
        graph.connect(&edges);
        *self = graph;
        let outermost = |index| patterns.seen_from(index, None).unwrap_or(index);
        let nodes = (0..places.len()).map(NodeIndex::new);
        Collapsed { places: nodes.map(|index| NodeIndex::new(place(outermost(index)))).collect() }
    }

    /// The nodes of the graph itself, and the patterns.
    fn split(&mut self, patterns: &Patterns) -> (Vec<Node>, Vec<Pattern<Node>>) {
        let ids: Vec<_> = patterns.ends.iter().map(|end| self.node(*end).id.pattern()).collect();
        let mut of_patterns: Vec<Vec<Node>> = ids.iter().map(|_| Vec::new()).collect();
        let mut here = Vec::new();
        for (at, node) in std::mem::take(&mut self.nodes).into_iter().enumerate() {
            let owner = patterns.owner(NodeIndex::new(at));
            owner.and_then(|owner| of_patterns.get_mut(owner)).unwrap_or(&mut here).push(node);
        }
        (here, ids.into_iter().zip(of_patterns).map(|(id, nodes)| Pattern::new(id, nodes)).collect())
    }
}

//! The graph: nodes, and what each waits for.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::additions::Grown;
use super::adjacency::AdjacencyLists;
use super::automatic_edges::AutomaticEdges;
use super::edge::Edge;
use super::index::NodeIndex;
use super::managed_things::ManagedInRun;
use super::node::{Node, Role};
use super::reachability::Reach;
use super::turns::TurnList;
use crate::diagnostic::SourceMap;
use crate::types::function::ModuleFunctions;
use crate::types::hash::{NameMap, NamePlaces};
use crate::types::id::NodeId;

/// The resources of a module and what each waits for.
///
/// Nodes are sorted by id and edges by what they wait for, so the same module gives the same graph,
/// byte for byte, in whatever order its files were read.
#[derive(Default)]
pub struct Graph {
    pub(super) nodes: Vec<Node>,
    places: NamePlaces,
    dependencies: AdjacencyLists<Edge>,
    dependents: AdjacencyLists<NodeIndex>,
    /// Nodes in cases of switches, by the id that they would have next to their switch.
    pub(super) in_cases: NameMap<NodeId, Vec<NodeIndex>>,
    sources: Arc<SourceMap>,
    /// Made when it is first asked for.
    reach: OnceLock<Reach>,
    /// Whether all nodes have an order, once somebody asked.
    pub(super) is_ordered: OnceLock<bool>,
    pub(super) automatic: AutomaticEdges,
    pub(super) managed: ManagedInRun,
    pub(super) turns: Vec<TurnList>,
    /// What templates that are read in a run may call.
    pub(crate) functions: ModuleFunctions,
    /// Of the graph of one run: the graph that it began with, and what was added. All else is empty then.
    pub(super) grown: Option<Box<Grown<Graph>>>,
}

/// Shows the nodes, without what may not be shown: what a module spells out is in them.
impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = format!("{:?}", self.nodes);
        f.debug_struct("Graph")
            .field("nodes", &format_args!("{}", self.sources.redactor().redact(&nodes)))
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// A graph of these nodes and these dependencies.
    #[cfg(test)]
    pub(crate) fn new(nodes: Vec<Node>, dependencies: Vec<Vec<Edge>>, sources: Arc<SourceMap>) -> Self {
        let mut graph = Self::unconnected(nodes, sources);
        let edges = dependencies.into_iter().enumerate();
        let edges =
            edges.flat_map(|(at, edges)| edges.into_iter().map(move |edge| (NodeIndex::new(at), edge)));
        graph.connect(&edges.collect::<Vec<_>>());
        graph
    }

    /// A graph of these nodes, which must have different ids and be sorted by them, in which nothing waits
    /// yet.
    pub(crate) fn unconnected(nodes: Vec<Node>, sources: Arc<SourceMap>) -> Self {
        debug_assert!(nodes.is_sorted_by(|a, b| a.id < b.id));
        let mut places = NamePlaces::with_capacity(nodes.len());
        let id_at = |at: usize| nodes.get(at).map_or("", |node: &Node| node.id.as_str());
        for (at, node) in nodes.iter().enumerate() {
            places.find_or_insert(node.id.as_str(), at, id_at);
        }
        let in_cases = in_cases(&nodes, 0);
        let (dependencies, dependents) = (AdjacencyLists::default(), AdjacencyLists::default());
        let (reach, automatic, managed) =
            (OnceLock::new(), AutomaticEdges::default(), ManagedInRun::default());
        Self {
            nodes,
            places,
            dependencies,
            dependents,
            in_cases,
            sources,
            reach,
            is_ordered: OnceLock::new(),
            automatic,
            managed,
            turns: Vec::new(),
            functions: ModuleFunctions::default(),
            grown: None,
        }
    }

    /// Gives the nodes their dependencies, each with the node that waits. There may be cycles; see
    /// [`cycles`](Self::cycles).
    pub(crate) fn connect(&mut self, edges: &[(NodeIndex, Edge)]) {
        let mut dependencies = AdjacencyLists::group(self.nodes.len(), edges);
        dependencies.sort_and_dedup(
            |edge| (edge.on, edge.reason, edge.span.map(|span| self.sources.order(span))),
            |a, b| (a.on, a.reason) == (b.on, b.reason),
        );
        self.dependencies = dependencies;
        let mut waiting = Vec::with_capacity(edges.len());
        for (index, _) in self.nodes() {
            let targets = self.dependencies(index).chunk_by(|a, b| a.on == b.on);
            waiting.extend(targets.filter_map(|edges| Some((edges.first()?.on, index))));
        }
        self.dependents = AdjacencyLists::group(self.nodes.len(), &waiting);
        self.reach = OnceLock::new();
        self.is_ordered = OnceLock::new();
    }

    /// The files that spans of this graph point into. Empty when it was built in Rust.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    /// How many resources there are.
    pub fn len(&self) -> usize {
        self.grown.as_ref().map_or(self.nodes.len(), |grown| grown.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All nodes with their indices, sorted by id. What a run added comes behind what was there before.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeIndex, &Node)> {
        (0..self.len()).map(|at| (NodeIndex::new(at), self.node(NodeIndex::new(at))))
    }

    /// The nodes that are counted: everything but parameters and the structure of modules.
    pub fn resources(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.nodes().filter(|(_, node)| node.role.is_resource())
    }

    /// The node of an index of this graph.
    ///
    /// # Panics
    ///
    /// With an index of another, larger graph.
    pub fn node(&self, index: NodeIndex) -> &Node {
        let added = self.grown.as_ref().and_then(|grown| grown.node(index));
        added.unwrap_or_else(|| &self.nodes[index.as_usize()])
    }

    /// The node of an id.
    pub fn find(&self, id: &str) -> Option<NodeIndex> {
        if let Some(grown) = &self.grown {
            return grown.find(id);
        }
        let id_at = |at: usize| self.nodes.get(at).map_or("", |node| node.id.as_str());
        self.places.find(id, id_at).map(NodeIndex::new)
    }

    /// What a node waits for, with every reason, sorted by what is waited for.
    pub fn dependencies(&self, index: NodeIndex) -> &[Edge] {
        match &self.grown {
            None => self.dependencies.of(index),
            Some(grown) => grown.dependencies(index),
        }
    }

    /// What says of most nodes at once whether one waits for the other. Gives also what it costs to make it, when it was not there.
    pub(super) fn reach(&self) -> (&Reach, usize) {
        let mut steps = 0;
        let reach = self.reach.get_or_init(|| {
            steps = self.len();
            Reach::of(self.len(), &self.dependencies, &self.dependents)
        });
        (reach, steps)
    }

    /// All edges, each with the node that waits.
    pub(super) fn edges(&self) -> impl Iterator<Item = (NodeIndex, Edge)> {
        let nodes = self.nodes().map(|(index, _)| index);
        nodes.flat_map(|index| self.dependencies(index).iter().map(move |edge| (index, *edge)))
    }

    /// How many there are.
    pub(super) fn edge_count(&self) -> usize {
        self.dependencies.len()
    }

    /// Whether one node waits for another without a third between them.
    pub(super) fn is_direct(&self, from: NodeIndex, on: NodeIndex) -> bool {
        self.dependencies(from).binary_search_by_key(&on, |edge| edge.on).is_ok()
    }

    /// The nodes that wait for this one, each once.
    pub fn dependents(&self, index: NodeIndex) -> &[NodeIndex] {
        match &self.grown {
            None => self.dependents.of(index),
            Some(grown) => grown.dependents(index),
        }
    }
}

/// The nodes in cases of switches, by the id that they would have next to their switch; `first` is the number of the first node.
pub(super) fn in_cases(nodes: &[Node], first: usize) -> NameMap<NodeId, Vec<NodeIndex>> {
    let mut found: NameMap<NodeId, Vec<NodeIndex>> = NameMap::default();
    if !nodes.iter().any(|node| node.role == Role::Case) {
        return found;
    }
    for (at, node) in (first..).zip(nodes) {
        if let Some(id) = node.id.next_to_switch() {
            found.entry(id).or_default().push(NodeIndex::new(at));
        }
    }
    found
}

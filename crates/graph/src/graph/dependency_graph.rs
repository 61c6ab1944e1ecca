//! The dependency graph: nodes and edges.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::additions::Extended;
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

/// The resources of a module and their dependencies.
///
/// Nodes are sorted by id and edges by their target. The same module therefore gives the same graph, byte for
/// byte, in whatever order its files were read.
#[derive(Default)]
pub struct Graph {
    pub(super) nodes: Vec<Node>,
    places: NamePlaces,
    dependencies: AdjacencyLists<Edge>,
    dependents: AdjacencyLists<NodeIndex>,
    /// Nodes in cases of switches, by the id that they would have next to their switch.
    pub(super) in_cases: NameMap<NodeId, Vec<NodeIndex>>,
    sources: Arc<SourceMap>,
    /// The reachability index, created on first use.
    reach: OnceLock<Reach>,
    /// Whether the graph has no cycles, computed on first use.
    pub(super) is_ordered: OnceLock<bool>,
    pub(super) automatic: AutomaticEdges,
    pub(super) managed: ManagedInRun,
    pub(super) turns: Vec<TurnList>,
    /// The functions available to templates that are parsed in a run.
    #[doc(hidden)]
    pub functions: ModuleFunctions,
    /// The graph of a run: the loaded graph and the added nodes. All other fields are empty in that case.
    pub(super) grown: Option<Box<Extended<Graph>>>,
}

/// Shows the nodes without values, because a module may contain secrets.
impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = format!("{:?}", self.nodes);
        f.debug_struct("Graph")
            .field("nodes", &format_args!("{}", self.sources.redactor().redact(&nodes)))
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// Creates a graph of these nodes and dependencies.
    #[doc(hidden)]
    pub fn new(nodes: Vec<Node>, dependencies: Vec<Vec<Edge>>, sources: Arc<SourceMap>) -> Self {
        let mut graph = Self::unconnected(nodes, sources);
        let edges = dependencies.into_iter().enumerate();
        let edges =
            edges.flat_map(|(at, edges)| edges.into_iter().map(move |edge| (NodeIndex::new(at), edge)));
        graph.connect(&edges.collect::<Vec<_>>());
        graph
    }

    /// Creates a graph without edges. The nodes must be sorted by id, and the ids distinct.
    #[doc(hidden)]
    pub fn unconnected(nodes: Vec<Node>, sources: Arc<SourceMap>) -> Self {
        debug_assert!(nodes.is_sorted_by(|a, b| a.id < b.id));
        let mut places = NamePlaces::with_capacity(nodes.len());
        let id_at = |at: usize| nodes.get(at).map_or("", |node: &Node| node.id.as_str());
        for (index, node) in nodes.iter().enumerate() {
            places.find_or_insert(node.id.as_str(), index, id_at);
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

    /// Replaces the edges, each given with the dependent node. There may be [`cycles`](Self::cycles).
    #[doc(hidden)]
    pub fn connect(&mut self, edges: &[(NodeIndex, Edge)]) {
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

    /// Returns the files that the spans of this graph point into; empty for a graph built in Rust.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.grown.as_ref().map_or(self.nodes.len(), |grown| grown.len())
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all nodes with their indexes, sorted by id. Nodes added by a run come last.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeIndex, &Node)> {
        (0..self.len()).map(|index| (NodeIndex::new(index), self.node(NodeIndex::new(index))))
    }

    /// Returns the nodes that count as resources, without parameters and structure.
    pub fn resources(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.nodes().filter(|(_, node)| node.role.is_resource())
    }

    /// Returns the node with an index of this graph.
    ///
    /// # Panics
    ///
    /// Panics if the index is from another, larger graph.
    pub fn node(&self, index: NodeIndex) -> &Node {
        let added = self.grown.as_ref().and_then(|grown| grown.node(index));
        added.unwrap_or_else(|| &self.nodes[index.as_usize()])
    }

    /// Returns the index of the node with an id.
    pub fn find(&self, id: &str) -> Option<NodeIndex> {
        if let Some(grown) = &self.grown {
            return grown.find(id);
        }
        let id_at = |at: usize| self.nodes.get(at).map_or("", |node| node.id.as_str());
        self.places.find(id, id_at).map(NodeIndex::new)
    }

    /// Returns the dependencies of a node, with one edge per reason, sorted by target.
    pub fn dependencies(&self, index: NodeIndex) -> &[Edge] {
        match &self.grown {
            None => self.dependencies.neighbors(index),
            Some(grown) => grown.dependencies(index),
        }
    }

    /// Returns the reachability index, and the cost of creating it if it did not exist.
    pub(super) fn reach(&self) -> (&Reach, usize) {
        let mut steps = 0;
        let reach = self.reach.get_or_init(|| {
            steps = self.len();
            Reach::new(self.len(), &self.dependencies, &self.dependents)
        });
        (reach, steps)
    }

    /// Returns all edges, each with the dependent node.
    pub(super) fn edges(&self) -> impl Iterator<Item = (NodeIndex, Edge)> {
        let nodes = self.nodes().map(|(index, _)| index);
        nodes.flat_map(|index| self.dependencies(index).iter().map(move |edge| (index, *edge)))
    }

    /// Returns the number of edges.
    pub(super) fn edge_count(&self) -> usize {
        self.dependencies.len()
    }

    /// Whether one node depends directly on another.
    pub(super) fn is_direct(&self, from: NodeIndex, dependency: NodeIndex) -> bool {
        self.dependencies(from).binary_search_by_key(&dependency, |edge| edge.on).is_ok()
    }

    /// Returns the direct dependents of a node, each once.
    pub fn dependents(&self, index: NodeIndex) -> &[NodeIndex] {
        match &self.grown {
            None => self.dependents.neighbors(index),
            Some(grown) => grown.dependents(index),
        }
    }
}

/// Returns the nodes in cases of switches, by the id that they would have next to their switch.
///
/// `first` is the number of the first node.
pub(super) fn in_cases(nodes: &[Node], first: usize) -> NameMap<NodeId, Vec<NodeIndex>> {
    let mut case_nodes: NameMap<NodeId, Vec<NodeIndex>> = NameMap::default();
    if !nodes.iter().any(|node| node.role == Role::Case) {
        return case_nodes;
    }
    for (index, node) in (first..).zip(nodes) {
        if let Some(id) = node.id.next_to_switch() {
            case_nodes.entry(id).or_default().push(NodeIndex::new(index));
        }
    }
    case_nodes
}

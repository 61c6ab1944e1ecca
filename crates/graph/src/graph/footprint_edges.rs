//! Edges and conflicts that follow from the footprints of resources.

use super::automatic_edges::{AutomaticEdge, AutomaticEdges};
use super::dependency_graph::Graph;
use super::edge::{Edge, EdgeReason};
use super::index::NodeIndex;
use super::managed_things::ManagedInRun;
use super::turns::{self, TurnList};
use crate::diagnostic::Diagnostic;
use crate::types::footprint::{Thing, is_set_to_value};
use crate::types::schema::{Field, Verb};

impl Graph {
    /// Adds automatic edges, except between connected nodes or where they would close a cycle.
    ///
    /// Declared edges take precedence. The graph must have no cycles.
    pub(crate) fn add_automatic(&mut self, mut edges: Vec<AutomaticEdge>) {
        edges.retain(|edge| edge.from != edge.on && !self.is_direct(edge.from, edge.on));
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.from, edge.on));
        if edges.is_empty() {
            return;
        }
        let mut all_edges = Vec::with_capacity(self.edge_count() + edges.len());
        all_edges.extend(self.edges());
        let explicit_count = all_edges.len();
        all_edges.extend(edges.iter().map(edge));
        self.connect(&all_edges);
        let mut unordered = self.unordered();
        let mut left_out = Vec::new();
        if unordered.contains(&true) && edges.iter().any(|edge| edge.gives_way) {
            let components = self.components(&unordered);
            let gives_way = |edge: &AutomaticEdge| {
                let [from, on] = [edge.from, edge.on].map(NodeIndex::as_usize);
                edge.gives_way && unordered[from] && unordered[on] && components[from] == components[on]
            };
            (left_out, edges) = edges.into_iter().partition(gives_way);
            all_edges.truncate(explicit_count);
            all_edges.extend(edges.iter().map(edge));
            self.connect(&all_edges);
            unordered = self.unordered();
        }
        if unordered.contains(&true) {
            // Within a cycle, only the edges that agree with an order of the declared edges are kept.
            let components = self.components(&unordered);
            all_edges.truncate(explicit_count);
            self.connect(&all_edges);
            let before_cycles = self.order();
            let mut places = vec![0; self.len()];
            before_cycles.iter().enumerate().for_each(|(place, index)| places[index.as_usize()] = place);
            let in_cycle = |edge: &AutomaticEdge| {
                let [from, on] = [edge.from, edge.on].map(NodeIndex::as_usize);
                unordered[from]
                    && unordered[on]
                    && components[from] == components[on]
                    && places[on] > places[from]
            };
            let (others, remaining) = edges.into_iter().partition(in_cycle);
            edges = remaining;
            left_out.extend::<Vec<_>>(others);
            left_out.sort_unstable();
            all_edges.extend(edges.iter().map(edge));
            self.connect(&all_edges);
        }
        self.automatic = AutomaticEdges { added: edges, left_out };
    }

    /// Returns the edges that follow from footprints.
    ///
    /// Edges of nodes that a run added are not recorded with their thing.
    fn automatic(&self) -> &AutomaticEdges {
        self.grown.as_ref().map_or(&self.automatic, |grown| &grown.base().automatic)
    }

    /// Returns the thing that makes one node wait for another, if no name does.
    pub fn reason_of(&self, from: NodeIndex, dependency: NodeIndex) -> Option<&Thing> {
        let added = &self.automatic().added;
        let position = added.binary_search_by_key(&(from, dependency), |edge| (edge.from, edge.on)).ok()?;
        added.get(position)?.thing.as_ref()
    }

    /// Returns the nodes that a node would wait for because of a thing, had that not closed a cycle.
    pub fn left_out(&self, from: NodeIndex) -> impl Iterator<Item = (NodeIndex, &Thing)> {
        let edges = self.automatic().left_out.iter();
        let edges = edges.filter(move |edge| edge.from == from);
        edges.filter_map(|edge| Some((edge.on, edge.thing.as_ref()?)))
    }
}

impl Graph {
    /// Stores the lists of nodes that change the same thing, given in any order.
    ///
    /// The graph must have no cycles.
    pub(crate) fn keep_turns(&mut self, lists: Vec<TurnList>) {
        let declared = |index| self.node(index).declared;
        let dependencies = |index| self.dependencies(index).iter().map(|edge| edge.on);
        self.turns = turns::in_order(lists, 0..self.len(), declared, dependencies);
    }

    /// Returns the lists of nodes that change the same thing, as far as they are known at load.
    ///
    /// End nodes stand for their deferred instances.
    #[doc(hidden)]
    pub fn turns(&self) -> &[TurnList] {
        self.grown.as_ref().map_or(&self.turns, |grown| &grown.base().turns)
    }
}

fn edge(automatic: &AutomaticEdge) -> (NodeIndex, Edge) {
    let reason = match &automatic.thing {
        _ if automatic.even_after => EdgeReason::EvenAfter,
        Some(_) => EdgeReason::Footprint,
        None => EdgeReason::Copy,
    };
    (automatic.from, Edge { on: automatic.on, reason, span: None })
}

impl Graph {
    pub(crate) fn check_in_run(&mut self, managed: ManagedInRun) {
        self.managed = managed;
    }

    #[doc(hidden)]
    pub fn managed_in_run(&self) -> &ManagedInRun {
        self.grown.as_ref().map_or(&self.managed, |grown| &grown.base().managed)
    }

    /// Returns the diagnostic for a node that overwrites an aspect of a thing which another node edits.
    ///
    /// Each node comes with the field that names the thing.
    pub(crate) fn whole_and_part_conflict(
        &self,
        thing: &Thing,
        aspect: &'static str,
        nodes: [(NodeIndex, Option<&str>); 2],
    ) -> Diagnostic {
        let [(writer, place), (editor, other)] = nodes.map(|(index, field)| {
            let node = self.node(index);
            (node, field.and_then(|name| node.span_of_field(name)).or(node.span))
        });
        let (first, second) = (writer.id.short(), editor.id.short());
        let message = format!("`{first}` writes all of the {aspect} of {thing}, and `{second}` changes it");
        let error = Diagnostic::error("managed-twice", message);
        let error = error.label(place, format!("`{first}` writes it"));
        let error = error.label(other, format!("and `{second}` changes it"));
        // A field with which a resource preserves existing content.
        let shares = |field: &&Field| {
            let mut rules = field.footprint.iter();
            rules.any(|rule| rule.verb == Verb::Ensures && rule.aspect == Some(aspect))
        };
        let undoes = "each apply would undo what the other one did";
        error.help(match writer.resource.schema().fields.iter().find(shares) {
            Some(field) => format!(
                "{undoes}: write all of it in one place, or set `{} = true` on `{first}`, which then keeps what others wrote",
                field.name
            ),
            None => format!("{undoes}: write all of it in one place"),
        })
    }

    /// Returns the diagnostic for two nodes that cannot both be satisfied.
    ///
    /// `problem` follows the name of the first node. Each node comes with the field that makes the claim, and
    /// with a label for it.
    pub(crate) fn contradiction(
        &self,
        problem: &str,
        nodes: [(NodeIndex, Option<&str>); 2],
        [first_label, second_label]: [&'static str; 2],
        help: &'static str,
    ) -> Diagnostic {
        let [(first, place), (_, other)] = nodes.map(|(index, field)| {
            let node = self.node(index);
            (node, field.and_then(|name| node.span_of_field(name)).or(node.span))
        });
        let error = Diagnostic::error("contradiction", format!("`{}` {problem}", first.id.short()));
        let error = error.label(place, first_label);
        let error = if other == place { error } else { error.label(other, second_label) };
        error.help(help)
    }

    /// Returns the diagnostic for two nodes that manage the same aspects of a thing.
    ///
    /// Each node comes with the field that names the thing.
    #[doc(hidden)]
    pub fn managed_twice(
        &self,
        thing: &Thing,
        aspects: &[&str],
        managers: [(NodeIndex, Option<&str>); 2],
    ) -> Diagnostic {
        let subject = match aspects {
            [] => thing.to_string(),
            aspects => format!("the {} of {thing}", aspects.join(" and ")),
        };
        let [(first, place), (second, other)] = managers.map(|(index, field)| {
            let node = self.node(index);
            (node.id.short(), field.and_then(|name| node.span_of_field(name)).or(node.span))
        });
        let message = format!("`{first}` and `{second}` both manage {subject}");
        let error = Diagnostic::error("managed-twice", message).label(place, format!("`{first}` manages it"));
        // Two calls of one module share the place.
        let error =
            if other == place { error } else { error.label(other, format!("and so does `{second}`")) };
        let is_value = managers.iter().all(|(index, field)| {
            let schema = self.node(*index).resource.schema();
            aspects.iter().any(|aspect| is_set_to_value(schema, *field, Some(aspect)))
        });
        error.help(if is_value {
            "each apply would undo what the other one did: give both the same value, which is known before they run, or let one of them \
             manage it"
        } else if aspects.contains(&"content") {
            "each apply would undo what the other one did: write all of it with one of them, or parts of it with `file.block`, `file.line` or \
             `file.ini`"
        } else {
            "each apply would undo what the other one did: let one of them manage it, or remove one"
        })
    }
}

//! What follows from what resources manage and need: edges that no name makes, and what may not be managed twice.

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
    /// Adds edges of which each is left out when the same nodes are connected already, and when it would make nodes wait for
    /// each other: what is written comes first. The graph has no cycles.
    pub(crate) fn add_automatic(&mut self, mut edges: Vec<AutomaticEdge>) {
        edges.retain(|edge| edge.from != edge.on && !self.is_direct(edge.from, edge.on));
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.from, edge.on));
        if edges.is_empty() {
            return;
        }
        let mut all = Vec::with_capacity(self.edge_count() + edges.len());
        all.extend(self.edges());
        let written = all.len();
        all.extend(edges.iter().map(edge));
        self.connect(&all);
        let mut unordered = self.unordered();
        let mut left_out = Vec::new();
        if unordered.contains(&true) && edges.iter().any(|edge| edge.gives_way) {
            let components = self.components(&unordered);
            let gives_way = |edge: &AutomaticEdge| {
                let [from, on] = [edge.from, edge.on].map(NodeIndex::as_usize);
                edge.gives_way && unordered[from] && unordered[on] && components[from] == components[on]
            };
            (left_out, edges) = edges.into_iter().partition(gives_way);
            all.truncate(written);
            all.extend(edges.iter().map(edge));
            self.connect(&all);
            unordered = self.unordered();
        }
        if unordered.contains(&true) {
            // Within what waits for itself, only the edges that agree with an order of what is written may stay.
            let components = self.components(&unordered);
            all.truncate(written);
            self.connect(&all);
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
            let (others, kept) = edges.into_iter().partition(in_cycle);
            edges = kept;
            left_out.extend::<Vec<_>>(others);
            left_out.sort_unstable();
            all.extend(edges.iter().map(edge));
            self.connect(&all);
        }
        self.automatic = AutomaticEdges { added: edges, left_out };
    }

    /// Those that follow from footprints. Of what a run has added it is not kept because of which thing it waits.
    fn automatic(&self) -> &AutomaticEdges {
        self.grown.as_ref().map_or(&self.automatic, |grown| &grown.base().automatic)
    }

    /// The thing because of which one node waits for another, where no name makes it wait.
    pub fn reason_of(&self, from: NodeIndex, on: NodeIndex) -> Option<&Thing> {
        let added = &self.automatic().added;
        let found = added.binary_search_by_key(&(from, on), |edge| (edge.from, edge.on)).ok()?;
        added.get(found)?.thing.as_ref()
    }

    /// The nodes that a node would wait for because of a thing, if these did not wait for it themselves.
    pub fn left_out(&self, from: NodeIndex) -> impl Iterator<Item = (NodeIndex, &Thing)> {
        let edges = self.automatic().left_out.iter();
        let edges = edges.filter(move |edge| edge.from == from);
        edges.filter_map(|edge| Some((edge.on, edge.thing.as_ref()?)))
    }
}

impl Graph {
    /// Keeps which nodes change the same thing; in each list in any order. The graph has no cycles.
    pub(crate) fn keep_turns(&mut self, lists: Vec<TurnList>) {
        let declared = |index| self.node(index).declared;
        let dependencies = |index| self.dependencies(index).iter().map(|edge| edge.on);
        self.turns = turns::in_order(lists, 0..self.len(), declared, dependencies);
    }

    /// Which nodes change the same thing, as far as the load knows. What stands for instances that only a run knows is among them.
    pub(crate) fn turns(&self) -> &[TurnList] {
        self.grown.as_ref().map_or(&self.turns, |grown| &grown.base().turns)
    }
}

fn edge(automatic: &AutomaticEdge) -> (NodeIndex, Edge) {
    let reason = if automatic.thing.is_some() { EdgeReason::Footprint } else { EdgeReason::Copy };
    (automatic.from, Edge { on: automatic.on, reason, span: None })
}

impl Graph {
    pub(crate) fn check_in_run(&mut self, managed: ManagedInRun) {
        self.managed = managed;
    }

    pub(crate) fn managed_in_run(&self) -> &ManagedInRun {
        self.grown.as_ref().map_or(&self.managed, |grown| &grown.base().managed)
    }

    /// What to tell of a node that writes all of an aspect of a thing, and of another one that changes it. Each comes with the field that names the thing.
    pub(crate) fn undone(
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
        // A field by which a resource leaves what is there to others.
        let shares = |field: &&Field| {
            let mut rules = field.footprint.iter();
            rules.any(|rule| rule.verb == Verb::Ensures && rule.aspect == Some(aspect))
        };
        let undoes = "each apply would undo what the other one did";
        error.help(match writer.resource.schema().fields.iter().find(shares) {
            Some(field) => format!(
                "{undoes}: write all of it in one place, or have `{} = true` at `{first}`, which then leaves what is there to others",
                field.name
            ),
            None => format!("{undoes}: write all of it in one place"),
        })
    }

    /// What to tell of two nodes that manage the same aspects of a thing. Each comes with the field that names the thing.
    pub(crate) fn managed_twice(
        &self,
        thing: &Thing,
        aspects: &[&str],
        managers: [(NodeIndex, Option<&str>); 2],
    ) -> Diagnostic {
        let what = match aspects {
            [] => thing.to_string(),
            aspects => format!("the {} of {thing}", aspects.join(" and ")),
        };
        let [(first, place), (second, other)] = managers.map(|(index, field)| {
            let node = self.node(index);
            (node.id.short(), field.and_then(|name| node.span_of_field(name)).or(node.span))
        });
        let message = format!("`{first}` and `{second}` both manage {what}");
        let error = Diagnostic::error("managed-twice", message).label(place, format!("`{first}` manages it"));
        // A module that is used twice has one place for both.
        let error =
            if other == place { error } else { error.label(other, format!("and so does `{second}`")) };
        let is_value = managers.iter().all(|(index, field)| {
            let schema = self.node(*index).resource.schema();
            aspects.iter().any(|aspect| is_set_to_value(schema, *field, Some(aspect)))
        });
        error.help(if is_value {
            "each apply would undo what the other one did: give both the same value, which is known before they run, or let one of them \
             manage it"
        } else {
            "each apply would undo what the other one did: let one of them manage it, or remove one"
        })
    }
}

//! Detection of things that two resources manage.
//!
//! It is an error if both resources are handled in the same runs. If only a run knows whether both are
//! handled, or what they manage, the run checks it.

use super::contradictions;
use super::node_footprints::{Footprints, NodeFootprint, is_certain};
use super::uses::{Use, Uses};
use crate::diagnostic::Diagnostic;
use crate::graph::{Graph, ManagedInRun, Manager, NodeIndex};
use crate::types::footprint::{Claim, ClaimedState, Thing, Verb, aspect, is_set_to_value, overlap};
use crate::types::value::Value;

/// Conflicts between resources that manage the same thing.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    pub(super) mistakes: Vec<Diagnostic>,
    /// The claims that the run has to check.
    pub(super) in_run: ManagedInRun,
}

/// A claim with the footprint of its node.
#[derive(Clone, Copy)]
struct Managed<'a> {
    of: &'a NodeFootprint,
    claim: &'a Claim,
}

/// Access to the field values that are known at load.
#[doc(hidden)]
pub struct KnownValues<'a> {
    /// Returns whether two nodes have the same values in all fields.
    #[doc(hidden)]
    pub same: &'a dyn Fn(&Graph, [NodeIndex; 2]) -> bool,
    /// Returns the value of a field of a node, if it is completely known.
    #[doc(hidden)]
    pub of_field: &'a dyn Fn(&Graph, NodeIndex, &str) -> Option<Value>,
}

impl KnownValues<'_> {
    /// Returns whether two claims set their thing to equal known field values.
    fn agree(&self, graph: &Graph, managers: [&Managed<'_>; 2]) -> bool {
        let [a, b] = managers.map(|manager| (manager.claim.aspect, self.set_value(graph, manager)));
        a == b && a.1.is_some()
    }

    /// Returns the known field value that a claim sets its thing to.
    fn set_value(&self, graph: &Graph, manager: &Managed<'_>) -> Option<Value> {
        if let Some(ClaimedState::Value(text)) = manager.claim.state.as_deref() {
            return Some(Value::from(&**text));
        }
        let name = manager.claim.field?;
        let schema = graph.node(manager.of.node).resource.schema();
        if !is_set_to_value(schema, Some(name), manager.claim.aspect) {
            return None;
        }
        let (_, field) = schema.field(name)?;
        (self.of_field)(graph, manager.of.node, name).map(|value| field.as_compared(value))
    }
}

pub(super) fn check(
    graph: &Graph,
    footprints: &Footprints,
    uses: &Uses<'_>,
    values: &KnownValues<'_>,
) -> Conflicts {
    let mut conflicts = Conflicts::default();
    let mut nodes = footprints.nodes().iter();
    let mut is_open = nodes.any(|node| node.footprint.partial && may_manage(graph, node.node));
    for (thing, of_thing) in uses.things().filter(|(_, uses)| uses.len() > 1) {
        let nodes =
            of_thing.iter().filter_map(|node_use| footprints.nodes().get(node_use.footprint as usize));
        let claims = nodes.flat_map(|footprint| {
            let managed = managed(footprint).filter(|claim| claim.thing == *thing);
            managed.map(move |claim| Managed { of: footprint, claim })
        });
        conflicts.mistakes.extend(overwritten_edits(graph, footprints, (thing, of_thing)));
        let clashes = clashes(graph, claims, values);
        is_open |= clashes.iter().any(|clash| !clash.is_certain);
        let mistakes = clashes.iter().filter(|clash| clash.is_certain);
        conflicts.mistakes.extend(mistakes.map(|clash| diagnostic(graph, thing, clash)));
    }
    conflicts.mistakes.extend(contradictions::find(graph, footprints, uses));
    if is_open {
        conflicts.in_run = in_run(graph, footprints, values);
    }
    conflicts
}

/// Reports resources that edit a part of a content which another resource overwrites in every run.
///
/// Each would undo the changes of the other. A resource that writes the content only once allows others to
/// edit it.
fn overwritten_edits<'a>(
    graph: &'a Graph,
    footprints: &'a Footprints,
    (thing, of_thing): (&'a Thing, &'a [Use]),
) -> impl Iterator<Item = Diagnostic> + 'a {
    let nodes = of_thing.iter().filter_map(|node_use| footprints.nodes().get(node_use.footprint as usize));
    let claim = move |of: &'a NodeFootprint, verb| {
        of.footprint.claims.iter().find(|claim| {
            claim.verb == verb && claim.thing == *thing && claim.aspect == Some(aspect::CONTENT)
        })
    };
    let all_of_it = move |of: &'a NodeFootprint| {
        let shares = claim(of, Verb::Ensures).is_some() || of.footprint.removes;
        claim(of, Verb::Manages).filter(|_| !shares).map(|claim| (of, claim.field))
    };
    let writer = nodes.clone().find_map(all_of_it);
    let editors =
        nodes.filter_map(move |footprint| Some((footprint, claim(footprint, Verb::Ensures)?.field)));
    writer.into_iter().flat_map(move |writer| {
        let editors = editors.clone().filter(move |(editor, _)| {
            editor.node != writer.0.node && !editor.footprint.removes && is_certain(writer.0, editor)
        });
        editors.map(move |editor| {
            graph.whole_and_part_conflict(
                thing,
                aspect::CONTENT,
                [writer, editor].map(|(of, field)| (of.node, field)),
            )
        })
    })
}

fn managed(node: &NodeFootprint) -> impl Iterator<Item = &Claim> {
    node.footprint.claims.iter().filter(|claim| claim.verb == Verb::Manages)
}

/// Returns whether the type of a node can manage anything.
fn may_manage(graph: &Graph, node: NodeIndex) -> bool {
    let resource = &graph.node(node).resource;
    let mut rules = resource.schema().fields.iter().flat_map(|field| &field.footprint);
    resource.has_own_footprint() || rules.any(|rule| rule.verb == Verb::Manages)
}

/// Two nodes that manage the same thing.
struct Clash<'a> {
    managers: [Managed<'a>; 2],
    aspects: Vec<&'static str>,
    /// Whether both nodes are handled in the same runs.
    is_certain: bool,
}

/// Finds the nodes that manage the same thing as an earlier node.
///
/// Each node is compared with the first one that manages the same aspect. The work thus grows with the claims
/// and not with their pairs.
fn clashes<'a>(
    graph: &Graph,
    claims: impl Iterator<Item = Managed<'a>>,
    values: &KnownValues<'_>,
) -> Vec<Clash<'a>> {
    let mut first: Vec<Managed<'a>> = Vec::new();
    let mut clashes: Vec<Clash<'a>> = Vec::new();
    for new in claims {
        let aspect = new.claim.aspect;
        let overlaps = |have: &&Managed<'_>| overlap(have.claim.aspect, aspect);
        let Some(have) = first.iter().find(overlaps).copied() else {
            first.push(new);
            continue;
        };
        let nodes = [have.of.node, new.of.node];
        if nodes[0] == nodes[1]
            || are_copies(graph, nodes) && (values.same)(graph, nodes)
            || values.agree(graph, [&have, &new])
        {
            continue;
        }
        let is_same = |clash: &&mut Clash<'_>| clash.managers.map(|manager| manager.of.node) == nodes;
        // The claims of one node follow each other.
        let mut of_node = clashes.iter_mut().rev().take_while(|clash| clash.managers[1].of.node == nodes[1]);
        match of_node.find(is_same) {
            Some(clash) => clash.aspects.extend(aspect.filter(|aspect| !clash.aspects.contains(aspect))),
            None => clashes.push(Clash {
                managers: [have, new],
                aspects: aspect.into_iter().collect(),
                is_certain: is_certain(have.of, new.of),
            }),
        }
    }
    clashes
}

/// Returns whether two nodes come from the same lines of a module that is used twice.
fn are_copies(graph: &Graph, nodes: [NodeIndex; 2]) -> bool {
    let [a, b] = nodes.map(|index| graph.node(index));
    a.is_copy_of(b)
}

fn diagnostic(graph: &Graph, thing: &Thing, clash: &Clash<'_>) -> Diagnostic {
    let managers = clash.managers.map(|manager| (manager.of.node, manager.claim.field));
    graph.managed_twice(thing, &clash.aspects, managers)
}

/// Collects the claims that a run has to check.
///
/// Unclear are the resources that are not handled in every run or whose footprint is not completely known.
fn in_run(graph: &Graph, footprints: &Footprints, values: &KnownValues<'_>) -> ManagedInRun {
    let mut in_run = ManagedInRun::default();
    for footprint in footprints.nodes().iter().filter(|one| may_manage(graph, one.node)) {
        if footprint.footprint.partial || !footprint.condition.is_certain() {
            in_run.unclear.insert(footprint.node);
            continue;
        }
        for claim in managed(footprint) {
            let set = values.set_value(graph, &Managed { of: footprint, claim });
            let manager = Manager { node: footprint.node, claim: claim.clone(), set };
            in_run.known.entry(claim.thing.clone()).or_default().push(manager);
        }
    }
    in_run
}

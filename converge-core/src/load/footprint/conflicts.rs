//! Finds what two resources manage.
//!
//! Two that are handled in the same runs are a mistake. Where only a run can tell whether both are handled, or what they
//! manage, the run looks.

use super::node_footprints::{Footprints, KnownClaim, NodeFootprint};
use super::uses::{Use, Uses};
use crate::diagnostic::Diagnostic;
use crate::graph::{Graph, ManagedInRun, Manager, NodeIndex};
use crate::types::footprint::{Thing, Verb, aspect, is_set_to_value, overlap};
use crate::types::value::Value;

/// What two resources manage.
#[derive(Debug, Default)]
pub(super) struct ManagedTwice {
    pub(super) mistakes: Vec<Diagnostic>,
    /// What the run has to look at.
    pub(super) in_run: ManagedInRun,
}

/// One claim of one node.
#[derive(Clone, Copy)]
struct Managed<'a> {
    of: &'a NodeFootprint,
    claim: KnownClaim<'a>,
}

/// What a load knows of the values of nodes.
pub(in crate::load) struct KnownValues<'a> {
    /// Says whether two nodes have the same values for all of their fields.
    pub(in crate::load) same: &'a dyn Fn(&Graph, [NodeIndex; 2]) -> bool,
    /// The value of a field of a node, when all of it is known.
    pub(in crate::load) of_field: &'a dyn Fn(&Graph, NodeIndex, &str) -> Option<Value>,
}

impl KnownValues<'_> {
    /// Whether two claims say the same of their thing: what it is set to is the value of a field each, and the values are equal.
    fn agree(&self, graph: &Graph, managers: [&Managed<'_>; 2]) -> bool {
        let [a, b] = managers.map(|one| (one.claim.aspect, self.set_value(graph, one)));
        a == b && a.1.is_some()
    }

    /// What the thing of a claim is set to, where that is the value of a field, and known.
    fn set_value(&self, graph: &Graph, one: &Managed<'_>) -> Option<Value> {
        let name = one.claim.field?;
        let schema = graph.node(one.of.node).resource.schema();
        if !is_set_to_value(schema, Some(name), one.claim.aspect) {
            return None;
        }
        let (_, field) = schema.field(name)?;
        (self.of_field)(graph, one.of.node, name).map(|value| field.as_compared(value))
    }
}

pub(super) fn check(
    graph: &Graph,
    footprints: &Footprints,
    uses: &Uses<'_>,
    values: &KnownValues<'_>,
) -> ManagedTwice {
    let mut found = ManagedTwice::default();
    let mut nodes = footprints.nodes().iter();
    let mut is_open = nodes.any(|one| footprints.is_partial(one) && may_manage(graph, one.node));
    for (thing, of_thing) in uses.things().filter(|(_, uses)| uses.len() > 1) {
        let nodes = of_thing.iter().filter_map(|one| footprints.nodes().get(one.footprint as usize));
        let claims = nodes.flat_map(|of| {
            let managed = managed(footprints, of).filter(|claim| claim.thing == thing);
            managed.map(move |claim| Managed { of, claim })
        });
        found.mistakes.extend(undone(graph, footprints, (thing, of_thing)));
        let clashes = clashes(graph, claims, values);
        is_open |= clashes.iter().any(|clash| !clash.is_certain);
        let mistakes = clashes.iter().filter(|clash| clash.is_certain);
        found.mistakes.extend(mistakes.map(|clash| diagnostic(graph, thing, clash)));
    }
    if is_open {
        found.in_run = in_run(graph, footprints, values);
    }
    found
}

/// Who changes a part of the content of a thing of which another one writes all in every run: each would undo what the other has done. One that
/// writes it once says that others may see to it, too.
fn undone<'a>(
    graph: &'a Graph,
    footprints: &'a Footprints,
    (thing, of_thing): (&'a Thing, &'a [Use]),
) -> impl Iterator<Item = Diagnostic> + 'a {
    let nodes = of_thing.iter().filter_map(|one| footprints.nodes().get(one.footprint as usize));
    let claim = move |of: &'a NodeFootprint, verb| {
        let mut claims = footprints.claims(of);
        claims
            .find(|claim| claim.verb == verb && claim.thing == thing && claim.aspect == Some(aspect::CONTENT))
    };
    let all_of_it = move |of: &'a NodeFootprint| {
        let shares = claim(of, Verb::Ensures).is_some() || footprints.removes(of);
        claim(of, Verb::Manages).filter(|_| !shares).map(|claim| (of, claim.field))
    };
    let writer = nodes.clone().find_map(all_of_it);
    let editors = nodes.filter_map(move |of| Some((of, claim(of, Verb::Ensures)?.field)));
    writer.into_iter().flat_map(move |writer| {
        let editors = editors.clone().filter(move |(editor, _)| {
            editor.node != writer.0.node && !footprints.removes(editor) && is_certain(writer.0, editor)
        });
        editors.map(move |editor| {
            graph.undone(thing, aspect::CONTENT, [writer, editor].map(|(of, field)| (of.node, field)))
        })
    })
}

fn managed<'a>(footprints: &'a Footprints, of: &'a NodeFootprint) -> impl Iterator<Item = KnownClaim<'a>> {
    footprints.claims(of).filter(|claim| claim.verb == Verb::Manages)
}

/// Whether resources of the type of a node manage anything.
fn may_manage(graph: &Graph, node: NodeIndex) -> bool {
    let resource = &graph.node(node).resource;
    let mut rules = resource.schema().fields.iter().flat_map(|field| &field.footprint);
    resource.has_own_footprint() || rules.any(|rule| rule.verb == Verb::Manages)
}

/// Two nodes that manage the same.
struct Clash<'a> {
    managers: [Managed<'a>; 2],
    aspects: Vec<&'static str>,
    /// Whether both are handled in the same runs.
    is_certain: bool,
}

/// The nodes that manage what one before them manages. Each is compared with the first that manages the same aspect, so the
/// work grows with the claims and not with their pairs.
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
        let same = |clash: &&mut Clash<'_>| clash.managers.map(|one| one.of.node) == nodes;
        match clashes.iter_mut().rev().find(same) {
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

/// Whether both nodes are handled in the same runs. What may never be handled is no mistake yet.
fn is_certain(a: &NodeFootprint, b: &NodeFootprint) -> bool {
    let (a, b) = (a.condition, b.condition);
    a.is_certain() && b.is_certain() || a.is_shared_with(b)
}

/// Whether two nodes are made by the same lines of a module that is used twice.
fn are_copies(graph: &Graph, nodes: [NodeIndex; 2]) -> bool {
    let [a, b] = nodes.map(|index| graph.node(index));
    a.is_copy_of(b)
}

fn diagnostic(graph: &Graph, thing: &Thing, clash: &Clash<'_>) -> Diagnostic {
    let managers = clash.managers.map(|one| (one.of.node, one.claim.field));
    graph.managed_twice(thing, &clash.aspects, managers)
}

/// What a run has to look at: the resources that are not handled in every run, or of which it is not known what they manage.
fn in_run(graph: &Graph, footprints: &Footprints, values: &KnownValues<'_>) -> ManagedInRun {
    let mut in_run = ManagedInRun::default();
    for one in footprints.nodes().iter().filter(|one| may_manage(graph, one.node)) {
        if footprints.is_partial(one) || !one.condition.is_certain() {
            in_run.unclear.insert(one.node);
            continue;
        }
        for claim in managed(footprints, one) {
            let set = values.set_value(graph, &Managed { of: one, claim });
            let manager = Manager { node: one.node, claim: claim.into(), set };
            in_run.known.entry(claim.thing.clone()).or_default().push(manager);
        }
    }
    in_run
}

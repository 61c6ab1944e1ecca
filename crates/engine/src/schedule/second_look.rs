//! The second look: resources that a later change may have undone are checked once more.
//!
//! A resource that ended well may share something with another resource that changed it later. Without a
//! second look, a run could succeed and leave work for the next one. The order of ends is recorded during
//! the run; the machine is looked at only after all other work.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tokio::task::{Id, JoinSet};

use crate::diagnostic::Diagnostic;
use crate::events::outcome::Outcome;
use crate::events::report::{Failure, ResourceReport, Stage};
use crate::graph::{Graph, NodeIndex};
use crate::inputs::blocking::{is_large, offload};
use crate::sdk::context::RunMode;
use crate::sdk::status::StatusLevel;
use crate::tables::managed_so_far::footprint;
use crate::tables::pending_changes::{ChangedThings, PendingClaim, PendingEffect};
use crate::tables::run_tables::Shared;
use crate::types::footprint::{Claim, Footprint, Verb, aspect};
use crate::types::panic_guard::panic_message;
use crate::types::schema::Reach;
use crate::work::second_look::{SecondLook, check_again};

/// The resources of an apply in the order in which they ended.
#[derive(Debug, Default)]
pub(super) struct EndedResources {
    ended: Vec<EndedResource>,
    /// The number of resources that had ended when the work on each resource began.
    begun: HashMap<NodeIndex, usize>,
    has_changes: bool,
}

/// A resource that ended without a failure.
#[derive(Debug)]
struct EndedResource {
    node: NodeIndex,
    /// The number of resources that had ended when the work on this one began.
    begun: usize,
    was: Outcome,
    /// The footprint, if only the values of the run showed it.
    rendered: Option<Box<Footprint>>,
}

/// A resource that may have been undone, and the last one that may have done it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Suspect {
    node: NodeIndex,
    was: Outcome,
    by: NodeIndex,
}

/// A resource that was undone by a later one.
#[derive(Debug)]
pub(super) struct Undone {
    pub(super) by: NodeIndex,
    pub(super) was: Outcome,
    pub(super) report: Box<ResourceReport>,
}

impl EndedResources {
    /// Records that the work on a node begins.
    pub(super) fn begins(&mut self, shared: &Shared, index: NodeIndex) {
        if shared.mode() == RunMode::Apply && shared.graph.node(index).role.is_resource() {
            self.begun.insert(index, self.ended.len());
        }
    }

    /// Records that a resource ended.
    ///
    /// A resource with an accepted difference is not as declared, so nobody can undo it.
    pub(super) fn ends(
        &mut self,
        index: NodeIndex,
        report: &ResourceReport,
        rendered: Option<Box<Footprint>>,
    ) {
        let Some(begun) = self.begun.remove(&index) else { return };
        let outcome = report.outcome;
        let is_settled = report.level != StatusLevel::WontChange;
        if is_settled && matches!(outcome, Outcome::Unchanged | Outcome::Changed) {
            self.has_changes |= outcome == Outcome::Changed;
            self.ended.push(EndedResource { node: index, begun, was: outcome, rendered });
        }
    }

    /// Checks the resources that may have been undone, and returns those that were.
    ///
    /// At most `parallelism` checks run at once. Dropping the future ends the checks.
    pub(super) async fn find_undone(self, shared: &Arc<Shared>, parallelism: NonZeroUsize) -> Vec<Undone> {
        let (is_large, tables) = (is_large(&shared.graph), Arc::clone(shared));
        // The runtime is gone if the work did not begin, so nothing can be checked.
        let suspects = offload(is_large, move || self.suspects(&tables)).await.unwrap_or_default();
        let mut suspects = suspects.into_iter();
        let (mut checks, mut running) = (JoinSet::new(), HashMap::<Id, Suspect>::new());
        let mut undone = Vec::new();
        loop {
            while checks.len() < parallelism.get()
                && let Some(suspect) = suspects.next()
            {
                let shared = Arc::clone(shared);
                let check = checks.spawn(async move { check_again(&shared, suspect.node).await });
                running.insert(check.id(), suspect);
            }
            let Some(ended) = checks.join_next_with_id().await else { break };
            let (id, look) = match ended {
                Ok(ended) => ended,
                Err(error) => {
                    let id = error.id();
                    let Ok(panic) = error.try_into_panic() else { continue };
                    let message = format!("the resource panicked: {}", panic_message(&*panic));
                    (id, SecondLook::Failed(Failure::new(Stage::CheckAfterApply, message)))
                }
            };
            if let Some(suspect) = running.remove(&id) {
                undone.extend(suspect.into_undone(&shared.graph, look));
            }
        }
        // The order of the graph does not depend on timing.
        undone.sort_unstable_by_key(|(node, _)| *node);
        undone.into_iter().map(|(_, undone)| undone).collect()
    }

    /// Returns the resources that share something with a resource that changed it later.
    fn suspects(self, shared: &Shared) -> Vec<Suspect> {
        if !self.has_changes {
            return Vec::new();
        }
        let graph = &shared.graph;
        let footprints = self.ended.iter().map(|EndedResource { node, rendered, .. }| match rendered {
            Some(rendered) => Footprint::clone(rendered),
            None => footprint(graph.node(*node), None),
        });
        let footprints: Vec<Footprint> = footprints.collect();
        let changes = Changes::new(graph, &self.ended, &footprints);
        let ended = self.ended.iter().zip(&footprints);
        ended.filter_map(|(ended, footprint)| changes.suspect(graph, ended, footprint)).collect()
    }
}

impl Suspect {
    /// Returns the report of the resource if the second look found a difference.
    fn into_undone(self, graph: &Graph, look: SecondLook) -> Option<(NodeIndex, Undone)> {
        let [node, by] = [self.node, self.by].map(|index| graph.node(index));
        let was = if self.was == Outcome::Changed { "changed" } else { "as declared" };
        let (name, culprit) = (node.id.short(), by.id.short());
        let (message, differences) = match look {
            SecondLook::Settled => return None,
            SecondLook::Differs(differences) => {
                (format!("`{culprit}` undid it later in this run"), differences)
            }
            SecondLook::Failed(failure) => {
                let text = format!(
                    "`{culprit}` changed something that both share, and now it cannot be checked: {}",
                    failure.message
                );
                (text, Vec::new())
            }
        };
        let error = Diagnostic::error("undone", format!("{name}: {message}"))
            .label(node.span, format!("`{name}` was {was}"))
            .label(by.span.filter(|_| by.span != node.span), format!("`{culprit}` changed it afterwards"))
            .help("each apply would do this again: let one of them manage what both share");
        let mut report = Box::new(ResourceReport::new(node.id.clone(), Outcome::Failed));
        report.level = StatusLevel::Fatal;
        report.optional = node.is_optional();
        report.differences = differences;
        report.failure = Some(Failure { stage: Stage::CheckAfterApply, message, diagnostics: vec![error] });
        Some((self.node, Undone { by: self.by, was: self.was, report }))
    }
}

/// The changes of a run by thing, with the order in which they ended.
struct Changes {
    things: ChangedThings,
    /// The positions of the resources that changed.
    positions: HashMap<NodeIndex, usize>,
    /// The last two resources that changed anything.
    last: Vec<NodeIndex>,
    /// The last two resources that may have changed anything at all.
    boundless: Vec<NodeIndex>,
}

impl Changes {
    fn new(graph: &Graph, ended: &[EndedResource], footprints: &[Footprint]) -> Self {
        let mut changes = Self {
            things: ChangedThings::default(),
            positions: HashMap::new(),
            last: Vec::new(),
            boundless: Vec::new(),
        };
        for (position, (ended, footprint)) in ended.iter().zip(footprints).enumerate() {
            if ended.was != Outcome::Changed {
                continue;
            }
            changes.positions.insert(ended.node, position);
            keep_two(&mut changes.last, ended.node);
            match PendingEffect::from_footprint(graph.node(ended.node), footprint.clone()) {
                PendingEffect::Anything => keep_two(&mut changes.boundless, ended.node),
                PendingEffect::Named(footprint) => changes.things.add_latest(ended.node, footprint),
            }
        }
        changes
    }

    /// Returns the suspicion against the last resource that ended after the work on this one began.
    fn suspect(&self, graph: &Graph, ended: &EndedResource, footprint: &Footprint) -> Option<Suspect> {
        let mut last: Option<(usize, NodeIndex)> = None;
        let mut consider = |node: NodeIndex| {
            let position = self.positions.get(&node).copied().unwrap_or_default();
            if node != ended.node && position >= ended.begun {
                last = last.max(Some((position, node)));
            }
        };
        if graph.node(ended.node).resource.reads() == Reach::Anything || footprint.partial {
            self.last.iter().copied().for_each(consider);
        } else {
            self.boundless.iter().copied().for_each(&mut consider);
            for claim in footprint.claims.iter().filter(|claim| claim.verb.reads()) {
                let consider = &mut |pending: &PendingClaim| consider(pending.node);
                self.things.for_each_overlap(claim, consider);
                // The check of a resource that fills a tree reads the tree.
                if claim.verb.provides() && claim.aspect == Some(aspect::TREE) {
                    let tree = Claim { verb: Verb::Needs, ..claim.clone() };
                    self.things.for_each_overlap(&tree, consider);
                }
            }
        }
        last.map(|(_, by)| Suspect { node: ended.node, was: ended.was, by })
    }
}

/// Keeps the last two nodes: one of them is not the node that is compared.
fn keep_two(nodes: &mut Vec<NodeIndex>, new: NodeIndex) {
    if nodes.len() == 2 {
        nodes.remove(0);
    }
    nodes.push(new);
}

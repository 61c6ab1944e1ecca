//! The pending changes of a plan, and the checks whose result they could alter.
//!
//! The result of a check is certain only if no earlier change affects the state that it looks at. Pending
//! changes are indexed by the things that they change, and every check after a pending change is compared
//! with them. A resource that runs third-party programs may read and change anything.
//!
//! The work stays linear for three reasons. A node inherits the closest change before it without a search.
//! Things are found by name. The graph is asked whether one node waits for another only if both concern the
//! same thing.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};

use super::managed_so_far::footprint;
use super::node_flags::{CHANGES, Flags, WAITS_FOR_CHANGES};
use crate::events::outcome::Outcome;
use crate::events::report::ResourceReport;
use crate::graph::{Graph, Node, NodeIndex, Role};
use crate::types::footprint::{Claim, Footprint, FootprintRule, NameSource, Reach, Thing, aspect};
use crate::types::node_table::Rows;

/// The name of the type of the values in `locals`.
const LOCAL: &str = "local";

/// The marker for no node.
const NONE: u32 = u32::MAX;

/// The changes of a plan.
///
/// Only the coordinator writes here. It writes about a node before it publishes the dependents.
#[derive(Debug)]
pub(crate) struct PendingChanges {
    /// The closest preceding node with changes, for each node.
    closest: Rows<AtomicU32>,
    /// The closest preceding node whose changes may affect anything, for each node.
    boundless: Rows<AtomicU32>,
    things: RwLock<ChangedThings>,
}

/// Changes by the thing that they change.
#[derive(Debug, Default)]
pub(crate) struct ChangedThings(BTreeMap<Thing, Vec<PendingClaim>>);

/// A change of one thing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingClaim {
    pub(crate) node: NodeIndex,
    aspect: Option<&'static str>,
    removes: bool,
}

/// The things that a node with pending changes affects.
#[derive(Debug)]
pub(crate) enum PendingEffect {
    /// The things of this footprint.
    Named(Footprint),
    Anything,
}

impl PendingEffect {
    /// Returns the effect of a node with this footprint and report.
    pub(crate) fn from_report(node: &Node, footprint: Footprint, report: &ResourceReport) -> Self {
        let mut effect = Self::from_footprint(node, footprint);
        if let (Self::Named(footprint), Some(fields)) = (&mut effect, changing_fields(node, report)) {
            footprint.limit_to(node.resource.schema(), &fields);
        }
        effect
    }

    /// Returns the effect of a node with this footprint, whatever it changes of it.
    pub(crate) fn from_footprint(node: &Node, footprint: Footprint) -> Self {
        if node.resource.changes() == Reach::Anything || footprint.partial {
            Self::Anything
        } else {
            Self::Named(footprint)
        }
    }
}

impl PendingEffect {
    /// Returns the combined effect of the instances of an end node, which a plan does not know.
    pub(crate) fn from_instances(end: &Node) -> Self {
        let mut claims = Footprint::new();
        let mut open = vec![end];
        while let Some(node) = open.pop() {
            if node.role == Role::Resource {
                let mut footprint = footprint(node, None);
                if node.resource.changes() == Reach::Anything || footprint.partial {
                    return Self::Anything;
                }
                claims.claims.append(&mut footprint.claims);
                claims.removes |= footprint.removes;
            }
            open.extend(node.deferred().iter().flat_map(|deferred| deferred.pattern.nodes()));
        }
        Self::Named(claims)
    }
}

/// Returns the differing fields if they are all that changes.
///
/// `None` means that anything may change, as when the resource is created or removed.
fn changing_fields(node: &Node, report: &ResourceReport) -> Option<Vec<&'static str>> {
    if report.outcome != Outcome::WillChange {
        return None;
    }
    let schema = node.resource.schema();
    let changing = report.differences.iter().filter(|difference| difference.changes);
    let fields: Option<Vec<&'static str>> = changing
        .map(|difference| {
            let (_, field) = schema.field(difference.field.as_deref()?)?;
            let names_itself =
                |rule: &FootprintRule| rule.verb.provides() && matches!(rule.name, NameSource::Own(_));
            let is_existence = field.removes.is_some() || field.footprint.iter().any(names_itself);
            (!is_existence).then_some(field.name)
        })
        .collect();
    fields.filter(|fields| !fields.is_empty())
}

/// The reason why a check may find another result after earlier changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// A node with such a change.
    pub(crate) cause: NodeIndex,
    pub(crate) about: About,
}

/// The part of a resource that is in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum About {
    /// The thing that the resource manages: it may become right or wrong.
    Own,
    /// A thing that the resource needs. Its own state stays the same, so a wrong state stays wrong.
    Needs,
}

impl PendingChanges {
    pub(crate) fn new(len: usize) -> Self {
        let empty_rows = || Rows::new(len, no_node);
        Self { closest: empty_rows(), boundless: empty_rows(), things: RwLock::default() }
    }

    /// Makes room for added nodes.
    pub(super) fn grow(&self, len: usize) {
        self.closest.grow(len, no_node);
        self.boundless.grow(len, no_node);
    }

    /// Finds the closest changes before a node whose dependencies have all ended.
    pub(crate) fn begins(&self, graph: &Graph, flags: &Flags, index: NodeIndex) {
        let mut closest = [NONE; 2];
        for edge in graph.dependencies(index) {
            let before = edge.on.as_usize();
            if flags.has(edge.on, CHANGES) && closest[0] == NONE {
                closest[0] = edge.on.number();
            }
            if !flags.has(edge.on, CHANGES | WAITS_FOR_CHANGES) {
                continue;
            }
            let [nearest, boundless] = &mut closest;
            if *nearest == NONE {
                *nearest = get(&self.closest, before);
            }
            // A reader of a local needs its value, and not the effects of what the value was made from.
            if *boundless == NONE && graph.node(edge.on).resource.name() != LOCAL {
                *boundless = get(&self.boundless, before);
            }
        }
        set(&self.closest, index.as_usize(), closest[0]);
        set(&self.boundless, index.as_usize(), closest[1]);
    }

    /// Records the changes of a node for its dependents.
    pub(crate) fn changes(&self, index: NodeIndex, changing: PendingEffect) {
        match changing {
            // The node no longer needs its own slots; from now on they hold what its dependents find.
            PendingEffect::Anything => set(&self.boundless, index.as_usize(), index.number()),
            PendingEffect::Named(footprint) => {
                let mut things = self.things.write().unwrap_or_else(PoisonError::into_inner);
                for (thing, claim) in changed_things(index, footprint) {
                    things.0.entry(thing).or_default().push(claim);
                }
            }
        }
    }

    /// Returns why the check of a node may find another result in an apply, or `None` if it cannot.
    pub(crate) fn doubt(&self, graph: &Graph, index: NodeIndex, footprint: &Footprint) -> Option<Doubt> {
        let own_doubt = |cause| Doubt { cause, about: About::Own };
        let closest = node(get(&self.closest, index.as_usize()))?;
        if graph.node(index).resource.reads() == Reach::Anything || footprint.partial {
            return Some(own_doubt(closest));
        }
        if let Some(boundless) = node(get(&self.boundless, index.as_usize())) {
            return Some(own_doubt(boundless));
        }
        let things = self.things.read().unwrap_or_else(PoisonError::into_inner);
        let mut doubts = Vec::new();
        for claim in footprint.claims.iter().filter(|claim| claim.verb.reads()) {
            let relation = if claim.verb.provides() { About::Own } else { About::Needs };
            let mut consider =
                |pending: &PendingClaim| doubts.push(Doubt { cause: pending.node, about: relation });
            things.for_each_overlap(claim, &mut consider);
        }
        // The most severe doubt wins, then the first, so that the result does not depend on the order of the
        // run.
        doubts.sort_unstable_by_key(|doubt| (doubt.about, doubt.cause));
        doubts.dedup();
        doubts.into_iter().find(|doubt| doubt.cause != index && graph.depends_on(index, doubt.cause).0)
    }
}

impl ChangedThings {
    /// Adds the changes of a node that ended after all nodes before.
    ///
    /// Of equal changes of a thing, only those of the last two nodes are kept.
    pub(crate) fn add_latest(&mut self, index: NodeIndex, footprint: Footprint) {
        for (thing, new) in changed_things(index, footprint) {
            let claims = self.0.entry(thing).or_default();
            let is_equal = |claim: &PendingClaim| claim.aspect == new.aspect && claim.removes == new.removes;
            if claims.iter().filter(|claim| is_equal(claim)).count() == 2
                && let Some(oldest) = claims.iter().position(is_equal)
            {
                claims.remove(oldest);
            }
            claims.push(new);
        }
    }

    /// Calls `consider` for each change that a check of the claimed thing could see.
    pub(crate) fn for_each_overlap(&self, claim: &Claim, consider: &mut dyn FnMut(&PendingClaim)) {
        let Self(things) = self;
        let same_thing = things.get(&claim.thing).into_iter().flatten();
        same_thing.filter(|pending| overlaps(claim, pending)).for_each(&mut *consider);
        if !claim.thing.is_path() {
            return;
        }
        for folder in claim.thing.above() {
            let parent_claims = things.get(&Thing::path(folder)).into_iter().flatten();
            parent_claims.filter(|pending| reaches_below(pending)).for_each(&mut *consider);
        }
        if claim.aspect == Some(aspect::TREE) && !claim.verb.provides() {
            let first = Thing::before_all_in(claim.thing.name());
            let inside = things.range((Bound::Excluded(&first), Bound::Unbounded));
            let inside =
                inside.take_while(|(thing, _)| thing.is_path() && thing.name().starts_with(first.name()));
            inside.flat_map(|(_, pending)| pending).for_each(&mut *consider);
        }
    }
}

/// Returns the things that a node with this footprint changes.
fn changed_things(index: NodeIndex, footprint: Footprint) -> impl Iterator<Item = (Thing, PendingClaim)> {
    let Footprint { claims, removes, .. } = footprint;
    claims.into_iter().filter(|claim| claim.verb.changes()).map(
        move |Claim { verb, thing, aspect, .. }| {
            (thing, PendingClaim { node: index, aspect, removes: removes && verb.provides() })
        },
    )
}

/// Whether a change to a path affects the paths below it.
fn reaches_below(pending: &PendingClaim) -> bool {
    pending.removes || matches!(pending.aspect, Some(aspect::TREE | aspect::MOUNT))
}

/// Whether a check of a thing sees a pending change to the same thing.
fn overlaps(claim: &Claim, pending: &PendingClaim) -> bool {
    let is_path = claim.thing.is_path();
    match pending.aspect {
        // All properties of the path may change.
        Some(aspect::EXISTENCE | aspect::TREE | aspect::MOUNT | aspect::PARENTS) if is_path => true,
        _ => pending.removes || claim.covers_aspect(pending.aspect) || claim.aspect == Some(aspect::TREE),
    }
}

fn node(number: u32) -> Option<NodeIndex> {
    (number != NONE).then(|| NodeIndex::new(number as usize))
}

fn no_node() -> AtomicU32 {
    AtomicU32::new(NONE)
}

fn get(table: &Rows<AtomicU32>, index: usize) -> u32 {
    table.get(index).map_or(NONE, |slot| slot.load(Ordering::Acquire))
}

fn set(table: &Rows<AtomicU32>, index: usize, number: u32) {
    if let Some(slot) = table.get(index) {
        slot.store(number, Ordering::Release);
    }
}

//! Things that only one resource may manage.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;

use super::index::NodeIndex;
use crate::types::footprint::{Claim, Footprint, Thing, aspect};
use crate::types::schema::Verb;
use crate::types::value::Value;

/// The managed things, as far as only a run can detect conflicts between them.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct ManagedInRun {
    /// The resources that are not handled in every run, or whose footprint is not known.
    #[doc(hidden)]
    pub unclear: HashSet<NodeIndex>,
    /// The things that the other resources manage in every run.
    #[doc(hidden)]
    pub known: HashMap<Thing, Vec<Manager>>,
    /// The footprints of resources, if a run adds nodes that may have to wait for them.
    #[doc(hidden)]
    pub uses: Option<UsesInRun>,
    /// The footprints of resources whose values are computed, as far as they are known at load.
    #[doc(hidden)]
    pub computed: HashMap<NodeIndex, Footprint>,
    /// Whether a resource covers more than it names, or a run may add one that does.
    #[doc(hidden)]
    pub has_covers: bool,
    /// The resources with a path that only a run knows, by the resources in whose trees they may be.
    #[doc(hidden)]
    pub late_in_trees: BTreeMap<NodeIndex, Vec<NodeIndex>>,
    /// The resources that no run handles.
    #[doc(hidden)]
    pub left_out: HashSet<NodeIndex>,
}

/// A resource that manages a thing.
#[derive(Debug)]
#[doc(hidden)]
pub struct Manager {
    #[doc(hidden)]
    pub node: NodeIndex,
    #[doc(hidden)]
    pub claim: Claim,
    /// The value that the thing is set to, if it is the value of a field and known.
    #[doc(hidden)]
    pub set: Option<Value>,
}

impl Manager {
    /// Whether both claims set the same aspect to the same value, where `set` is the value of `claim`.
    #[doc(hidden)]
    pub fn agrees(&self, claim: &Claim, set: Option<&Value>) -> bool {
        self.claim.aspect == claim.aspect && set.is_some() && self.set.as_ref() == set
    }
}

/// The footprints of nodes, indexed by thing.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct UsesInRun {
    nodes: Vec<UseInRun>,
    by_thing: BTreeMap<Thing, Vec<usize>>,
    /// The nodes that only touch a thing that is not a path. They do not wait for each other.
    touching: BTreeMap<Thing, Vec<usize>>,
}

/// The footprint of one node.
#[derive(Debug)]
#[doc(hidden)]
pub struct UseInRun {
    #[doc(hidden)]
    pub node: NodeIndex,
    #[doc(hidden)]
    pub footprint: Footprint,
    /// Whether the node is handled in every run.
    #[doc(hidden)]
    pub is_certain: bool,
}

impl UsesInRun {
    #[doc(hidden)]
    pub fn push(&mut self, new: UseInRun) {
        let place = self.nodes.len();
        for claim in &new.footprint.claims {
            let is_touched = claim.verb == Verb::Touches && !claim.thing.is_path();
            let things = if is_touched { &mut self.touching } else { &mut self.by_thing };
            let places = things.entry(claim.thing.clone()).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
        self.nodes.push(new);
    }

    /// Returns the nodes that a node with one of these footprints may have to wait for.
    ///
    /// They concern the same things, the folders above them, or paths in a tree that the node reads.
    #[doc(hidden)]
    pub fn around<'a>(&self, footprints: impl Iterator<Item = &'a Footprint>) -> Vec<&UseInRun> {
        let mut places: BTreeSet<usize> = BTreeSet::new();
        let mut folders = HashSet::new();
        for claim in footprints.flat_map(|footprint| &footprint.claims) {
            places.extend(self.by_thing.get(&claim.thing).into_iter().flatten());
            if claim.verb != Verb::Touches {
                places.extend(self.touching.get(&claim.thing).into_iter().flatten());
            }
            for folder in claim.thing.above() {
                if !folders.insert(folder) {
                    break;
                }
                places.extend(self.by_thing.get(&Thing::path(folder)).into_iter().flatten());
            }
            if claim.thing.is_path() && claim.aspect == Some(aspect::TREE) && !claim.verb.provides() {
                let first = Thing::before_all_in(claim.thing.name());
                let inside = self.by_thing.range((Bound::Excluded(&first), Bound::Unbounded));
                let is_inside = |thing: &Thing| thing.is_path() && thing.name().starts_with(first.name());
                places
                    .extend(inside.take_while(|(thing, _)| is_inside(thing)).flat_map(|(_, places)| places));
            }
        }
        places.into_iter().filter_map(|place| self.nodes.get(place)).collect()
    }
}

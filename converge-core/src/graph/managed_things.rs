//! What one resource alone may manage.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;

use super::index::NodeIndex;
use crate::types::footprint::{Claim, Footprint, Thing, aspect};
use crate::types::schema::Verb;
use crate::types::value::Value;

/// Which resource manages what, where only a run can tell whether another one manages it, too.
#[derive(Debug, Default)]
pub(crate) struct ManagedInRun {
    /// The resources that are not handled in every run, or of which it is not known what they manage.
    pub(crate) unclear: HashSet<NodeIndex>,
    /// What the others manage in every run.
    pub(crate) known: HashMap<Thing, Vec<Manager>>,
    /// What the resources have to do with, where a run adds some that may have to wait for them because of that.
    pub(crate) uses: Option<UsesInRun>,
}

/// One who manages a thing.
#[derive(Debug)]
pub(crate) struct Manager {
    pub(crate) node: NodeIndex,
    pub(crate) claim: Claim,
    /// What the thing is set to, where that is the value of a field, and known.
    pub(crate) set: Option<Value>,
}

impl Manager {
    /// Whether it sets the same to the same value as this claim, which is set to `set`.
    pub(crate) fn agrees(&self, claim: &Claim, set: Option<&Value>) -> bool {
        self.claim.aspect == claim.aspect && set.is_some() && self.set.as_ref() == set
    }
}

/// What nodes have to do with, by what that is.
#[derive(Debug, Default)]
pub(crate) struct UsesInRun {
    nodes: Vec<UseInRun>,
    by_thing: BTreeMap<Thing, Vec<usize>>,
    /// Who only touches things that are no paths: of these nobody waits for another one.
    touching: BTreeMap<Thing, Vec<usize>>,
}

/// What one node has to do with.
#[derive(Debug)]
pub(crate) struct UseInRun {
    pub(crate) node: NodeIndex,
    pub(crate) footprint: Footprint,
    /// Whether the node is handled in every run.
    pub(crate) is_certain: bool,
}

impl UsesInRun {
    pub(crate) fn push(&mut self, new: UseInRun) {
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

    /// The nodes that what has these footprints may have to wait for: who has to do with the same things, with folders around
    /// them, and with what is in the trees that they read.
    pub(crate) fn around<'a>(&self, footprints: impl Iterator<Item = &'a Footprint>) -> Vec<&UseInRun> {
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

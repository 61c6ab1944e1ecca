//! What each node does to each thing.

use super::node_footprints::{Footprints, KnownClaim, NodeFootprint};
use super::parent_folders::OnTheWay;
use crate::graph::NodeIndex;
use crate::types::footprint::{Thing, Verb, aspect};
use crate::types::hash::{NameMap, NamePlaces};

/// At which point in the life of a thing a resource works with it. A later phase waits for an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// It makes the thing, with what is in it.
    Made,
    /// It sees to it that it is there, or to a part of what is in it, as others may, too.
    Ensured,
    /// It puts something there: a tree of files, a mount.
    Filled,
    /// It changes something about it: an owner, what else it touches.
    Changed,
    /// It sets the permissions, which a change of the owner may reset.
    Permitted,
    /// It works with it.
    Used,
}

impl Phase {
    fn of(claim: KnownClaim<'_>) -> Self {
        match (claim.verb, claim.aspect) {
            (Verb::Needs, _) => Self::Used,
            (Verb::Touches, _) => Self::Changed,
            (Verb::Ensures, None | Some(aspect::EXISTENCE | aspect::CONTENT)) if claim.thing.is_path() => {
                Self::Ensured
            }
            (Verb::Manages | Verb::Ensures, aspect) if claim.thing.is_path() => match aspect {
                None | Some(aspect::EXISTENCE | aspect::CONTENT) => Self::Made,
                Some(aspect::TREE | aspect::MOUNT) => Self::Filled,
                Some(aspect::MODE) => Self::Permitted,
                Some(_) => Self::Changed,
            },
            (Verb::Manages | Verb::Ensures, _) => Self::Made,
        }
    }

    /// Whether the thing, or what is below it, is there when this is done.
    pub(super) fn provides(self) -> bool {
        self <= Self::Filled
    }
}

/// What one node does to one thing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) node: NodeIndex,
    /// Where the footprint of the node is among all.
    pub(super) footprint: u32,
    /// The first of the phases in which it works with it.
    pub(super) phase: Phase,
    /// The thing is gone afterwards.
    pub(super) removes: bool,
    /// It does that in every run.
    pub(super) certain: bool,
}

/// A node that reads or changes all that is below a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeUse {
    pub(super) node: NodeIndex,
    pub(super) reads: bool,
    pub(super) changes: bool,
}

/// What is done to each thing.
#[derive(Debug, Default)]
pub(super) struct Uses<'a> {
    /// All things, each once, in the order in which they are first named, and where the uses of each end.
    things: Vec<(&'a Thing, usize)>,
    /// The uses of all things, those of one beside each other: nearly every thing has one.
    grouped: Vec<Use>,
    /// Where a path is among the things.
    paths: NamePlaces,
    /// The same for everything else, by kind and name.
    others: NameMap<(&'static str, &'a str), usize>,
    /// Whole trees, by the path of their root.
    pub(super) trees: Vec<(&'a Thing, TreeUse)>,
    /// Folders that are made on the way to others.
    pub(super) on_the_way: OnTheWay<'a>,
}

impl<'a> Uses<'a> {
    pub(super) fn of(footprints: &'a Footprints) -> Self {
        let nodes = footprints.nodes();
        let mut uses = Self { paths: NamePlaces::with_capacity(nodes.len()), ..Self::default() };
        // The uses of a thing, where it is among the things. While they are collected, a thing knows the last of its own.
        let mut all: Vec<(usize, Use)> = Vec::with_capacity(nodes.len());
        for (at, one) in (0..).zip(nodes) {
            let removes = footprints.removes(one);
            for claim in footprints.claims(one) {
                if claim.aspect != Some(aspect::PARENTS) || !claim.thing.is_path() {
                    uses.add((at, one, removes), claim, &mut all);
                } else if claim.verb.changes() && !removes {
                    let mut claims = footprints.claims(one);
                    let made = claims.find(|made| made.verb.provides() && made.thing.is_path());
                    let to = made.map_or("", |made| made.thing.name());
                    uses.on_the_way.add(claim.thing.name(), one.node, to, one.condition);
                }
            }
        }
        all.sort_by_key(|(place, _)| *place);
        let mut end = 0;
        let of_things = all.chunk_by(|(place, _), (other, _)| place == other);
        for ((_, ends), of_thing) in uses.things.iter_mut().zip(of_things) {
            end += of_thing.len();
            *ends = end;
        }
        uses.grouped = all.into_iter().map(|(_, one)| one).collect();
        uses
    }

    fn add(
        &mut self,
        (at, one, removes): (u32, &NodeFootprint, bool),
        claim: KnownClaim<'a>,
        all: &mut Vec<(usize, Use)>,
    ) {
        let thing = claim.thing;
        let is_tree = thing.is_path() && claim.aspect == Some(aspect::TREE);
        if is_tree && !claim.verb.provides() {
            self.add_tree(one.node, claim);
            return;
        }
        let phase = Phase::of(claim);
        let removes = removes && phase.provides();
        let next = self.things.len();
        let place = if thing.is_path() {
            self.paths.find_or_insert(thing.name(), next, name_in(&self.things))
        } else {
            *self.others.entry((thing.kind(), thing.name())).or_insert(next)
        };
        if place == next {
            self.things.push((thing, all.len()));
        }
        let Some((_, last)) = self.things.get_mut(place) else { return };
        if let Some((_, last)) = all.get_mut(*last).filter(|(_, last)| last.node == one.node) {
            last.removes |= removes;
            last.phase = last.phase.min(phase);
        } else {
            *last = all.len();
            let certain = one.condition.is_certain();
            all.push((place, Use { node: one.node, footprint: at, phase, removes, certain }));
        }
    }

    fn add_tree(&mut self, node: NodeIndex, claim: KnownClaim<'a>) {
        let new = TreeUse { node, reads: claim.verb.reads(), changes: claim.verb.changes() };
        let mut own = self.trees.iter_mut().rev().take_while(|(_, tree)| tree.node == node);
        match own.find(|(thing, _)| *thing == claim.thing) {
            Some((_, tree)) => {
                tree.reads |= new.reads;
                tree.changes |= new.changes;
            }
            None => self.trees.push((claim.thing, new)),
        }
    }

    /// All things, each with what is done to it.
    pub(super) fn things(&self) -> impl Iterator<Item = (&'a Thing, &[Use])> {
        (0..self.things.len()).filter_map(|place| self.at(place))
    }

    /// The thing at a place, with what is done to it.
    pub(super) fn at(&self, place: usize) -> Option<(&'a Thing, &[Use])> {
        let (thing, end) = self.things.get(place)?;
        let start =
            place.checked_sub(1).and_then(|before| self.things.get(before)).map_or(0, |(_, end)| *end);
        Some((thing, self.grouped.get(start..*end)?))
    }

    /// What is done to a path.
    pub(super) fn of_path(&self, path: &str) -> &[Use] {
        let place = self.paths.find(path, name_in(&self.things));
        place.and_then(|place| self.at(place)).map_or(&[], |(_, uses)| uses)
    }
}

/// What gives the name of the thing at a place.
fn name_in<'n>(things: &'n [(&Thing, usize)]) -> impl Fn(usize) -> &'n str {
    |place| things.get(place).map_or("", |(thing, _)| thing.name())
}

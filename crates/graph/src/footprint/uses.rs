//! The table of what each node does to each thing.

use super::node_footprints::{Footprints, NodeFootprint};
use super::parent_folders::ParentFolders;
use crate::graph::NodeIndex;
use crate::types::footprint::{Claim, Footprint, Thing, Verb, aspect};
use crate::types::hash::{NameMap, NamePlaces};

/// The phase of a thing's life in which a resource works with it; later phases wait for earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The resource makes the thing with its content.
    Made,
    /// The resource ensures that the thing, or a part of its content, exists; others may do so too.
    Ensured,
    /// The resource mounts a file system there.
    Mounted,
    /// The resource puts a tree of files there.
    Filled,
    /// The resource changes a property such as the owner, or touches the thing in another way.
    Changed,
    /// The resource sets the permissions, which a change of the owner may reset.
    Permitted,
    /// The resource uses the thing.
    Used,
}

impl Phase {
    fn from_claim(claim: &Claim) -> Self {
        match (claim.verb, claim.aspect) {
            (Verb::Needs, _) => Self::Used,
            (Verb::Touches, _) => Self::Changed,
            (Verb::Ensures, None | Some(aspect::EXISTENCE | aspect::CONTENT)) if claim.thing.is_path() => {
                Self::Ensured
            }
            (Verb::Manages | Verb::Ensures, aspect) if claim.thing.is_path() => match aspect {
                None | Some(aspect::EXISTENCE | aspect::CONTENT) => Self::Made,
                Some(aspect::MOUNT) => Self::Mounted,
                Some(aspect::TREE) => Self::Filled,
                Some(aspect::MODE) => Self::Permitted,
                Some(_) => Self::Changed,
            },
            (Verb::Manages | Verb::Ensures, _) => Self::Made,
        }
    }

    /// Returns whether the thing, or something below it, exists after this phase.
    pub(super) fn provides(self) -> bool {
        self <= Self::Filled
    }

    /// Returns whether the thing itself exists after this phase.
    ///
    /// A tree of files is put into a folder that exists already.
    pub(super) fn makes(self) -> bool {
        self <= Self::Mounted
    }

    /// Returns whether things below this one may come with it.
    pub(super) fn fills(self) -> bool {
        matches!(self, Self::Mounted | Self::Filled)
    }
}

/// Whether a node requires that a thing exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Nothing,
    Existence,
    /// The thing is the target of a link of the node, which may exist without it.
    LinkTarget,
}

/// The use of one thing by one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) node: NodeIndex,
    /// The index of the node's footprint.
    pub(super) footprint: u32,
    /// The first phase in which the node works with the thing.
    pub(super) phase: Phase,
    /// Whether the node removes the thing.
    pub(super) removes: bool,
    need: Need,
    /// Whether the node does this in every run.
    pub(super) certain: bool,
}

impl Use {
    /// Returns whether this use waits for one in an earlier phase.
    ///
    /// A link does not wait for a resource that changes a part of its target, and may write through the link.
    pub(super) fn waits_for(&self, earlier: Phase) -> bool {
        self.need != Need::LinkTarget || earlier != Phase::Ensured
    }

    /// Returns whether the node puts a tree of files into a folder that others make.
    pub(super) fn fills_others(&self) -> bool {
        self.phase == Phase::Filled && self.need != Need::Nothing && !self.removes
    }
}

/// A node that reads or changes everything below a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeUse {
    pub(super) node: NodeIndex,
    pub(super) reads: bool,
    pub(super) changes: bool,
}

/// The uses of all things.
#[derive(Debug, Default)]
pub(super) struct Uses<'a> {
    /// The things in order of first mention, each with the end of its uses in `grouped`.
    things: Vec<(&'a Thing, usize)>,
    /// The uses, grouped by thing; nearly every thing has one use.
    grouped: Vec<Use>,
    /// The indexes of paths in `things`.
    paths: NamePlaces,
    /// The indexes of other things, by kind and name.
    others: NameMap<(&'static str, &'a str), usize>,
    /// The whole trees by the path of their root.
    pub(super) trees: Vec<(&'a Thing, TreeUse)>,
    /// The parent folders that are created implicitly.
    pub(super) on_the_way: ParentFolders<'a>,
}

impl<'a> Uses<'a> {
    pub(super) fn from_footprints(footprints: &'a Footprints) -> Self {
        let nodes = footprints.nodes();
        let mut uses = Self { paths: NamePlaces::with_capacity(nodes.len()), ..Self::default() };
        // Each use is collected with the index of its thing. Until they are sorted, a thing stores the index
        // of its last use.
        let mut all_uses: Vec<(usize, Use)> = Vec::with_capacity(nodes.len());
        for (index, footprint) in (0..).zip(nodes) {
            let Footprint { claims, removes, .. } = &footprint.footprint;
            for claim in claims {
                if claim.aspect != Some(aspect::PARENTS) || !claim.thing.is_path() {
                    uses.add((index, footprint), claim, &mut all_uses);
                } else if claim.verb.changes() && !removes {
                    let provider = claims.iter().find(|made| made.verb.provides() && made.thing.is_path());
                    let to = provider.map_or("", |provider| provider.thing.name());
                    uses.on_the_way.add(claim.thing.name(), footprint.node, to, footprint.condition);
                }
            }
        }
        all_uses.sort_by_key(|(place, _)| *place);
        let mut end = 0;
        let of_things = all_uses.chunk_by(|(place, _), (other, _)| place == other);
        for ((_, bound), of_thing) in uses.things.iter_mut().zip(of_things) {
            end += of_thing.len();
            *bound = end;
        }
        uses.grouped = all_uses.into_iter().map(|(_, one)| one).collect();
        uses
    }

    fn add(&mut self, (at, one): (u32, &NodeFootprint), claim: &'a Claim, all: &mut Vec<(usize, Use)>) {
        let thing = &claim.thing;
        let is_tree = thing.is_path() && claim.aspect == Some(aspect::TREE);
        if is_tree && !claim.verb.provides() {
            self.add_tree(one.node, claim);
            return;
        }
        let phase = Phase::from_claim(claim);
        let removes = one.footprint.removes && phase.provides();
        let need = match (claim.verb, claim.aspect) {
            (Verb::Needs, Some(aspect::TARGET)) => Need::LinkTarget,
            (Verb::Needs, _) => Need::Existence,
            (Verb::Manages | Verb::Ensures | Verb::Touches, _) => Need::Nothing,
        };
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
            last.need = last.need.max(need);
            last.phase = last.phase.min(phase);
        } else {
            *last = all.len();
            let certain = one.condition.is_certain();
            all.push((place, Use { node: one.node, footprint: at, phase, removes, need, certain }));
        }
    }

    fn add_tree(&mut self, node: NodeIndex, claim: &'a Claim) {
        let new = TreeUse { node, reads: claim.verb.reads(), changes: claim.verb.changes() };
        let mut node_trees = self.trees.iter_mut().rev().take_while(|(_, tree)| tree.node == node);
        match node_trees.find(|(thing, _)| **thing == claim.thing) {
            Some((_, tree)) => {
                tree.reads |= new.reads;
                tree.changes |= new.changes;
            }
            None => self.trees.push((&claim.thing, new)),
        }
    }

    pub(super) fn things(&self) -> impl Iterator<Item = (&'a Thing, &[Use])> {
        (0..self.things.len()).filter_map(|place| self.at(place))
    }

    /// Returns the thing at an index with its uses.
    pub(super) fn at(&self, place: usize) -> Option<(&'a Thing, &[Use])> {
        let (thing, end) = self.things.get(place)?;
        let start =
            place.checked_sub(1).and_then(|before| self.things.get(before)).map_or(0, |(_, end)| *end);
        Some((thing, self.grouped.get(start..*end)?))
    }

    pub(super) fn of_path(&self, path: &str) -> &[Use] {
        let place = self.paths.find(path, name_in(&self.things));
        place.and_then(|place| self.at(place)).map_or(&[], |(_, uses)| uses)
    }
}

/// Returns a function that gives the name of the thing at an index.
fn name_in<'n>(things: &'n [(&Thing, usize)]) -> impl Fn(usize) -> &'n str {
    |place| things.get(place).map_or("", |(thing, _)| thing.name())
}

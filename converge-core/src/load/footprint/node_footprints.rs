//! What is known at load of what nodes are about.

use crate::graph::{Collapsed, NodeIndex, Patterns};
use crate::types::footprint::{Claim, Footprint, Thing, Verb};

/// The footprints of nodes, as far as they are known at load. Nodes of one type mostly say the same, each of a thing of its own: what
/// they say is kept once for those that are near each other.
#[derive(Debug, Default)]
pub(crate) struct Footprints {
    nodes: Vec<NodeFootprint>,
    sayings: Vec<Saying>,
    /// The things of all nodes, those of one beside each other.
    things: Vec<Thing>,
    /// Of nodes that may have copies: the same for all copies with the same values, when these are known.
    copies: Vec<(NodeIndex, u64)>,
    /// Of nodes that take turns and of which not all is known: what is known of them if what they look up is what is written there.
    assumed: Vec<(NodeIndex, Footprint)>,
}

/// The footprint of one node.
#[derive(Debug)]
pub(crate) struct NodeFootprint {
    pub(crate) node: NodeIndex,
    pub(crate) condition: Condition,
    /// Where the first of its things is.
    things: u32,
    /// Where that is what it says of them.
    saying: u32,
}

/// What a footprint says of its things, whichever these are.
#[derive(Debug, PartialEq)]
struct Saying {
    claims: Vec<SaidClaim>,
    removes: bool,
    partial: bool,
}

#[derive(Debug, PartialEq)]
struct SaidClaim {
    verb: Verb,
    /// Which of the things of the node it is about.
    thing: usize,
    aspect: Option<&'static str>,
    field: Option<&'static str>,
}

/// One claim of one node, as [`Claim`] has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownClaim<'a> {
    pub(super) verb: Verb,
    pub(super) thing: &'a Thing,
    pub(super) aspect: Option<&'static str>,
    pub(super) field: Option<&'static str>,
}

impl From<KnownClaim<'_>> for Claim {
    fn from(KnownClaim { verb, thing, aspect, field }: KnownClaim<'_>) -> Self {
        Self { verb, thing: thing.clone(), aspect, field }
    }
}

/// To how many of the last sayings a new one is compared: types take turns in a module.
const NEAR: usize = 8;

impl Footprints {
    /// With room for so many nodes.
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        Self { nodes: Vec::with_capacity(nodes), things: Vec::with_capacity(nodes), ..Self::default() }
    }

    /// Adds the footprint of a node, which comes after those that are there.
    pub(crate) fn push(&mut self, node: NodeIndex, footprint: Footprint, condition: Condition) {
        let Footprint { claims, removes, partial, .. } = footprint;
        let first = self.things.len();
        let said = |Claim { verb, thing, aspect, field }| {
            // Most of what a node says of one thing it says at once.
            if self.things.get(first..).and_then(<[_]>::last) != Some(&thing) {
                self.things.push(thing);
            }
            SaidClaim { verb, thing: self.things.len() - first - 1, aspect, field }
        };
        let saying = Saying { claims: claims.into_iter().map(said).collect(), removes, partial };
        let saying = self.place_of(saying);
        self.nodes.push(NodeFootprint { node, condition, things: narrow(first), saying: narrow(saying) });
    }

    /// Where a saying is, which is added when it is not near.
    fn place_of(&mut self, saying: Saying) -> usize {
        let near = self.sayings.len().saturating_sub(NEAR);
        if let Some(known) = self.sayings.iter().skip(near).position(|known| *known == saying) {
            return near + known;
        }
        self.sayings.push(saying);
        self.sayings.len() - 1
    }

    /// Says of which other nodes a node may be a copy.
    pub(crate) fn push_copy(&mut self, node: NodeIndex, copy: u64) {
        self.copies.push((node, copy));
    }

    /// Says what is most likely of a node of which not all is known.
    pub(crate) fn push_assumed(&mut self, node: NodeIndex, footprint: Footprint) {
        self.assumed.push((node, footprint));
    }

    /// Whether there are any instances is known in a run, and that of all nodes of one alike. What is a copy in them is known then, too.
    pub(crate) fn in_patterns(&mut self, patterns: &Patterns) {
        if patterns.is_empty() {
            return;
        }
        for one in &mut self.nodes {
            if let Some(end) = patterns.end(one.node) {
                let is_within = |gate: &NodeIndex| patterns.end(*gate) == Some(end);
                one.condition.gate = one.condition.gate.filter(is_within).or(Some(end));
            }
        }
        self.copies.retain(|(node, _)| patterns.end(*node).is_none());
    }

    /// The same, when what instances are made from is no longer in the graph.
    pub(crate) fn collapse(&mut self, patterns: &Patterns, collapsed: &Collapsed) {
        self.nodes.retain(|one| patterns.end(one.node).is_none());
        for one in &mut self.nodes {
            one.node = collapsed.place(one.node);
            one.condition.gate = one.condition.gate.map(|gate| collapsed.place(gate));
        }
    }

    /// Adds those of later nodes.
    pub(crate) fn append(&mut self, later: Self) {
        let (things, sayings) = (narrow(self.things.len()), narrow(self.sayings.len()));
        let moved = |one: NodeFootprint| NodeFootprint {
            things: one.things + things,
            saying: one.saying + sayings,
            ..one
        };
        self.nodes.extend(later.nodes.into_iter().map(moved));
        self.sayings.extend(later.sayings);
        self.things.extend(later.things);
        self.copies.extend(later.copies);
        self.assumed.extend(later.assumed);
    }

    pub(super) fn nodes(&self) -> &[NodeFootprint] {
        &self.nodes
    }

    pub(super) fn copies(&self) -> &[(NodeIndex, u64)] {
        &self.copies
    }

    pub(super) fn assumed(&self) -> &[(NodeIndex, Footprint)] {
        &self.assumed
    }

    /// What a node claims, in the order in which it was said.
    pub(super) fn claims(&self, of: &NodeFootprint) -> impl Iterator<Item = KnownClaim<'_>> {
        let things = self.things.get(of.things as usize..).unwrap_or_default();
        let claims = self.saying(of).map_or(&[][..], |saying| &saying.claims);
        claims.iter().filter_map(|&SaidClaim { verb, thing, aspect, field }| {
            Some(KnownClaim { verb, thing: things.get(thing)?, aspect, field })
        })
    }

    /// Whether what a node manages is to be gone.
    pub(super) fn removes(&self, of: &NodeFootprint) -> bool {
        self.saying(of).is_some_and(|saying| saying.removes)
    }

    /// Whether there may be more than is known.
    pub(super) fn is_partial(&self, of: &NodeFootprint) -> bool {
        self.saying(of).is_some_and(|saying| saying.partial)
    }

    fn saying(&self, of: &NodeFootprint) -> Option<&Saying> {
        self.sayings.get(of.saying as usize)
    }
}

/// A load has at most so many nodes, and text for at most so many things.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// What a load does not know about whether a node is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Condition {
    /// The gate in front of it, when it is not known to be open.
    pub(crate) gate: Option<NodeIndex>,
    /// Whether it has a `when` that is not known to hold.
    pub(crate) own: bool,
}

impl Condition {
    /// Whether the node is handled in every run.
    pub(super) fn is_certain(self) -> bool {
        self.gate.is_none() && !self.own
    }

    /// Whether one node of this condition, and one of the other, are always handled in the same runs.
    pub(super) fn is_shared_with(self, other: Self) -> bool {
        !self.own && self == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::footprint::{aspect, kind};

    const ALWAYS: Condition = Condition { gate: None, own: false };

    /// The footprint of a node: more kinds than are near each other, of things that are all different.
    fn footprint(number: usize) -> Footprint {
        let mut footprint = Footprint::new();
        for part in 0..number % (NEAR + 2) {
            footprint.manages(kind::PATH, &format!("/{number}/{part}"));
            footprint.touches(kind::PATH, &format!("/{number}/{part}"));
            footprint.needs(kind::USER, "all");
        }
        if let Some(claim) = footprint.claims.first_mut().filter(|_| number.is_multiple_of(3)) {
            claim.aspect = Some(aspect::MODE);
            claim.field = Some("mode");
        }
        (footprint.removes, footprint.partial) = (number.is_multiple_of(5), number.is_multiple_of(7));
        footprint
    }

    fn footprints(numbers: std::ops::Range<usize>) -> Footprints {
        let mut footprints = Footprints::with_capacity(numbers.len());
        for number in numbers {
            footprints.push(NodeIndex::new(number), footprint(number), ALWAYS);
        }
        footprints
    }

    #[test]
    fn what_is_kept_is_what_was_said() {
        for cut in [0, 1, 50, 99, 100] {
            let mut kept = footprints(0..cut);
            kept.append(footprints(cut..100));
            assert_eq!(kept.nodes().len(), 100);
            for (number, node) in kept.nodes().iter().enumerate() {
                let Footprint { claims, removes, partial, .. } = footprint(number);
                let known: Vec<Claim> = kept.claims(node).map(Claim::from).collect();
                assert_eq!((node.node, known), (NodeIndex::new(number), claims), "cut at {cut}");
                assert_eq!((kept.removes(node), kept.is_partial(node)), (removes, partial));
            }
        }
    }

    #[test]
    fn what_nodes_say_alike_is_kept_once() {
        let mut kept = Footprints::default();
        for number in 0..100 {
            let mut footprint = Footprint::new();
            footprint.manages(kind::PATH, &format!("/{number}"));
            footprint.touches(kind::PATH, &format!("/{number}"));
            kept.push(NodeIndex::new(number), footprint, ALWAYS);
        }
        assert_eq!((kept.sayings.len(), kept.things.len()), (1, 100));
    }
}

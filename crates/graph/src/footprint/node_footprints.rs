//! The footprints of nodes as far as they are known at load.

use crate::graph::{Collapsed, NodeIndex, Patterns};
use crate::types::footprint::{Claim, Footprint, Thing, Verb};

/// A compact table of the footprints of nodes.
///
/// Nodes of one type mostly have the same claims, each about its own thing. Equal claims of nearby nodes are
/// therefore stored once.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Footprints {
    nodes: Vec<NodeFootprint>,
    sayings: Vec<ClaimPattern>,
    /// The things of all nodes; those of one node are adjacent.
    things: Vec<Thing>,
    /// A key for each node that may have copies; copies with the same known values have the same key.
    copies: Vec<(NodeIndex, u64)>,
    /// The assumed footprints of nodes that take turns and are not completely known.
    ///
    /// They assume that every lookup gives the declared value.
    assumed: Vec<(NodeIndex, Footprint)>,
}

#[derive(Debug)]
pub(crate) struct NodeFootprint {
    pub(crate) node: NodeIndex,
    pub(crate) condition: Condition,
    /// The index of its first thing.
    things: u32,
    /// The index of its claims.
    saying: u32,
}

/// The claims of a footprint without the concrete things.
#[derive(Debug, PartialEq)]
struct ClaimPattern {
    claims: Vec<IndexedClaim>,
    removes: bool,
    partial: bool,
}

#[derive(Debug, PartialEq)]
struct IndexedClaim {
    verb: Verb,
    /// The index among the things of the node.
    thing: usize,
    aspect: Option<&'static str>,
    field: Option<&'static str>,
}

/// A claim of one node, like [`Claim`] but borrowed.
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

/// The number of recent entries that a new one is compared with.
///
/// Several types may alternate in a module.
const COMPARED: usize = 8;

impl Footprints {
    #[doc(hidden)]
    pub fn with_capacity(nodes: usize) -> Self {
        Self { nodes: Vec::with_capacity(nodes), things: Vec::with_capacity(nodes), ..Self::default() }
    }

    /// Adds the footprint of a node, which must come after the existing ones.
    #[doc(hidden)]
    pub fn push(&mut self, node: NodeIndex, footprint: Footprint, condition: Condition) {
        let Footprint { claims, removes, partial, .. } = footprint;
        let first = self.things.len();
        let intern = |Claim { verb, thing, aspect, field }| {
            // Successive claims of a node mostly concern the same thing.
            if self.things.get(first..).and_then(<[_]>::last) != Some(&thing) {
                self.things.push(thing);
            }
            IndexedClaim { verb, thing: self.things.len() - first - 1, aspect, field }
        };
        let saying = ClaimPattern { claims: claims.into_iter().map(intern).collect(), removes, partial };
        let saying = self.find_or_insert(saying);
        self.nodes.push(NodeFootprint { node, condition, things: narrow(first), saying: narrow(saying) });
    }

    /// Returns the index of the claims, and adds them if no recent entry is equal.
    fn find_or_insert(&mut self, saying: ClaimPattern) -> usize {
        let start = self.sayings.len().saturating_sub(COMPARED);
        if let Some(known) = self.sayings.iter().skip(start).position(|offset| *offset == saying) {
            return start + known;
        }
        self.sayings.push(saying);
        self.sayings.len() - 1
    }

    /// Adds the copy key of a node.
    #[doc(hidden)]
    pub fn push_copy(&mut self, node: NodeIndex, copy: u64) {
        self.copies.push((node, copy));
    }

    /// Adds the assumed footprint of a node that is not completely known.
    #[doc(hidden)]
    pub fn push_assumed(&mut self, node: NodeIndex, footprint: Footprint) {
        self.assumed.push((node, footprint));
    }

    /// Makes the nodes of instance patterns conditional, because only a run knows whether instances exist.
    ///
    /// All nodes of one pattern share the condition. Their copies are also known only in a run.
    #[doc(hidden)]
    pub fn in_patterns(&mut self, patterns: &Patterns) {
        if patterns.is_empty() {
            return;
        }
        for footprint in &mut self.nodes {
            if let Some(end) = patterns.end(footprint.node) {
                let is_within = |gate: &NodeIndex| patterns.end(*gate) == Some(end);
                footprint.condition.gate = footprint.condition.gate.filter(is_within).or(Some(end));
            }
        }
        self.copies.retain(|(node, _)| patterns.end(*node).is_none());
    }

    /// Removes the nodes of instance patterns, which are no longer in the graph, and updates indexes.
    #[doc(hidden)]
    pub fn collapse(&mut self, patterns: &Patterns, collapsed: &Collapsed) {
        self.nodes.retain(|footprint| patterns.end(footprint.node).is_none());
        for footprint in &mut self.nodes {
            footprint.node = collapsed.place(footprint.node);
            footprint.condition.gate = footprint.condition.gate.map(|gate| collapsed.place(gate));
        }
    }

    #[doc(hidden)]
    pub fn append(&mut self, later: Self) {
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

    /// Returns the claims of a node in their declared order.
    pub(super) fn claims(&self, footprint: &NodeFootprint) -> impl Iterator<Item = KnownClaim<'_>> {
        let things = self.things.get(footprint.things as usize..).unwrap_or_default();
        let claims = self.saying(footprint).map_or(&[][..], |saying| &saying.claims);
        claims.iter().filter_map(|&IndexedClaim { verb, thing, aspect, field }| {
            Some(KnownClaim { verb, thing: things.get(thing)?, aspect, field })
        })
    }

    /// Returns whether the node removes what it manages.
    pub(super) fn removes(&self, footprint: &NodeFootprint) -> bool {
        self.saying(footprint).is_some_and(|saying| saying.removes)
    }

    /// Returns whether the footprint may contain more than is known.
    pub(super) fn is_partial(&self, footprint: &NodeFootprint) -> bool {
        self.saying(footprint).is_some_and(|saying| saying.partial)
    }

    fn saying(&self, footprint: &NodeFootprint) -> Option<&ClaimPattern> {
        self.sayings.get(footprint.saying as usize)
    }
}

/// Narrows an index; the limits of a load keep the numbers of nodes and things below `u32::MAX`.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The unknown conditions under which a node is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct Condition {
    /// The gate in front of the node, if it is not known to be open.
    #[doc(hidden)]
    pub gate: Option<NodeIndex>,
    /// Whether the node has a `when` that is not known to hold.
    #[doc(hidden)]
    pub own: bool,
}

impl Condition {
    /// Returns whether the node is handled in every run.
    pub(super) fn is_certain(self) -> bool {
        self.gate.is_none() && !self.own
    }

    /// Returns whether nodes with these two conditions are always handled in the same runs.
    pub(super) fn is_shared_with(self, other: Self) -> bool {
        !self.own && self == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::footprint::{aspect, kind};

    const ALWAYS: Condition = Condition { gate: None, own: false };

    /// Creates one of many distinct footprints, more than are compared with each other.
    fn footprint(number: usize) -> Footprint {
        let mut footprint = Footprint::new();
        for part in 0..number % (COMPARED + 2) {
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
            let mut combined = footprints(0..cut);
            combined.append(footprints(cut..100));
            assert_eq!(combined.nodes().len(), 100);
            for (number, node) in combined.nodes().iter().enumerate() {
                let Footprint { claims, removes, partial, .. } = footprint(number);
                let actual: Vec<Claim> = combined.claims(node).map(Claim::from).collect();
                assert_eq!((node.node, actual), (NodeIndex::new(number), claims), "cut at {cut}");
                assert_eq!((combined.removes(node), combined.is_partial(node)), (removes, partial));
            }
        }
    }

    #[test]
    fn what_nodes_say_alike_is_kept_once() {
        let mut combined = Footprints::default();
        for number in 0..100 {
            let mut footprint = Footprint::new();
            footprint.manages(kind::PATH, &format!("/{number}"));
            footprint.touches(kind::PATH, &format!("/{number}"));
            combined.push(NodeIndex::new(number), footprint, ALWAYS);
        }
        assert_eq!((combined.sayings.len(), combined.things.len()), (1, 100));
    }
}

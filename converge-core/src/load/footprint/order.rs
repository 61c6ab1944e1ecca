//! Which node waits for which because of a thing.
//!
//! - Of one thing: who changes it waits for who makes it, and who works with it for both. Who removes it waits for all others. Who sees to it that it is there, as
//!   others may, waits for who makes it, unless that one waits for them because of something else.
//! - Of a path: everything waits for who makes the closest folder around it.
//! - Of a whole tree: see [`trees`](super::trees).
//! - Of folders that are made on the way to others: see [`on_the_way`](super::on_the_way).
//!
//! Of the phases before its own, a node waits for the last one that is there in every run: that one waits for those before it.

use std::cmp::Ordering;
use std::rc::Rc;

use super::duplicates::Providers;
use super::node_footprints::Footprints;
use super::parent_folders::Worker;
use super::path_trees;
use super::uses::{Phase, Use, Uses};
use crate::graph::{AutomaticEdge, Graph, NodeIndex};
use crate::types::footprint::Thing;
use crate::types::hash::NameMap;
use crate::types::id::NodeId;

const PHASES: [Phase; 6] =
    [Phase::Made, Phase::Ensured, Phase::Filled, Phase::Changed, Phase::Permitted, Phase::Used];

/// Adds all edges that follow from footprints.
pub(super) fn add_edges(
    graph: &Graph,
    footprints: &Footprints,
    uses: &Uses<'_>,
    edges: &mut Vec<AutomaticEdge>,
) {
    let mut orderer =
        Orderer { graph, footprints, uses, around: NameMap::default(), made: NameMap::default(), edges };
    for (thing, of_thing) in uses.things() {
        orderer.within(thing, of_thing);
        if thing.is_path() {
            orderer.below(thing, of_thing.iter().map(|one| one.node));
            orderer.on_the_way(thing, of_thing);
        }
    }
    for (root, tree) in &uses.trees {
        orderer.below(root, std::iter::once(tree.node));
    }
    path_trees::add_edges(uses, edges);
}

struct Orderer<'a, 'e> {
    graph: &'a Graph,
    footprints: &'a Footprints,
    uses: &'a Uses<'a>,
    /// Whether somebody makes a path in every run, or fills it.
    made: NameMap<&'a str, bool>,
    /// What everything directly in a folder waits for, and what waits for it.
    around: NameMap<&'a str, Rc<Around<'a>>>,
    edges: &'e mut Vec<AutomaticEdge>,
}

/// The makers of the folders around a path.
#[derive(Debug, Default)]
struct Around<'a> {
    /// By the folder that they make.
    made_by: Vec<(Thing, Providers<'a>)>,
    removed_by: Vec<(Thing, NodeIndex)>,
}

impl<'a> Orderer<'a, '_> {
    fn edge(&mut self, from: NodeIndex, on: NodeIndex, thing: &Thing) {
        self.edges.push(AutomaticEdge { from, on, gives_way: false, thing: Some(thing.clone()) });
    }

    /// One that works with a thing in these two phases waits for another one.
    fn edge_of(&mut self, [from, on]: [Use; 2], thing: &Thing) {
        // Who makes the home of a user needs the user, who may see to it that there is a home.
        let gives_way = from.phase == Phase::Ensured;
        self.edges.push(AutomaticEdge {
            from: from.node,
            on: on.node,
            gives_way,
            thing: Some(thing.clone()),
        });
    }

    fn container(&self, index: NodeIndex) -> &'a NodeId {
        &self.graph.node(index).scope.container
    }

    /// The order of what is done to one thing.
    fn within(&mut self, thing: &Thing, uses: &[Use]) {
        match uses {
            [] | [_] => return,
            // What a file holds, and its mode: nearly all things that have several uses have two.
            [a, b] if !a.removes && !b.removes => {
                match a.phase.cmp(&b.phase) {
                    Ordering::Less => self.edge_of([*b, *a], thing),
                    Ordering::Equal => {}
                    Ordering::Greater => self.edge_of([*a, *b], thing),
                }
                return;
            }
            _ => {}
        }
        let graph = self.graph;
        let of_phase = |phase| uses.iter().copied().filter(move |one| one.phase == phase && !one.removes);
        let mut before: Vec<(Phase, Providers<'a>)> = Vec::new();
        for phase in PHASES {
            for one in of_phase(phase) {
                for (earlier, providers) in before.iter().rev() {
                    let gives_way = phase == Phase::Ensured;
                    let edge =
                        |on| AutomaticEdge { from: one.node, on, gives_way, thing: Some(thing.clone()) };
                    self.edges.extend(providers.seen_from(self.container(one.node)).map(edge));
                    // What gives way may not be there.
                    if providers.any_certain && *earlier != Phase::Ensured {
                        break;
                    }
                }
            }
            let providers = Providers::of(graph, of_phase(phase));
            if !providers.is_empty() {
                before.push((phase, providers));
            }
        }
        for removing in uses.iter().filter(|one| one.removes) {
            let others = uses.iter().filter(|one| !one.removes && one.phase > removing.phase);
            others.for_each(|other| self.edge(removing.node, other.node, thing));
        }
    }

    /// What works with a path waits for what makes the closest folder around it.
    fn below(&mut self, thing: &'a Thing, nodes: impl Iterator<Item = NodeIndex>) {
        let Some(folder) = thing.above().next() else { return };
        let around = if let Some(known) = self.around.get(folder) {
            Rc::clone(known)
        } else {
            let around = Rc::new(self.look_around(thing));
            self.around.insert(folder, Rc::clone(&around));
            around
        };
        for node in nodes {
            for (folder, providers) in &around.made_by {
                providers.seen_from(self.container(node)).for_each(|on| self.edge(node, on, folder));
            }
            around.removed_by.iter().for_each(|(folder, removing)| self.edge(*removing, node, folder));
        }
    }

    /// What works with a path waits for who makes its folder on the way to something else, where nobody makes it alone.
    fn on_the_way(&mut self, thing: &'a Thing, of_thing: &[Use]) {
        let makers = &self.uses.on_the_way;
        if makers.is_empty() {
            return;
        }
        for one in of_thing.iter().filter(|one| !one.removes && !makers.makes_its_own(one.node)) {
            let provides = one.phase.provides();
            let footprint = self.footprints.nodes().get(one.footprint as usize);
            let Some(condition) = footprint.map(|footprint| footprint.condition) else { continue };
            let worker = Worker { path: thing.name(), provides, condition };
            // Who makes something needs what is around it; everybody else needs it, too.
            let own = (!provides).then_some(thing.name());
            for folder in own.into_iter().chain(thing.above()) {
                if self.is_made(folder) {
                    break;
                }
                if let Some(on) = makers.maker(folder, worker) {
                    let thing = Some(Thing::path(folder));
                    self.edges.push(AutomaticEdge { from: one.node, on, gives_way: true, thing });
                    break;
                }
            }
        }
    }

    fn is_made(&mut self, path: &'a str) -> bool {
        let uses = self.uses;
        *self.made.entry(path).or_insert_with(|| {
            uses.of_path(path).iter().any(|one| one.phase.provides() && one.certain && !one.removes)
        })
    }

    fn look_around(&self, thing: &Thing) -> Around<'a> {
        let mut around = Around::default();
        for folder in thing.above() {
            let uses = self.uses.of_path(folder);
            let there = |one: &Use| one.phase.provides() && !one.removes;
            let there = |is_filled| move |one: &Use| there(one) && (one.phase == Phase::Filled) == is_filled;
            let filled = Providers::of(self.graph, uses.iter().copied().filter(there(true)));
            let made = Providers::of(self.graph, uses.iter().copied().filter(there(false)));
            let removing = uses.iter().filter(|one| one.removes);
            around.removed_by.extend(removing.map(|one| (Thing::path(folder), one.node)));
            let is_certain = filled.any_certain || made.any_certain;
            let is_enough = filled.any_certain;
            let providers = [Some(filled), (!is_enough).then_some(made)].into_iter().flatten();
            let providers = providers.filter(|providers| !providers.is_empty());
            around.made_by.extend(providers.map(|providers| (Thing::path(folder), providers)));
            if is_certain {
                break;
            }
        }
        around
    }
}

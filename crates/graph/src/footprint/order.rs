//! The order of nodes that work with the same thing.
//!
//! - One thing: changes wait for its creation, and users wait for both. Removal waits for all others. A node
//!   that ensures the thing waits for its creator, unless the creator waits for that node for another reason.
//! - A path: everything waits for the node that makes the closest parent folder.
//! - A whole tree: see [`trees`](super::trees).
//! - Parent folders created implicitly: see [`on_the_way`](super::on_the_way).
//!
//! A node waits only for the last earlier phase that exists in every run, because that phase waits for those
//! before it.

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

const PHASES: [Phase; 7] = [
    Phase::Made,
    Phase::Ensured,
    Phase::Mounted,
    Phase::Filled,
    Phase::Changed,
    Phase::Permitted,
    Phase::Used,
];

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
            orderer.below(thing, of_thing.iter().map(|node_use| node_use.node));
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
    /// Whether a node makes or fills the path in every run.
    made: NameMap<&'a str, bool>,
    /// The makers and removers of the folders around the children of a folder.
    around: NameMap<&'a str, Rc<Around<'a>>>,
    edges: &'e mut Vec<AutomaticEdge>,
}

/// The nodes that make and remove the folders around a path.
#[derive(Debug, Default)]
struct Around<'a> {
    /// The makers by folder.
    makers: Vec<(Thing, Providers<'a>)>,
    /// The nodes that put a tree of files into a folder, which only other nodes on their way create.
    fillers: Vec<(Thing, Providers<'a>)>,
    removers: Vec<(Thing, NodeIndex)>,
}

impl<'a> Orderer<'a, '_> {
    fn edge(&mut self, from: NodeIndex, dependency: NodeIndex, thing: &Thing) {
        self.edges.push(AutomaticEdge {
            from,
            on: dependency,
            gives_way: false,
            thing: Some(thing.clone()),
            even_after: false,
        });
    }

    /// Adds the edge between two uses of a thing.
    fn edge_of(&mut self, [from, on]: [Use; 2], thing: &Thing) {
        if !from.waits_for(on.phase) {
            return;
        }
        // The maker of a home folder needs the user, and the user may ensure that the home exists.
        let gives_way = from.phase == Phase::Ensured;
        self.edges.push(AutomaticEdge {
            from: from.node,
            on: on.node,
            gives_way,
            thing: Some(thing.clone()),
            even_after: false,
        });
    }

    fn container(&self, index: NodeIndex) -> &'a NodeId {
        &self.graph.node(index).scope.container
    }

    /// Orders the uses of one thing.
    fn within(&mut self, thing: &Thing, uses: &[Use]) {
        match uses {
            [] | [_] => return,
            // Most things with several uses have two, such as the content and the mode of a file.
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
        let of_phase =
            |phase| uses.iter().copied().filter(move |node_use| node_use.phase == phase && !node_use.removes);
        let mut before: Vec<(Phase, Providers<'a>)> = Vec::new();
        for phase in PHASES {
            for node_use in of_phase(phase) {
                for (earlier, providers) in before.iter().rev() {
                    if !node_use.waits_for(*earlier) {
                        continue;
                    }
                    let gives_way = phase == Phase::Ensured;
                    let edge = |dependency| AutomaticEdge {
                        from: node_use.node,
                        on: dependency,
                        gives_way,
                        thing: Some(thing.clone()),
                        even_after: false,
                    };
                    self.edges.extend(providers.for_container(self.container(node_use.node)).map(edge));
                    // An edge from an ensured use may be dropped to break a cycle, so earlier phases are
                    // needed too.
                    if providers.any_certain && *earlier != Phase::Ensured {
                        break;
                    }
                }
            }
            let providers = Providers::new(graph, of_phase(phase));
            if !providers.is_empty() {
                before.push((phase, providers));
            }
        }
        for removing in uses.iter().filter(|node_use| node_use.removes) {
            let others = uses.iter().filter(|node_use| !node_use.removes && node_use.phase > removing.phase);
            others.for_each(|node_use| self.edge(removing.node, node_use.node, thing));
        }
    }

    /// Makes nodes wait for the makers of the closest parent folder.
    fn below(&mut self, thing: &'a Thing, nodes: impl Iterator<Item = NodeIndex>) {
        let Some(folder) = thing.above().next() else { return };
        let surrounding = if let Some(cached) = self.around.get(folder) {
            Rc::clone(cached)
        } else {
            let surrounding = Rc::new(self.look_around(thing));
            self.around.insert(folder, Rc::clone(&surrounding));
            surrounding
        };
        for node in nodes {
            // A node that creates the folder comes before those that fill it.
            let makes_folders = self.uses.on_the_way.makes_its_own(node);
            let fillers = surrounding.fillers.iter().filter(|_| !makes_folders);
            for (folder, providers) in surrounding.makers.iter().chain(fillers) {
                providers
                    .for_container(self.container(node))
                    .for_each(|dependency| self.edge(node, dependency, folder));
            }
            surrounding.removers.iter().for_each(|(folder, removing)| self.edge(*removing, node, folder));
        }
    }

    /// Makes users of a path wait for a node that creates its folder implicitly.
    ///
    /// This applies only to folders that no node manages in every run.
    fn on_the_way(&mut self, thing: &'a Thing, of_thing: &[Use]) {
        let makers = &self.uses.on_the_way;
        if makers.is_empty() {
            return;
        }
        for node_use in of_thing.iter().filter(|one| !one.removes && !makers.makes_its_own(one.node)) {
            let provides = node_use.phase.provides() && !node_use.fills_others();
            let footprint = self.footprints.nodes().get(node_use.footprint as usize);
            let Some(condition) = footprint.map(|footprint| footprint.condition) else { continue };
            let worker = Worker { path: thing.name(), provides, condition };
            // A node that provides the path needs only its parents; every other node also needs the path.
            let own_path = (!provides).then_some(thing.name());
            for folder in own_path.into_iter().chain(thing.above()) {
                if self.is_made(folder) {
                    break;
                }
                if let Some(dependency) = makers.maker(folder, worker) {
                    let thing = Some(Thing::path(folder));
                    self.edges.push(AutomaticEdge {
                        from: node_use.node,
                        on: dependency,
                        gives_way: true,
                        thing,
                        even_after: false,
                    });
                    break;
                }
            }
        }
    }

    fn is_made(&mut self, path: &'a str) -> bool {
        let uses = self.uses;
        *self.made.entry(path).or_insert_with(|| {
            uses.of_path(path)
                .iter()
                .filter(|node_use| node_use.phase.provides() && !node_use.fills_others())
                .any(|node_use| node_use.certain && !node_use.removes)
        })
    }

    fn look_around(&self, thing: &Thing) -> Around<'a> {
        let mut surrounding = Around::default();
        for folder in thing.above() {
            let uses = self.uses.of_path(folder);
            let is_provider = |one: &Use| one.phase.provides() && !one.removes;
            let is_provider =
                |is_filled| move |one: &&Use| is_provider(one) && one.phase.fills() == is_filled;
            let is_made = uses.iter().any(|one| one.phase.makes() && !one.removes);
            let (filling, making): (Vec<Use>, Vec<Use>) =
                uses.iter().filter(is_provider(true)).partition(|one| !is_made && one.fills_others());
            let filled = Providers::new(self.graph, making.into_iter());
            let plain_providers = Providers::new(self.graph, uses.iter().filter(is_provider(false)).copied());
            let removing = uses.iter().filter(|node_use| node_use.removes);
            surrounding.removers.extend(removing.map(|node_use| (Thing::path(folder), node_use.node)));
            let is_certain = filled.any_certain || plain_providers.any_certain;
            let is_enough = filled.any_certain;
            let providers = [Some(filled), (!is_enough).then_some(plain_providers)].into_iter().flatten();
            let providers = providers.filter(|providers| !providers.is_empty());
            surrounding.makers.extend(providers.map(|providers| (Thing::path(folder), providers)));
            if !filling.is_empty() {
                let providers = Providers::new(self.graph, filling.into_iter());
                surrounding.fillers.push((Thing::path(folder), providers));
            }
            if is_certain {
                break;
            }
        }
        surrounding
    }
}

//! Footprints of nodes in a run: the things that a node manages, needs and touches.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostic::Diagnostic;
use crate::graph::{Graph, Manager, Node, NodeIndex};
use crate::types::footprint::{Claim, ClaimedState, Footprint, Thing, Verb, is_set_to_value};
use crate::types::value::Value;

/// The values of a node, by the index of their field.
pub(crate) type Values = Vec<Option<Value>>;

/// Returns the footprint of a node from its rendered values, or else from the values known at load.
pub(crate) fn footprint(node: &Node, rendered: Option<&Values>) -> Footprint {
    let fields = &node.resource.schema().fields;
    let mut footprint = node.resource.footprint(|index| {
        if let Some(values) = rendered {
            return values.get(index).cloned().flatten();
        }
        let attribute = node.attributes.iter().find(|attribute| attribute.field == index)?;
        let value = attribute.input.known_part();
        let is_sensitive = fields.get(index).is_some_and(|field| field.sensitive);
        Some(if is_sensitive { value.into_secret() } else { value })
    });
    node.scope.module.paths.canonicalize(&mut footprint);
    footprint
}

/// Returns the footprints of all resources that a run may handle, as far as they are known at load.
pub(crate) fn declared_footprints(graph: &Graph) -> Vec<Footprint> {
    let in_run = graph.managed_in_run();
    let handled = graph.nodes().filter(|(index, _)| !in_run.left_out.contains(index));
    let footprint =
        |(index, node)| in_run.computed.get(&index).cloned().unwrap_or_else(|| footprint(node, None));
    handled.map(footprint).collect()
}

/// Returns the paths that the resources of a graph manage or maintain, each once.
///
/// Only paths that are known before a run are included; names that come from another resource are not. A
/// caller that reacts to outside changes watches these paths.
///
/// ```
/// use converge_core::engine::managed_paths;
/// use converge_core::load::{Loader, Memory, Sources};
/// use converge_core::Registry;
///
/// let module = Memory::new().with("main.hcl", "param \"port\" { default = 80 }");
/// let graph = Loader::new(&Registry::new()).with_sources(Sources::only(module)).load("main.hcl").into_graph()?;
/// assert!(managed_paths(&graph).is_empty());
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
pub fn managed_paths(graph: &Graph) -> BTreeSet<PathBuf> {
    let things = graph.declared().flat_map(|node| {
        let footprint = footprint(node, None);
        footprint.claims.into_iter().filter(|claim| claim.verb.provides()).map(|claim| claim.thing)
    });
    // A relative path depends on a folder that only a run knows.
    let paths = things.filter(Thing::is_path).map(|thing| PathBuf::from(thing.name()));
    paths.filter(|path| path.is_absolute()).collect()
}

/// The things managed by resources whose footprint only a run knows.
///
/// If two resources manage the same thing, the second one fails.
#[derive(Debug, Default)]
pub(crate) struct RunClaims(Mutex<HashMap<Thing, Vec<RunClaim>>>);

/// A manager of a thing in this run.
#[derive(Debug)]
struct RunClaim {
    manager: Manager,
    /// The values of a node that may have copies.
    values: Option<Arc<Values>>,
}

/// Returns the value that a claim sets its thing to, if it is the value of a field and known.
fn set_value(node: &Node, claim: &Claim, values: &Values) -> Option<Value> {
    if let Some(ClaimedState::Value(text)) = claim.state.as_deref() {
        return Some(Value::from(&**text));
    }
    let schema = node.resource.schema();
    if !is_set_to_value(schema, claim.field, claim.aspect) {
        return None;
    }
    let (index, field) = schema.field(claim.field?)?;
    let value = field.written(values.get(index).cloned().flatten()).or_else(|| field.default.clone());
    value.filter(|value| value.find_unknown().is_none()).map(|value| field.as_compared(value))
}

impl RunClaims {
    /// Records the things that a node manages.
    ///
    /// # Errors
    ///
    /// Another node manages the same thing, is no copy of this node, and does not set the thing to the same
    /// value.
    pub(crate) fn keep(
        &self,
        graph: &Graph,
        index: NodeIndex,
        footprint: &Footprint,
        values: &Values,
    ) -> Result<(), Diagnostic> {
        let claims = footprint.claims.iter().filter(|claim| claim.verb == Verb::Manages);
        let may_be_copy = Arc::strong_count(&graph.node(index).attributes) > 1;
        let of_copy = may_be_copy.then(|| Arc::new(values.clone()));
        let mut so_far = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for claim in claims {
            let set = set_value(graph.node(index), claim, values);
            let clashes = |other: &Manager, have: Option<&Arc<Values>>| {
                other.node != index
                    && other.claim.covers_aspect(claim.aspect)
                    && !other.agrees(claim, set.as_ref())
                    && !(are_copies(graph, other.node, index)
                        && have.is_none_or(|have| Some(have) == of_copy.as_ref()))
            };
            let static_managers = graph.managed_in_run().known.get(&claim.thing).into_iter().flatten();
            let static_managers = static_managers.map(|manager| (manager, None));
            let run_managers = so_far.entry(claim.thing.clone()).or_default();
            let others = run_managers.iter().map(|entry| (&entry.manager, entry.values.as_ref()));
            if let Some((other, _)) =
                static_managers.chain(others).find(|(other, have)| clashes(other, *have))
            {
                let aspects: Vec<&str> = claim.aspect.or(other.claim.aspect).into_iter().collect();
                let managers = [(other.node, other.claim.field), (index, claim.field)];
                return Err(graph.managed_twice(&claim.thing, &aspects, managers));
            }
            // A retry claims the same things again.
            run_managers
                .retain(|entry| entry.manager.node != index || entry.manager.claim.aspect != claim.aspect);
            let manager = Manager { node: index, claim: claim.clone(), set };
            run_managers.push(RunClaim { manager, values: of_copy.clone() });
        }
        Ok(())
    }
}

/// Whether two nodes come from the same declaration in a module that is called twice.
fn are_copies(graph: &Graph, a: NodeIndex, b: NodeIndex) -> bool {
    let [a, b] = [a, b].map(|index| graph.node(index));
    a.is_copy_of(b)
}

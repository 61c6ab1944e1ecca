//! What a node of a run manages, needs and touches.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostic::Diagnostic;
use crate::graph::{Graph, InputKind, Node, NodeIndex};
use crate::types::footprint::{Claim, Footprint, Thing, Verb};
use crate::types::value::Value;

/// Values by the index of their field.
pub(super) type Values = Vec<Option<Value>>;

/// The footprint of a node: by its rendered values, where there are any, else by what was known of it at load.
pub(super) fn footprint(node: &Node, rendered: Option<&Values>) -> Footprint {
    let fields = &node.resource.schema().fields;
    node.resource.footprint(|index| {
        if let Some(values) = rendered {
            return values.get(index).cloned().flatten();
        }
        let attribute = node.attributes.iter().find(|attribute| attribute.field == index)?;
        let value = attribute.input.known_part();
        let is_sensitive = fields.get(index).is_some_and(|field| field.sensitive);
        Some(if is_sensitive { value.into_secret() } else { value })
    })
}

/// The paths that the resources of a module manage or see to, each once, as far as they are known before a run: those of which the name comes
/// from another resource are not. Who wants to hear of changes by other hands watches these.
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
    let things = graph.nodes().flat_map(|(_, node)| {
        let footprint = footprint(node, None);
        footprint.claims.into_iter().filter(|claim| claim.verb.provides()).map(|claim| claim.thing)
    });
    // What has no absolute path is said relative to a folder that only a run knows.
    let paths = things.filter(Thing::is_path).map(|thing| PathBuf::from(thing.name()));
    paths.filter(|path| path.is_absolute()).collect()
}

/// Whether all values of a node are known since its load.
pub(super) fn is_known(node: &Node) -> bool {
    node.attributes.iter().all(|attribute| match &attribute.input.kind {
        InputKind::Value(_) => true,
        InputKind::Template(template) => template.known().is_some(),
        _ => false,
    })
}

/// What the resources manage of which only a run can tell. Of two that manage the same, the one that comes second fails.
#[derive(Debug, Default)]
pub(super) struct ManagedSoFar(Mutex<HashMap<Thing, Vec<Manager>>>);

#[derive(Debug)]
struct Manager {
    node: NodeIndex,
    claim: Claim,
    /// Of one that may have copies.
    values: Option<Arc<Values>>,
}

impl ManagedSoFar {
    /// Keeps what a node manages.
    ///
    /// # Errors
    ///
    /// Another node manages the same, and is no copy of it.
    pub(super) fn keep(
        &self,
        graph: &Graph,
        index: NodeIndex,
        footprint: &Footprint,
        values: &Values,
    ) -> Result<(), Diagnostic> {
        let managed = footprint.claims.iter().filter(|claim| claim.verb == Verb::Manages);
        let may_be_copy = Arc::strong_count(&graph.node(index).attributes) > 1;
        let values = may_be_copy.then(|| Arc::new(values.clone()));
        let mut so_far = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for claim in managed {
            let known = graph.managed_in_run().known.get(&claim.thing).into_iter().flatten();
            let known = known.map(|(node, known)| (*node, known, None));
            let here = so_far.entry(claim.thing.clone()).or_default();
            let others = here.iter().map(|one| (one.node, &one.claim, one.values.as_ref()));
            let clash = known.chain(others).find(|(node, other, have)| {
                *node != index
                    && other.covers_aspect(claim.aspect)
                    && !(are_copies(graph, *node, index)
                        && have.is_none_or(|have| Some(have) == values.as_ref()))
            });
            if let Some((node, other, _)) = clash {
                let aspects: Vec<&str> = claim.aspect.or(other.aspect).into_iter().collect();
                let managers = [(node, other.field), (index, claim.field)];
                return Err(graph.managed_twice(&claim.thing, &aspects, managers));
            }
            // An attempt after the first says the same again.
            here.retain(|one| one.node != index || one.claim.aspect != claim.aspect);
            here.push(Manager { node: index, claim: claim.clone(), values: values.clone() });
        }
        Ok(())
    }
}

/// Whether two nodes are made by the same lines of a module that is used twice.
fn are_copies(graph: &Graph, a: NodeIndex, b: NodeIndex) -> bool {
    let [a, b] = [a, b].map(|index| graph.node(index));
    Arc::ptr_eq(&a.attributes, &b.attributes) && a.scope.each.is_none() && b.scope.each.is_none()
}

//! What a node of a run manages, needs and touches.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostic::Diagnostic;
use crate::graph::{Graph, InputKind, Manager, Node, NodeIndex};
use crate::types::footprint::{Claim, Footprint, Thing, Verb, is_set_to_value};
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
    let things = graph.declared().flat_map(|node| {
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
pub(super) struct ManagedSoFar(Mutex<HashMap<Thing, Vec<InThisRun>>>);

/// One who manages a thing in this run.
#[derive(Debug)]
struct InThisRun {
    manager: Manager,
    /// Of one that may have copies.
    values: Option<Arc<Values>>,
}

/// The value that the thing of a claim is set to, where that is the value of a field, and known.
fn set_value(node: &Node, claim: &Claim, values: &Values) -> Option<Value> {
    let schema = node.resource.schema();
    if !is_set_to_value(schema, claim.field, claim.aspect) {
        return None;
    }
    let (index, field) = schema.field(claim.field?)?;
    let value = values.get(index).cloned().flatten().or_else(|| field.default.clone());
    value.filter(|value| value.find_unknown().is_none()).map(|value| field.as_compared(value))
}

impl ManagedSoFar {
    /// Keeps what a node manages.
    ///
    /// # Errors
    ///
    /// Another node manages the same, is no copy of it, and does not set it to the same value.
    pub(super) fn keep(
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
            let known = graph.managed_in_run().known.get(&claim.thing).into_iter().flatten();
            let known = known.map(|manager| (manager, None));
            let here = so_far.entry(claim.thing.clone()).or_default();
            let others = here.iter().map(|one| (&one.manager, one.values.as_ref()));
            if let Some((other, _)) = known.chain(others).find(|(other, have)| clashes(other, *have)) {
                let aspects: Vec<&str> = claim.aspect.or(other.claim.aspect).into_iter().collect();
                let managers = [(other.node, other.claim.field), (index, claim.field)];
                return Err(graph.managed_twice(&claim.thing, &aspects, managers));
            }
            // An attempt after the first says the same again.
            here.retain(|one| one.manager.node != index || one.manager.claim.aspect != claim.aspect);
            let manager = Manager { node: index, claim: claim.clone(), set };
            here.push(InThisRun { manager, values: of_copy.clone() });
        }
        Ok(())
    }
}

/// Whether two nodes are made by the same lines of a module that is used twice.
fn are_copies(graph: &Graph, a: NodeIndex, b: NodeIndex) -> bool {
    let [a, b] = [a, b].map(|index| graph.node(index));
    a.is_copy_of(b)
}

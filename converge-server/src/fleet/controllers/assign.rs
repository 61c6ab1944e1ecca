//! The assignment of modules to nodes, as a comparison of stored and required assignments.

use std::collections::BTreeMap;

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::RunError;
use converge_controller::{Id, Name, Ref, Typed};

use crate::fleet::types::{Assignment, Module, Node, Revision};

/// The required writes and deletes of a module's assignments.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// Assignments that are missing or different.
    pub write: Vec<Typed<Assignment>>,
    /// Assignments that are no longer required.
    pub delete: Vec<Id>,
}

/// The existing secrets of each revision with their generations.
pub(super) type Secrets = BTreeMap<Name, BTreeMap<String, String>>;

/// Computes the changes after which exactly `nodes` have an assignment of the module.
///
/// `meant` returns the revision of each node. If it returns `None`, the node keeps its revision, or stays
/// without an assignment.
///
/// Assignments that are being deleted are left alone. Their replacements are written once they are gone.
///
/// # Errors
///
/// An assignment cannot be created, which is a bug of this program.
pub(super) fn assign<'r>(
    module: &Typed<Module>,
    nodes: &[Typed<Node>],
    found: Vec<Typed<Assignment>>,
    meant: impl Fn(&Name) -> Option<&'r Ref<Revision>>,
    secrets: &Secrets,
    now: Timestamp,
) -> Result<Changes, RunError> {
    let mut existing: BTreeMap<Name, Typed<Assignment>> =
        found.into_iter().map(|assignment| (assignment.id().name.clone(), assignment)).collect();
    let mut changes = Changes::default();
    for node in nodes.iter().filter(|node| !node.metadata().is_marked_for_deletion()) {
        let node_name = &node.id().name;
        let is = existing.remove(&Assignment::name_of(&module.id().name, node_name)?);
        let previous = is.as_ref().and_then(|is| Some((is.revision.as_ref()?, is.since?)));
        let (revision, start) = match (meant(node_name), previous) {
            (Some(meant), Some((revision, since))) if meant == revision => (meant, since),
            (Some(meant), _) => (meant, now),
            (None, Some(had)) => had,
            (None, None) => continue,
        };
        let mut target = Assignment::for_node(module, node, revision, start)?;
        target.data.secrets = secrets.get(&revision.name).cloned().unwrap_or_default();
        match is {
            Some(is) if is.data == target.data || is.metadata().is_marked_for_deletion() => {}
            // The write keeps uid and version, so that it fails after a concurrent change.
            Some(is) => changes.write.push(Typed { data: target.data, ..is }),
            None => changes.write.push(target),
        }
    }
    let unwanted =
        existing.into_values().filter(|assignment| !assignment.metadata().is_marked_for_deletion());
    changes.delete = unwanted.map(|assignment| assignment.id().clone()).collect();
    Ok(changes)
}

//! From what there is to what has to be written: which node has to do with which module.

use std::collections::BTreeMap;

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::RunError;
use converge_controller::{Id, Name, Ref, Typed};

use crate::fleet::types::{Assignment, Module, Node, Revision};

/// What has to be written so that a module is assigned to its nodes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// Assignments that are not there, or not so.
    pub write: Vec<Typed<Assignment>>,
    /// Assignments that nobody wants any more.
    pub delete: Vec<Id>,
}

/// By revision, which secrets it names that are there, each with its generation.
pub(super) type Secrets = BTreeMap<Name, BTreeMap<String, String>>;

/// What to change so that `nodes`, and no others, have to do with a module, where these assignments are there. Each gets the revision that
/// `meant` says; where it says none, it keeps what it has, and gets nothing when it has nothing.
///
/// Those that are about to go are left alone: what replaces them is written when they have gone.
///
/// # Errors
///
/// An assignment cannot be made, which is a mistake of this program.
pub(super) fn assign<'r>(
    module: &Typed<Module>,
    nodes: &[Typed<Node>],
    found: Vec<Typed<Assignment>>,
    meant: impl Fn(&Name) -> Option<&'r Ref<Revision>>,
    secrets: &Secrets,
    now: Timestamp,
) -> Result<Changes, RunError> {
    let mut found: BTreeMap<Name, Typed<Assignment>> =
        found.into_iter().map(|assignment| (assignment.id().name.clone(), assignment)).collect();
    let mut changes = Changes::default();
    for node in nodes.iter().filter(|node| !node.metadata().is_marked_for_deletion()) {
        let node_name = &node.id().name;
        let is = found.remove(&Assignment::name_of(&module.id().name, node_name)?);
        let had = is.as_ref().and_then(|is| Some((is.revision.as_ref()?, is.since?)));
        let (revision, since) = match (meant(node_name), had) {
            (Some(meant), Some((revision, since))) if meant == revision => (meant, since),
            (Some(meant), _) => (meant, now),
            (None, Some(had)) => had,
            (None, None) => continue,
        };
        let mut wanted = Assignment::of(module, node, revision, since)?;
        wanted.data.secrets = secrets.get(&revision.name).cloned().unwrap_or_default();
        match is {
            Some(is) if is.data == wanted.data || is.metadata().is_marked_for_deletion() => {}
            // Its uid and version go with it, so that nobody's change is overwritten.
            Some(is) => changes.write.push(Typed { data: wanted.data, ..is }),
            None => changes.write.push(wanted),
        }
    }
    let unwanted = found.into_values().filter(|assignment| !assignment.metadata().is_marked_for_deletion());
    changes.delete = unwanted.map(|assignment| assignment.id().clone()).collect();
    Ok(changes)
}

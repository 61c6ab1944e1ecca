//! The stored type for a module assigned to a node.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_controller::authorize::{Access, Authorizer, Verb};
use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::RunError;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Id, InvalidName, Name, Ref, StoredResource, Typed};

use super::module::{Mode, Module};
use super::node::Node;
use super::revision::Revision;
use super::window::Window;
use crate::fleet::naming;

/// The assignment of a module to a node.
///
/// There is one for each pair, and the module owns it.
///
/// The scheduler writes it. The agent of the node watches its own assignments, and writes their status under
/// the key `agent`.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(
    group = "converge",
    version = "v1",
    scope = namespace,
    validate = Assignment::check,
    authorize(read = Assignment::may_read)
)]
pub(crate) struct Assignment {
    /// The node.
    #[stored(tag = 1)]
    pub node: Option<Ref<Node>>,
    /// The revision of the module for this node, which may be an earlier one.
    #[stored(tag = 2)]
    pub revision: Option<Ref<Revision>>,
    /// Whether the agent corrects drift or only reports it.
    #[stored(tag = 3)]
    pub mode: Mode,
    /// The interval between two checks by the agent.
    #[stored(tag = 4)]
    pub interval: Duration,
    /// Whether the agent does nothing, because the module or the node is suspended.
    #[stored(tag = 5)]
    pub suspended: bool,
    /// The time since which the assignment has this revision.
    #[stored(tag = 6)]
    pub since: Option<Timestamp>,
    /// The times at which the node may be changed.
    ///
    /// If empty, it may be changed at any time.
    #[stored(tag = 7)]
    pub windows: Vec<Window>,
    /// The existing secrets that the revision names, with their generations.
    ///
    /// The agent requests a value when its generation changes.
    #[stored(tag = 8)]
    pub secrets: BTreeMap<String, String>,
}

impl Assignment {
    /// The status key of the agent's report.
    pub(crate) const REPORT: &str = "agent";
    /// The condition that states whether the node is as the module declares.
    pub(crate) const APPLIED: &str = "applied";
    /// The condition that states whether the agent could compute a plan.
    pub(crate) const PLANNED: &str = "planned";
    /// The condition that states whether the node has changed since this revision was applied.
    pub(crate) const DRIFTED: &str = "drifted";
    /// The condition that states whether there were errors.
    pub(crate) const FAILED: &str = "failed";

    /// The metadata key of the node name, by which an agent finds its assignments.
    pub(crate) const NODE: &str = "node";

    /// Creates the assignment of a module to a node.
    ///
    /// # Errors
    ///
    /// The name or the metadata are invalid, which is a bug of this program.
    pub(crate) fn for_node(
        module: &Typed<Module>,
        node: &Typed<Node>,
        revision: &Ref<Revision>,
        since: Timestamp,
    ) -> Result<Typed<Self>, RunError> {
        let Id { name, tenancy, .. } = module.id();
        let data = Self {
            node: Some(Ref::new(node.id().tenancy.clone(), node.id().name.clone())),
            revision: Some(revision.clone()),
            mode: module.mode,
            interval: module.interval,
            suspended: module.suspended || node.suspended,
            since: Some(since),
            windows: module.windows.clone(),
            secrets: BTreeMap::new(),
        };
        let name = Self::name_of(name, &node.id().name)?;
        let mut assignment = Typed::named(tenancy.clone(), name, data).with_owner(module.id());
        assignment.metadata_mut().set(Self::NODE, node.id().name.as_str())?;
        Ok(assignment)
    }

    /// Returns the assigned module.
    pub(crate) fn module_of(assignment: &Typed<Self>) -> Option<Ref<Module>> {
        assignment.owner().map(|module| Ref::new(module.tenancy.clone(), module.name.clone()))
    }

    /// Returns the name of an assignment.
    ///
    /// It begins with the node, so that a watch by [prefix](Self::beginning_of) skips most other nodes.
    pub(crate) fn name_of(module: &Name, node: &Name) -> Result<Name, InvalidName> {
        naming::derived(&[node, module], &[node.as_str().as_bytes(), module.as_str().as_bytes()])
    }

    /// Returns the name prefix of all assignments of a node.
    ///
    /// Some assignments of other nodes may share it.
    pub(crate) fn name_prefix(node: &Name) -> String {
        naming::beginning(node, 2)
    }

    /// Allows a caller to read an assignment if it may read the assignments of its node.
    ///
    /// The authorizer is asked about an assignment with the name of the node. No such assignment exists, so
    /// no rule can allow the node without its assignments.
    fn may_read(authorizer: &dyn Authorizer, id: &Id, assignment: Option<&Typed<Self>>) -> Access {
        if authorizer.may(Verb::Read, id) {
            return Access::Allow;
        }
        let Some(assignment) = assignment else { return Access::NeedResource };
        let of_node = |node: &Ref<Node>| {
            Id::new(Self::resource_type().clone(), node.tenancy.clone(), node.name.clone())
        };
        assignment.node.as_ref().is_some_and(|node| authorizer.may(Verb::Read, &of_node(node))).into()
    }

    fn check(assignment: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("node").present(assignment.node.as_ref());
        invalid.field("revision").present(assignment.revision.as_ref());
        invalid.field("mode").require(assignment.mode != Mode::Unspecified, Cause::Missing);
        invalid.field("owner").require(assignment.owner().is_some(), Cause::Missing);
        invalid.owner_type(assignment.owner(), &[Module::resource_type()]);
        if let (Some(module), Some(node)) = (assignment.owner(), &assignment.node) {
            let expect = Self::name_of(&module.name, &node.name).ok();
            if let Some(expect) = expect.filter(|expect| *expect != assignment.id().name) {
                invalid
                    .field("id")
                    .field("name")
                    .add(format!("is not {expect}, the name for this module and this node"));
            }
        }
        invalid.finish()
    }
}

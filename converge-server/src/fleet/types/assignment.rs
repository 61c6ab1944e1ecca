//! What is to be true of one machine.

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

/// That a module is to be true of a node. There is one for each two of them, and the module owns it.
///
/// The scheduler writes it. The agent of the node watches its own ones, and writes their status under the key `agent`.
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
    /// What the module says there. This may be an earlier one.
    #[stored(tag = 2)]
    pub revision: Option<Ref<Revision>>,
    /// What is done when the node is not so.
    #[stored(tag = 3)]
    pub mode: Mode,
    /// How often its agent looks.
    #[stored(tag = 4)]
    pub interval: Duration,
    /// Nothing is done: the module or the node is suspended.
    #[stored(tag = 5)]
    pub suspended: bool,
    /// Since when it is this revision.
    #[stored(tag = 6)]
    pub since: Option<Timestamp>,
    /// When the node may be changed; at any time where there is none.
    #[stored(tag = 7)]
    pub windows: Vec<Window>,
    /// The secrets that the revision names and that are there, each with its generation: the agent asks for a value when that changes.
    #[stored(tag = 8)]
    pub secrets: BTreeMap<String, String>,
}

impl Assignment {
    /// Under what key an agent reports.
    pub(crate) const REPORT: &str = "agent";
    /// Of that report, whether the node is as the module says.
    pub(crate) const APPLIED: &str = "applied";
    /// Whether there is a plan.
    pub(crate) const PLANNED: &str = "planned";
    /// Whether something has changed since it was as the same revision says.
    pub(crate) const DRIFTED: &str = "drifted";
    /// Whether there were errors.
    pub(crate) const FAILED: &str = "failed";

    /// The note with the name of the node, by which its agent finds what it has to do with.
    pub(crate) const NODE: &str = "node";

    /// The one of a module and a node.
    ///
    /// # Errors
    ///
    /// Its name cannot be made, or the note not be written, which is a mistake of this program.
    pub(crate) fn of(
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

    /// The module that is to be true.
    pub(crate) fn module_of(assignment: &Typed<Self>) -> Option<Ref<Module>> {
        assignment.owner().map(|module| Ref::new(module.tenancy.clone(), module.name.clone()))
    }

    /// The node comes first: who watches by what names [begin](Self::beginning_of) with is not told of the other nodes.
    pub(crate) fn name_of(module: &Name, node: &Name) -> Result<Name, InvalidName> {
        naming::derived(&[node, module], &[node.as_str().as_bytes(), module.as_str().as_bytes()])
    }

    /// What the names of all that is assigned to a node begin with, and perhaps some of other nodes.
    pub(crate) fn beginning_of(node: &Name) -> String {
        naming::beginning(node, 2)
    }

    /// Who may read what is assigned to a node may read this, whatever it is called. That is asked for as the assignments of the
    /// partition under the name of the node, where there are none: no rule allows that and not the assignment itself.
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

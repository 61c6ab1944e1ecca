//! The stored types for machines and their reports.

use std::collections::BTreeMap;

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

/// A machine.
///
/// Its labels are in its metadata; modules select nodes by them.
///
/// Operators write it. The agent writes a separate `NodeReport`, so that no resource has two writers.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = Node::check)]
pub(crate) struct Node {
    /// The purpose of the machine.
    #[stored(tag = 1)]
    pub description: String,
    /// Whether the agent does nothing on this machine.
    #[stored(tag = 2)]
    pub suspended: bool,
}

impl Node {
    fn check(node: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(node.owner().is_none(), "a node has no owner");
        invalid.finish()
    }
}

/// The report of an agent about its machine.
///
/// It has the name of its `Node`, which owns it.
///
/// The heartbeat is a status under the key `agent`. The service records its time, so only the clock of the
/// server matters. Watchers of nodes are not notified of heartbeats.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = NodeReport::check)]
pub(crate) struct NodeReport {
    /// The version of the agent.
    #[stored(tag = 1)]
    pub version: String,
    /// The facts about the machine, such as `family` and `architecture`.
    #[stored(tag = 2)]
    pub facts: BTreeMap<String, String>,
}

impl NodeReport {
    /// The status key of the heartbeat.
    pub(crate) const HEARTBEAT: &str = "agent";

    fn check(report: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(report.owner().is_some(), Cause::Missing);
        invalid.owner_type(report.owner(), &[Node::resource_type()]);
        if let Some(owner) = report.owner().filter(|owner| owner.name != report.id().name) {
            invalid
                .field("owner")
                .field("name")
                .add(format!("is {}: a report has the name of its node", owner.name));
        }
        invalid.finish()
    }
}

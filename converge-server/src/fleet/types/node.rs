//! Machines.

use std::collections::BTreeMap;

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{StoredResource, Typed};

/// A machine. Its labels are its metadata: by them modules choose their nodes.
///
/// Operators write it. What its agent knows of it is a `NodeReport`, so that no two writers share a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = Node::check)]
pub(crate) struct Node {
    /// What it is for.
    #[stored(tag = 1)]
    pub description: String,
    /// Nothing is done on it, as long as this is so.
    #[stored(tag = 2)]
    pub suspended: bool,
}

impl Node {
    fn check(node: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(node.owner().is_none(), "nothing owns a node");
        invalid.finish()
    }
}

/// A machine as its agent sees it; it has the name of its `Node`, which owns it.
///
/// A heartbeat is a status of it, under the key `agent`: the service notes when it came, so that no clock but that of the
/// server matters, and who watches nodes is not told of each.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = NodeReport::check)]
pub(crate) struct NodeReport {
    /// The version of the agent.
    #[stored(tag = 1)]
    pub version: String,
    /// What is known of the machine, such as `family` and `architecture`.
    #[stored(tag = 2)]
    pub facts: BTreeMap<String, String>,
}

impl NodeReport {
    /// Under what key an agent tells that it is alive.
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

//! The stored type for the drift of a machine.

use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Ref, StoredEnum, StoredMessage, StoredResource, Typed};
use prost::Message as _;

use super::history::RunOutcome;
use super::module::Module;
use super::node::Node;
use super::revision::Revision;

/// The maximum size of the plans of a node together in bytes.
pub(crate) const SIZE: usize = 256 * 1024;
/// The note on a plan whose resources were left out.
const NO_ROOM: &str = "The differences are not stored: other modules of this node need the space.";

/// The outcome of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum ResourceOutcome {
    /// No outcome was given, or the reader does not know it yet.
    Unspecified = 0,
    /// An apply would change the resource.
    WillChange = 1,
    /// An apply may change the resource, depending on what other resources do first.
    MayChange = 2,
    /// The resource was changed.
    Changed = 3,
    /// The resource could not be checked or changed.
    Failed = 4,
    /// A dependency of the resource failed.
    Skipped = 5,
    /// The run ended before the resource.
    NotRun = 6,
}

/// One difference of a resource, as `converge plan` shows it.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Change {
    /// The name of the difference.
    #[stored(tag = 1)]
    pub name: String,
    /// The previous value on one line.
    #[stored(tag = 2)]
    pub before: String,
    /// The declared value on one line.
    ///
    /// Without a previous value it is a refresh, and this is its reason.
    #[stored(tag = 3)]
    pub after: String,
    /// The lines of a unified diff, which replaces `before` and `after` for multi-line texts.
    #[stored(tag = 4)]
    pub diff: String,
}

/// A resource that differed from its declaration.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct DifferingResource {
    /// The name in the module.
    #[stored(tag = 1)]
    pub name: String,
    /// The outcome.
    #[stored(tag = 2)]
    pub outcome: ResourceOutcome,
    /// The differences or changes.
    #[stored(tag = 3)]
    pub changes: Vec<Change>,
    /// The messages of the resource.
    #[stored(tag = 4)]
    pub messages: Vec<String>,
    /// The reason of a failure.
    #[stored(tag = 5)]
    pub error: String,
}

/// The drift that a run of a module found, and the action on it.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct NodePlan {
    /// The module.
    #[stored(tag = 1)]
    pub module: Option<Ref<Module>>,
    /// The revision of the module.
    #[stored(tag = 2)]
    pub revision: Option<Ref<Revision>>,
    /// The start of the first run with exactly this drift, by the clock of the node.
    #[stored(tag = 3)]
    pub began: Option<Timestamp>,
    /// The outcome of that run.
    #[stored(tag = 4)]
    pub outcome: RunOutcome,
    /// The number of resources of each outcome.
    #[stored(tag = 5)]
    pub summary: String,
    /// The resources that differed from their declaration.
    #[stored(tag = 6)]
    pub resources: Vec<DifferingResource>,
    /// A note on what was left out; empty if nothing was.
    #[stored(tag = 7)]
    pub left_out: String,
}

impl NodePlan {
    /// Whether another run found the same drift.
    pub(crate) fn has_same_drift(&self, other: &Self) -> bool {
        let of_any_time = |plan: &Self| Self { began: None, ..plan.clone() };
        of_any_time(self) == of_any_time(other)
    }
}

/// The drift of a machine: for each module, the last run that found any.
///
/// It has the name of its `Node`, which owns it.
///
/// The agent writes it. The size is limited for every writer.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = NodePlans::check)]
pub(crate) struct NodePlans {
    /// One plan for each module, the newest last.
    #[stored(tag = 1)]
    pub plans: Vec<NodePlan>,
}

impl NodePlans {
    /// Replaces the plan of a module, and drops old details over the size limit.
    pub(crate) fn replace(&mut self, plan: NodePlan) {
        self.plans.retain(|entry| entry.module != plan.module);
        self.plans.push(plan);
        self.limit();
    }

    /// Drops data over the size limit: first the resources of the oldest plans, then whole plans.
    fn limit(&mut self) {
        let mut size = self.encoded_len();
        for plan in &mut self.plans {
            if size <= SIZE {
                return;
            }
            let short = NodePlan { resources: Vec::new(), left_out: NO_ROOM.to_owned(), ..plan.clone() };
            let saving = plan.encoded_len().saturating_sub(short.encoded_len());
            if saving > 0 {
                *plan = short;
                size -= saving;
            }
        }
        while self.encoded_len() > SIZE {
            self.plans.remove(0);
        }
    }

    fn check(plans: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        let size = plans.data.encoded_len();
        let is_small = size <= SIZE;
        invalid.field("plans").require(is_small, format!("are {size} bytes, and may be {SIZE}"));
        if is_small {
            for (index, plan) in plans.plans.iter().enumerate() {
                let is_said = plan.module.is_some();
                invalid.field("plans").element(index).field("module").require(is_said, Cause::Missing);
            }
        }
        invalid.field("owner").require(plans.owner().is_some(), Cause::Missing);
        invalid.owner_type(plans.owner(), &[Node::resource_type()]);
        if let Some(owner) = plans.owner().filter(|owner| owner.name != plans.id().name) {
            let text = format!("is {}: the plans of a node have its name", owner.name);
            invalid.field("owner").field("name").add(text);
        }
        invalid.finish()
    }
}

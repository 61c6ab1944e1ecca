//! What differed on a machine.

use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Ref, StoredEnum, StoredMessage, StoredResource, Typed};
use prost::Message as _;

use super::history::RunOutcome;
use super::module::Module;
use super::node::Node;
use super::revision::Revision;

/// How large the plans of a node may be together, in bytes.
pub(crate) const SIZE: usize = 256 * 1024;
/// Said of a plan of which the resources are left out.
const NO_ROOM: &str = "What differed is not kept: other modules of this node need the room.";

/// What came of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum ResourceOutcome {
    /// Nobody has said, or it is one that is newer than who reads it.
    Unspecified = 0,
    /// An apply would change it.
    WillChange = 1,
    /// An apply may change it: that depends on what others do first.
    MayChange = 2,
    /// It was changed.
    Changed = 3,
    /// It could not be checked or changed.
    Failed = 4,
    /// Something that it depends on failed.
    Skipped = 5,
    /// The run ended before.
    NotRun = 6,
}

/// One difference of a resource, as `converge plan` shows it.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Change {
    /// What differs.
    #[stored(tag = 1)]
    pub name: String,
    /// What was, on a line.
    #[stored(tag = 2)]
    pub before: String,
    /// What is declared, on a line. Where nothing was before it is a refresh, and this says what for.
    #[stored(tag = 3)]
    pub after: String,
    /// Instead of these where they are texts: the lines of a unified diff.
    #[stored(tag = 4)]
    pub diff: String,
}

/// A resource that was not as declared.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct DifferingResource {
    /// Its name in the module.
    #[stored(tag = 1)]
    pub name: String,
    /// What came of it.
    #[stored(tag = 2)]
    pub outcome: ResourceOutcome,
    /// What differs, or was changed.
    #[stored(tag = 3)]
    pub changes: Vec<Change>,
    /// What it says.
    #[stored(tag = 4)]
    pub messages: Vec<String>,
    /// Why it failed.
    #[stored(tag = 5)]
    pub error: String,
}

/// What a run of a module found that was not as declared, and what it did about it.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct NodePlan {
    /// The module.
    #[stored(tag = 1)]
    pub module: Option<Ref<Module>>,
    /// What the module said.
    #[stored(tag = 2)]
    pub revision: Option<Ref<Revision>>,
    /// When the first run found just this, by the clock of the node.
    #[stored(tag = 3)]
    pub began: Option<Timestamp>,
    /// How that run ended.
    #[stored(tag = 4)]
    pub outcome: RunOutcome,
    /// How many resources there were of each kind.
    #[stored(tag = 5)]
    pub summary: String,
    /// The resources that were not as declared.
    #[stored(tag = 6)]
    pub resources: Vec<DifferingResource>,
    /// What is not kept, in words; empty where everything is.
    #[stored(tag = 7)]
    pub left_out: String,
}

impl NodePlan {
    /// Whether another run found the same.
    pub(crate) fn found_the_same_as(&self, other: &Self) -> bool {
        let of_any_time = |plan: &Self| Self { began: None, ..plan.clone() };
        of_any_time(self) == of_any_time(other)
    }
}

/// What differed on a machine: of each module the last run that found something. It has the name of its `Node`, which owns it.
///
/// Its agent writes it. How large it may become is limited, whoever writes.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = NodePlans::check)]
pub(crate) struct NodePlans {
    /// One for each module, the newest at the end.
    #[stored(tag = 1)]
    pub plans: Vec<NodePlan>,
}

impl NodePlans {
    /// Takes the plan of a module in place of the one that there is, and makes room for it.
    pub(crate) fn take(&mut self, plan: NodePlan) {
        self.plans.retain(|known| known.module != plan.module);
        self.plans.push(plan);
        self.limit();
    }

    /// Leaves out what is too much: what the oldest plans say of resources, and then these plans.
    fn limit(&mut self) {
        let mut size = self.encoded_len();
        for plan in &mut self.plans {
            if size <= SIZE {
                return;
            }
            let short = NodePlan { resources: Vec::new(), left_out: NO_ROOM.to_owned(), ..plan.clone() };
            let less = plan.encoded_len().saturating_sub(short.encoded_len());
            if less > 0 {
                *plan = short;
                size -= less;
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

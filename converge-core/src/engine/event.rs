//! What happens in a run, as data.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::lock_wait::{HeldBy, LockKind};
use super::output::OutputReport;
use super::report::{ResourceReport, Stage};
use super::seconds;
use super::summary::Summary;
use crate::sdk::context::{RunId, RunMode};
use crate::sdk::progress::ProgressUpdate;
use crate::state::Holder;
use crate::system::OutputStream;
use crate::types::id::NodeId;

/// Something that happened in a run, which is a stream of these; the terminal view, JSON lines and any remote API are views of
/// it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
    /// In which run.
    pub run: RunId,
    /// When, by the clock of the machine: when the run took notice of it, which may be some milliseconds later. No event is
    /// earlier than the one before it, unless that clock is set back.
    pub time: Timestamp,
}

impl Event {
    /// What happened, where and when.
    pub fn new(kind: EventKind, run: RunId, time: Timestamp) -> Self {
        Self { kind, run, time }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EventKind {
    /// An apply waits for another one to end. This comes before the run has started, and again when somebody else is
    /// waited for.
    Waiting {
        /// Who has the lock.
        holder: Holder,
    },
    /// A plan found that an apply is under way, so what it says may be out of date. This comes before the run has started.
    ApplyUnderWay {
        /// Who applies.
        holder: Holder,
    },
    /// A refresh was owed for a month by a resource that is nowhere any more, and is owed no longer. This comes before the run
    /// has started.
    RefreshForgotten {
        /// The resource.
        node: String,
        /// The root module that it was in.
        module: String,
        /// Since when it was owed.
        since: String,
        /// What was changed then.
        causes: Vec<String>,
    },
    /// The first event of the run itself.
    RunStarted {
        /// Whether it may change the machine.
        mode: RunMode,
        /// How many resources there are. Parameters, modules, switches and cases are none, and neither are the instances of a
        /// `for_each` that are [known later](Self::InstancesKnown).
        resources: usize,
    },
    /// Which instances there are of a `for_each` that waited for lookups: the run works on so many resources more.
    InstancesKnown {
        /// What has the `for_each`.
        id: NodeId,
        /// How many resources are worked on in its instances.
        resources: usize,
        /// How many `for_each` there are in these whose own instances are known later.
        #[serde(default)]
        unknown: usize,
    },
    /// Work on a resource began.
    ResourceStarted {
        /// The resource.
        id: NodeId,
    },
    /// An attempt of a resource with `retry` failed, and there will be another one: it waits.
    AttemptFailed {
        /// The resource.
        id: NodeId,
        /// The number of the attempt.
        attempt: u32,
        /// How many there are at most.
        attempts: u32,
        /// How long it waits now.
        #[serde(rename = "wait_seconds", with = "seconds")]
        wait: Duration,
        /// Why it failed.
        reason: String,
    },
    /// A resource has to wait for its turn: another one has a lock that it needs. It may not have been begun by then. That the wait is
    /// over is told by what comes next, and how long it was by the [report](ResourceReport::waited).
    ResourceWaiting {
        /// The resource.
        id: NodeId,
        /// What kind of lock it needs.
        lock: LockKind,
        /// The name of the group, or of the lock of the type.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Who has it.
        held_by: HeldBy,
    },
    /// The work on a resource has come to a stage. What never waits for anything has no stages that could be seen, and is told
    /// only when it is done.
    ResourceStage {
        /// The resource.
        id: NodeId,
        /// What is done now.
        stage: Stage,
    },
    /// So many bytes of a resource are done: of a download, an archive, an image. Fewer than before begin anew. In a
    /// [batch](crate::guide::locks#batches) what is told of all is told of the first.
    ResourceBytes {
        /// The resource.
        id: NodeId,
        /// How many bytes are done.
        done: u64,
        /// How many there are in all, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    },
    /// A resource begins a step that it names itself.
    ResourceStep {
        /// The resource.
        id: NodeId,
        /// What is done in it.
        text: String,
    },
    /// A program that a resource runs printed a line. What it printed in all is in the report, where the resource says it.
    ResourceOutput {
        /// The resource.
        id: NodeId,
        /// Where to.
        stream: OutputStream,
        /// The line without its end: at most 4 KiB. What is not UTF-8 in it is replaced.
        line: String,
        /// How many bytes at its end are left out.
        #[serde(skip_serializing_if = "is_zero")]
        left_out: u64,
    },
    /// What was told about the progress of resources was more than the listener took, so some of it was left out here:
    /// [`AttemptFailed`](Self::AttemptFailed), [`ResourceWaiting`](Self::ResourceWaiting), [`ResourceStage`](Self::ResourceStage),
    /// [`ResourceBytes`](Self::ResourceBytes), [`ResourceStep`](Self::ResourceStep) and
    /// [`ResourceOutput`](Self::ResourceOutput). Everything else is always told.
    ProgressLeftOut {
        /// How many events.
        events: usize,
    },
    /// A resource is done with, or was never begun. There is exactly one of these for each resource, and for each `for_each` whose
    /// instances were not known in this run: it stands for them. A parameter has one only
    /// when its value is wrong, and the case of a switch or the beginning of a module only when it cannot be decided whether it
    /// is taken: what failed is told, whatever it is, with its [`role`](ResourceReport::role).
    ResourceFinished(Box<ResourceReport>),
    /// The run was asked to stop.
    Interrupted {
        /// How.
        interrupt: InterruptKind,
        /// The resources that are being worked on. One that waits for its turn to be changed is not.
        running: Vec<NodeId>,
    },
    /// A value that the root module gives: one for each of its outputs that the run was about, by name, right before the last event.
    Output(OutputReport),
    /// The last event.
    RunFinished {
        /// What came of it.
        summary: Summary,
    },
}

impl EventKind {
    /// Whether it tells only how far something is, and what comes of it is told anyway.
    pub fn is_progress(&self) -> bool {
        match self {
            Self::AttemptFailed { .. }
            | Self::ResourceWaiting { .. }
            | Self::ResourceStage { .. }
            | Self::ResourceBytes { .. }
            | Self::ResourceStep { .. }
            | Self::ResourceOutput { .. } => true,
            Self::Waiting { .. }
            | Self::ApplyUnderWay { .. }
            | Self::RefreshForgotten { .. }
            | Self::RunStarted { .. }
            | Self::InstancesKnown { .. }
            | Self::ResourceStarted { .. }
            | Self::ProgressLeftOut { .. }
            | Self::ResourceFinished(_)
            | Self::Interrupted { .. }
            | Self::Output(_)
            | Self::RunFinished { .. } => false,
        }
    }

    /// What a resource tells of its progress.
    pub(super) fn of_progress(id: NodeId, update: ProgressUpdate) -> Self {
        match update {
            ProgressUpdate::Bytes { done, total } => Self::ResourceBytes { id, done, total },
            ProgressUpdate::Step { text } => Self::ResourceStep { id, text },
            ProgressUpdate::Output { stream, line, left_out } => {
                Self::ResourceOutput { id, stream, line, left_out }
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the serialiser gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How a run is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InterruptKind {
    /// What runs finishes, nothing new starts.
    Finish,
    /// What runs is cancelled.
    Cancel,
}

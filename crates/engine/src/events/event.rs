//! Events of a run, as data.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::lock_wait::{HeldBy, LockKind};
use super::outcome::Outcome;
use super::output::OutputReport;
use super::report::{ResourceReport, Stage};
use super::seconds;
use super::summary::Summary;
use crate::sdk::context::{RunId, RunMode};
use crate::sdk::progress::ProgressUpdate;
use crate::state::Holder;
use crate::system::OutputStream;
use crate::types::id::NodeId;

/// An event of a run.
///
/// A run is a stream of events. The terminal view, JSON lines and remote APIs are views of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// The kind of event, with its data.
    #[serde(flatten)]
    pub kind: EventKind,
    /// The id of the run.
    pub run: RunId,
    /// The time at which the run noticed the event, by the clock of the machine.
    ///
    /// It may be some milliseconds after the fact. No event is earlier than the one before it unless the
    /// clock is set back.
    pub time: Timestamp,
}

impl Event {
    /// Creates an event.
    pub fn new(kind: EventKind, run: RunId, time: Timestamp) -> Self {
        Self { kind, run, time }
    }
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EventKind {
    /// An apply waits for another one to end.
    ///
    /// The event comes before the run has started. It is repeated when the holder changes.
    Waiting {
        /// The holder of the lock.
        holder: Holder,
    },
    /// A plan found that an apply is running, so the plan may be outdated.
    ///
    /// The event comes before the run has started.
    ApplyUnderWay {
        /// The running apply.
        holder: Holder,
    },
    /// A refresh that was pending for a month was dropped, because its resource no longer exists.
    ///
    /// The event comes before the run has started.
    RefreshForgotten {
        /// The resource.
        node: String,
        /// The root module that contained the resource.
        module: String,
        /// The time since which the refresh was pending.
        since: String,
        /// The changes that caused the refresh.
        causes: Vec<String>,
    },
    /// The first event of the run itself.
    RunStarted {
        /// Whether the run may change the machine.
        mode: RunMode,
        /// The number of resources.
        ///
        /// Parameters, modules, switches and cases do not count, nor do instances of a `for_each` that are
        /// [known later](Self::InstancesKnown).
        resources: usize,
    },
    /// The instances of a `for_each` that waited for lookups are known.
    ///
    /// Their resources are added to the run.
    InstancesKnown {
        /// The node with the `for_each`.
        id: NodeId,
        /// The number of resources that are worked on in its instances.
        resources: usize,
        /// The number of `for_each` in its instances whose own instances are known later.
        #[serde(default)]
        unknown: usize,
    },
    /// Work on a resource began.
    ResourceStarted {
        /// The resource.
        id: NodeId,
    },
    /// An attempt at a resource with `retry` failed, and the resource waits for the next one.
    AttemptFailed {
        /// The resource.
        id: NodeId,
        /// The number of the attempt.
        attempt: u32,
        /// The maximum number of attempts.
        attempts: u32,
        /// The delay before the next attempt.
        #[serde(rename = "wait_seconds", with = "seconds")]
        wait: Duration,
        /// The reason of the failure.
        reason: String,
    },
    /// A resource waits for a lock that another one holds.
    ///
    /// The resource may not have started yet. The next event of the resource ends the wait; the
    /// [report](ResourceReport::waited) has its length.
    ResourceWaiting {
        /// The resource.
        id: NodeId,
        /// The kind of lock.
        lock: LockKind,
        /// The name of the group, or of the lock of the type.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The holder of the lock.
        held_by: HeldBy,
    },
    /// The work on a resource entered a stage.
    ///
    /// Resources that never wait have no visible stages and are reported only when they finish.
    ResourceStage {
        /// The resource.
        id: NodeId,
        /// The current stage.
        stage: Stage,
    },
    /// The number of bytes of a resource that are done: of a download, an archive or an image.
    ///
    /// A smaller number than before is a new start. Progress of a whole batch
    /// is reported for its first member.
    ResourceBytes {
        /// The resource.
        id: NodeId,
        /// The number of bytes done.
        done: u64,
        /// The total number of bytes, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    },
    /// A resource begins a step that it names itself.
    ResourceStep {
        /// The resource.
        id: NodeId,
        /// The description of the step.
        text: String,
    },
    /// A program run by a resource printed a line.
    ///
    /// The report has the full output if the resource includes it.
    ResourceOutput {
        /// The resource.
        id: NodeId,
        /// The output stream.
        stream: OutputStream,
        /// The line without its end, at most 4 KiB. Invalid UTF-8 is replaced.
        line: String,
        /// The number of bytes cut from the end of the line.
        #[serde(skip_serializing_if = "is_zero")]
        left_out: u64,
    },
    /// Progress events were left out here, because there were more than the subscriber took.
    ///
    /// Only [`AttemptFailed`](Self::AttemptFailed), [`ResourceWaiting`](Self::ResourceWaiting),
    /// [`ResourceStage`](Self::ResourceStage), [`ResourceBytes`](Self::ResourceBytes),
    /// [`ResourceStep`](Self::ResourceStep) and [`ResourceOutput`](Self::ResourceOutput) are ever left out.
    ProgressLeftOut {
        /// The number of events left out.
        events: usize,
    },
    /// A resource has finished, or was never begun.
    ///
    /// There is exactly one of these events for each resource, and for each `for_each` whose instances stayed
    /// unknown. A parameter has one only if its value is wrong. The case of a switch, or the beginning of a
    /// module, has one only if it cannot be decided whether it is taken. Failures are always reported, with
    /// their [`role`](ResourceReport::role).
    ResourceFinished(Box<ResourceReport>),
    /// A resource that had finished was undone by another resource of the same run.
    ///
    /// The event comes after the [`ResourceFinished`](Self::ResourceFinished) of all resources. At the end of an
    /// apply, resources that share something with a resource that changed it later are checked once more.
    /// The [summary](Self::RunFinished) counts them as failed.
    ResourceUndone {
        /// The resource that undid it: the last one that changed something that both share.
        by: NodeId,
        /// The outcome in the report of the resource before.
        was: Outcome,
        /// The new report: failed, with what differs now.
        #[serde(flatten)]
        report: Box<ResourceReport>,
    },
    /// The run was asked to stop.
    Interrupted {
        /// The kind of interrupt.
        interrupt: InterruptKind,
        /// The resources that are being worked on, without those that wait for their turn to be applied.
        running: Vec<NodeId>,
    },
    /// The value of an output of the root module.
    ///
    /// There is one for each output that the run covers, in the order of names, directly before the last
    /// event.
    Output(OutputReport),
    /// The last event.
    RunFinished {
        /// The summary of the run.
        summary: Summary,
    },
}

impl EventKind {
    /// Whether the event only reports progress, so that its loss hides no result.
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
            | Self::ResourceUndone { .. }
            | Self::Interrupted { .. }
            | Self::Output(_)
            | Self::RunFinished { .. } => false,
        }
    }

    /// Converts a progress update of a resource.
    pub(crate) fn from_progress(id: NodeId, update: ProgressUpdate) -> Self {
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

/// The kind of an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InterruptKind {
    /// Running work finishes; nothing new starts.
    Finish,
    /// Running work is cancelled.
    Cancel,
}

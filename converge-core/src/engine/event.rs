//! What happens in a run, as data.

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::graph::Role;
use crate::sdk::context::{RunId, RunMode};
use crate::sdk::progress::ProgressUpdate;
use crate::sdk::status::{DiffValue, StatusLevel};
use crate::state::Holder;
use crate::system::OutputStream;
use crate::types::health::Health;
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
        /// How many resources there are. Parameters, modules, switches and cases are none.
        resources: usize,
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
    /// over is told by what comes next.
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
    /// [batch](crate::guide#batches) what is told of all is told of the first.
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
    /// A resource is done with, or was never begun. There is exactly one of these for each resource. A parameter has one only
    /// when its value is wrong, and the case of a switch or the beginning of a module only when it cannot be decided whether it
    /// is taken: what failed is told, whatever it is, with its [`role`](ResourceReport::role).
    ResourceFinished(ResourceReport),
    /// The run was asked to stop.
    Interrupted {
        /// How.
        interrupt: InterruptKind,
        /// The resources that are being worked on. One that waits for its turn to be changed is not.
        running: Vec<NodeId>,
    },
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
            | Self::ResourceStarted { .. }
            | Self::ProgressLeftOut { .. }
            | Self::ResourceFinished(_)
            | Self::Interrupted { .. }
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

/// What kind of lock a resource waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LockKind {
    /// That of its `group`.
    Group,
    /// That of its [type](crate::guide#locks).
    Type,
    /// That of another use of the same lines, with the same values.
    Duplicate,
}

/// Who has a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeldBy {
    /// Another resource of this run.
    ThisRun,
    /// Another run, with which this one [shares](crate::engine::Engine::with_locks) it.
    AnotherRun,
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

/// What came of one resource, or why a parameter or a part of the structure failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResourceReport {
    /// The resource.
    pub id: NodeId,
    /// What it is for. Of anything but a resource there is a report only when it failed, and only then JSON says it.
    #[serde(skip_serializing_if = "is_resource")]
    pub role: Role,
    /// In one word.
    pub outcome: Outcome,
    /// The level of the last status.
    pub level: StatusLevel,
    /// How healthy it is, where its check said so. [`view::health`](crate::view::health) tells it of all resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
    /// The differences that the first check found, or what the apply said of them. Where the apply failed they are what
    /// was to be made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Messages of the resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Warnings of the resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Why it was not begun. What may change and has this waits for a gate, or for its own `when`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
    /// Plan: why this may change and is not known to: the closest dependency whose changes the check could see, once they are
    /// made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<NodeId>,
    /// How long the work took.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
}

impl ResourceReport {
    /// A report of a resource that says nothing yet but the outcome.
    pub fn new(id: NodeId, outcome: Outcome) -> Self {
        Self {
            id,
            role: Role::Resource,
            outcome,
            level: StatusLevel::NoChange,
            health: None,
            differences: Vec::new(),
            messages: Vec::new(),
            warnings: Vec::new(),
            failure: None,
            skipped: None,
            pending: None,
            elapsed: Duration::ZERO,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the serialiser gives a reference")]
fn is_resource(role: &Role) -> bool {
    role.is_resource()
}

/// Durations as seconds, with a fraction.
pub(crate) mod seconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(duration.as_secs_f64())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// What came of one resource, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// It is as declared (or differs in a way that is not corrected).
    Unchanged,
    /// Plan: an apply will change it.
    WillChange,
    /// Plan: an apply may change it; that depends on what other resources do first.
    MayChange,
    /// Apply: it was changed, and is now as declared.
    Changed,
    /// It could not be checked or applied.
    Failed,
    /// Not begun, because something that it depends on failed.
    Skipped,
    /// Not begun, or checked and not changed, because the run was interrupted.
    NotRun,
    /// Not handled, because the module says so: its case was not taken, or its `when` is false.
    NotTaken,
}

impl Outcome {
    pub(crate) const ALL: [Self; 8] = [
        Self::Unchanged,
        Self::WillChange,
        Self::MayChange,
        Self::Changed,
        Self::Failed,
        Self::Skipped,
        Self::NotRun,
        Self::NotTaken,
    ];
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: `mode`, `UID`, `env.PATH`.
    pub name: String,
    /// The field of the resource that it is about.
    pub field: Option<Cow<'static, str>>,
    /// What is.
    pub before: DiffValue,
    /// What is declared.
    pub after: DiffValue,
    /// Whether the two differ.
    pub changes: bool,
    /// It stands for a refresh, and not for a value: `after` says what for.
    pub refresh: bool,
}

impl Difference {
    /// A difference of no field.
    pub fn new(name: impl Into<String>, before: impl Into<DiffValue>, after: impl Into<DiffValue>) -> Self {
        let (before, after) = (before.into(), after.into());
        let changes = before != after;
        Self { name: name.into(), field: None, before, after, changes, refresh: false }
    }
}

/// With `unknown`, `secret` and `refresh` where they are true.
impl Serialize for Difference {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let flags = [
            ("unknown", self.after == DiffValue::Unknown),
            ("secret", self.before == DiffValue::Secret || self.after == DiffValue::Secret),
            ("refresh", self.refresh),
        ];
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        if let Some(field) = &self.field {
            map.serialize_entry("field", field)?;
        }
        map.serialize_entry("before", &self.before)?;
        map.serialize_entry("after", &self.after)?;
        map.serialize_entry("changes", &self.changes)?;
        for (flag, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
            map.serialize_entry(flag, &true)?;
        }
        map.end()
    }
}

/// Why a resource failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// What was being done.
    pub stage: Stage,
    /// In one line or more.
    pub message: String,
    /// With places in the module, where it is the module that is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

impl Failure {
    pub(super) fn new(stage: Stage, message: impl Into<String>) -> Self {
        Self { stage, message: message.into(), diagnostics: Vec::new() }
    }

    pub(super) fn of_diagnostics(stage: Stage, diagnostics: Vec<Diagnostic>) -> Self {
        let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        Self { stage, message: messages.join("\n"), diagnostics }
    }
}

/// The steps that a resource goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Templates are rendered and values converted.
    Render,
    /// The task is made.
    Prepare,
    /// The machine is looked at.
    Check,
    /// The machine is changed.
    Apply,
    /// The task takes notice of what was changed elsewhere.
    Refresh,
    /// The machine is looked at again.
    CheckAfterApply,
}

impl Stage {
    /// In their order.
    pub(crate) const ALL: [Self; 6] =
        [Self::Render, Self::Prepare, Self::Check, Self::Apply, Self::Refresh, Self::CheckAfterApply];
}

/// Why a resource was not begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The resource at the root of it, which may be several dependencies away. Of what was not taken, or is not
    /// known to be, it is the case or module that decides, or the resource itself.
    pub cause: NodeId,
    /// What went wrong there, in one line; of what was not taken, what was not true; of what is not known, what
    /// it waits for.
    pub reason: String,
}

/// How many resources had each outcome. A parameter is none, and neither are modules, switches and cases; but where one of them
/// fails, [`failed`](Self::failed) counts that too, so that a run with a mistake is never a success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// [`Outcome::Unchanged`].
    pub unchanged: usize,
    /// [`Outcome::WillChange`].
    pub will_change: usize,
    /// [`Outcome::MayChange`].
    pub may_change: usize,
    /// [`Outcome::Changed`].
    pub changed: usize,
    /// [`Outcome::Failed`].
    pub failed: usize,
    /// [`Outcome::Skipped`].
    pub skipped: usize,
    /// [`Outcome::NotRun`].
    pub not_run: usize,
    /// [`Outcome::NotTaken`].
    pub not_taken: usize,
    /// How many differences were corrected in what [changed](Self::changed), or would be in what
    /// [will change](Self::will_change).
    #[serde(default)]
    pub changes: usize,
    /// How long the run took.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
}

impl Summary {
    /// Counts one resource with its differences.
    pub fn count_report(&mut self, report: &ResourceReport) {
        self.count(report.outcome);
        if matches!(report.outcome, Outcome::Changed | Outcome::WillChange) {
            self.changes += report.differences.iter().filter(|difference| difference.changes).count();
        }
    }

    /// Counts one resource.
    pub fn count(&mut self, outcome: Outcome) {
        let counter = match outcome {
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::WillChange => &mut self.will_change,
            Outcome::MayChange => &mut self.may_change,
            Outcome::Changed => &mut self.changed,
            Outcome::Failed => &mut self.failed,
            Outcome::Skipped => &mut self.skipped,
            Outcome::NotRun => &mut self.not_run,
            Outcome::NotTaken => &mut self.not_taken,
        };
        *counter += 1;
    }

    /// Whether every resource was handled without an error.
    pub fn is_success(&self) -> bool {
        self.failed + self.skipped + self.not_run == 0
    }

    /// Whether there is something that an apply would do.
    pub fn has_changes(&self) -> bool {
        self.will_change + self.may_change > 0
    }
}

/// Takes events as they happen.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no events",
    label = "not a sink of events",
    note = "a sink is a closure, such as `&mut |event| ..`, or what implements `EventSink`; the run may go on in another thread, so it \
            holds nothing that is not `Send`, such as an `Rc`"
)]
pub trait EventSink: Send {
    /// Takes one event. Called in the order in which things happened.
    fn emit(&mut self, event: Event);

    /// Nothing more is to come for now: the run waits for its resources. A sink that collects events
    /// must not keep them any longer.
    fn flush(&mut self) {}
}

impl<F: FnMut(Event) + Send> EventSink for F {
    fn emit(&mut self, event: Event) {
        self(event);
    }
}

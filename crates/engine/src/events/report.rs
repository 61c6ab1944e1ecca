//! The report of a resource.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::difference::Difference;
use super::lock_wait::Waited;
use super::outcome::Outcome;
use super::seconds;
use crate::diagnostic::Diagnostic;
use crate::graph::Role;
use crate::sdk::health::Health;
use crate::sdk::status::StatusLevel;
use crate::types::id::NodeId;

/// The result of a resource, or the failure of a parameter or a structure node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResourceReport {
    /// The resource.
    pub id: NodeId,
    /// The role of the node.
    ///
    /// Nodes that are no resources are reported only if they failed, or are a `for_each` with unknown
    /// instances. Only then is the role in the JSON form.
    #[serde(skip_serializing_if = "is_resource")]
    pub role: Role,
    /// The outcome.
    pub outcome: Outcome,
    /// The level of the last status.
    pub level: StatusLevel,
    /// The health, if the check reported it.
    ///
    /// `view::health` shows it for all resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<Health>,
    /// The differences found by the first check, or reported by the apply.
    ///
    /// If the apply failed, they are the intended changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// The messages of the resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Whether the messages are shown even if nothing is changed. Only then is the field in the JSON form.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub announces: bool,
    /// The warnings of the resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The failure, if the resource failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Whether the run counts as a success despite the failure.
    ///
    /// The resource is [optional](crate::graph::Meta::optional), or was skipped only because of failed
    /// optional resources. Only then is the field in the JSON form.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The reason why the resource was not begun.
    ///
    /// A resource that may change and has this waits for a gate, or for its own `when`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
    /// Plan: the reason why it is uncertain whether the resource changes.
    ///
    /// It is the closest dependency whose pending changes the check could see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<NodeId>,
    /// The locks that the resource waited for, in order. A plan takes no locks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waited: Vec<Waited>,
    /// The sorted paths that the check read, if the run [observes](crate::Run::observe_reads) them.
    ///
    /// `None` if the check may find something else although none of these paths changes: it listed a directory,
    /// ran a program or asked the network, or a field has a value of a resource. Not in the JSON form.
    #[serde(skip)]
    pub reads: Option<Box<[PathBuf]>>,
    /// The duration of the work, without the time that the resource [waited](Self::waited).
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
}

impl ResourceReport {
    /// Creates a report with nothing but the outcome.
    pub fn new(id: NodeId, outcome: Outcome) -> Self {
        Self {
            id,
            role: Role::Resource,
            outcome,
            level: StatusLevel::NoChange,
            health: None,
            differences: Vec::new(),
            messages: Vec::new(),
            announces: false,
            warnings: Vec::new(),
            failure: None,
            optional: false,
            skipped: None,
            pending: None,
            waited: Vec::new(),
            reads: None,
            elapsed: Duration::ZERO,
        }
    }

    /// Whether the resource failed or was skipped, and the run still counts as a success.
    pub fn is_forgiven(&self) -> bool {
        self.optional && matches!(self.outcome, Outcome::Failed | Outcome::Skipped)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the serialiser gives a reference")]
fn is_resource(role: &Role) -> bool {
    role.is_resource()
}

/// The failure of a resource.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The stage at which the resource failed.
    pub stage: Stage,
    /// The message, of one or more lines.
    pub message: String,
    /// The diagnostics with source locations, if the module is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

impl Failure {
    pub(crate) fn new(stage: Stage, message: impl Into<String>) -> Self {
        Self { stage, message: message.into(), diagnostics: Vec::new() }
    }

    pub(crate) fn of_diagnostics(stage: Stage, diagnostics: Vec<Diagnostic>) -> Self {
        let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        Self { stage, message: messages.join("\n"), diagnostics }
    }
}

/// The stages of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Templates are rendered and values converted.
    Render,
    /// The task is created.
    Prepare,
    /// The state of the machine is read.
    Check,
    /// The machine is changed.
    Apply,
    /// The task reacts to changes made elsewhere.
    Refresh,
    /// The state of the machine is read again.
    CheckAfterApply,
}

impl Stage {
    /// All stages in order.
    #[doc(hidden)]
    pub const ALL: [Self; 6] =
        [Self::Render, Self::Prepare, Self::Check, Self::Apply, Self::Refresh, Self::CheckAfterApply];
}

/// The reason why a resource was not begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The root cause, which may be several dependencies away.
    ///
    /// If the resource is not taken, or it is unknown whether it is, the cause is the deciding case or
    /// module, or the resource itself.
    pub cause: NodeId,
    /// The reason in one line.
    ///
    /// It is the error of the cause, the condition that was not true, or the dependency that is not known
    /// yet.
    pub reason: String,
}

//! What came of one resource.

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

/// What came of one resource, or why a parameter or a part of the structure failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ResourceReport {
    /// The resource.
    pub id: NodeId,
    /// What it is for. Of anything but a resource there is a report only when it failed, or is a `for_each` whose instances are not
    /// known; and only then JSON says it.
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
    /// Whether people are to read the messages also when nothing is changed. Only then JSON says it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub announces: bool,
    /// Warnings of the resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Whether a run in which it fails is a success all the same: it is [optional](crate::graph::Meta::optional), or was skipped only
    /// for what failed and is. Only then JSON says it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Why it was not begun. What may change and has this waits for a gate, or for its own `when`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
    /// Plan: why this may change and is not known to: the closest dependency whose changes the check could see, once they are
    /// made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<NodeId>,
    /// The locks that it had to wait for, in the order of its waits. A plan takes none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waited: Vec<Waited>,
    /// How long the work took, without what it [waited](Self::waited) for.
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
            announces: false,
            warnings: Vec::new(),
            failure: None,
            optional: false,
            skipped: None,
            pending: None,
            waited: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// Whether it failed or was skipped, and the run is a success all the same.
    pub fn is_forgiven(&self) -> bool {
        self.optional && matches!(self.outcome, Outcome::Failed | Outcome::Skipped)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the serialiser gives a reference")]
fn is_resource(role: &Role) -> bool {
    role.is_resource()
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

//! What a resource waited for, and what it waits for now.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::seconds;

/// What kind of lock a resource waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LockKind {
    /// That of its `group`.
    Group,
    /// That of its [type](crate::guide::locks).
    Type,
    /// That of another use of the same lines, with the same values.
    Duplicate,
}

impl LockKind {
    pub(crate) const ALL: [Self; 3] = [Self::Group, Self::Type, Self::Duplicate];
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

impl HeldBy {
    pub(crate) const ALL: [Self; 2] = [Self::ThisRun, Self::AnotherRun];
}

/// A lock that a resource waited for, and for how long.
///
/// ```
/// use converge_core::engine::{HeldBy, ResourceReport};
///
/// /// How long other runs kept a resource from its work.
/// fn kept_by_others(report: &ResourceReport) -> std::time::Duration {
///     let others = report.waited.iter().filter(|waited| waited.held_by == HeldBy::AnotherRun);
///     others.map(|waited| waited.elapsed).sum()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Waited {
    /// What kind of lock it was.
    pub lock: LockKind,
    /// The name of the group, or of the lock of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who had it when the wait began.
    pub held_by: HeldBy,
    /// How long the wait was.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
}

impl Waited {
    /// For the lock of this kind and name, for so long.
    pub fn new(lock: LockKind, name: Option<String>, held_by: HeldBy, elapsed: Duration) -> Self {
        Self { lock, name, held_by, elapsed }
    }
}

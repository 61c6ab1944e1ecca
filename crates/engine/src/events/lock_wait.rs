//! Waits of resources for locks.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::seconds;

/// The kind of a lock that a resource waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LockKind {
    /// The lock of its `group`.
    Group,
    /// The lock of its type.
    Type,
    /// The lock of another copy of the same declaration with the same values.
    Duplicate,
}

impl LockKind {
    #[doc(hidden)]
    pub const ALL: [Self; 3] = [Self::Group, Self::Type, Self::Duplicate];
}

/// The holder of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeldBy {
    /// Another resource of this run.
    ThisRun,
    /// Another run that [shares](crate::Engine::with_locks) the lock with this one.
    AnotherRun,
}

impl HeldBy {
    #[doc(hidden)]
    pub const ALL: [Self; 2] = [Self::ThisRun, Self::AnotherRun];
}

/// A lock that a resource waited for, and the duration of the wait.
///
/// ```
/// use converge_core::engine::{HeldBy, ResourceReport};
///
/// /// Returns the time that the resource waited for other runs.
/// fn kept_by_others(report: &ResourceReport) -> std::time::Duration {
///     let others = report.waited.iter().filter(|waited| waited.held_by == HeldBy::AnotherRun);
///     others.map(|waited| waited.elapsed).sum()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Waited {
    /// The kind of the lock.
    pub lock: LockKind,
    /// The name of the group, or of the lock of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The holder when the wait began.
    pub held_by: HeldBy,
    /// The duration of the wait.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
}

impl Waited {
    /// Creates a wait for a lock.
    pub fn new(lock: LockKind, name: Option<String>, held_by: HeldBy, elapsed: Duration) -> Self {
        Self { lock, name, held_by, elapsed }
    }
}

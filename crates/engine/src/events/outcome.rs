//! The outcome of a resource.

use serde::{Deserialize, Serialize};

/// The outcome of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// The resource is as declared, or differs in a way that is not corrected.
    Unchanged,
    /// Plan: an apply will change the resource.
    WillChange,
    /// Plan: an apply may change the resource, depending on the changes of other resources.
    MayChange,
    /// Apply: the resource was changed, and is now as declared.
    Changed,
    /// The resource could not be checked or applied.
    Failed,
    /// The resource was not begun, because a dependency failed.
    Skipped,
    /// The resource was not begun, or checked and not changed, because the run was interrupted.
    NotRun,
    /// The module excludes the resource: its case was not taken, or its `when` is false.
    NotTaken,
}

impl Outcome {
    #[doc(hidden)]
    pub const ALL: [Self; 8] = [
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

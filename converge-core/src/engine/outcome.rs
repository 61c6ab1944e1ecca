//! What came of one resource, in one word.

use serde::{Deserialize, Serialize};

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

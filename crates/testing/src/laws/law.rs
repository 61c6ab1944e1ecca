//! The names of the laws.

use std::fmt;

/// A law that every resource must keep. `laws!` writes a test for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// A check changes nothing: neither in a plan nor in an apply, nor after one.
    CheckChangesNothing,
    /// An apply makes the changes that the check has reported, and no others.
    ///
    /// Each change must be visible to the check or named by it, and there must be at least one change. Only
    /// effects on the machine count, not messages about them.
    ApplyMakesWhatIsReported,
    /// After an apply nothing is left to do, also for a new check of the machine.
    NothingIsLeft,
    /// A second run changes nothing, and two applies after one check have the effect of one.
    TwiceIsOnce,
    /// An apply that ends after any of its effects, as by a kill, is completed by the next run.
    StoppedIsFinished,
    /// An apply that is cancelled at any of its await points is completed by the next run.
    CancelledIsFinished,
    /// If a pending dependency may create a missing object, a plan reports *may change* and does not fail.
    PendingMayChange,
    /// An export that an apply sets is declared `computed`, or is unknown until then.
    SetExportsAreComputed,
    /// A secret in any field is never shown.
    ///
    /// This holds for differences, messages, warnings, errors and progress, and for the `Debug` output of the
    /// task.
    SecretsAreNotShown,
    /// When an effect fails, the apply reports the error, unless the machine is as declared anyway.
    ///
    /// The next run then completes the change or reports an error; it never finds nothing to do.
    NoErrorIsSwallowed,
    /// When a read fails, a check and an apply report it, unless it makes no difference.
    ///
    /// Nothing is left half done.
    FailingLooksAreTold,
    /// A check and an apply use only the system of the context, never the machine that the test runs on.
    ///
    /// The law tries files at the paths in the values and at the paths that the resource looks at. Programs
    /// and connections that a resource starts by itself are found by the lints that `converge new resource`
    /// writes.
    OnlyTheSystemIsUsed,
    /// Every stage ends in time.
    NothingHangs,
    /// No stage panics, on any machine, with any values, and when any effect fails.
    NothingPanics,
    /// Invalid values are refused with an error that names their field.
    InvalidIsRefused,
    /// A batch ends in the same state as its members applied one by one.
    BatchIsMembers,
    /// A check reports the same for equal machines.
    CheckSaysTheSame,
    /// If the resource has an example module, the example contains the resource and is correct.
    ExampleIsRight,
}

impl Law {
    /// All laws.
    pub const ALL: [Self; 18] = [
        Self::CheckChangesNothing,
        Self::ApplyMakesWhatIsReported,
        Self::NothingIsLeft,
        Self::TwiceIsOnce,
        Self::StoppedIsFinished,
        Self::CancelledIsFinished,
        Self::PendingMayChange,
        Self::SetExportsAreComputed,
        Self::SecretsAreNotShown,
        Self::NoErrorIsSwallowed,
        Self::FailingLooksAreTold,
        Self::OnlyTheSystemIsUsed,
        Self::NothingHangs,
        Self::NothingPanics,
        Self::InvalidIsRefused,
        Self::BatchIsMembers,
        Self::CheckSaysTheSame,
        Self::ExampleIsRight,
    ];

    /// Whether the law is tried on each value of each field, because it is quick and concerns values.
    pub(super) fn looks_at_each_value(self) -> bool {
        matches!(
            self,
            Self::CheckChangesNothing | Self::NothingIsLeft | Self::NothingHangs | Self::NothingPanics
        )
    }

    /// Whether the law needs values that have something to apply on a machine.
    pub(super) fn needs_an_apply(self) -> bool {
        !matches!(
            self,
            Self::CheckChangesNothing
                | Self::PendingMayChange
                | Self::SecretsAreNotShown
                | Self::FailingLooksAreTold
                | Self::OnlyTheSystemIsUsed
                | Self::NothingHangs
                | Self::NothingPanics
                | Self::InvalidIsRefused
                | Self::BatchIsMembers
                | Self::CheckSaysTheSame
                | Self::ExampleIsRight
        )
    }
}

/// Writes the law as a sentence, such as `a check changes nothing`.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CheckChangesNothing => "a check changes nothing",
            Self::ApplyMakesWhatIsReported => {
                "an apply makes the changes that the check reported, and no others"
            }
            Self::NothingIsLeft => "nothing is left to do after an apply",
            Self::TwiceIsOnce => "twice is the same as once",
            Self::StoppedIsFinished => "an apply that was stopped is finished by the next",
            Self::CancelledIsFinished => "an apply that was cancelled is finished by the next",
            Self::PendingMayChange => "what a pending dependency may make is `may change`",
            Self::SetExportsAreComputed => "exports that an apply sets are `computed`",
            Self::SecretsAreNotShown => "secrets are not shown",
            Self::NoErrorIsSwallowed => "no error is swallowed",
            Self::FailingLooksAreTold => "looks that fail are told",
            Self::OnlyTheSystemIsUsed => "only the system is used",
            Self::NothingHangs => "nothing hangs",
            Self::NothingPanics => "nothing panics",
            Self::InvalidIsRefused => "invalid values are refused with their field",
            Self::BatchIsMembers => "a batch ends where its members do one by one",
            Self::CheckSaysTheSame => "of the same machine a check says the same",
            Self::ExampleIsRight => "the example is right, and shows the resource",
        })
    }
}

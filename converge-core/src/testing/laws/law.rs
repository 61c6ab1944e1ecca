//! The laws by their names.

use std::fmt;

/// What must hold for every resource. [`laws!`](crate::laws) writes a test for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// A check changes nothing: neither in a plan nor in an apply, nor after one.
    CheckChangesNothing,
    /// An apply makes the changes that the check has reported, and no others: what it has changed is something that the check looks at,
    /// or has named, and there is something that it has changed. Effects on the machine count, and not what is said of them.
    ApplyMakesWhatIsReported,
    /// After an apply there is nothing left to do, also for who looks at the machine anew.
    NothingIsLeft,
    /// A second run changes nothing, and an apply that is made twice after one check does what one does.
    TwiceIsOnce,
    /// An apply that ends after any of its effects, as by a kill, is finished by the next run.
    StoppedIsFinished,
    /// An apply that is cancelled wherever it waits is finished by the next run.
    CancelledIsFinished,
    /// Where something is missing that a pending dependency may make, a plan says *may change*, and does not fail.
    PendingMayChange,
    /// An export that an apply sets is declared `computed`, or is unknown until then.
    SetExportsAreComputed,
    /// A secret in any field is shown nowhere: not in a difference, a message, a warning, an error or the progress, and not in what `Debug`
    /// prints of the task.
    SecretsAreNotShown,
    /// When an effect fails, the apply says so and why, unless the machine is as declared all the same.
    NoErrorIsSwallowed,
    /// When something cannot be looked at, a check and an apply say so, unless it makes no difference, and nothing is half done.
    FailingLooksAreTold,
    /// Neither a check nor an apply looks at the machine that the test runs on, or changes it: all of it goes through the system that the
    /// context gives. Files at the paths in the values are tried, and at those that it looks at; what it does with programs and with
    /// connections of its own is found by the lints that `converge new resource` writes.
    OnlyTheSystemIsUsed,
    /// Everything ends in time.
    NothingHangs,
    /// Nothing panics: on no machine, with no values, and when any effect fails.
    NothingPanics,
    /// Values that are not valid are refused, with the field that they are of.
    InvalidIsRefused,
    /// A batch ends where its members do one by one.
    BatchIsMembers,
    /// Of machines that are the same, a check says the same.
    CheckSaysTheSame,
    /// The module that shows the resource, where there is one, has one and is right.
    ExampleIsRight,
}

impl Law {
    /// All of them.
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

    /// Whether it is tried on each value of each field, as it is about what is done with values, and quickly tried.
    pub(super) fn looks_at_each_value(self) -> bool {
        matches!(
            self,
            Self::CheckChangesNothing | Self::NothingIsLeft | Self::NothingHangs | Self::NothingPanics
        )
    }

    /// Whether it says something only of values that have something to do on a machine.
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

/// In a sentence: `a check changes nothing`.
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

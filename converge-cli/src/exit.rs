//! Exit codes of the command, which are stable and listed by `--help`.
//!
//! 3 and 4 are for health, so that 1 keeps its meaning: the state of the machine is unknown.

use std::process::ExitCode;

/// The outcome of an invocation, from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Nothing to do, or everything was done.
    #[default]
    Done,
    /// A plan found changes, and `--detailed-exitcode` was given.
    Changes,
    /// A health check found nothing worse than warnings.
    Warning,
    /// A health check found an error.
    Unhealthy,
    /// The command line, a module or a resource has an error.
    Error,
    /// The run ended because the machine reboots.
    Booting,
    /// Another apply holds the lock, and the time to wait for it is over.
    Locked,
    /// A signal, or a closed output, ended the run before it was complete.
    Interrupted,
}

impl Exit {
    /// Returns the exit code of the process.
    ///
    /// Wrong arguments are [`Exit::Error`] as well instead of clap's usual 2, so that 2 has one meaning.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Error => 1,
            Self::Changes => 2,
            Self::Warning => 3,
            Self::Unhealthy => 4,
            Self::Locked => 5,
            Self::Booting => 6,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_a_contract() {
        let check = |exit: Exit, code: u8| assert_eq!(exit.code(), code, "{exit:?}");
        check(Exit::Done, 0);
        check(Exit::Error, 1);
        check(Exit::Changes, 2);
        check(Exit::Warning, 3);
        check(Exit::Unhealthy, 4);
        check(Exit::Locked, 5);
        check(Exit::Booting, 6);
        check(Exit::Interrupted, 130);
    }

    #[test]
    fn the_worst_of_several_files_counts() {
        let check = |a: Exit, b: Exit, expect: Exit| {
            assert_eq!((a.max(b), b.max(a)), (expect, expect));
        };
        check(Exit::Done, Exit::Changes, Exit::Changes);
        check(Exit::Changes, Exit::Error, Exit::Error);
        check(Exit::Warning, Exit::Done, Exit::Warning);
        check(Exit::Warning, Exit::Unhealthy, Exit::Unhealthy);
        // After an error, the health of the rest is unknown.
        check(Exit::Unhealthy, Exit::Error, Exit::Error);
        check(Exit::Error, Exit::Interrupted, Exit::Interrupted);
    }
}

//! Exit codes, which have the same meaning as those of `converge`.

use std::process::ExitCode;

/// The result of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success, which includes a server that was told to stop and has stopped.
    Done,
    /// The command line or its subject is wrong.
    Error,
    /// A second signal ended a server that was stopping.
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Error => 1,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

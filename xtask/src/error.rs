//! Why a chore failed.

use std::process::ExitStatus;
use std::time::Duration;
use std::{fmt, io};

use crate::args::UsageError;
use crate::test::Tally;

/// Why a chore failed.
#[derive(Debug)]
pub(crate) enum Error {
    /// The arguments make no sense.
    Usage(UsageError),
    /// A program could not be started.
    Start { program: String, source: io::Error },
    /// A program ended without success.
    Failed { command: String, status: ExitStatus },
    /// A file could not be used.
    File { path: String, source: io::Error },
    /// The output of a program could not be passed on.
    Output { source: io::Error },
    /// Pages of `docs` are not what the types say.
    StalePages { pages: Vec<String> },
    /// Something that was started is not ready in time.
    NotReady { what: &'static str, after: Duration },
    /// A command of Docker did not succeed.
    Docker(converge_tests::docker::Failure),
    /// A Debian package is needed, and cannot be installed.
    CannotInstall { package: String },
    /// No host could be started, which was reported.
    NoHost,
    /// `cargo metadata` did not answer as documented.
    Metadata { reason: String },
    /// Tests failed, or did not run to their end.
    Tests { tally: Tally, status: ExitStatus },
    /// There is no such fuzz target.
    UnknownTarget { target: String, known: Vec<String> },
    /// Fuzz targets found inputs that break a law.
    Fuzz { targets: Vec<String> },
    /// Something was skipped where everything must run.
    Skips { count: usize },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(usage) => write!(f, "{usage}\nrun `cargo xtask` for the list of chores"),
            Self::Start { program, source } => write!(f, "cannot start `{program}`: {source}"),
            Self::Failed { command, status } => write!(f, "`{command}` failed ({status})"),
            Self::File { path, source } => write!(f, "{path}: {source}"),
            Self::Output { source } => write!(f, "cannot pass on the output of the tests: {source}"),
            Self::StalePages { pages } => {
                write!(f, "not current: {}; `cargo xtask docs` writes them", pages.join(", "))
            }
            Self::NotReady { what, after } => write!(f, "{what} is not ready after {}s", after.as_secs()),
            Self::Docker(failure) => failure.fmt(f),
            Self::CannotInstall { package } => {
                write!(
                    f,
                    "this needs what is in Debian's package `{package}`, which only root on Debian can install"
                )
            }
            Self::NoHost => write!(f, "there is no host for a shell; the reason is above"),
            Self::Metadata { reason } => write!(f, "`cargo metadata`: {reason}"),
            Self::Tests { tally, status } if tally.failed == 0 => {
                write!(f, "not every test ran: cargo ended early ({status}); the reason is further up")
            }
            Self::Tests { tally, .. } => write!(f, "{} failed; the names are further up", tally.failed),
            Self::UnknownTarget { target, known } => {
                write!(f, "there is no fuzz target `{target}`; there are {}", known.join(", "))
            }
            Self::Fuzz { targets } => {
                write!(f, "fuzzing failed: {}; the inputs are named above", targets.join(", "))
            }
            Self::Skips { count } => write!(
                f,
                "{count} skipped, and nothing may be skipped here (CI=true or --no-skips); \
                 the reasons are listed above"
            ),
        }
    }
}

impl From<converge_tests::docker::Failure> for Error {
    fn from(failure: converge_tests::docker::Failure) -> Self {
        Self::Docker(failure)
    }
}

impl From<UsageError> for Error {
    fn from(error: UsageError) -> Self {
        Self::Usage(error)
    }
}

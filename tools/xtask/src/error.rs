//! The error type of the tasks.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// A reason why a task failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A program could not be started.
    #[error("cannot start `{program}`: {source}")]
    Start { program: String, source: io::Error },
    /// A program ended without success.
    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },
    /// A crate compiles with warnings.
    #[error("`{command}` warns; the warnings are further up")]
    Warnings { command: String },
    /// A file could not be used.
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    #[error("cannot write to standard output: {source}")]
    Output { source: io::Error },
    #[error("not current: {}; `cargo xtask docs` writes them", pages.join(", "))]
    StalePages { pages: Vec<String> },
    /// The public items of crates differ from their lists.
    #[error("what is public has changed: {}; `cargo xtask api` writes it, and CHANGELOG.md tells it", lists.join(", "))]
    StaleApi { lists: Vec<String> },
    #[error("{}: {reason}", path.display())]
    Rustdoc { path: PathBuf, reason: String },
    #[error("{what} is not ready after {}s", after.as_secs())]
    NotReady { what: &'static str, after: Duration },
    /// A Docker command failed.
    #[error(transparent)]
    Docker(#[from] converge_tests::docker::Failure),
    #[error("this needs what is in Debian's package `{package}`, which only root on Debian can install")]
    CannotInstall { package: String },
    /// No host could be started; the reason was printed.
    #[error("there is no host for a shell; the reason is above")]
    NoHost,
    /// `cargo metadata` did not answer as documented.
    #[error("`cargo metadata`: {reason}")]
    Metadata { reason: String },
    /// Tests failed.
    #[error("{count} failed; what each said is above")]
    TestsFailed { count: usize },
    /// Cargo ended before all tests had run.
    #[error("not every test ran: cargo ended early ({status}); the reason is further up")]
    TestsEndedEarly { status: ExitStatus },
    #[error("there is no fuzz target `{target}`; there are {}", known.join(", "))]
    UnknownTarget { target: String, known: Vec<String> },
    #[error("fuzzing failed: {}; the inputs are named above", targets.join(", "))]
    Fuzz { targets: Vec<String> },
    /// Tests were skipped although everything must run.
    #[error(
        "{count} skipped, and nothing may be skipped here (CI=true or --no-skips); the reasons are listed above"
    )]
    Skips { count: usize },
}

impl Error {
    /// Adds the path of the file to an error.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::File { path: path.display().to_string(), source }
    }
}

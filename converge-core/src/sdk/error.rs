//! The error that authors return and the engine reports.

use std::fmt;

use crate::diagnostic::ReachedLimit;
use crate::sdk::app_state::MissingState;
use crate::system::SystemError;
use crate::types::value::FieldError;

/// A result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a resource could not be prepared, checked or applied.
///
/// `?` converts errors of the [`System`](crate::system::System), text and any boxed error into it. An error of your own becomes one with
/// [`Error::other`], or says itself how:
///
/// ```
/// use converge_core::Error;
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("no host {0}")]
/// struct NoHost(String);
///
/// impl From<NoHost> for Error {
///     fn from(error: NoHost) -> Self {
///         Self::other(error)
///     }
/// }
///
/// fn address(host: &str) -> Result<String, NoHost> {
///     Err(NoHost(host.to_owned()))
/// }
///
/// fn check() -> converge_core::Result<()> {
///     address("web")?;
///     address("db").map_err(Error::other)?;
///     Ok(())
/// }
/// # assert_eq!(check().unwrap_err().to_string(), "no host web");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation of the system failed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// Values of fields are not acceptable.
    #[error("{}", join(.0))]
    Fields(Vec<FieldError>),
    /// Something that the resource names does not exist.
    #[error("{kind} {name:?} does not exist")]
    NotFound {
        /// What it is, in a word: `user`, `group`, `file`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The resource does not work on this platform.
    #[error("{resource} is not supported on {platform}: {reason}")]
    Unsupported {
        /// The resource type.
        resource: &'static str,
        /// The platform.
        platform: String,
        /// What is missing.
        reason: String,
    },
    /// The program gives no [state](crate::Context::state) of a type.
    #[error(transparent)]
    MissingState(#[from] MissingState),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Time ran out.
    #[error("the deadline passed {}s ago", .after.as_secs_f64())]
    DeadlineExceeded {
        /// How long ago.
        after: std::time::Duration,
    },
    /// A reason in words.
    #[error("{0}")]
    Message(String),
    /// An error with what was being done.
    #[error("{context}: {source}")]
    Context {
        /// What was being done.
        context: String,
        /// What went wrong.
        source: Box<Error>,
    },
    /// Any other error.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// A reason in words.
    pub fn msg(message: impl fmt::Display) -> Self {
        Self::Message(message.to_string())
    }

    /// Any other error.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// The limit that was reached, when that is the reason, or the reason of the reason.
    pub fn limit(&self) -> Option<ReachedLimit> {
        match self {
            Self::System(error) => error.kind.limit(),
            Self::Context { source, .. } => source.limit(),
            Self::Other(error) => {
                let first: &(dyn std::error::Error + 'static) = &**error;
                let mut errors = std::iter::successors(Some(first), |error| error.source());
                errors.find_map(|error| {
                    let system = || error.downcast_ref::<SystemError>().and_then(|error| error.kind.limit());
                    error.downcast_ref::<Self>().map_or_else(system, Self::limit)
                })
            }
            _ => None,
        }
    }

    /// Says what was being done when this error happened.
    pub fn context(self, context: impl Into<String>) -> Self {
        Self::Context { context: context.into(), source: Box::new(self) }
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for Error {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Other(error)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::Message(message.to_owned())
    }
}

impl From<Vec<FieldError>> for Error {
    fn from(errors: Vec<FieldError>) -> Self {
        Self::Fields(errors)
    }
}

fn join(errors: &[FieldError]) -> String {
    let text = |error: &FieldError| match error.path.0.as_slice() {
        [] => error.to_string(),
        _ => format!("{}: {error}", error.path),
    };
    errors.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// Adds context to the error of a result.
pub trait ResultExt<T> {
    /// Says what was being done; called only when there is an error.
    fn context(self, context: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for std::result::Result<T, E> {
    fn context(self, context: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| error.into().context(context()))
    }
}

//! The error that authors of resources return and the engine reports.

use std::fmt;

use crate::app_state::MissingState;
use crate::diagnostic::ReachedLimit;
use crate::system::{HttpError, SystemError};
use crate::types::id::ParseIdError;
use crate::types::value::{FieldError, NotUtf8};

/// A result whose error is [`Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a resource could not be prepared, checked or applied.
///
/// `?` converts errors of the [`System`](crate::system::System) and of the standard library, text and any
/// boxed error. It converts an error of your own if that is a [`ResourceError`], which takes one line. An
/// error of another crate is converted with [`Error::other`].
///
/// ```
/// use converge_core::{Error, ResourceError};
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("no host {0}")]
/// struct NoHost(String);
///
/// impl ResourceError for NoHost {}
///
/// fn address(host: &str) -> Result<String, NoHost> {
///     Err(NoHost(host.to_owned()))
/// }
///
/// fn check(port: &str) -> converge_core::Result<()> {
///     let port: u16 = port.parse()?;
///     address("web")?;
///     url::Url::parse("example.com").map_err(Error::other)?;
///     Ok(())
/// }
/// # mod url {
/// #     pub struct Url;
/// #     impl Url {
/// #         pub fn parse(_: &str) -> Result<Self, std::fmt::Error> { Ok(Self) }
/// #     }
/// # }
/// assert_eq!(check("80").unwrap_err().to_string(), "no host web");
/// assert_eq!(check("http").unwrap_err().to_string(), "invalid digit found in string");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system operation failed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// Values of fields are invalid.
    #[error("{}", join(.0))]
    Fields(Vec<FieldError>),
    /// An object that the resource names does not exist.
    #[error("{kind} {name:?} does not exist")]
    NotFound {
        /// The kind of the object in a word: `user`, `group`, `file`.
        kind: &'static str,
        /// The name of the object.
        name: String,
    },
    /// The resource does not work on this platform.
    #[error("{resource} is not supported on {platform}: {reason}")]
    Unsupported {
        /// The resource type.
        resource: &'static str,
        /// The platform.
        platform: String,
        /// The missing feature.
        reason: String,
    },
    /// The program provides no [state](crate::Context::state) of a type.
    #[error(transparent)]
    MissingState(#[from] MissingState),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The resource has asked the machine to boot.
    ///
    /// A boot is no failure: the run starts nothing else, and the next run continues after the resource. A
    /// due refresh is owed until the machine has booted; see [`Refresh::BY_BOOT`](crate::Refresh::BY_BOOT).
    #[error("the machine is booting: {0}")]
    Booting(String),
    /// The deadline has passed.
    #[error("the deadline passed {}s ago", .after.as_secs_f64())]
    DeadlineExceeded {
        /// The time since the deadline.
        after: std::time::Duration,
    },
    /// A message.
    #[error("{0}")]
    Message(String),
    /// An error with the operation in which it occurred.
    #[error("{context}: {source}")]
    Context {
        /// The operation.
        context: String,
        /// The error.
        source: Box<Error>,
    },
    /// Any other error.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Creates an error from a message.
    pub fn msg(message: impl fmt::Display) -> Self {
        Self::Message(message.to_string())
    }

    /// Wraps any other error.
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// Returns the limit that was reached, if that is the error or one of its sources.
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

    /// Adds the operation in which the error occurred.
    pub fn context(self, context: impl Into<String>) -> Self {
        Self::Context { context: context.into(), source: Box::new(self) }
    }
}

/// An error that `?` converts into [`Error::Other`].
///
/// Write `impl ResourceError for MyError {}` for an error of your own. The orphan rule forbids that for an
/// error of another crate: write `.map_err(Error::other)?`.
// A blanket impl for `std::error::Error` is impossible: `Error` implements it, and `From<Error> for Error`
// already exists.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `ResourceError`, so `?` does not convert it",
    label = "write `impl ResourceError for {Self} {{}}`, or `.map_err(Error::other)?` for a type of another crate"
)]
pub trait ResourceError: std::error::Error + Send + Sync + 'static {}

impl<E: ResourceError> From<E> for Error {
    fn from(error: E) -> Self {
        Self::other(error)
    }
}

/// Implements [`ResourceError`] for errors of the standard library and of the crates in use.
macro_rules! resource_errors {
    ($($error:ty),* $(,)?) => { $(impl ResourceError for $error {})* };
}

resource_errors! {
    std::char::ParseCharError,
    std::fmt::Error,
    std::io::Error,
    std::net::AddrParseError,
    std::num::ParseFloatError,
    std::num::ParseIntError,
    std::num::TryFromIntError,
    std::str::ParseBoolError,
    std::str::Utf8Error,
    std::string::FromUtf8Error,
    std::time::SystemTimeError,
    tokio::task::JoinError,
    HttpError,
    NotUtf8,
    ParseIdError,
    regex_lite::Error,
    std::ffi::FromVecWithNulError,
    std::ffi::NulError,
}

#[cfg(feature = "jiff")]
resource_errors! {
    jiff::Error,
}

#[cfg(feature = "serde")]
resource_errors! {
    serde_json::Error,
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

/// An extension trait that adds context to the error of a result.
pub trait ResultExt<T> {
    /// Adds the operation in which the error occurred.
    ///
    /// The closure runs only if there is an error.
    fn context(self, context: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for std::result::Result<T, E> {
    fn context(self, context: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| error.into().context(context()))
    }
}

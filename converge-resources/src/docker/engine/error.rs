//! Why the engine did not do what it was asked for.

use std::time::Duration;

use bollard::errors::Error as ClientError;
use converge_core::prelude::*;
use converge_core::system::{SystemError, SystemErrorKind};

/// The status of an answer about something that the engine does not have.
const NOT_FOUND: u16 = 404;

/// Why the engine did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    /// The environment names no engine that can be used.
    #[error("{variable} is {value:?}: {reason}")]
    Environment {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        value: String,
        /// What is wrong with it, and what to write.
        reason: &'static str,
    },
    /// Nobody can be reached.
    #[error("no Docker engine can be reached at {address}: {kind}; {}", advice(.kind))]
    Absent {
        /// Where it was looked for.
        address: String,
        /// Why it cannot be reached.
        kind: SystemErrorKind,
    },
    /// Somebody answers, but not as an engine does.
    #[error("what answers at {address} is not a Docker engine: it does not say which version it has")]
    NotAnEngine {
        /// Where it is.
        address: String,
    },
    /// The engine no longer knows what this program says.
    #[error(
        "the Docker engine at {address} is too new: it speaks API {theirs} and later, this program {ours} and earlier"
    )]
    TooNew {
        /// Where it is.
        address: String,
        /// The oldest version that it speaks.
        theirs: String,
        /// The newest version that this program speaks.
        ours: String,
    },
    /// The engine says no.
    #[error("cannot {doing}: the Docker engine says: {message}")]
    Refused {
        /// What was asked for.
        doing: String,
        /// The status of the answer, as HTTP has it.
        status: u16,
        /// The engine's words.
        message: String,
    },
    /// The engine does not answer.
    #[error("cannot {doing}: no answer from the Docker engine within {after:?}")]
    NoAnswer {
        /// What was asked for.
        doing: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The engine went away, as when it is restarted, or what listens is none.
    #[error("cannot {doing}: the connection was closed before there was an answer")]
    Closed {
        /// What was asked for.
        doing: String,
    },
    /// The connection broke, or what came over it cannot be understood.
    #[error("cannot {doing}: {source}")]
    Broken {
        /// What was asked for.
        doing: String,
        /// What happened.
        source: ClientError,
    },
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl EngineError {
    /// What the client says, in our words.
    pub(crate) fn of(doing: String, error: ClientError) -> Self {
        match error {
            ClientError::DockerResponseServerError { status_code, message } => {
                Self::Refused { doing, status: status_code, message: message.trim_end().to_owned() }
            }
            ClientError::DockerStreamError { error } => {
                Self::Refused { doing, status: 500, message: error.trim_end().to_owned() }
            }
            ClientError::IOError { err } => match err.downcast::<SystemError>() {
                Ok(unreachable) => Self::Absent { address: unreachable.subject, kind: unreachable.kind },
                Err(err) => Self::Broken { doing, source: ClientError::IOError { err } },
            },
            ClientError::HyperResponseError { err }
                if err.is_canceled() || err.is_closed() || err.is_incomplete_message() =>
            {
                Self::Closed { doing }
            }
            source => Self::Broken { doing, source },
        }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Cancelled => Self::Cancelled,
            error => Self::other(error),
        }
    }
}

fn advice(kind: &SystemErrorKind) -> &'static str {
    match kind {
        SystemErrorKind::PermissionDenied => {
            "run this as root, or as a member of the group that the socket belongs to"
        }
        SystemErrorKind::NotFound => "install one and start it, or say where it is with DOCKER_HOST",
        _ => "start it, or say where it is with DOCKER_HOST",
    }
}

/// Answers about something that may not be there.
pub(crate) trait Found<T> {
    /// `None` when the engine does not have it.
    ///
    /// # Errors
    ///
    /// Any other error stays.
    fn found(self) -> Result<Option<T>, EngineError>;
}

impl<T> Found<T> for Result<T, EngineError> {
    fn found(self) -> Result<Option<T>, EngineError> {
        match self {
            Ok(found) => Ok(Some(found)),
            Err(EngineError::Refused { status: NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

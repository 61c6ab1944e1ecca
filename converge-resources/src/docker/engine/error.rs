use std::time::Duration;

use bollard::errors::Error as ClientError;
use converge_sdk::prelude::*;
use converge_sdk::system::{SystemError, SystemErrorKind};

/// The HTTP status for an object that the engine does not have.
const NOT_FOUND: u16 = 404;

#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    #[error("{variable} is {value:?}: {reason}")]
    Environment { variable: &'static str, value: String, reason: &'static str },
    #[error("no Docker engine can be reached at {address}: {kind}; {}", advice(.kind))]
    Absent { address: String, kind: SystemErrorKind },
    #[error("the server at {address} is not a Docker engine: it does not report a version")]
    NotAnEngine { address: String },
    #[error(
        "the Docker engine at {address} is too new: it speaks API {theirs} and later, this program {ours} and earlier"
    )]
    TooNew { address: String, theirs: String, ours: String },
    #[error("cannot {doing}: the Docker engine says: {message}")]
    Refused { doing: String, status: u16, message: String },
    #[error("cannot {doing}: no answer from the Docker engine within {after:?}")]
    NoAnswer { doing: String, after: Duration },
    #[error("cannot {doing}: the connection was closed before there was an answer")]
    Closed { doing: String },
    #[error("cannot {doing}: {source}")]
    Broken { doing: String, source: ClientError },
    #[error(
        "the container {container:?} was started, and does not run: {how}; `docker logs {container}` shows its output"
    )]
    Ended { container: String, how: String },
    #[error("cancelled")]
    Cancelled,
}

impl EngineError {
    /// Converts an error of the client to one of ours.
    pub(crate) fn from_client(doing: String, error: ClientError) -> Self {
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

/// Converts answers about an object that may not exist.
pub(crate) trait FoundExt<T> {
    /// Returns `None` if the engine does not have the object.
    fn found(self) -> Result<Option<T>, EngineError>;
}

impl<T> FoundExt<T> for Result<T, EngineError> {
    fn found(self) -> Result<Option<T>, EngineError> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(EngineError::Refused { status: NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

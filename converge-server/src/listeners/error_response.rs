//! Error responses, identical over HTTP and gRPC.

use std::fmt::Display;

use converge_controller::service::{ErrorKind, InvalidArgument, ServiceError};
use converge_controller::validation::Invalid;
use serde::Serialize;

use crate::access::{Denied, JoinError};
use crate::json::{JsonError, Path, Place, path_of};

/// An error response.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: Kind,
    /// The message for people.
    pub(crate) message: String,
    /// The problems in the request body with their places.
    pub(crate) problems: Vec<Problem>,
}

/// The reason for an error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The request is invalid regardless of the stored resources.
    InvalidArgument,
    /// The caller is not authenticated.
    Unauthenticated,
    /// The caller is not authorized.
    PermissionDenied,
    /// The subject of the request does not exist.
    NotFound,
    /// The method is not supported for this path.
    NoSuchMethod,
    /// The request took too long.
    DeadlineExceeded,
    /// A concurrent change was faster.
    Aborted,
    /// The request conflicts with the stored resources.
    FailedPrecondition,
    /// The request is too large.
    TooLarge,
    /// The media type of the request is not supported.
    UnsupportedMediaType,
    /// The request is for another host.
    Misdirected,
    /// A limit of the server is reached.
    TooMany,
    /// An internal error of the server.
    Internal,
    /// The server cannot answer now.
    Unavailable,
}

/// A problem at one place of a body.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Problem {
    path: Path,
    message: String,
}

impl Refusal {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), problems: Vec::new() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidArgument, message)
    }

    /// Creates the error for an invalid part of a request.
    pub(crate) fn wrong(error: impl Display) -> Self {
        Self::invalid(error.to_string())
    }

    /// Creates the error for a request that exceeds this number of bytes.
    pub(crate) fn too_large(limit: usize) -> Self {
        Self::new(Kind::TooLarge, format!("a request has at most {limit} bytes"))
    }

    /// Creates the error for a request that took longer than this number of seconds.
    pub(crate) fn too_late(seconds: f64) -> Self {
        Self::new(Kind::DeadlineExceeded, format!("the request took longer than {seconds} s"))
    }

    /// Adds a problem at a place of the body.
    pub(crate) fn at(mut self, path: Path, message: impl Into<String>) -> Self {
        self.problems.push(Problem { path, message: message.into() });
        self
    }
}

/// Converts errors of the service.
impl From<ServiceError> for Refusal {
    fn from(error: ServiceError) -> Self {
        let kind = match error.kind() {
            ErrorKind::InvalidArgument => Kind::InvalidArgument,
            ErrorKind::NotFound => Kind::NotFound,
            ErrorKind::Aborted => Kind::Aborted,
            ErrorKind::FailedPrecondition => Kind::FailedPrecondition,
            ErrorKind::PermissionDenied => Kind::PermissionDenied,
            ErrorKind::Unavailable => Kind::Unavailable,
            ErrorKind::Internal => Kind::Internal,
        };
        let refusal = Self::new(kind, error.to_string());
        match &error {
            ServiceError::InvalidArgument(wrong) => located(refusal, wrong),
            _ => refusal,
        }
    }
}

/// Converts authentication errors.
impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::NoToken
            | Denied::Unknown
            | Denied::Expired
            | Denied::OnlyJoins
            | Denied::UnknownCertificate
            | Denied::ExpiredCertificate => Self::new(Kind::Unauthenticated, denied.to_string()),
            Denied::Service(error) => error.into(),
            Denied::Settle(error) => error.into(),
            Denied::Stored(_) => Self::new(Kind::Internal, denied.to_string()),
        }
    }
}

/// Converts errors of joining.
impl From<JoinError> for Refusal {
    fn from(error: JoinError) -> Self {
        let kind = match error {
            JoinError::Service(error) => return error.into(),
            JoinError::NoTls | JoinError::NoKey(_) | JoinError::HasCertificate(_) => Kind::FailedPrecondition,
            JoinError::OtherToken | JoinError::Used | JoinError::OtherNode(_) | JoinError::NoNode => {
                Kind::PermissionDenied
            }
            JoinError::Label(_) => Kind::InvalidArgument,
            JoinError::Certify(_) | JoinError::Stored(_) => Kind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

/// Adds the known places to an error response.
fn located(refusal: Refusal, error: &InvalidArgument) -> Refusal {
    match error {
        InvalidArgument::Invalid { source, .. } => {
            let problems = source.downcast_ref::<Invalid>().map(Invalid::problems).unwrap_or_default();
            problems
                .iter()
                .fold(refusal, |refusal, problem| refusal.at(path_of(&problem.path), problem.to_string()))
        }
        InvalidArgument::Owner { .. } => {
            let message = error.to_string();
            refusal.at(vec![Place::Name("owner".to_owned())], message)
        }
        _ => refusal,
    }
}

impl From<JsonError> for Refusal {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Stored { .. } => Self::new(Kind::Internal, error.to_string()),
            JsonError::Data { ref path, ref source, .. } => {
                let (path, message) = (path.clone(), source.to_string());
                Self::wrong(error).at(path, message)
            }
            error => Self::wrong(error),
        }
    }
}

//! What is said instead of an answer, at every door in the same words.

use std::fmt::Display;

use converge_controller::service::{ErrorKind, InvalidArgument, ServiceError};
use converge_controller::validation::Invalid;
use serde::Serialize;

use crate::access::{Denied, JoinError};
use crate::json::{JsonError, Path, Place, path_of};

/// A request is not answered.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: Kind,
    /// For people.
    pub(crate) message: String,
    /// The places of the body at which something is wrong.
    pub(crate) problems: Vec<Problem>,
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What was asked is wrong, whatever there is.
    InvalidArgument,
    /// Nobody knows who the caller is.
    Unauthenticated,
    /// The caller may not.
    PermissionDenied,
    /// There is no such thing.
    NotFound,
    /// This cannot be asked for so.
    NoSuchMethod,
    /// It took too long.
    DeadlineExceeded,
    /// Somebody else was quicker.
    Aborted,
    /// It does not fit what there is.
    FailedPrecondition,
    /// It has too many bytes.
    TooLarge,
    /// It is written in a way that is not read here.
    UnsupportedMediaType,
    /// Another host was meant.
    Misdirected,
    /// The server does as much of it as it can.
    TooMany,
    /// A mistake that is not the client's.
    Internal,
    /// It cannot be done now.
    Unavailable,
}

/// What is wrong at a place of a body.
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

    /// A part of a request that is not what it has to be.
    pub(crate) fn wrong(error: impl Display) -> Self {
        Self::invalid(error.to_string())
    }

    /// A request with more bytes than this.
    pub(crate) fn too_large(limit: usize) -> Self {
        Self::new(Kind::TooLarge, format!("a request has at most {limit} bytes"))
    }

    /// A request that took longer than so many seconds.
    pub(crate) fn too_late(seconds: f64) -> Self {
        Self::new(Kind::DeadlineExceeded, format!("the request took longer than {seconds} s"))
    }

    /// Says at which place of the body something is wrong.
    pub(crate) fn at(mut self, path: Path, message: impl Into<String>) -> Self {
        self.problems.push(Problem { path, message: message.into() });
        self
    }
}

/// What the service says.
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

/// Who was not let in.
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

/// Who does not join.
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

/// Adds the places that are known.
fn located(refusal: Refusal, wrong: &InvalidArgument) -> Refusal {
    match wrong {
        InvalidArgument::Invalid { source, .. } => {
            let problems = source.downcast_ref::<Invalid>().map(Invalid::problems).unwrap_or_default();
            problems
                .iter()
                .fold(refusal, |refusal, problem| refusal.at(path_of(&problem.path), problem.to_string()))
        }
        InvalidArgument::Owner { .. } => {
            let message = wrong.to_string();
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

//! Failures of etcd requests, and the advice for them.

use std::error::Error;

use tonic::{Code, ConnectError, Status};

use super::super::error::Unavailable;

/// A failed request.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    error: Unavailable,
}

/// The meaning of a failure for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The request did not reach the store, so another member may process it.
    NotDone,
    /// The request may or may not have been processed.
    Unknown,
    /// The login is missing or has expired.
    NotLoggedIn,
    /// The requested revision is compacted, or does not exist yet.
    OtherRevision,
    /// The response exceeds the size limit.
    TooLarge,
    /// The request is refused, and would be refused again.
    Refused,
}

impl Failure {
    /// Converts the status that a member returned.
    pub(super) fn from_status(endpoint: &str, user: Option<&str>, status: Status) -> Self {
        let message = explain(endpoint, user, &status);
        Self { kind: kind(&status), error: Unavailable::because(message, status) }
    }

    /// Returns the failure of a request without a response in time.
    pub(super) fn timeout(endpoint: &str) -> Self {
        let message =
            format!("etcd at {endpoint} does not answer in time: it is stopped, cut off or overloaded");
        Self { kind: Kind::Unknown, error: Unavailable::new(message) }
    }

    /// Returns the failure of a request with an invalid response.
    pub(super) fn answer(endpoint: &str, problem: &str) -> Self {
        Self { kind: Kind::Unknown, error: Unavailable::new(format!("etcd at {endpoint} {problem}")) }
    }
}

impl From<Failure> for Unavailable {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// The messages of etcd about an unknown or expired login.
///
/// Most of them have no status code of their own.
const LOGIN: [&str; 3] = ["invalid auth token", "user name is empty", "revision of auth store is old"];

/// The messages about a broken connection.
///
/// A member that requires client certificates refuses one only after connecting, which can look like any of
/// these.
const BROKEN: [&str; 7] = [
    "connection closed",
    "http2 error",
    "frame with invalid size",
    "connection reset",
    "broken pipe",
    "fatal alert",
    "corrupt message",
];

/// The messages about a response that is too large.
const LARGE: [&str; 2] = ["decoded message length too large", "trying to send message larger than max"];

fn kind(status: &Status) -> Kind {
    let contains = |text| status.message().contains(text);
    match status.code() {
        Code::Unauthenticated => Kind::NotLoggedIn,
        _ if LOGIN.into_iter().any(contains) => Kind::NotLoggedIn,
        // The first message comes from this process, the second from a member that cannot send that much.
        _ if LARGE.into_iter().any(contains) => Kind::TooLarge,
        Code::OutOfRange => Kind::OtherRevision,
        // Members are asked to refuse requests without a leader, which they do before anything else.
        Code::Unavailable if contains("etcdserver: no leader") => Kind::NotDone,
        Code::Unavailable if chain(status).any(<dyn Error>::is::<ConnectError>) => Kind::NotDone,
        Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::ResourceExhausted
        | Code::Unimplemented => Kind::Refused,
        _ => Kind::Unknown,
    }
}

/// Returns the chain of causes of an error, outermost first.
fn chain(status: &Status) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(status.source(), |&error| error.source())
}

/// Describes a failure, with advice.
fn explain(endpoint: &str, user: Option<&str>, status: &Status) -> String {
    let cause = chain(status).last().map_or_else(|| status.message().to_owned(), ToString::to_string);
    // The system and the libraries use different cases for the same message.
    let details = format!("{cause} {}", status.message()).to_lowercase();
    let contains = |text: &str| details.contains(text);
    let of_user = user.map_or_else(String::new, |user| format!("user {user:?} "));
    let hint = if contains("connection refused") {
        "nothing listens there: start etcd, or give the address that it has as --advertise-client-urls"
    } else if contains("unknownissuer") {
        "its certificate is not signed by a trusted authority: give the certificate of its authority"
    } else if contains("not valid for name") {
        "its certificate is for another name: give the address by a name that it is for, or that name with server_name"
    } else if BROKEN.into_iter().any(contains) && endpoint.starts_with("https://") {
        "the connection broke; if this is always so, it wants a certificate of us that its --trusted-ca-file signed, or it \
         does not talk TLS"
    } else if BROKEN.into_iter().any(contains) {
        "the connection broke; if this is always so, it talks TLS: give the address with https://"
    } else if contains("authentication failed") {
        "the name or the password of the user is wrong"
    } else if contains("authentication is not enabled") {
        "it knows no users: leave the user out, or enable them (etcdctl auth enable)"
    } else if contains("user name is empty") {
        "it wants a user: give one with its password"
    } else if contains("permission denied") {
        "the user needs the permission to read and write below the prefix: etcdctl role grant-permission --prefix"
    } else if contains("no leader") || contains("request timed out") || contains("leader changed") {
        "the cluster has no quorum: more than half of its members have to run and reach each other"
    } else if contains("database space exceeded") {
        "its space is used up: compact and defragment it, then etcdctl alarm disarm"
    } else if contains("request is too large") {
        "the resource is larger than its --max-request-bytes"
    } else if contains("too many operations") {
        "the transaction has more changes than its --max-txn-ops allows"
    } else {
        return format!("etcd at {endpoint}: {of_user}{cause}");
    };
    format!("etcd at {endpoint}: {of_user}{cause} ({hint})")
}

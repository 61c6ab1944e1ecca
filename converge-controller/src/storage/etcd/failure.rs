//! Why etcd does not do what it is asked for, and what to do about it.

use std::error::Error;

use tonic::{Code, ConnectError, Status};

use super::super::error::Unavailable;

/// A request that failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    error: Unavailable,
}

/// What a failure means to who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has not reached the store: another member may do it.
    NotDone,
    /// Nobody knows whether it was done.
    Unknown,
    /// We are not logged in, or not any more.
    NotLoggedIn,
    /// The revision that was asked for is forgotten, or not there yet.
    OtherRevision,
    /// The answer has more bytes than are taken at once.
    TooLarge,
    /// It is refused, and would be again.
    Refused,
}

impl Failure {
    /// What a member answered to a request.
    pub(super) fn of(endpoint: &str, user: Option<&str>, status: Status) -> Self {
        let message = explain(endpoint, user, &status);
        Self { kind: kind(&status), error: Unavailable::because(message, status) }
    }

    /// Nothing was answered in time.
    pub(super) fn timeout(endpoint: &str) -> Self {
        let message =
            format!("etcd at {endpoint} does not answer in time: it is stopped, cut off or overloaded");
        Self { kind: Kind::Unknown, error: Unavailable::new(message) }
    }

    /// What was answered makes no sense.
    pub(super) fn answer(endpoint: &str, what: &str) -> Self {
        Self { kind: Kind::Unknown, error: Unavailable::new(format!("etcd at {endpoint} {what}")) }
    }
}

impl From<Failure> for Unavailable {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// What etcd says of a login that it does not know (any more). There is no code of its own for most of them.
const LOGIN: [&str; 3] = ["invalid auth token", "user name is empty", "revision of auth store is old"];

/// What is said of a connection that ended in the middle. Who asks for a certificate refuses ours only after the connection
/// came about, so that can look like anything of this.
const BROKEN: [&str; 7] = [
    "connection closed",
    "http2 error",
    "frame with invalid size",
    "connection reset",
    "broken pipe",
    "fatal alert",
    "corrupt message",
];

/// What is said of an answer that is too large.
const LARGE: [&str; 2] = ["decoded message length too large", "trying to send message larger than max"];

fn kind(status: &Status) -> Kind {
    let says = |text| status.message().contains(text);
    match status.code() {
        Code::Unauthenticated => Kind::NotLoggedIn,
        _ if LOGIN.into_iter().any(says) => Kind::NotLoggedIn,
        // The first is said here, the second by a member that cannot send so much.
        _ if LARGE.into_iter().any(says) => Kind::TooLarge,
        Code::OutOfRange => Kind::OtherRevision,
        // We ask members to refuse what they cannot do for want of a leader, which they do before anything else.
        Code::Unavailable if says("etcdserver: no leader") => Kind::NotDone,
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

/// The errors that an error comes of, from the outermost.
fn chain(status: &Status) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(status.source(), |&error| error.source())
}

/// What is wrong, and what to do about it.
fn explain(endpoint: &str, user: Option<&str>, status: &Status) -> String {
    let cause = chain(status).last().map_or_else(|| status.message().to_owned(), ToString::to_string);
    // The same is said in different cases by the system and by the libraries.
    let said = format!("{cause} {}", status.message()).to_lowercase();
    let says = |text: &str| said.contains(text);
    let of_user = user.map_or_else(String::new, |user| format!("user {user:?} "));
    let hint = if says("connection refused") {
        "nothing listens there: start etcd, or give the address that it has as --advertise-client-urls"
    } else if says("unknownissuer") {
        "its certificate is signed by none of the authorities that are trusted: give the certificate of the right one"
    } else if says("not valid for name") {
        "its certificate is for another name: give the address by a name that it is for, or that name with server_name"
    } else if BROKEN.into_iter().any(says) && endpoint.starts_with("https://") {
        "the connection broke; if this is always so, it wants a certificate of us that its --trusted-ca-file signed, or it \
         does not talk TLS"
    } else if BROKEN.into_iter().any(says) {
        "the connection broke; if this is always so, it talks TLS: give the address with https://"
    } else if says("authentication failed") {
        "the name or the password of the user is wrong"
    } else if says("authentication is not enabled") {
        "it knows no users: leave the user out, or enable them (etcdctl auth enable)"
    } else if says("user name is empty") {
        "it wants a user: give one with its password"
    } else if says("permission denied") {
        "the user needs the permission to read and write below the prefix: etcdctl role grant-permission --prefix"
    } else if says("no leader") || says("request timed out") || says("leader changed") {
        "the cluster has no quorum: more than half of its members have to run and reach each other"
    } else if says("database space exceeded") {
        "its space is used up: compact and defragment it, then etcdctl alarm disarm"
    } else if says("request is too large") {
        "the resource is larger than its --max-request-bytes"
    } else if says("too many operations") {
        "the transaction has more changes than its --max-txn-ops allows"
    } else {
        return format!("etcd at {endpoint}: {of_user}{cause}");
    };
    format!("etcd at {endpoint}: {of_user}{cause} ({hint})")
}

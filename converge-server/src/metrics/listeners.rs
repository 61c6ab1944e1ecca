//! The metrics of a listener: requests, connections and refusals.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::count::{Clock, Counted, Counter, Counters, Gauge, Histogram, Label};
use super::text::{Family, Kind, Text};

const REQUESTS: Family = Family {
    name: "converge_server_requests",
    kind: Kind::Counter,
    help: "How many requests have ended, by what was answered; a watch when it ends, where it is one of gRPC.",
};
const SECONDS: Family = Family {
    name: "converge_server_request_seconds",
    kind: Kind::Histogram,
    help: "How long requests take until their answer begins.",
};
const IN_FLIGHT: Family = Family {
    name: "converge_server_requests_in_flight",
    kind: Kind::Gauge,
    help: "How many requests wait for the beginning of their answer.",
};
const CONNECTIONS: Family =
    Family { name: "converge_server_connections", kind: Kind::Gauge, help: "How many connections are open." };
const ACCEPTED: Family = Family {
    name: "converge_server_connections_accepted",
    kind: Kind::Counter,
    help: "How many connections were let in.",
};
const WATCHES: Family = Family {
    name: "converge_server_watches",
    kind: Kind::Gauge,
    help: "The number of open watches of clients.",
};
const REFUSED: Family = Family {
    name: "converge_server_refused",
    kind: Kind::Counter,
    help: "How many requests or connections were refused or ended because they reached a limit.",
};
const DENIED: Family = Family {
    name: "converge_server_denied",
    kind: Kind::Counter,
    help: "The number of refused requests by the problem with their token or certificate.",
};
const HANDSHAKES: Family = Family {
    name: "converge_server_tls_failures",
    kind: Kind::Counter,
    help: "How many connections have ended before TLS was spoken on them.",
};

/// A limit that a client reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The size of a body.
    Body,
    /// The memory budget of all bodies.
    Memory,
    /// The time until an answer begins.
    RequestTime,
    Watches,
    /// The time for the head of a request.
    HeadTime,
    /// The time for an answer to a ping.
    SilentTime,
    /// The time in which a client must accept data.
    StallTime,
}

impl Label for Limit {
    const ALL: &'static [Self] = &[
        Self::Body,
        Self::Memory,
        Self::RequestTime,
        Self::Watches,
        Self::HeadTime,
        Self::SilentTime,
        Self::StallTime,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Memory => "memory",
            Self::RequestTime => "request_time",
            Self::Watches => "watches",
            Self::HeadTime => "head_time",
            Self::SilentTime => "silent_time",
            Self::StallTime => "stall_time",
        }
    }
}

/// A reason why a caller was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// The request has no token.
    NoToken,
    UnknownToken,
    ExpiredToken,
    /// The token only allows joining.
    JoinToken,
    UnknownCertificate,
    ExpiredCertificate,
    /// The stored tokens or certificates could not be read.
    Unavailable,
}

impl Label for Denial {
    const ALL: &'static [Self] = &[
        Self::NoToken,
        Self::UnknownToken,
        Self::ExpiredToken,
        Self::JoinToken,
        Self::UnknownCertificate,
        Self::ExpiredCertificate,
        Self::Unavailable,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::NoToken => "no_token",
            Self::UnknownToken => "unknown_token",
            Self::ExpiredToken => "expired_token",
            Self::JoinToken => "join_token",
            Self::UnknownCertificate => "unknown_certificate",
            Self::ExpiredCertificate => "expired_certificate",
            Self::Unavailable => "unavailable",
        }
    }
}

/// A reason why a TLS handshake failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handshake {
    /// The client did not speak TLS.
    Plain,
    /// The handshake took too long.
    Slow,
    /// The client closed the connection.
    Closed,
    /// The client and the server could not agree.
    Failed,
}

impl Label for Handshake {
    const ALL: &'static [Self] = &[Self::Plain, Self::Slow, Self::Closed, Self::Failed];

    fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Slow => "slow",
            Self::Closed => "closed",
            Self::Failed => "failed",
        }
    }
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Code {
    /// An HTTP status.
    Http(u16),
    /// A gRPC status.
    Grpc(&'static str),
    /// The client left before the end.
    Cancelled,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(status) => write!(f, "{status}"),
            Self::Grpc(status) => f.write_str(status),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// The route and method of a request.
///
/// Neither contains text that a client can choose freely.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked {
    pub(crate) route: String,
    pub(crate) method: String,
}

/// The counts of one route and method.
#[derive(Debug, Default)]
struct Answered {
    codes: BTreeMap<Code, u64>,
    times: Histogram,
}

/// The metrics of a listener.
#[derive(Debug)]
pub(crate) struct ListenerCounts {
    door: &'static str,
    answered: Mutex<BTreeMap<Asked, Answered>>,
    in_flight: Gauge,
    connections: Gauge,
    accepted: Counter,
    watches: Gauge,
    refused: Counters<Limit>,
    denied: Counters<Denial>,
    handshakes: Counters<Handshake>,
}

/// A request in progress.
///
/// It counts as cancelled if this is dropped before it [ends](Self::ends).
#[derive(Debug)]
pub(crate) struct Answering {
    counts: Arc<ListenerCounts>,
    asked: Asked,
    since: Clock,
    /// The time until the answer began.
    took: Option<Duration>,
    code: Code,
    in_flight: Option<Counted>,
}

impl Answering {
    /// Replaces the method label.
    pub(crate) fn set_method(&mut self, method: &str) {
        method.clone_into(&mut self.asked.method);
    }

    /// Records that the answer begins.
    pub(crate) fn begin_answer(&mut self) {
        self.took = Some(self.since.elapsed());
        self.in_flight = None;
    }

    /// Records the end of the answer.
    pub(crate) fn finish(mut self, code: Code) {
        self.code = code;
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let duration = self.took.unwrap_or_else(|| self.since.elapsed());
        let mut answered = self.counts.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = answered.entry(self.asked.clone()).or_default();
        *counts.codes.entry(self.code).or_default() += 1;
        counts.times.add(duration);
    }
}

impl ListenerCounts {
    pub(super) fn new(door: &'static str) -> Self {
        Self {
            door,
            answered: Mutex::default(),
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            accepted: Counter::default(),
            watches: Gauge::default(),
            refused: Counters::default(),
            denied: Counters::default(),
            handshakes: Counters::default(),
        }
    }

    /// Counts a request that starts.
    pub(crate) fn answering(self: &Arc<Self>, call: Asked) -> Answering {
        let (counts, start) = (Arc::clone(self), Clock::start());
        let in_flight = Some(self.in_flight.hold());
        Answering { counts, asked: call, since: start, took: None, code: Code::Cancelled, in_flight }
    }

    /// Counts an open connection until the result is dropped.
    pub(crate) fn connected(&self) -> Counted {
        self.accepted.count();
        self.connections.hold()
    }

    /// Counts an active watch until the result is dropped.
    pub(crate) fn open_watch(&self) -> Counted {
        self.watches.hold()
    }

    pub(crate) fn refused(&self, limit: Limit) -> Counter {
        self.refused.counter(limit)
    }

    /// Returns the counter of a reason for refusal.
    pub(crate) fn denied(&self, denial: Denial) -> Counter {
        self.denied.counter(denial)
    }

    /// Returns the counter of a failed handshake.
    pub(crate) fn failed_handshake(&self, handshake: Handshake) -> Counter {
        self.handshakes.counter(handshake)
    }

    fn words<L: Label>(
        counters: &Counters<L>,
        label: &'static str,
        door: &str,
        text: &mut super::text::Samples<'_>,
    ) {
        for (word, count) in counters.each() {
            text.value(&[("door", door), (label, word)], count);
        }
    }
}

/// Reads one value from the metrics of a listener.
type Value = fn(&ListenerCounts) -> u64;

/// Writes the metrics of all listeners.
pub(super) fn write(doors: &[&ListenerCounts], text: &mut Text) {
    let mut samples = text.family(&REQUESTS);
    for door in doors {
        let answered = door.answered.lock().unwrap_or_else(PoisonError::into_inner);
        for (Asked { route, method }, counts) in &*answered {
            for (code, count) in &counts.codes {
                let code = code.to_string();
                let labels = [("door", door.door), ("method", method), ("route", route), ("code", &code)];
                samples.value(&labels, count);
            }
        }
    }
    let mut samples = text.family(&SECONDS);
    for door in doors {
        let answered = door.answered.lock().unwrap_or_else(PoisonError::into_inner);
        for (Asked { route, method }, counts) in &*answered {
            let labels = [("door", door.door), ("method", method), ("route", route)];
            samples.histogram(&labels, &counts.times);
        }
    }
    let values: [(&'static Family, Value); 4] = [
        (&IN_FLIGHT, |door| door.in_flight.value()),
        (&CONNECTIONS, |door| door.connections.value()),
        (&ACCEPTED, |door| door.accepted.value()),
        (&WATCHES, |door| door.watches.value()),
    ];
    for (family, value) in values {
        let mut samples = text.family(family);
        for door in doors {
            samples.value(&[("door", door.door)], value(door));
        }
    }
    let mut samples = text.family(&REFUSED);
    for door in doors {
        ListenerCounts::words(&door.refused, "limit", door.door, &mut samples);
    }
    let mut samples = text.family(&DENIED);
    for door in doors {
        ListenerCounts::words(&door.denied, "reason", door.door, &mut samples);
    }
    let mut samples = text.family(&HANDSHAKES);
    for door in doors {
        ListenerCounts::words(&door.handshakes, "reason", door.door, &mut samples);
    }
}

//! What a client may cost.

use std::time::Duration;

/// What clients may cost the server.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// How many connections there are at a time at each door. Who comes then waits to be let in.
    pub(crate) connections: usize,
    /// How many requests there are at a time on one connection, where it can have several.
    pub(crate) streams: u32,
    /// How many watches are told at a time, at all doors.
    pub(crate) watches: usize,
    /// How many bytes the head of a request has.
    pub(crate) head: usize,
    /// How many bytes the body of a request has.
    pub(crate) body: usize,
    /// How many bytes of all bodies are held at a time, but for the first of each.
    pub(crate) bodies: usize,
    /// How many bytes each body may have beside these.
    pub(crate) small_body: usize,
    /// How long a client may take to send the head of a request, also of the next one on its connection. Where that can have several
    /// requests: how long until it has said that it speaks HTTP/2.
    pub(crate) head_time: Duration,
    /// How long a request may take, from its head to the head of the answer; its body comes in that time.
    pub(crate) request_time: Duration,
    /// How long a client may take nothing of what it is sent.
    pub(crate) stall_time: Duration,
    /// How long nothing comes from a client with several requests until it is asked whether it is there.
    pub(crate) silent_time: Duration,
    /// How long answers may take once the server is told to stop.
    pub(crate) close_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Each agent watches on one of its own.
            connections: 10_000,
            streams: 100,
            watches: 10_000,
            head: 16 * 1024,
            body: 2 * 1024 * 1024,
            bodies: 64 * 1024 * 1024,
            small_body: 16 * 1024,
            head_time: Duration::from_secs(10),
            request_time: Duration::from_secs(30),
            stall_time: Duration::from_secs(30),
            silent_time: Duration::from_secs(30),
            close_time: Duration::from_secs(5),
        }
    }
}

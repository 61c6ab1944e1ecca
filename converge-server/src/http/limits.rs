//! What a client may cost.

use std::time::Duration;

/// What clients may cost the server.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// How many connections there are at a time. Who comes then waits to be let in.
    pub(crate) connections: usize,
    /// How many bytes the head of a request has.
    pub(crate) head: usize,
    /// How many bytes the body of a request has.
    pub(crate) body: usize,
    /// How long a client may take to send the head of a request, also of the next one on its connection.
    pub(crate) head_time: Duration,
    /// How long a request may take, from its head to the head of the answer; its body comes in that time.
    pub(crate) request_time: Duration,
    /// How long a client may take nothing of what it is sent.
    pub(crate) stall_time: Duration,
    /// How long answers may take once the server is told to stop.
    pub(crate) close_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            head: 16 * 1024,
            body: 2 * 1024 * 1024,
            head_time: Duration::from_secs(10),
            request_time: Duration::from_secs(30),
            stall_time: Duration::from_secs(30),
            close_time: Duration::from_secs(5),
        }
    }
}

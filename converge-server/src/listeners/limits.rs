//! Limits on clients: connections, requests, memory and time.

use std::time::Duration;

/// The limits on clients.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// The maximum number of connections per listener.
    ///
    /// Further clients wait to be accepted.
    pub(crate) connections: usize,
    /// The maximum number of concurrent requests on one HTTP/2 connection.
    pub(crate) streams: u32,
    /// The maximum number of watches on all listeners together.
    pub(crate) watches: usize,
    /// The maximum number of modules loaded for their graph at a time; each keeps a processor busy.
    pub(crate) graphs: usize,
    /// The maximum number of concurrent compilations of definitions; each keeps a processor busy.
    pub(crate) compilations: usize,
    /// The maximum size of a request head in bytes.
    pub(crate) head: usize,
    /// The maximum size of a request body in bytes.
    pub(crate) body: usize,
    /// The maximum size of all bodies in memory in bytes, without the first bytes of each.
    pub(crate) bodies: usize,
    /// The number of bytes of each body that do not count towards `bodies`.
    pub(crate) small_body: usize,
    /// The maximum time for a client to send the head of each request on a connection.
    ///
    /// On HTTP/2: the maximum time to send the connection preface.
    pub(crate) head_time: Duration,
    /// The maximum time from the head of a request to the head of its answer.
    ///
    /// The request body must arrive in this time.
    pub(crate) request_time: Duration,
    /// The maximum time in which a client accepts no data.
    pub(crate) stall_time: Duration,
    /// The silence on an HTTP/2 connection after which the server sends a ping.
    pub(crate) silent_time: Duration,
    /// The maximum time for pending answers after the server was told to stop.
    pub(crate) close_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Each agent has a connection of its own for its watch.
            connections: 10_000,
            streams: 100,
            watches: 10_000,
            graphs: 2,
            compilations: 1,
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

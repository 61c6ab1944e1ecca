//! Signals that ask the process to stop or to reload.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGXFSZ: a file would exceed the size limit of this process.
const FILE_TOO_LARGE: i32 = 25;

/// SIGHUP, which asks the process to reload its files.
///
/// Once created, SIGHUP no longer ends the process.
pub(super) struct Hangup(Signal);

impl Hangup {
    pub(super) fn new() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    pub(super) async fn next(&mut self) {
        self.0.recv().await;
    }
}

/// The signals that ask the process to stop.
///
/// Once created, these signals no longer end the process.
pub(super) struct Signals {
    int: Signal,
    term: Signal,
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        // With a handler, a file over the size limit is an error of the write and does not end the process.
        // The handler stays after the drop.
        drop(signal(SignalKind::from_raw(FILE_TOO_LARGE))?);
        Ok(Self { int: signal(SignalKind::interrupt())?, term: signal(SignalKind::terminate())? })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.int.recv() => {}
            _ = self.term.recv() => {}
        }
    }
}

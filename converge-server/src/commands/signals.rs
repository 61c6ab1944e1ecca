//! Signals that ask the process to stop.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGXFSZ: a file would become larger than this process may make one.
const FILE_TOO_LARGE: i32 = 25;

/// SIGHUP, which asks the process to read its files again. From the moment of its making it no longer ends the process.
pub(super) struct Hangup(Signal);

impl Hangup {
    pub(super) fn new() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    pub(super) async fn next(&mut self) {
        self.0.recv().await;
    }
}

/// The signals that ask the process to stop. From the moment of its making they no longer end the process by themselves.
pub(super) struct Signals {
    int: Signal,
    term: Signal,
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        // A file that may not become larger is an error, where it would end the process. The handler stays; nobody has to listen.
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

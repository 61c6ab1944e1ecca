//! Signals that ask the process to stop.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask the process to stop. From the moment of its making they no longer end the process by themselves.
pub(super) struct Signals {
    int: Signal,
    term: Signal,
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Self { int: signal(SignalKind::interrupt())?, term: signal(SignalKind::terminate())? })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.int.recv() => {}
            _ = self.term.recv() => {}
        }
    }
}

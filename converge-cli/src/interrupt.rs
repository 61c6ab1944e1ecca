//! Ctrl-C and SIGTERM.

use std::io;

use converge_core::engine::{Interrupt, InterruptKind};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask the process to stop. From the moment of its making they no longer end the
/// process by themselves.
#[derive(Debug)]
pub(crate) struct Signals {
    int: Signal,
    term: Signal,
}

impl Signals {
    /// Takes the signals over. Must be called in the runtime.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { int: signal(SignalKind::interrupt())?, term: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.int.recv() => {}
            _ = self.term.recv() => {}
        }
    }

    /// Raises `interrupt` for each signal. Returns at a signal after the one that cancelled the run: whoever
    /// sends it no longer wants to wait for resources that do not heed the cancellation.
    pub(crate) async fn watch(&mut self, interrupt: &Interrupt) {
        loop {
            self.next().await;
            if interrupt.raised() == Some(InterruptKind::Cancel) {
                return;
            }
            interrupt.raise();
        }
    }
}

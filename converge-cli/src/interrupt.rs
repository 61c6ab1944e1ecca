//! Ctrl-C and SIGTERM.

use std::io;

use converge_core::engine::{Interrupt, InterruptKind};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::console::Console;
use crate::exit::Exit;

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

    /// Raises `interrupt` for each signal; does not return.
    ///
    /// A signal after the one that cancelled the run ends the process where it stands: whoever sends it no
    /// longer wants to wait, be it for a resource that does not heed the cancellation or for a reader that
    /// has stopped to read. Nothing less would do, as the run itself may hang on that reader.
    pub(crate) async fn watch(mut self, interrupt: Interrupt, console: Console) {
        loop {
            tokio::select! {
                _ = self.int.recv() => {}
                _ = self.term.recv() => {}
            }
            if interrupt.raised() == Some(InterruptKind::Cancel) {
                console.error("stopped without waiting for what is being worked on");
                std::process::exit(Exit::Interrupted.code().into());
            }
            interrupt.raise();
        }
    }
}

//! Ctrl-C, SIGTERM, and the end of the terminal.

use std::io;

use converge_core::engine::CancellationToken;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::console::Console;
use crate::exit::Exit;

/// Stops the runs of this process: that of now, and those that have not begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    /// What runs is to finish.
    pub(crate) finish: CancellationToken,
    /// What runs is to be cancelled.
    pub(crate) cancel: CancellationToken,
}

impl Stop {
    pub(crate) fn is_asked(&self) -> bool {
        self.finish.is_cancelled()
    }
}

/// The signals that ask the process to stop. From the moment of its making they no longer end the
/// process by themselves.
#[derive(Debug)]
pub(crate) struct Signals {
    int: Signal,
    term: Signal,
    /// `None` when whoever started the process does not want it to end with the terminal, as `nohup` does.
    hangup: Option<Signal>,
}

/// SIGXFSZ: a file would become larger than this process may make one.
const FILE_TOO_LARGE: i32 = 25;

/// Makes a write that is larger than allowed fail like any other, where it would end the process. What is started gets the
/// usual action back, as with every signal that has a handler. Must be called in the runtime.
pub(crate) fn survive_large_files() -> io::Result<()> {
    // The handler stays; nobody has to listen.
    signal(SignalKind::from_raw(FILE_TOO_LARGE)).map(drop)
}

impl Signals {
    /// Takes the signals over. Must be called in the runtime.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            int: signal(SignalKind::interrupt())?,
            term: signal(SignalKind::terminate())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// The first signal lets what runs finish, the second cancels it; does not return.
    ///
    /// A signal after the one that cancelled the run ends the process where it stands: whoever sends it no
    /// longer wants to wait, be it for a resource that does not heed the cancellation or for a reader that
    /// has stopped to read. Nothing less would do, as the run itself may hang on that reader.
    pub(crate) async fn watch(mut self, stop: Stop, console: Console) {
        loop {
            tokio::select! {
                _ = self.int.recv() => {}
                _ = self.term.recv() => {}
                () = receive(&mut self.hangup) => {}
            }
            if stop.cancel.is_cancelled() {
                console.error("stopped without waiting for what is being worked on");
                std::process::exit(Exit::Interrupted.code().into());
            }
            if stop.is_asked() {
                stop.cancel.cancel();
            }
            stop.finish.cancel();
        }
    }
}

async fn receive(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP was ignored when the process was started.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first signal is the lowest bit.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

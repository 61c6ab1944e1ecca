//! Handling of Ctrl-C, SIGTERM and the hangup of the terminal.

#[cfg(feature = "http")]
use std::io;
#[cfg(feature = "http")]
use std::sync::{Arc, Mutex, PoisonError};

use converge_core::engine::CancellationToken;

use crate::console::Console;
#[cfg(feature = "http")]
use crate::error::CliError;
use crate::exit::Exit;
use crate::platform::Signals;

/// Stops the current run of this process and those that have not begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    /// Cancelled to let running resources finish.
    pub(crate) finish: CancellationToken,
    /// Cancelled to cancel running resources.
    pub(crate) cancel: CancellationToken,
}

impl Stop {
    pub(crate) fn is_asked(&self) -> bool {
        self.finish.is_cancelled()
    }
}

/// Handles the signals that ask the process to stop; never returns.
///
/// The first signal lets running resources finish, and the second cancels them.
///
/// A signal after the one that cancelled the run ends the process at once. Its sender no longer wants to wait
/// for a resource that ignores the cancellation, or for a reader that has stopped to read. The run itself may
/// hang on that reader, so nothing gentler works.
pub(crate) async fn watch(mut signals: Signals, stop: Stop, console: Console) {
    loop {
        signals.next().await;
        if stop.cancel.is_cancelled() {
            console.error("stopped without waiting for running work");
            std::process::exit(Exit::Interrupted.code().into());
        }
        if stop.is_asked() {
            stop.cancel.cancel();
        }
        stop.finish.cancel();
    }
}

/// The reaction to signals during the work of [`guarded`].
#[cfg(feature = "http")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupts(Arc<Mutex<Interruption>>);

#[cfg(feature = "http")]
#[derive(Debug, Default)]
struct Interruption {
    /// Whether signals are meant for another program, such as an editor.
    held: bool,
    /// The message printed if the work is abandoned.
    note: Option<String>,
}

#[cfg(feature = "http")]
impl Interrupts {
    /// Ignores signals, which are meant for another program.
    pub(crate) fn hold(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).held = true;
    }

    /// Lets signals end the work again, with this message.
    pub(crate) fn release(&self, note: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = Interruption { held: false, note: Some(note.to_owned()) };
    }
}

/// Does blocking work on a separate thread until it is done or a signal comes.
///
/// The signal waits for the current write to standard output, so that no write is cut off.
#[cfg(feature = "http")]
pub(crate) fn guarded(
    console: Console,
    work: impl FnOnce(Interrupts) -> Result<Exit, CliError> + Send + 'static,
) -> Result<Exit, CliError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Start)?;
    let interrupts = Interrupts::default();
    runtime.block_on(async {
        let mut signals = Signals::new().map_err(CliError::Start)?;
        let (sender, mut worked) = tokio::sync::oneshot::channel();
        let worker_interrupts = interrupts.clone();
        let thread = std::thread::Builder::new().name("resource".into());
        // The receiver is gone if a signal came first.
        thread.spawn(move || drop(sender.send(work(worker_interrupts)))).map_err(CliError::Start)?;
        loop {
            tokio::select! {
                biased;
                ended = &mut worked => return ended.unwrap_or(Err(CliError::PrinterGone)),
                () = signals.next() => {}
            }
            let state = interrupts.0.lock().unwrap_or_else(PoisonError::into_inner);
            if state.held {
                continue;
            }
            // A thread that is writing finishes its line first.
            drop(io::stdout().lock());
            if let Some(note) = &state.note {
                console.warning(note);
            }
            return Ok(Exit::Interrupted);
        }
    })
}

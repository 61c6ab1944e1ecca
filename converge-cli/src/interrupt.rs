//! Ctrl-C, SIGTERM, and the end of the terminal.

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

/// Waits for the signals that ask the process to stop; does not return.
///
/// The first signal lets what runs finish, the second cancels it.
///
/// A signal after the one that cancelled the run ends the process where it stands: whoever sends it no
/// longer wants to wait, be it for a resource that does not heed the cancellation or for a reader that
/// has stopped to read. Nothing less would do, as the run itself may hang on that reader.
pub(crate) async fn watch(mut signals: Signals, stop: Stop, console: Console) {
    loop {
        signals.next().await;
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

/// What a signal does to work that [`guarded`] does.
#[cfg(feature = "http")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupts(Arc<Mutex<Interruption>>);

#[cfg(feature = "http")]
#[derive(Debug, Default)]
struct Interruption {
    /// Whether signals are for somebody else, such as an editor.
    held: bool,
    /// What is said when the work is given up.
    note: Option<String>,
}

#[cfg(feature = "http")]
impl Interrupts {
    /// Signals are for somebody else.
    pub(crate) fn hold(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).held = true;
    }

    /// Signals end the work again, and this is said then.
    pub(crate) fn release(&self, note: &str) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = Interruption { held: false, note: Some(note.to_owned()) };
    }
}

/// Does work that waits for others, on a thread of its own, until it is done or a signal comes. What is written is written
/// as a whole.
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
        let (done, mut worked) = tokio::sync::oneshot::channel();
        let given = interrupts.clone();
        let thread = std::thread::Builder::new().name("resource".into());
        // That nobody waits any more is not its concern.
        thread.spawn(move || drop(done.send(work(given)))).map_err(CliError::Start)?;
        loop {
            tokio::select! {
                biased;
                ended = &mut worked => return ended.unwrap_or(Err(CliError::PrinterGone)),
                () = signals.next() => {}
            }
            let now = interrupts.0.lock().unwrap_or_else(PoisonError::into_inner);
            if now.held {
                continue;
            }
            // Whoever is writing finishes its line.
            drop(io::stdout().lock());
            if let Some(note) = &now.note {
                console.warning(note);
            }
            return Ok(Exit::Interrupted);
        }
    })
}

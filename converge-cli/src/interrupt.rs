//! Ctrl-C, SIGTERM, and the end of the terminal.

use std::io;
#[cfg(feature = "http")]
use std::sync::{Arc, Mutex, PoisonError};

use converge_core::engine::CancellationToken;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::console::Console;
#[cfg(feature = "http")]
use crate::error::CliError;
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

#[cfg(feature = "http")]
impl Signals {
    /// The next of them.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.int.recv() => {}
            _ = self.term.recv() => {}
            () = receive(&mut self.hangup) => {}
        }
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

//! Protection of secrets in the process: redaction, core dumps and panic messages.

use std::panic::PanicHookInfo;

use converge_core::Redactor;

use crate::console::print_error;

/// Returns the redactor of all output of this process.
pub(crate) fn redactor() -> Redactor {
    let redactor = Redactor::with_notice(keep_memory);
    hide_in_panics(redactor.clone());
    redactor
}

/// Keeps the memory of this process out of core files, and away from other processes of the user.
///
/// Child processes are not affected: a new program starts without this setting. A limit of the core file size
/// would be inherited by child processes, and has no effect if core dumps are piped to a program.
#[cfg(target_os = "linux")]
fn keep_memory() {
    if let Err(error) = nix::sys::prctl::set_dumpable(false) {
        tracing::warn!(%error, "a crash may write the secrets of this run to a core file");
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_memory() {}

/// Redacts panic messages, which the runtime otherwise writes to standard error unfiltered.
fn hide_in_panics(redactor: Redactor) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if redactor.is_empty() {
            usual(panic);
        } else {
            print_error(&redactor.redact(&panic_message(panic)));
        }
    }));
}

fn panic_message(panic: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    format!("thread '{}' {panic}\n", thread.name().unwrap_or("<unnamed>"))
}

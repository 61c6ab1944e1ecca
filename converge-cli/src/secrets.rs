//! What the process does with the secrets of its modules.

use std::panic::PanicHookInfo;

use converge_core::Redactor;

use crate::console::print_error;

/// What takes the secrets out of all that this process says.
pub(crate) fn redactor() -> Redactor {
    let redactor = Redactor::with_notice(keep_memory);
    hide_in_panics(redactor.clone());
    redactor
}

/// Keeps the memory of this process out of core files, and from other processes of the user. What it starts is not concerned:
/// a new program begins without this.
///
/// A limit of the size of core files would be handed on to what it starts, and is not heeded where they go to a program.
#[cfg(target_os = "linux")]
fn keep_memory() {
    if let Err(error) = nix::sys::prctl::set_dumpable(false) {
        tracing::warn!(%error, "a crash may write the secrets of this run to a core file");
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_memory() {}

/// A panic is told by the runtime, which writes to standard error whatever it holds.
fn hide_in_panics(redactor: Redactor) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if redactor.is_empty() {
            usual(panic);
        } else {
            print_error(&redactor.redact(&told(panic)));
        }
    }));
}

fn told(panic: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    format!("thread '{}' {panic}\n", thread.name().unwrap_or("<unnamed>"))
}

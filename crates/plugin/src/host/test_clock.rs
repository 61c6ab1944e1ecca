//! A guard that stops the paused clock of a test while a plugin works.

/// Keeps tokio's paused test clock from advancing while the guard lives.
///
/// A plugin process takes real time, which a paused clock does not know of.
#[cfg(feature = "testing")]
pub(super) fn stop_clock() -> Option<ClockGuard> {
    let runtime = tokio::runtime::Handle::try_current().ok()?;
    let (release, released) = std::sync::mpsc::channel::<()>();
    // A paused clock does not advance while a blocking task runs.
    let blocked = runtime.spawn_blocking(move || {
        // Returns when the guard is dropped.
        let _ = released.recv();
    });
    Some(ClockGuard { _release: release, _blocked: blocked })
}

#[cfg(feature = "testing")]
pub(super) struct ClockGuard {
    _release: std::sync::mpsc::Sender<()>,
    _blocked: tokio::task::JoinHandle<()>,
}

/// Does nothing: outside of tests the clock is real.
#[cfg(not(feature = "testing"))]
pub(super) fn stop_clock() -> Option<()> {
    None
}

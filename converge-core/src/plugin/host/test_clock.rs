//! Time that stands still in tests.

/// Keeps paused time from being moved while a plugin works: its process takes real time, of which the clock of a test knows nothing.
#[cfg(feature = "testing")]
pub(super) fn time() -> Option<Still> {
    let runtime = tokio::runtime::Handle::try_current().ok()?;
    let (release, released) = std::sync::mpsc::channel::<()>();
    // While something blocks, time is not moved.
    let blocked = runtime.spawn_blocking(move || {
        // It ends when this is dropped.
        let _ = released.recv();
    });
    Some(Still { _release: release, _blocked: blocked })
}

#[cfg(feature = "testing")]
pub(super) struct Still {
    _release: std::sync::mpsc::Sender<()>,
    _blocked: tokio::task::JoinHandle<()>,
}

/// Outside of tests time is real.
#[cfg(not(feature = "testing"))]
pub(super) fn time() -> Option<()> {
    None
}

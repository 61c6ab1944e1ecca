//! The runtime that a run is begun in.

use std::panic::catch_unwind;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::engine::error::{EngineError, RuntimePart};

/// The runtime around, when a run can work in it.
///
/// A part that is missing would otherwise be told by a panic in the first resource that needs it, after others were
/// changed.
pub(super) fn current() -> Result<Handle, EngineError> {
    let handle = Handle::try_current().map_err(|_| EngineError::NoRuntime)?;
    let has_timer = does_not_panic(|| drop(tokio::time::sleep(Duration::ZERO)));
    let has_io = || does_not_panic(make_socket);
    match (has_timer, has_timer && has_io()) {
        (true, true) => Ok(handle),
        (true, false) => Err(EngineError::RuntimeWithout(RuntimePart::Io)),
        (false, _) => Err(EngineError::RuntimeWithout(RuntimePart::Timer)),
    }
}

/// Whether there is a socket does not matter: it is tokio that panics.
#[cfg(unix)]
fn make_socket() {
    drop(tokio::net::UnixDatagram::unbound());
}

/// The same, with what there is on Windows.
#[cfg(windows)]
fn make_socket() {
    use std::net::{Ipv4Addr, UdpSocket};

    let bound = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| {
        socket.set_nonblocking(true)?;
        Ok(socket)
    });
    drop(bound.and_then(tokio::net::UdpSocket::from_std));
}

/// Tokio has no other way to tell which of its drivers a runtime has.
fn does_not_panic(call: fn()) -> bool {
    catch_unwind(call).is_ok()
}

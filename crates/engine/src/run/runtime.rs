//! The tokio runtime that a run is started in.

use std::panic::catch_unwind;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::events::error::{EngineError, RuntimePart};

/// Returns the current runtime if it has all the parts that a run needs.
///
/// A missing part would otherwise cause a panic in the first resource that needs it, after others were
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

/// Creates a socket only to see whether tokio panics; the socket may fail.
#[cfg(unix)]
fn make_socket() {
    drop(tokio::net::UnixDatagram::unbound());
}

/// Creates a named pipe on Windows, for the same purpose.
#[cfg(windows)]
fn make_socket() {
    use std::net::{Ipv4Addr, UdpSocket};

    let bound = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| {
        socket.set_nonblocking(true)?;
        Ok(socket)
    });
    drop(bound.and_then(tokio::net::UdpSocket::from_std));
}

/// Whether a call returns without a panic.
///
/// Tokio has no other way to tell which drivers a runtime has.
fn does_not_panic(call: fn()) -> bool {
    catch_unwind(call).is_ok()
}

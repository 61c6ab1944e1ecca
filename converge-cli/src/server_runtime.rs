//! The runtime of requests to a server.

use std::io;

use tokio::runtime::Builder;

/// Runs a future that waits for a server, on a single-threaded runtime of its own.
///
/// # Errors
///
/// Fails if the runtime cannot be created.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> io::Result<T> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let output = runtime.block_on(future);
    // A name lookup of a server cannot be cancelled, and nobody waits for it.
    runtime.shutdown_background();
    Ok(output)
}

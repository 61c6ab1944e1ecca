//! Blocking reads on a separate thread, so that the caller can stop waiting.

use std::panic::resume_unwind;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::{Span, dispatcher};

use super::error::SourceError;
use crate::types::cancellation::Stop;

/// Runs `read` on a thread, and stops waiting when the load is cancelled.
///
/// An abandoned read continues until it notices. The thread uses the caller's runtime and tracing subscriber,
/// so that a source works as on the caller's thread.
pub(super) fn read_until<T: Send + 'static>(
    stop: &Stop,
    name: &str,
    read: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    let stopped = |reason| SourceError::Stopped { name: name.to_owned(), reason };
    if let Some(reason) = stop.reason() {
        return Err(stopped(reason));
    }
    let (sender, receiver) = oneshot::channel();
    let (runtime, span) = (Handle::try_current().ok(), Span::current());
    let subscriber = dispatcher::get_default(Clone::clone);
    let read = move || {
        let _runtime = runtime.as_ref().map(Handle::enter);
        // The receiver is gone if the load was cancelled.
        let _ = sender.send(dispatcher::with_default(&subscriber, || span.in_scope(read)));
    };
    let reader = thread::Builder::new().name("converge-read".to_owned()).spawn(read);
    let reader = reader.map_err(|error| SourceError::unreadable(name, &error))?;
    match stop.wait(receiver) {
        // The reader may notice the cancellation first, and its error is less specific.
        Ok(Ok(Err(error))) => Err(stop.reason().map_or(error, stopped)),
        Ok(Ok(read)) => read,
        // The reader panicked, as it would have done on this thread.
        Ok(Err(_)) => match reader.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => {
                Err(SourceError::Unreadable { name: name.to_owned(), reason: "nothing came".to_owned() })
            }
        },
        Err(reason) => Err(stopped(reason)),
    }
}

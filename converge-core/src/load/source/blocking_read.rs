//! Reading on a thread of its own, so that who waits for it can give up.

use std::panic::resume_unwind;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::{Span, dispatcher};

use super::error::SourceError;
use crate::types::cancellation::Stop;

/// Reads, and waits no longer than there is a reason to. What is given up goes on by itself until it notices.
///
/// The thread has the runtime and the subscriber of this one, so that a source may use them as it would here.
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
        // Nobody waits any more when it was given up.
        let _ = sender.send(dispatcher::with_default(&subscriber, || span.in_scope(read)));
    };
    let reader = thread::Builder::new().name("converge-read".to_owned()).spawn(read);
    let reader = reader.map_err(|error| SourceError::unreadable(name, &error))?;
    match stop.wait(receiver) {
        // The reader may notice first that nobody waits any more, and its error says less.
        Ok(Ok(Err(error))) => Err(stop.reason().map_or(error, stopped)),
        Ok(Ok(read)) => read,
        // It panicked: it would have done so on this thread, too.
        Ok(Err(_)) => match reader.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => {
                Err(SourceError::Unreadable { name: name.to_owned(), reason: "nothing came".to_owned() })
            }
        },
        Err(reason) => Err(stopped(reason)),
    }
}

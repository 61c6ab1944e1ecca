//! The receiver of events.

use super::event::Event;

/// A receiver of events as they happen.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no events",
    label = "not a sink of events",
    note = "a sink is a closure, such as `&mut |event| ..`, or what implements `EventSink`; the run may go on in another thread, so it \
            holds nothing that is not `Send`, such as an `Rc`"
)]
pub trait EventSink: Send {
    /// Receives one event, in the order in which events happened.
    fn emit(&mut self, event: Event);

    /// Called when no more events follow for now, because the run waits for its resources.
    ///
    /// A sink that collects events must pass them on now.
    fn flush(&mut self) {}
}

impl<F: FnMut(Event) + Send> EventSink for F {
    fn emit(&mut self, event: Event) {
        self(event);
    }
}

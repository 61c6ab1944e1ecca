//! What takes events.

use super::event::Event;

/// Takes events as they happen.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no events",
    label = "not a sink of events",
    note = "a sink is a closure, such as `&mut |event| ..`, or what implements `EventSink`; the run may go on in another thread, so it \
            holds nothing that is not `Send`, such as an `Rc`"
)]
pub trait EventSink: Send {
    /// Takes one event. Called in the order in which things happened.
    fn emit(&mut self, event: Event);

    /// Nothing more is to come for now: the run waits for its resources. A sink that collects events
    /// must not keep them any longer.
    fn flush(&mut self) {}
}

impl<F: FnMut(Event) + Send> EventSink for F {
    fn emit(&mut self, event: Event) {
        self(event);
    }
}

//! Plans and applies a graph.

mod event;

pub use event::{
    Difference, Event, EventSink, Failure, InterruptKind, Outcome, ResourceReport, Skipped, Stage, Summary,
};

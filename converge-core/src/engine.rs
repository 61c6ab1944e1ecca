//! The engine, which plans and applies a graph.
//!
//! One coordinator owns the state of a run: the ready nodes, the nodes that may change the machine, and the
//! results of finished ones. Workers take ready nodes from a queue and send back results. If the scheduler
//! has to allow a change first, the worker sends back the node itself.

#[doc(inline)]
pub use converge_engine::{
    CancellationToken, Difference, Engine, EngineError, Event, EventKind, EventSink, Failure, HeldBy,
    Interrupt, InterruptKind, LockKind, LockWait, OnDrift, Outcome, OutputReport, OutputValue,
    ResourceReport, Run, RunHandle, RuntimePart, Skipped, Stage, Summary, Waited, managed_paths,
};

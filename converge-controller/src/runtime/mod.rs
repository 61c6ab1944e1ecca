//! The runtime of controllers.
//!
//! A [`Controller`] defines what it manages, what it watches, and how it reconciles. A [`Manager`] runs
//! controllers: each in a [`Supervisor`], under a lease if only one server may run it. A run watches the
//! types of its controller into a [`Cache`]. It [maps](map) changes to the affected managed resources, and
//! requests these in a [`Queue`], from which workers reconcile them. Each of these parts can be used alone.
//!
//! Time is that of [`tokio::time`], which a test can pause. Random numbers are [passed
//! in](crate::clock::Random).

mod action;
mod backoff;
mod cache;
mod context;
mod controller;
#[cfg(test)]
mod demo;
mod engine;
mod events;
mod manager;
pub mod map;
mod panic;
mod queue;
mod request;
mod restart_delay;
mod supervisor;

pub use action::Action;
pub use backoff::Backoff;
pub use cache::{
    BoundReferences, Cache, CacheDefinition, CacheDefinitionError, CacheError, CacheWriter, IdPrefix, Index,
    Key, NotIndexed, PrefixOf, Query, Replaced, TextPrefix, ToKey, Upserted, by_bound_references, by_id,
    by_owner,
};
pub use context::Runtime;
pub use controller::{
    Controller, FinalizerError, FinalizerEvent, ensure_finalizer, ensure_finalizer_removed, finalize, report,
    update_status,
};
pub use engine::{
    CacheStatus, Definition, FeedStatus, LastError, Placement, Predicate, Reconciles, RunStatus,
};
pub use events::ResourceEvent;
pub use manager::{
    ControllerStatus, Dependencies, DependencyError, Manager, ManagerHandle, RegisterError, openmetrics,
};
pub use panic::Panicked;
pub use queue::{Failing, Queue, QueueStatus, Reason, Turn, Verdict};
pub use request::{Request, WrongType};
pub use supervisor::{Ending, Phase, RunError, Supervisor, SupervisorHandle, SupervisorStatus};

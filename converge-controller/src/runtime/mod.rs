//! What runs controllers: queues of what is to be looked at, what is known without asking the store, and supervisors that
//! keep a run going.
//!
//! Time is that of [`tokio::time`], which a test can pause; chance is [handed in](crate::clock::Random).

mod backoff;
mod cache;
mod context;
#[cfg(test)]
mod demo;
pub mod map;
mod panic;
mod queue;
mod request;
mod supervisor;

pub use backoff::Backoff;
pub use cache::{
    BoundReferences, Cache, CacheDefinition, CacheDefinitionError, CacheError, CacheWriter, IdPrefix, Index,
    Key, NotIndexed, PrefixOf, Query, Replaced, TextPrefix, ToKey, Upserted, by_bound_references, by_id,
    by_owner,
};
pub use context::Runtime;
pub use panic::Panicked;
pub use queue::{Failing, Queue, QueueStatus, Reason, Turn, Verdict};
pub use request::{Request, WrongType};
pub use supervisor::{Ending, Phase, RunError, Supervisor, SupervisorHandle, SupervisorStatus};

//! The execution of controllers, without the types of their authors.

pub(super) mod definition;
pub(super) mod feed;
mod follow;
pub(super) mod predicate;
pub(super) mod record;
mod run;
mod worker;

pub use definition::{Definition, Placement};
pub use predicate::Predicate;
pub use record::{CacheStatus, FeedStatus, LastError, Reconciles, RunStatus};

pub(super) use run::run;

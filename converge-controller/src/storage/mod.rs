//! Where resources are kept.
//!
//! A [`Backend`] keeps resources by name and knows nothing of their types. It has one way to change anything, the
//! [`Transaction`]: changes that each say which version they replace, all or none of which happen. Everything richer,
//! such as uids, statuses, retries and finalizers, is the work of the service above.
//!
//! [`Memory`] keeps them in this process, for tests and for trying things out. `Redb` (feature `redb`, on by default) keeps
//! them in a file. `Etcd` (feature `etcd`) keeps them in a cluster that many machines share.

mod backend;
mod check;
mod error;
#[cfg(feature = "etcd")]
mod etcd;
mod key;
mod lease;
mod memory;
mod query;
#[cfg(any(feature = "etcd", feature = "redb"))]
pub(crate) mod record;
#[cfg(feature = "redb")]
mod redb;
mod transaction;
mod watch;
mod watch_hub;

pub use backend::{Backend, Consistency};
pub use error::{CommitError, ReadError, Unavailable};
#[cfg(feature = "etcd")]
pub use etcd::{Etcd, EtcdOptions, EtcdTls};
pub use key::Key;
pub use lease::{Fence, InvalidLeaseName, Lease, LeaseName, LocalLeases, Vacancy};
pub use memory::Memory;
pub use query::Query;
#[cfg(feature = "redb")]
pub use redb::{OpenError, Redb};
pub use transaction::{Change, InvalidTransaction, Requirement, RequirementState, Transaction};
pub use watch::{Watch, WatchClosed, WatchEvent};

//! Stores of resources.
//!
//! A [`Backend`] stores resources by name and knows nothing of their types. All changes are made by a
//! [`Transaction`]: a list of changes that each name the version they replace, made all or not at all. The
//! service above provides everything else, such as uids, statuses, retries and finalizers.
//!
//! [`Memory`] stores resources in this process, for tests and experiments. `Redb` (feature `redb`, on by
//! default) stores them in a file. `Etcd` (feature `etcd`) stores them in a cluster that many machines share.

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

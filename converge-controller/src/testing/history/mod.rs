//! Histories of concurrent operations on a store, and their check against its promises.
//!
//! Each put stores a unique number, so the origin of every read or reported state is known. One watch sees
//! everything, and gives the order in which the changes happened according to the store. The rest is then
//! determined:
//!
//! - every acknowledged change is in that order once, and no refused one is;
//! - each change finds the state that it replaces, and its requirements hold;
//! - the changes of a transaction are adjacent, and precede every transaction that began after its end;
//! - a strong read finds a state that existed between its begin and its end, and none older than an earlier
//!   read found;
//! - an eventual read finds nothing older than earlier reads or events of the same connection;
//! - a list and a snapshot show the state between two transactions;
//! - a watch reports, after its snapshot, every change in that order without a gap.
//!
//! ```
//! # #[tokio::main]
//! # async fn main() -> Result<(), converge_controller::testing::history::Violation> {
//! use converge_controller::storage::Memory;
//! use converge_controller::testing::StoreUnderTest;
//! use converge_controller::testing::history::{Workload, record};
//!
//! let workload = Workload { operations: 50, ..Workload::from_seed(7) };
//! let history = record(&StoreUnderTest::new(Memory::new()), &workload).await;
//! history.check()
//! # }
//! ```

mod check;
mod event;
mod log;
mod order;
mod recorder;
mod tasks;
#[cfg(test)]
mod tests;
mod watch_check;

pub use event::{Promise, Violation};
pub use recorder::History;
pub use tasks::{Workload, record};

//! Histories: what many tasks did to a store at a time, what it answered, and whether a store that keeps its promises
//! can have answered so.
//!
//! Each put says a number that no other put says. So it is known of everything that is read or told which put it came
//! from. One watch that sees everything gives the order in which the store says the changes happened; from there on
//! nothing has to be guessed:
//!
//! - every acknowledged change is in that order once, and none that was refused;
//! - each change finds the state that it says it replaces, and what it relies on;
//! - a transaction stands together, and before every transaction that began after its end;
//! - a strong read finds a state that was there between its begin and its end, and none older than another
//!   that ended before it;
//! - an eventual read finds nothing older than what was read or told by the same way before;
//! - a list and a snapshot are what was there between two transactions;
//! - a watch tells, from its snapshot on, every change of that order, without a gap.
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

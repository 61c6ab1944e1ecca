//! What runs controllers: queues of what is to be looked at, and supervisors that keep a run going.
//!
//! Time is that of [`tokio::time`], which a test can pause; chance is [handed in](crate::clock::Random).

mod backoff;
mod panic;
mod queue;
mod supervisor;

pub use backoff::Backoff;
pub use panic::Panicked;
pub use queue::{Failing, Queue, QueueStatus, Reason, Turn, Verdict};
pub use supervisor::{Ending, Phase, RunError, Supervisor, SupervisorHandle, SupervisorStatus};

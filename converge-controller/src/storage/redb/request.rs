//! Requests to the writer.

use tokio::sync::oneshot;

use super::answer::Answer;
use super::prepared_transaction::Prepared;
use crate::storage::error::Unavailable;

/// A request to the writer.
pub(super) enum Request {
    Commit(Prepared, Answer),
    Compact(oneshot::Sender<Result<bool, Unavailable>>),
    /// Opens the file again if it is closed.
    Reopen(oneshot::Sender<Result<(), Unavailable>>),
}

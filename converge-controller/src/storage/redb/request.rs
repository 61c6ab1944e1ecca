//! What the writer is asked for.

use tokio::sync::oneshot;

use super::answer::Answer;
use super::prepared_transaction::Prepared;
use crate::storage::error::Unavailable;

/// What the writer is asked for.
pub(super) enum Request {
    Commit(Prepared, Answer),
    Compact(oneshot::Sender<Result<bool, Unavailable>>),
    /// Sees to it that the file is open.
    Reopen(oneshot::Sender<Result<(), Unavailable>>),
}

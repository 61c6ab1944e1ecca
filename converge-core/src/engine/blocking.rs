//! What takes long without ever waiting, away from the tasks of others.

use std::panic::resume_unwind;

use crate::engine::error::EngineError;
use crate::graph::Graph;

/// A graph with as many nodes takes longer to be looked through than another thread takes to be asked.
const MANY: usize = 1_000;
/// So does as much text of modules.
const LONG: usize = 64 << 10;

/// Whether work on all of a graph may keep others waiting.
pub(super) fn is_large(graph: &Graph) -> bool {
    graph.len() >= MANY || graph.sources().files().map(|file| file.text().len()).sum::<usize>() >= LONG
}

/// Does some work, on a thread of the blocking pool when there is much of it.
///
/// # Errors
///
/// The runtime ends before the work is begun.
pub(super) async fn aside<T: Send + 'static>(
    is_much: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EngineError> {
    if !is_much {
        return Ok(work());
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(EngineError::RuntimeGone),
        },
    }
}

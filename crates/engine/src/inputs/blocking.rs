//! Offloading of CPU-bound work to a blocking thread, so that it does not stall async workers.

use std::panic::resume_unwind;

use crate::events::error::EngineError;
use crate::graph::Graph;

/// The number of nodes from which a pass over the graph costs more than a switch of threads.
const LARGE_NODE_COUNT: usize = 1_000;
/// The number of bytes of module text from which a pass costs more than a switch of threads.
const LARGE_SOURCE_BYTES: usize = 64 << 10;

/// Whether work on the whole graph could stall other tasks.
pub(crate) fn is_large(graph: &Graph) -> bool {
    graph.len() >= LARGE_NODE_COUNT
        || graph.sources().files().map(|file| file.text().len()).sum::<usize>() >= LARGE_SOURCE_BYTES
}

/// Runs CPU-bound work, on the blocking pool if `is_much` is set.
///
/// # Errors
///
/// Fails if the runtime shuts down before the work has begun.
pub(crate) async fn offload<T: Send + 'static>(
    is_much: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EngineError> {
    if !is_much {
        return Ok(work());
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => Ok(value),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(EngineError::RuntimeGone),
        },
    }
}

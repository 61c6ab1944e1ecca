//! A recorder of progress updates, for tests.

use std::sync::{Arc, Mutex, PoisonError};

use crate::context::Context;
use crate::progress::{ProgressSink, ProgressTarget, ProgressUpdate, UpdateKind};

/// A recorder of the updates sent with [`Context::progress`]; clones share the same record.
///
/// See [`Progress`](crate::Progress) for an example.
#[derive(Clone, Debug, Default)]
pub struct ProgressRecorder(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept(Mutex<Vec<ProgressUpdate>>);

impl ProgressSink for ProgressRecorder {
    fn tell(&self, _: UpdateKind, update: &mut dyn FnMut() -> ProgressUpdate) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).push(update());
    }
}

impl ProgressRecorder {
    /// Creates an empty recorder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the context with all its progress recorded here.
    pub fn record(&self, cx: Context) -> Context {
        cx.with_progress(Arc::new(ProgressTarget::new(self.clone())))
    }

    /// Returns the updates since the last call, in order.
    pub fn take(&self) -> Vec<ProgressUpdate> {
        std::mem::take(&mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

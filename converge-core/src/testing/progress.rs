//! What a resource tells of its progress, for tests.

use std::sync::{Arc, Mutex, PoisonError};

use crate::sdk::context::Context;
use crate::sdk::progress::{ProgressSink, ProgressTarget, ProgressUpdate, UpdateKind};

/// Keeps what is told with [`Context::progress`]: see [`Progress`](crate::Progress) for an example. Clones are handles to the same.
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
    /// One that was told nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same context, of which all progress is kept here.
    pub fn record(&self, cx: Context) -> Context {
        cx.with_progress(Arc::new(ProgressTarget::new(self.clone())))
    }

    /// What was told since this was asked last, in its order.
    pub fn take(&self) -> Vec<ProgressUpdate> {
        std::mem::take(&mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

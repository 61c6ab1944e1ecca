//! Progress of a job before its result.

use std::sync::Arc;

use super::event_queue::Room;
use super::failed_attempt::FailedAttempt;
use super::report::Stage;
use crate::graph::NodeIndex;
use crate::sdk::progress::{ProgressSink, ProgressUpdate, UpdateKind};

/// A progress message of a job.
pub(crate) enum JobProgress {
    /// An attempt failed and the node waits for the next one; its locks are released.
    Retrying(Box<FailedAttempt>),
    /// The job entered a stage.
    Stage(Stage),
    /// The resource reported progress, for which room is reserved.
    Progress(ProgressUpdate),
}

/// A receiver of progress messages from running jobs.
pub(crate) trait ProgressReceiver: Send + Sync {
    fn tell(&self, index: NodeIndex, progress: JobProgress);
}

/// The progress target of one resource.
pub(crate) struct NodeProgress {
    index: NodeIndex,
    to: Arc<dyn ProgressReceiver>,
    /// The room for events, or `None` if the run has no subscriber but its logs are enabled.
    room: Option<Arc<Room>>,
}

impl NodeProgress {
    /// Creates the target, or returns `None` if neither a subscriber nor a log would receive the progress.
    pub(crate) fn new(
        index: NodeIndex,
        to: &Arc<dyn ProgressReceiver>,
        room: Option<&Arc<Room>>,
    ) -> Option<Self> {
        let is_known = room.is_some() || tracing::enabled!(tracing::Level::DEBUG);
        is_known.then(|| Self { index, to: Arc::clone(to), room: room.cloned() })
    }
}

impl std::fmt::Debug for NodeProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeProgress").field("index", &self.index).finish_non_exhaustive()
    }
}

impl ProgressSink for NodeProgress {
    fn tell(&self, kind: UpdateKind, update: &mut dyn FnMut() -> ProgressUpdate) {
        let has_room = self.room.as_ref().is_none_or(|room| match kind {
            UpdateKind::Line => room.take_for_line(),
            UpdateKind::Other => room.take(),
        });
        if !has_room {
            return;
        }
        let update = update();
        match &update {
            ProgressUpdate::Bytes { done, total } => tracing::debug!(done, total, "bytes"),
            ProgressUpdate::Step { text } => tracing::debug!(text, "step"),
            ProgressUpdate::Output { stream, line, .. } => tracing::debug!(?stream, line, "printed"),
        }
        if self.room.is_some() {
            self.to.tell(self.index, JobProgress::Progress(update));
        }
    }
}

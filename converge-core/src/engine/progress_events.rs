//! What is told of the work on a node before it is done.

use std::sync::Arc;

use super::event_queue::Room;
use super::failed_attempt::FailedAttempt;
use super::report::Stage;
use crate::graph::NodeIndex;
use crate::sdk::progress::{ProgressSink, ProgressUpdate, UpdateKind};

/// Something of the work on a node.
pub(super) enum Told {
    /// An attempt failed, and the node waits before the next one; what it held is free.
    Retrying(Box<FailedAttempt>),
    /// It comes to this stage.
    Stage(Stage),
    /// The resource tells of its progress, for which there is room.
    Progress(ProgressUpdate),
}

/// To whom the work on nodes tells what happens before it is done.
pub(super) trait Tells: Send + Sync {
    fn tell(&self, index: NodeIndex, told: Told);
}

/// What a resource tells its progress to.
pub(super) struct NodeProgress {
    index: NodeIndex,
    to: Arc<dyn Tells>,
    /// `None` when nobody hears the events of the run, but somebody reads its logs.
    room: Option<Arc<Room>>,
}

impl NodeProgress {
    /// `None` when nobody would know.
    pub(super) fn new(index: NodeIndex, to: &Arc<dyn Tells>, room: Option<&Arc<Room>>) -> Option<Self> {
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
            self.to.tell(self.index, Told::Progress(update));
        }
    }
}

//! Messages from workers to the coordinator.

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;

use super::attempt_progress::ResumePoint;
use super::job::{Job, JobStatus};
use crate::events::progress::{JobProgress, ProgressReceiver};
use crate::events::report::Stage;
use crate::graph::NodeIndex;

pub(crate) enum Message {
    Worked {
        worker: Id,
        /// The nodes that the worker has finished since its last message, in order.
        done: Vec<(NodeIndex, JobStatus)>,
        /// The node that the worker has begun, and its stage.
        current: Option<(NodeIndex, Stage)>,
    },
    /// The members of a batch were applied, and each continues.
    Applied { worker: Id, members: Vec<(Job, ResumePoint)> },
    /// Jobs that a worker was to continue and did not come to.
    GivenBack(Vec<(Job, ResumePoint)>),
    /// The progress of a node that is being worked on.
    Told(NodeIndex, JobProgress),
}

impl Message {
    pub(super) fn send(self, to: &UnboundedSender<Self>) {
        // If the coordinator no longer receives, the run was dropped, and so was the worker.
        let _ = to.send(self);
    }
}

/// Sends progress of nodes that the coordinator already knows to be running.
impl ProgressReceiver for UnboundedSender<Message> {
    fn tell(&self, index: NodeIndex, progress: JobProgress) {
        Message::Told(index, progress).send(self);
    }
}

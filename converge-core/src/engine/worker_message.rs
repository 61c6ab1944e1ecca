//! What workers tell the coordinator.

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;

use super::attempt_progress::ResumePoint;
use super::job::{Job, JobStatus};
use super::progress_events::{Tells, Told};
use super::report::Stage;
use crate::graph::NodeIndex;

pub(super) enum Message {
    Worked {
        worker: Id,
        /// What the worker did since its last message, in that order.
        done: Vec<(NodeIndex, JobStatus)>,
        /// The node that it has begun, and how far it is.
        current: Option<(NodeIndex, Stage)>,
    },
    /// The members of a batch were applied, and the work on each goes on.
    Applied { worker: Id, members: Vec<(Job, ResumePoint)> },
    /// Something of a node that is being worked on.
    Told(NodeIndex, Told),
}

impl Message {
    pub(super) fn send(self, to: &UnboundedSender<Self>) {
        // When the coordinator does not listen any more the run was dropped, and the worker with it.
        let _ = to.send(self);
    }
}

/// What is told of nodes of which the coordinator knows that they are being worked on.
impl Tells for UnboundedSender<Message> {
    fn tell(&self, index: NodeIndex, told: Told) {
        Message::Told(index, told).send(self);
    }
}

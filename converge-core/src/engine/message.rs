//! What workers tell the coordinator.

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;

use super::attempted::FailedAttempt;
use super::job::{Job, JobStatus};
use super::progress::ResumePoint;
use crate::graph::NodeIndex;

pub(super) enum Message {
    Worked {
        worker: Id,
        /// What the worker did since its last message, in that order.
        done: Vec<(NodeIndex, JobStatus)>,
        /// The node that it has begun.
        current: Option<NodeIndex>,
    },
    /// The members of a batch were applied, and the work on each goes on.
    Applied { worker: Id, members: Vec<(Job, ResumePoint)> },
    /// A node failed and waits before it is tried again; what it held is free.
    Retrying(NodeIndex, Box<FailedAttempt>),
}

impl Message {
    pub(super) fn send(self, to: &UnboundedSender<Self>) {
        // When the coordinator does not listen any more the run was dropped, and the worker with it.
        let _ = to.send(self);
    }
}

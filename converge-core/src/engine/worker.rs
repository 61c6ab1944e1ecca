//! What takes nodes from the queue and works on them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;
use tokio::time::Instant;

use super::job::{self, Done};
use super::shared::Shared;
use crate::graph::NodeIndex;

/// How long a worker may work on nodes that never wait before it lets others have the thread: the
/// coordinator, which may have an interrupt to pass on, may be among them.
const SLICE: Duration = Duration::from_millis(1);

/// What a worker tells the coordinator.
pub(super) enum Message {
    Started(Id, NodeIndex),
    Finished(Id, NodeIndex, Box<Done>),
}

/// Works until the queue is empty. Workers are not kept waiting for more: the coordinator starts
/// another one when there is something to do, which costs as much as waking one.
pub(super) async fn work(shared: Arc<Shared>, send: UnboundedSender<Message>) {
    let me = tokio::task::id();
    let mut rested = Instant::now();
    let mut now = rested;
    while let Some(index) = shared.queue.take() {
        // When nobody listens any more the run was dropped, and this task with it.
        if send.send(Message::Started(me, index)).is_err() {
            return;
        }
        let mut done = job::run(&shared, index).await;
        let end = Instant::now();
        done.report.elapsed = end - now;
        now = end;
        if send.send(Message::Finished(me, index, Box::new(done))).is_err() {
            return;
        }
        if now - rested > SLICE {
            tokio::task::yield_now().await;
            now = Instant::now();
            rested = now;
        }
    }
}

//! The watch of the assignments of this machine.

use std::collections::{BTreeMap, BTreeSet};

use converge_controller::{Id, Name, Typed};
use converge_core::engine::CancellationToken;
use tokio::sync::mpsc;

use super::retry_delay::Pause;
use super::server_client::{Remote, RemoteError, WatchEvent};
use crate::fleet::types::{Assignment, Revision};

/// The capacity of the channel of events.
///
/// When it is full, the server has to wait.
const WAITING: usize = 64;

/// A change to the assignments.
#[derive(Debug)]
pub(super) enum AssignmentEvent {
    /// The assignment exists, either new or from before.
    Present(Box<Typed<Assignment>>, Box<Typed<Revision>>),
    /// The assignment has been removed.
    Removed(Id),
    /// The complete set of assignments.
    ///
    /// All others were removed while the agent was not connected.
    All(BTreeSet<Id>),
}

pub(super) fn channel() -> (mpsc::Sender<AssignmentEvent>, mpsc::Receiver<AssignmentEvent>) {
    mpsc::channel(WAITING)
}

/// Watches the assignments until the agent stops, and reconnects whenever the server goes away.
pub(super) async fn listen(
    remote: Remote,
    node: Name,
    sender: mpsc::Sender<AssignmentEvent>,
    stop: CancellationToken,
) {
    let mut pause = Pause::new();
    loop {
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            ended = listen_once(&remote, &node, &sender, &mut pause) => ended,
        };
        match ended {
            // The receiver is gone.
            Ok(()) => return,
            Err(error) => tracing::info!(%error, "the watch of assignments failed; retrying"),
        }
        if !pause.wait(&stop).await {
            return;
        }
    }
}

/// Watches until the connection ends.
///
/// Returns `Ok` if the receiver is gone.
async fn listen_once(
    remote: &Remote,
    node: &Name,
    heard: &mpsc::Sender<AssignmentEvent>,
    pause: &mut Pause,
) -> Result<(), RemoteError> {
    let mut watch = remote.watch_assignments(node).await?;
    let mut first = Some(BTreeSet::new());
    // Until the snapshot is complete, several assignments may share a revision.
    let mut revisions: BTreeMap<Id, Typed<Revision>> = BTreeMap::new();
    loop {
        let news = match watch.next::<Assignment>().await? {
            WatchEvent::Present(assignment) => {
                let Some(target) = assignment.revision.as_ref().map(converge_controller::Ref::id) else {
                    continue;
                };
                let revision = match revisions.get(&target) {
                    Some(revision) => revision.clone(),
                    // A missing revision means that the watch is late; another event follows.
                    None => match remote.find::<Revision>(&target).await? {
                        Some(revision) => revision,
                        None => continue,
                    },
                };
                if let Some(ids) = &mut first {
                    ids.insert(assignment.id().clone().without_uid());
                    revisions.insert(target, revision.clone());
                }
                AssignmentEvent::Present(assignment, Box::new(revision))
            }
            WatchEvent::Deleted(id) => AssignmentEvent::Removed(id.without_uid()),
            WatchEvent::Snapshot => {
                *pause = Pause::new();
                revisions.clear();
                match first.take() {
                    Some(ids) => AssignmentEvent::All(ids),
                    None => continue,
                }
            }
        };
        if heard.send(news).await.is_err() {
            return Ok(());
        }
    }
}

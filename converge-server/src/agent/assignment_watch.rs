//! Hears what is assigned to this machine.

use std::collections::{BTreeMap, BTreeSet};

use converge_controller::{Id, Name, Typed};
use converge_core::engine::CancellationToken;
use tokio::sync::mpsc;

use super::retry_delay::Pause;
use super::server_client::{Remote, RemoteError, Told};
use crate::fleet::types::{Assignment, Revision};

/// How much may have been heard that was not taken yet; then the server has to wait.
const WAITING: usize = 64;

/// What was heard.
#[derive(Debug)]
pub(super) enum News {
    /// This is to be done. It was there before, or is new.
    There(Box<Typed<Assignment>>, Box<Typed<Revision>>),
    /// This is not to be done any more.
    Gone(Id),
    /// These are all that are to be done: what else was known has gone while nobody listened.
    All(BTreeSet<Id>),
}

pub(super) fn channel() -> (mpsc::Sender<News>, mpsc::Receiver<News>) {
    mpsc::channel(WAITING)
}

/// Listens until it is told to stop, anew whenever the server has gone.
pub(super) async fn listen(remote: Remote, node: Name, heard: mpsc::Sender<News>, stop: CancellationToken) {
    let mut pause = Pause::new();
    loop {
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            ended = listen_once(&remote, &node, &heard, &mut pause) => ended,
        };
        match ended {
            // Nobody wants to hear it.
            Ok(()) => return,
            Err(error) => tracing::info!(%error, "what is assigned is not heard; it is tried again"),
        }
        if !pause.wait(&stop).await {
            return;
        }
    }
}

/// Listens as long as the server tells. Ends well when nobody takes what is heard.
async fn listen_once(
    remote: &Remote,
    node: &Name,
    heard: &mpsc::Sender<News>,
    pause: &mut Pause,
) -> Result<(), RemoteError> {
    let mut watch = remote.watch_assignments(node).await?;
    let mut first = Some(BTreeSet::new());
    // Until all has been told, a revision may be that of many.
    let mut revisions: BTreeMap<Id, Typed<Revision>> = BTreeMap::new();
    loop {
        let news = match watch.next::<Assignment>().await? {
            Told::There(assignment) => {
                let Some(wanted) = assignment.revision.as_ref().map(converge_controller::Ref::id) else {
                    continue;
                };
                let revision = match revisions.get(&wanted) {
                    Some(revision) => revision.clone(),
                    // What is gone already was told of by a watch that was late: another event comes.
                    None => match remote.find::<Revision>(&wanted).await? {
                        Some(revision) => revision,
                        None => continue,
                    },
                };
                if let Some(ids) = &mut first {
                    ids.insert(assignment.id().clone().without_uid());
                    revisions.insert(wanted, revision.clone());
                }
                News::There(assignment, Box::new(revision))
            }
            Told::Gone(id) => News::Gone(id.without_uid()),
            Told::Snapshot => {
                *pause = Pause::new();
                revisions.clear();
                match first.take() {
                    Some(ids) => News::All(ids),
                    None => continue,
                }
            }
        };
        if heard.send(news).await.is_err() {
            return Ok(());
        }
    }
}

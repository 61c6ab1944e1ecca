//! One more check of a resource that has ended.

use std::sync::Arc;

use super::attempt::{Attempt, AttemptState};
use crate::events::difference::Difference;
use crate::events::outcome::Outcome;
use crate::events::progress::{JobProgress, ProgressReceiver};
use crate::events::report::{Failure, ResourceReport};
use crate::graph::NodeIndex;
use crate::tables::run_tables::Shared;

/// The result of a second look.
#[derive(Debug)]
pub(crate) enum SecondLook {
    /// The resource is as declared.
    Settled,
    /// The resource differs from its declaration.
    Differs(Vec<Difference>),
    /// The check failed, although it succeeded before.
    Failed(Failure),
}

/// Checks a resource once more, without a change and without events.
pub(crate) async fn check_again(shared: &Arc<Shared>, index: NodeIndex) -> SecondLook {
    let node = shared.graph.node(index);
    let mut report = ResourceReport::new(node.id.clone(), Outcome::Unchanged);
    let (mut marks, mut footprint) = (AttemptState::default(), None);
    let receiver: Arc<dyn ProgressReceiver> = Arc::new(Ignored(Arc::clone(shared)));
    let attempt = Attempt::new(shared, &receiver, &mut report, &mut marks, &mut footprint, index);
    let timeout = node.meta.as_deref().and_then(|meta| meta.timeout);
    match attempt.look(timeout).await {
        Ok(differences) if differences.is_empty() => SecondLook::Settled,
        Ok(differences) => SecondLook::Differs(differences),
        Err(failure) => SecondLook::Failed(failure),
    }
}

/// A receiver for the progress of a second look, which nobody sees.
struct Ignored(Arc<Shared>);

impl ProgressReceiver for Ignored {
    fn tell(&self, _: NodeIndex, progress: JobProgress) {
        // The room for an update is reserved before it is made.
        if let (JobProgress::Progress(_), Some(room)) = (progress, &self.0.setup.room) {
            room.give_back();
        }
    }
}

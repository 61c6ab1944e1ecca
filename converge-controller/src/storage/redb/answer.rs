//! Answers to tasks that wait for a commit.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

use super::prepared_transaction::Prepared;
use crate::storage::error::CommitError;

/// The outcome of a transaction.
pub(super) type Outcome = Result<Prepared, CommitError>;

/// The receiver of the outcome of a transaction.
pub(super) struct Answer {
    to: oneshot::Sender<Outcome>,
    /// The runtime of the waiting task, if it has several threads.
    runtime: Option<Handle>,
}

impl Answer {
    /// Creates an answer; it must be called in the waiting task.
    pub(super) fn new(to: oneshot::Sender<Outcome>) -> Self {
        let runtime = Handle::try_current().ok();
        Self { to, runtime: runtime.filter(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread) }
    }

    pub(super) fn send(self, outcome: Outcome) {
        // The receiver may be gone.
        let _ = self.to.send(outcome);
    }
}

/// The answers of one commit.
///
/// Waking a task from a thread outside its runtime usually costs a system call, as much as writing the
/// resource. Waking it from a thread of the runtime costs almost nothing. If many tasks of one runtime wait,
/// a single task is spawned there that wakes the others.
pub(super) struct Answers(Vec<(Answer, Outcome)>);

impl Answers {
    /// The number of tasks up to which each is woken directly.
    const DIRECT_WAKES: usize = 4;

    pub(super) fn new(answers: impl Iterator<Item = (Answer, Outcome)>) -> Self {
        Self(answers.collect())
    }

    pub(super) fn send(mut self) {
        if self.0.len() <= Self::DIRECT_WAKES {
            return;
        }
        let Some(runtime) = self.0.iter().find_map(|(answer, _)| answer.runtime.clone()) else { return };
        let of_it = |(answer, _): &mut (Answer, Outcome)| {
            answer.runtime.as_ref().is_some_and(|handle| handle.id() == runtime.id())
        };
        let together = Self(self.0.extract_if(.., of_it).collect());
        // A runtime that shuts down drops the task, and the drop sends the answers as well.
        runtime.spawn(async move { drop(together) });
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        for (answer, outcome) in self.0.drain(..) {
            answer.send(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::{Builder, Runtime};

    use super::*;

    type Waits = oneshot::Receiver<Outcome>;

    /// Returns this many waiting answers in a runtime.
    fn waiting(runtime: &Runtime, count: usize) -> Vec<(Answer, Waits)> {
        let _inside = runtime.enter();
        (0..count).map(|_| new()).collect()
    }

    fn new() -> (Answer, Waits) {
        let (to, waits) = oneshot::channel();
        (Answer::new(to), waits)
    }

    fn send(waiting: impl IntoIterator<Item = (Answer, Waits)>) -> Vec<Waits> {
        let (answers, waits): (Vec<_>, _) = waiting.into_iter().unzip();
        Answers::new(answers.into_iter().map(|answer| (answer, Ok(Prepared::default())))).send();
        waits
    }

    fn several_threads() -> Runtime {
        Builder::new_multi_thread().worker_threads(2).build().unwrap()
    }

    #[test]
    fn whoever_waits_is_answered_wherever_that_is() {
        let (first, second) = (several_threads(), several_threads());
        // Nobody drives this runtime, so a task spawned in it would never run.
        let alone = Builder::new_current_thread().build().unwrap();
        let outside = (0..10).map(|_| new());
        let answers =
            outside.chain(waiting(&alone, 10)).chain(waiting(&first, 10)).chain(waiting(&second, 10));
        for waits in send(answers) {
            waits.blocking_recv().unwrap().unwrap();
        }
        for count in 0..=Answers::DIRECT_WAKES {
            assert!(send(waiting(&first, count)).into_iter().all(|waits| waits.blocking_recv().is_ok()));
        }
    }

    #[test]
    fn a_runtime_that_has_ended_leaves_nobody_without_an_answer() {
        let runtime = several_threads();
        let answers = waiting(&runtime, 10);
        drop(runtime);
        for waits in send(answers) {
            waits.blocking_recv().unwrap().unwrap();
        }
    }
}

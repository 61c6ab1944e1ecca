//! Answers to those who wait for a commit.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

use super::prepared_transaction::Prepared;
use crate::storage::error::CommitError;

/// What becomes of a transaction.
pub(super) type Outcome = Result<Prepared, CommitError>;

/// Who waits for the outcome of a transaction.
pub(super) struct Answer {
    to: oneshot::Sender<Outcome>,
    /// The runtime in which it waits, if that has several threads.
    runtime: Option<Handle>,
}

impl Answer {
    /// Is made where the answer is waited for.
    pub(super) fn new(to: oneshot::Sender<Outcome>) -> Self {
        let runtime = Handle::try_current().ok();
        Self { to, runtime: runtime.filter(|here| here.runtime_flavor() == RuntimeFlavor::MultiThread) }
    }

    pub(super) fn send(self, outcome: Outcome) {
        // It is of no matter whether who asked is still there.
        let _ = self.to.send(outcome);
    }
}

/// The answers of one commit.
///
/// To wake a task from a thread that is not of its runtime costs a call of the system, often, and as much as writing its
/// resource does. From a thread of the runtime it costs next to nothing. So where many of one runtime wait, one task is
/// started there that wakes the others.
pub(super) struct Answers(Vec<(Answer, Outcome)>);

impl Answers {
    /// As few as these are woken one by one.
    const FEW: usize = 4;

    pub(super) fn new(answers: impl Iterator<Item = (Answer, Outcome)>) -> Self {
        Self(answers.collect())
    }

    pub(super) fn send(mut self) {
        if self.0.len() <= Self::FEW {
            return;
        }
        let Some(runtime) = self.0.iter().find_map(|(answer, _)| answer.runtime.clone()) else { return };
        let of_it = |(answer, _): &mut (Answer, Outcome)| {
            answer.runtime.as_ref().is_some_and(|other| other.id() == runtime.id())
        };
        let together = Self(self.0.extract_if(.., of_it).collect());
        // A runtime that ends drops the task, which sends them as well.
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

    /// So many who wait in a runtime.
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
        let (one, other) = (several_threads(), several_threads());
        // Nobody runs it, so that nothing can be left to it.
        let alone = Builder::new_current_thread().build().unwrap();
        let outside = (0..10).map(|_| new());
        let all = outside.chain(waiting(&alone, 10)).chain(waiting(&one, 10)).chain(waiting(&other, 10));
        for waits in send(all) {
            waits.blocking_recv().unwrap().unwrap();
        }
        for few in 0..=Answers::FEW {
            assert!(send(waiting(&one, few)).into_iter().all(|waits| waits.blocking_recv().is_ok()));
        }
    }

    #[test]
    fn a_runtime_that_has_ended_leaves_nobody_without_an_answer() {
        let runtime = several_threads();
        let all = waiting(&runtime, 10);
        drop(runtime);
        for waits in send(all) {
            waits.blocking_recv().unwrap().unwrap();
        }
    }
}

//! The grouping of transactions into one commit.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::answer::Answer;
use super::prepared_transaction::Prepared;
use super::request::Request;
use super::store_state::Gathering;

/// The maximum number of transactions in one commit of the file.
const MOST_TOGETHER: usize = 256;

/// The transactions of one commit, each made as soon as it arrives, while others are on their way.
///
/// Tasks that were answered by the last commit return together. If nobody waited for them, they would miss
/// this commit, and one half would always wait for the other. A single task is not delayed.
pub(super) struct Group<'a> {
    first: Option<Prepared>,
    requests: &'a mut mpsc::Receiver<Request>,
    gathering: &'a Gathering,
    /// The number of transactions in the last commit.
    pub(super) expected: usize,
    /// The maximum time to wait for them.
    pub(super) patience: Duration,
    /// The answers, in the order of the transactions.
    pub(super) answers: Vec<Answer>,
    /// The next request that is not a commit, which ends the group.
    pub(super) left: Option<Request>,
}

impl<'a> Group<'a> {
    pub(super) fn new(
        first: Prepared,
        answer: Answer,
        requests: &'a mut mpsc::Receiver<Request>,
        gathering: &'a Gathering,
    ) -> Self {
        let (expected, patience) = (0, Duration::ZERO);
        Self {
            first: Some(first),
            requests,
            gathering,
            expected,
            patience,
            answers: vec![answer],
            left: None,
        }
    }

    pub(super) fn next(&mut self) -> Option<Prepared> {
        if self.first.is_some() {
            return self.first.take();
        }
        if self.left.is_some() || self.answers.len() >= MOST_TOGETHER {
            return None;
        }
        match self.requests.try_recv().ok().or_else(|| self.wait())? {
            Request::Commit(transaction, answer) => {
                self.answers.push(answer);
                Some(transaction)
            }
            other => {
                self.left = Some(other);
                None
            }
        }
    }

    /// Waits for missing transactions within the time limit.
    fn wait(&mut self) -> Option<Request> {
        let missing = self.expected.saturating_sub(self.answers.len());
        let start = Instant::now();
        let left = |patience: Duration| patience.checked_sub(start.elapsed()).filter(|left| !left.is_zero());
        self.gathering.begin(missing);
        while self.requests.len() < missing
            && let Some(left) = left(self.patience)
        {
            // The last expected transaction wakes this thread.
            std::thread::park_timeout(left);
        }
        self.gathering.end();
        self.patience = left(self.patience).unwrap_or_default();
        self.requests.try_recv().ok()
    }
}

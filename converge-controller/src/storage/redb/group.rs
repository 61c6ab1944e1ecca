//! Who comes to one commit.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::answer::Answer;
use super::prepared_transaction::Prepared;
use super::request::Request;
use super::store_state::Gathering;

/// How many transactions are one commit of the file at most.
const MOST_TOGETHER: usize = 256;

/// The transactions of one commit, one after the other: each is made as soon as it has come, while others are on their way.
///
/// Those who were answered by the last commit come again together. If nobody waited for them, they would miss this one, and
/// half of them would always wait for the other half. Who is alone is not held up.
pub(super) struct Group<'a> {
    first: Option<Prepared>,
    requests: &'a mut mpsc::Receiver<Request>,
    gathering: &'a Gathering,
    /// How many came to the last commit.
    pub(super) expected: usize,
    /// How long may be waited for them.
    pub(super) patience: Duration,
    /// Who gets the answers, in the order of the transactions.
    pub(super) answers: Vec<Answer>,
    /// What was asked for that is no commit, and ends the group.
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

    /// Waits for those who are missing, as long as there is patience.
    fn wait(&mut self) -> Option<Request> {
        let missing = self.expected.saturating_sub(self.answers.len());
        let begun = Instant::now();
        let left = |patience: Duration| patience.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
        self.gathering.begin(missing);
        while self.requests.len() < missing
            && let Some(left) = left(self.patience)
        {
            // Who completes them wakes this thread.
            std::thread::park_timeout(left);
        }
        self.gathering.end();
        self.patience = left(self.patience).unwrap_or_default();
        self.requests.try_recv().ok()
    }
}

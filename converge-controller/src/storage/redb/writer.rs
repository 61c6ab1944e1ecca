//! The writer thread.

use std::sync::Arc;
use std::time::Duration;

use redb::CompactionError;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::answer::{Answer, Answers};
use super::error::{Failure, contained};
use super::group::Group;
use super::open;
use super::prepared_transaction::Prepared;
use super::request::Request;
use super::store_state::Shared;
use super::tables::{Made, Tables};
use crate::storage::error::{CommitError, Unavailable};
use crate::storage::lease::LocalLeases;
use crate::storage::watch::WatchClosed;

/// The divisor of the commit time that limits the wait for the transactions of the last commit.
const PATIENCE: u32 = 4;

/// The only writer of the file.
pub(super) struct Writer {
    shared: Arc<Shared>,
    leases: LocalLeases,
    /// The number of transactions in the file.
    revision: u64,
    /// The number of transactions in the last commit, and the time that the disk took.
    last: (usize, Duration),
}

/// The outcomes of the transactions of one commit, in order.
type Outcomes = Vec<Result<Made, CommitError>>;

impl Writer {
    pub(super) fn new(shared: Arc<Shared>, leases: LocalLeases, revision: u64) -> Self {
        Self { shared, leases, revision, last: (0, Duration::ZERO) }
    }

    /// Processes requests until all senders are gone.
    pub(super) fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut left = None;
        while let Some(request) = left.take().or_else(|| requests.blocking_recv()) {
            match request {
                Request::Commit(first, answer) => left = self.commit(first, answer, &mut requests),
                // The receiver may be gone.
                Request::Compact(answer) => _ = answer.send(self.compact()),
                Request::Reopen(answer) => _ = answer.send(self.reopen()),
            }
        }
        self.shared.hub().close(WatchClosed::Disconnected);
        if let Some(database) = self.shared.alone().take() {
            // Acknowledged transactions are already on the disk.
            let _ = contained(|| Ok(database.close()?));
        }
    }

    /// Commits a transaction with those that arrive meanwhile, notifies watches, and then answers.
    ///
    /// It returns a request that it received but did not process.
    fn commit(
        &mut self,
        first: Prepared,
        answer: Answer,
        requests: &mut mpsc::Receiver<Request>,
    ) -> Option<Request> {
        if let Err(error) = self.open() {
            refuse(vec![answer], &error.to_string());
            return None;
        }
        let shared = Arc::clone(&self.shared);
        let mut group = Group::new(first, answer, requests, shared.gathering());
        (group.expected, group.patience) = (self.last.0, self.last.1 / PATIENCE);
        let before = self.revision;
        let result = self.write(&mut group);
        let Group { answers, left, .. } = group;
        self.last.0 = answers.len();
        match result {
            Ok(outcomes) => self.tell(outcomes, answers),
            Err((failure, outcomes)) => self.settle(before, failure, outcomes, answers),
        }
        left
    }

    /// Makes one commit of the file.
    ///
    /// The error includes the outcomes if the commit itself failed.
    fn write(&mut self, group: &mut Group<'_>) -> Result<Outcomes, (Failure, Option<Outcomes>)> {
        contained(|| Ok(self.write_group(group))).unwrap_or_else(|damaged| Err((damaged, None)))
    }

    fn write_group(&mut self, group: &mut Group<'_>) -> Result<Outcomes, (Failure, Option<Outcomes>)> {
        let database = self.shared.database();
        let database = database.as_ref().ok_or((Failure::Closed, None))?;
        let mut leases = None;
        let mut revision = self.revision;
        let file = database.begin_write().map_err(|error| (error.into(), None))?;
        let mut make = || {
            let mut tables = Tables::open(&file)?;
            let mut outcomes = Vec::new();
            while let Some(transaction) = group.next() {
                // The leases stay unchanged until the commit is done, so that the next holder sees everything
                // done under the lease.
                if transaction.fence.is_some() && leases.is_none() {
                    leases = Some(self.leases.freeze());
                }
                let changes = !transaction.changes.is_empty();
                let outcome = match tables.commit(transaction, leases.as_ref(), revision + 1) {
                    // Only the transaction that would replace the unreadable resource fails.
                    Err(unreadable @ Failure::Record { .. }) => {
                        Err(unreadable.unavailable(self.shared.file()).into())
                    }
                    outcome => outcome?,
                };
                revision += u64::from(changes && outcome.is_ok());
                outcomes.push(outcome);
            }
            tables.set_revision(revision)?;
            Ok(outcomes)
        };
        let outcomes = make().map_err(|failure: Failure| (failure, None))?;
        if revision == self.revision {
            return file.abort().map(|()| outcomes).map_err(|error| (error.into(), None));
        }
        let start = Instant::now();
        match file.commit() {
            Ok(()) => {
                self.revision = revision;
                self.last.1 = start.elapsed();
                Ok(outcomes)
            }
            Err(error) => Err((error.into(), Some(outcomes))),
        }
    }

    fn tell(&self, outcomes: Outcomes, answers: Vec<Answer>) {
        let mut hub = self.shared.hub();
        for commit in outcomes.iter().flatten() {
            for (id, event) in commit.transaction.events() {
                hub.publish(commit.revision, id, &event);
            }
        }
        drop(hub);
        let outcomes = outcomes.into_iter().map(|outcome| outcome.map(|commit| commit.transaction));
        Answers::new(answers.into_iter().zip(outcomes)).send();
    }

    /// Determines the outcome of a failed commit.
    ///
    /// After an error, redb requires the file to be opened again.
    fn settle(&mut self, before: u64, failure: Failure, outcomes: Option<Outcomes>, answers: Vec<Answer>) {
        let reason = failure.unavailable(self.shared.file()).to_string();
        close(&self.shared);
        let reopened = self.open();
        match outcomes {
            // The commit succeeded in spite of the error.
            Some(outcomes) if reopened.is_ok() && self.revision > before => self.tell(outcomes, answers),
            _ => {
                if reopened.is_err() || self.revision > before {
                    // The outcome is unknown, or can only be determined later, so watches could miss changes.
                    self.shared.hub().close(WatchClosed::Disconnected);
                }
                refuse(answers, &reason);
            }
        }
    }

    /// Opens the file again if it is closed.
    fn open(&mut self) -> Result<(), Unavailable> {
        // Readers are interrupted only if necessary.
        if self.shared.database().is_some() {
            return Ok(());
        }
        let mut place = self.shared.alone();
        if place.is_none() {
            let path = self.shared.file();
            let opened =
                open::existing(path).map_err(|error| Unavailable::because(error.to_string(), error))?;
            self.revision = opened.1;
            *place = Some(opened.0);
        }
        Ok(())
    }

    /// Opens the file again if it cannot be read.
    fn reopen(&mut self) -> Result<(), Unavailable> {
        if self.shared.snapshot(super::tables::Snapshot::revision).is_err() {
            close(&self.shared);
        }
        self.open()
    }

    fn compact(&mut self) -> Result<bool, Unavailable> {
        self.open()?;
        let mut place = self.shared.alone();
        let Some(database) = place.as_mut() else { return Ok(false) };
        let result = contained(|| match database.compact() {
            Err(CompactionError::Storage(error)) => Err(error.into()),
            done => Ok(done),
        });
        drop(place);
        let result = result.inspect_err(|_| close(&self.shared)).and_then(|is_compacted| Ok(is_compacted?));
        result.map_err(|failure| failure.unavailable(self.shared.file()))
    }
}

fn close(shared: &Shared) {
    if let Some(database) = shared.alone().take() {
        // The file has failed already.
        let _ = contained(|| Ok(database.close()?));
    }
}

fn refuse(answers: Vec<Answer>, reason: &str) {
    for answer in answers {
        answer.send(Err(CommitError::Unavailable(Unavailable::new(reason))));
    }
}

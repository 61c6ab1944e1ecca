//! The thread that writes.

use std::sync::Arc;
use std::time::Duration;

use redb::CompactionError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::error::Failure;
use super::open;
use super::shared::Shared;
use super::tables::{Made, Tables};
use crate::resource::Resource;
use crate::storage::error::{CommitError, Unavailable};
use crate::storage::lease::LocalLeases;
use crate::storage::transaction::Transaction;
use crate::storage::watch::{WatchClosed, WatchEvent};

/// How many transactions are one commit of the file at most.
const MOST_TOGETHER: usize = 256;
/// How much of the time that a commit takes may be spent on waiting for those who came to the last one.
const PATIENCE: u32 = 8;
/// How often it is looked whether they have come.
const LOOK: Duration = Duration::from_micros(20);

type Answer = oneshot::Sender<Result<Vec<Arc<Resource>>, CommitError>>;

/// What the writer is asked for.
pub(super) enum Request {
    Commit(Transaction, Answer),
    Compact(oneshot::Sender<Result<bool, Unavailable>>),
    /// Sees to it that the file is open.
    Reopen(oneshot::Sender<Result<(), Unavailable>>),
}

/// The only one that writes.
pub(super) struct Writer {
    shared: Arc<Shared>,
    leases: LocalLeases,
    /// The number of transactions in the file.
    revision: u64,
    /// How many transactions the last commit had, and how long it took.
    last: (usize, Duration),
}

/// What came of the transactions of one commit, in their order.
type Outcomes = Vec<Result<Made, CommitError>>;

impl Writer {
    pub(super) fn new(shared: Arc<Shared>, leases: LocalLeases, revision: u64) -> Self {
        Self { shared, leases, revision, last: (0, Duration::ZERO) }
    }

    /// Works until nobody can ask any more.
    pub(super) fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        while let Some(first) = requests.blocking_recv() {
            self.wait_for_others(&requests);
            let mut next = Some(first);
            let mut transactions = Vec::new();
            let mut answers = Vec::new();
            // Whoever is waiting comes along.
            while let Some(Request::Commit(transaction, answer)) = next {
                transactions.push(transaction);
                answers.push(answer);
                let more = transactions.len() < MOST_TOGETHER;
                next = more.then(|| requests.try_recv().ok()).flatten();
            }
            if !transactions.is_empty() {
                let (count, begun) = (transactions.len(), Instant::now());
                self.commit(transactions, answers);
                self.last = (count, begun.elapsed());
            }
            match next {
                // It is of no matter whether who asked is still there.
                Some(Request::Compact(answer)) => _ = answer.send(self.compact()),
                Some(Request::Reopen(answer)) => _ = answer.send(self.reopen()),
                Some(Request::Commit(..)) | None => {}
            }
        }
        self.shared.hub().close(WatchClosed::Disconnected);
        if let Some(database) = self.shared.alone().take() {
            // What was acknowledged is on the disk already.
            let _ = database.close();
        }
    }

    /// Waits a little for those who were answered by the last commit. They come again together; if the first of them
    /// were not held up, the others would miss this commit, and half of them would always wait for the other half. Who is
    /// alone is not held up.
    fn wait_for_others(&self, requests: &mpsc::Receiver<Request>) {
        let (expected, took) = self.last;
        let until = Instant::now() + took / PATIENCE;
        while requests.len() + 1 < expected && Instant::now() < until {
            std::thread::park_timeout(LOOK);
        }
    }

    /// Commits what waits, tells who watches, and then answers.
    fn commit(&mut self, transactions: Vec<Transaction>, answers: Vec<Answer>) {
        if let Err(error) = self.open() {
            refuse(answers, &error.to_string());
            return;
        }
        let before = self.revision;
        match self.write(transactions) {
            Ok(outcomes) => self.tell(outcomes, answers),
            Err((failure, outcomes)) => self.settle(before, failure, outcomes, answers),
        }
    }

    /// Makes one commit of the file. With an error come the outcomes, if it is the commit itself that failed.
    fn write(&mut self, transactions: Vec<Transaction>) -> Result<Outcomes, (Failure, Option<Outcomes>)> {
        let database = self.shared.database();
        let database = database.as_ref().ok_or((Failure::Closed, None))?;
        // Leases stay where they are until the commit is done: who gets one next sees what was done in its name before.
        let fenced = transactions.iter().any(|transaction| transaction.fence.is_some());
        let leases = fenced.then(|| self.leases.freeze());
        let mut revision = self.revision;
        let file = database.begin_write().map_err(|error| (error.into(), None))?;
        let make = || {
            let mut tables = Tables::open(&file)?;
            let mut outcomes = Vec::with_capacity(transactions.len());
            for transaction in transactions {
                let changes = !transaction.changes.is_empty();
                let outcome = tables.commit(transaction, leases.as_ref(), revision + 1)?;
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
        match file.commit() {
            Ok(()) => {
                self.revision = revision;
                Ok(outcomes)
            }
            Err(error) => Err((error.into(), Some(outcomes))),
        }
    }

    fn tell(&self, outcomes: Outcomes, answers: Vec<Answer>) {
        let mut hub = self.shared.hub();
        for made in outcomes.iter().flatten() {
            for event in &made.events {
                let (WatchEvent::Upsert(resource) | WatchEvent::Delete(resource)) = event else { continue };
                hub.publish(made.revision, &resource.id, event);
            }
        }
        drop(hub);
        for (outcome, answer) in outcomes.into_iter().zip(answers) {
            let _ = answer.send(outcome.map(|made| made.stored));
        }
    }

    /// Finds out what came of a commit that failed. redb has to open the file again for anything after an error.
    fn settle(&mut self, before: u64, failure: Failure, outcomes: Option<Outcomes>, answers: Vec<Answer>) {
        let why = failure.unavailable(self.shared.file()).to_string();
        close(&self.shared);
        let reopened = self.open();
        match outcomes {
            // It is there in spite of the error.
            Some(outcomes) if reopened.is_ok() && self.revision > before => self.tell(outcomes, answers),
            _ => {
                if reopened.is_err() {
                    // It will be found out later, and who watches would not be told what came of it.
                    self.shared.hub().close(WatchClosed::Disconnected);
                }
                refuse(answers, &why);
            }
        }
    }

    /// Opens the file again, if it is closed.
    fn open(&mut self) -> Result<(), Unavailable> {
        // Readers are disturbed only when it has to be.
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

    /// Opens the file again, if it cannot be read.
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
        let result = database.compact();
        drop(place);
        result.map_err(|error| {
            if let CompactionError::Storage(_) = error {
                close(&self.shared);
            }
            Failure::from(error).unavailable(self.shared.file())
        })
    }
}

fn close(shared: &Shared) {
    if let Some(database) = shared.alone().take() {
        // It has failed already.
        let _ = database.close();
    }
}

fn refuse(answers: Vec<Answer>, why: &str) {
    for answer in answers {
        let _ = answer.send(Err(CommitError::Unavailable(Unavailable::new(why))));
    }
}

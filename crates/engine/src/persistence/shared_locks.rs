//! Locks that a run shares with other runs.
//!
//! The holder of a type lock waits for nothing, and the holder of a group waits at most for a type lock. Runs
//! therefore cannot deadlock, however many share them.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::time::Instant;

use super::run_lock::LockWait;
use crate::state::{Lock, LockGuard, LockName, Locks, Owner, RunLock, StateError};

/// The locks that a run holds.
///
/// They are stored with the state that workers read. When a run is dropped, its locks are released after the
/// last worker has stopped.
#[derive(Debug)]
pub(crate) struct HeldLocks {
    run: Mutex<Option<RunLock>>,
    locks: Mutex<HashMap<LockName, LockGuard>>,
}

impl HeldLocks {
    pub(crate) fn new(run: Option<RunLock>) -> Self {
        Self { run: Mutex::new(run), locks: Mutex::default() }
    }

    fn keep(&self, lock: LockGuard, name: LockName) {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).insert(name, lock);
    }

    pub(crate) fn give_back(&self, name: &LockName) {
        let lock = self.locks.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        drop(lock);
    }

    /// Releases all locks at the end of a run.
    pub(crate) fn give_all_back(&self) {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(run);
    }
}

/// The lock settings of an engine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    pub(crate) owner: Option<Owner>,
    /// The shared locks, or `None` if each run has its own.
    pub(crate) locks: Option<Locks>,
    pub(crate) wait: LockWait,
}

/// The shared locks that a run has requested.
pub(crate) struct SharedLocks {
    sharing: Sharing,
    /// The locks that this run has used, kept alive so that they are not dropped.
    known: HashMap<LockName, Arc<Lock>>,
    wanted: BTreeMap<LockName, Taking>,
    /// Requests that have been granted or refused, and not yet collected.
    granted: HashMap<LockName, Result<LockGuard, Refused>>,
}

type Taking = Pin<Box<dyn Future<Output = Result<LockGuard, Refused>> + Send>>;

/// The reason why a lock was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("timed out waiting for the {0}, which another run holds")]
    TooLong(String),
    #[error("the {name} cannot be taken: {error}")]
    State { name: String, error: StateError },
}

/// The answer to a request for a lock.
pub(crate) enum Answer {
    /// The lock is held. For a shared lock, with its sequence number before this holder.
    Taken(Option<u64>),
    Waits,
    Refused(Refused),
}

impl SharedLocks {
    pub(crate) fn new(sharing: Sharing) -> Self {
        Self { sharing, known: HashMap::new(), wanted: BTreeMap::new(), granted: HashMap::new() }
    }

    pub(crate) fn group(&self, name: &Arc<str>) -> LockName {
        LockName::Group { owner: self.sharing.owner.clone(), name: Arc::clone(name) }
    }

    /// Returns the sequence number of a lock, or `None` if no other run can hold it.
    pub(crate) fn sequence(&mut self, name: &LockName) -> Option<u64> {
        self.lock(name).map(|lock| lock.sequence())
    }

    fn lock(&mut self, name: &LockName) -> Option<&Arc<Lock>> {
        let locks = self.sharing.locks.as_ref()?;
        if !self.known.contains_key(name) {
            self.known.insert(name.clone(), locks.get(name));
        }
        self.known.get(name)
    }

    /// Requests a lock that no other node of the run holds.
    pub(crate) fn ask(&mut self, held_locks: &HeldLocks, name: LockName) -> Answer {
        if !self.granted.contains_key(&name) && !self.wanted.contains_key(&name) {
            let wait = self.sharing.wait;
            let Some(lock) = self.lock(&name) else { return Answer::Taken(None) };
            let mut taking: Taking = Box::pin(take(Arc::clone(lock), wait));
            // The lock is nearly always free. If not, the next poll registers the waker.
            match taking.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(granted) => {
                    self.granted.insert(name.clone(), granted);
                }
                Poll::Pending => {
                    self.wanted.insert(name.clone(), taking);
                }
            }
        }
        match self.granted.remove(&name) {
            Some(Ok(taken)) => {
                let before = taken.before;
                held_locks.keep(taken, name);
                Answer::Taken(Some(before))
            }
            Some(Err(refused)) => Answer::Refused(refused),
            None => Answer::Waits,
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Resolves to the name of a lock that was granted or refused.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<LockName> {
        for (name, taking) in &mut self.wanted {
            if let Poll::Ready(granted) = taking.as_mut().poll(cx) {
                let name = name.clone();
                self.wanted.remove(&name);
                self.granted.insert(name.clone(), granted);
                return Poll::Ready(name);
            }
        }
        Poll::Pending
    }

    /// Drops all requests.
    pub(crate) fn clear(&mut self) {
        self.wanted.clear();
        self.granted.clear();
    }
}

async fn take(lock: Arc<Lock>, wait: LockWait) -> Result<LockGuard, Refused> {
    let description = match lock.name() {
        LockName::Type(name) => format!("lock `{name}`"),
        LockName::Group { name, .. } => format!("group `{name}`"),
    };
    let deadline = match wait {
        LockWait::Forever => None,
        LockWait::AtMost(limit) => Instant::now().checked_add(limit),
        LockWait::Never => Some(Instant::now()),
    };
    let result = match deadline {
        None => lock.take().await,
        // A free lock is taken even if the maximum wait is zero.
        Some(deadline) => match tokio::time::timeout_at(deadline, lock.take()).await {
            Ok(result) => result,
            Err(_) => return Err(Refused::TooLong(description)),
        },
    };
    result.map_err(|error| Refused::State { name: description, error })
}

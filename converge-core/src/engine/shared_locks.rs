//! The locks that a run shares with other runs.
//!
//! Whoever has the lock of a type waits for nothing, and whoever has the lock of a group waits at most for that of a type. So there
//! is no deadlock, however many runs share them.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::time::Instant;

use super::run_lock::LockWait;
use crate::state::{Held, Lock, LockName, Locks, Owner, RunLock, StateError};

/// What a run has locked. It is kept with what workers read: the locks of a run that is dropped are free when the last of
/// its workers has stopped.
#[derive(Debug, Default)]
pub(super) struct HeldLocks {
    run: Mutex<Option<RunLock>>,
    locks: Mutex<HashMap<LockName, Held>>,
}

impl HeldLocks {
    pub(super) fn new(run: Option<RunLock>) -> Self {
        Self { run: Mutex::new(run), locks: Mutex::default() }
    }

    fn keep(&self, held: Held, name: LockName) {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).insert(name, held);
    }

    pub(super) fn give_back(&self, name: &LockName) {
        let held = self.locks.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        drop(held);
    }

    /// At the end of a run.
    pub(super) fn give_all_back(&self) {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(run);
    }
}

/// What an engine says of locks.
#[derive(Clone, Debug, Default)]
pub(super) struct Sharing {
    pub(super) owner: Option<Owner>,
    /// `None` when a run has its own.
    pub(super) locks: Option<Locks>,
    pub(super) wait: LockWait,
}

/// The shared locks that a run wants.
pub(super) struct SharedLocks {
    sharing: Sharing,
    /// Those that it came upon, so that they are not forgotten.
    known: HashMap<LockName, Arc<Lock>>,
    wanted: BTreeMap<LockName, Taking>,
    /// Those that it got and has not taken notice of, or why there is none to get.
    granted: HashMap<LockName, Result<Held, Refused>>,
}

type Taking = Pin<Box<dyn Future<Output = Result<Held, Refused>> + Send>>;

/// A lock is had by another run for too long, or cannot be asked for.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("another run has the {0} for longer than this one waits")]
    TooLong(String),
    #[error("the {name} cannot be taken: {error}")]
    State { name: String, error: StateError },
}

/// What came of asking for a lock.
pub(super) enum Answer {
    /// It is had; with its sequence number before, when it is shared.
    Taken(Option<u64>),
    Waits,
    Refused(Refused),
}

impl SharedLocks {
    pub(super) fn new(sharing: Sharing) -> Self {
        Self { sharing, known: HashMap::new(), wanted: BTreeMap::new(), granted: HashMap::new() }
    }

    pub(super) fn group(&self, name: &Arc<str>) -> LockName {
        LockName::Group { owner: self.sharing.owner.clone(), name: Arc::clone(name) }
    }

    /// What a lock says of its holders so far; `None` where nobody else can be one.
    pub(super) fn sequence(&mut self, name: &LockName) -> Option<u64> {
        self.lock(name).map(|lock| lock.sequence())
    }

    fn lock(&mut self, name: &LockName) -> Option<&Arc<Lock>> {
        let locks = self.sharing.locks.as_ref()?;
        if !self.known.contains_key(name) {
            self.known.insert(name.clone(), locks.get(name));
        }
        self.known.get(name)
    }

    /// Asks for a lock that no other node of the run has.
    pub(super) fn ask(&mut self, held: &HeldLocks, name: LockName) -> Answer {
        if !self.granted.contains_key(&name) && !self.wanted.contains_key(&name) {
            let wait = self.sharing.wait;
            let Some(lock) = self.lock(&name) else { return Answer::Taken(None) };
            let mut taking: Taking = Box::pin(take(Arc::clone(lock), wait));
            // Nearly always it is free. Who has to wait is woken by the next poll.
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
                held.keep(taken, name);
                Answer::Taken(Some(before))
            }
            Some(Err(refused)) => Answer::Refused(refused),
            None => Answer::Waits,
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Ready with the name of one that is had by now, or was refused.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<LockName> {
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

    /// Wants nothing any more.
    pub(super) fn clear(&mut self) {
        self.wanted.clear();
        self.granted.clear();
    }
}

async fn take(lock: Arc<Lock>, wait: LockWait) -> Result<Held, Refused> {
    let what = match lock.name() {
        LockName::Type(name) => format!("lock `{name}`"),
        LockName::Group { name, .. } => format!("group `{name}`"),
    };
    let until = match wait {
        LockWait::Forever => None,
        LockWait::AtMost(limit) => Instant::now().checked_add(limit),
        LockWait::Never => Some(Instant::now()),
    };
    let taken = match until {
        None => lock.take().await,
        // What is free is taken first, however short the wait.
        Some(until) => match tokio::time::timeout_at(until, lock.take()).await {
            Ok(taken) => taken,
            Err(_) => return Err(Refused::TooLong(what)),
        },
    };
    taken.map_err(|error| Refused::State { name: what, error })
}

//! Leases, which let one of several candidates act.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::str::FromStr;
#[cfg(feature = "redb")]
use std::sync::MutexGuard;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::debug_as_text;

/// The name of a lease, usually that of a controller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseName(Arc<str>);

/// The error of a text that is not a [`LeaseName`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name of a lease is not empty and has no /")]
pub struct InvalidLeaseName;

debug_as_text!(InvalidLeaseName);

impl LeaseName {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LeaseName {
    type Err = InvalidLeaseName;

    fn from_str(text: &str) -> Result<Self, InvalidLeaseName> {
        if text.is_empty() || text.contains('/') { Err(InvalidLeaseName) } else { Ok(Self(text.into())) }
    }
}

impl fmt::Display for LeaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// One holding of a lease.
///
/// A transaction with a fence happens only while this holding lasts. A process that was paused and does not
/// know that it lost the lease therefore changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The lease.
    pub lease: LeaseName,
    /// The fencing token, which grows from one holding to the next.
    pub token: u64,
}

/// A candidate for a lease, which waits for it or holds it.
///
/// Dropping it releases the lease.
pub struct Lease {
    held: watch::Receiver<Option<Fence>>,
    vacancy: Vacancy,
    _candidate: Box<dyn Any + Send + Sync>,
}

impl Lease {
    /// Creates a lease of a backend from its holding and a value whose drop releases it.
    pub fn new(fence: watch::Receiver<Option<Fence>>, candidate: impl Any + Send + Sync) -> Self {
        Self { held: fence, vacancy: Vacancy::default(), _candidate: Box::new(candidate) }
    }

    /// Adds the time since when nobody holds the lease.
    ///
    /// Without it the lease is never vacant, as among candidates of which the first holds it at once.
    #[must_use]
    pub fn with_vacancy(self, vacancy: Vacancy) -> Self {
        Self { vacancy, ..self }
    }

    /// Returns a handle that reports for how long nobody has held the lease.
    ///
    /// It works also after this value is dropped.
    pub fn vacancy(&self) -> Vacancy {
        self.vacancy.clone()
    }

    /// Returns the holding, while the lease is held.
    pub fn held(&self) -> Option<Fence> {
        self.held.borrow().clone()
    }

    /// Returns a receiver of changes of the holding.
    pub fn watch(&self) -> watch::Receiver<Option<Fence>> {
        self.held.clone()
    }
}

/// Reports for how long nobody has held a lease, as far as one candidate knows.
///
/// Clones report the same.
#[derive(Clone, Debug, Default)]
pub struct Vacancy(Option<watch::Receiver<Option<Instant>>>);

impl Vacancy {
    /// Creates a vacancy of a backend from the time since when nobody holds the lease.
    pub fn new(start: watch::Receiver<Option<Instant>>) -> Self {
        Self(Some(start))
    }

    /// Returns for how long nobody has held the lease, or `None` while it is held.
    pub fn lasts(&self) -> Option<Duration> {
        let start = *self.0.as_ref()?.borrow();
        start.map(|start| start.elapsed())
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("held", &self.held()).finish_non_exhaustive()
    }
}

/// Leases between the candidates of one process: the first candidate holds a lease until it is dropped.
///
/// Stores of one process use it. For fencing, the store calls [`is_held`](Self::is_held) while nobody else
/// can commit.
#[derive(Clone, Default)]
pub struct LocalLeases(Arc<Mutex<HashMap<LeaseName, Election>>>);

#[derive(Default)]
struct Election {
    /// The token of the latest holding.
    token: u64,
    /// The candidates in order of arrival; the first one holds the lease.
    candidates: VecDeque<(u64, watch::Sender<Option<Fence>>)>,
    next_candidate: u64,
}

impl Election {
    fn is_held(&self, token: u64) -> bool {
        !self.candidates.is_empty() && self.token == token
    }

    /// Begins a holding of the first candidate.
    fn begin(&mut self, name: &LeaseName) {
        if let Some((_, sender)) = self.candidates.front() {
            self.token += 1;
            sender.send_replace(Some(Fence { lease: name.clone(), token: self.token }));
        }
    }
}

impl LocalLeases {
    /// Applies for a lease.
    pub fn stand(&self, name: &LeaseName) -> Lease {
        let (sender, fence) = watch::channel(None);
        let candidate = self.with(name, |election| {
            let candidate = election.next_candidate;
            election.next_candidate += 1;
            election.candidates.push_back((candidate, sender));
            if election.candidates.len() == 1 {
                election.begin(name);
            }
            candidate
        });
        Lease::new(fence, Candidate { leases: self.clone(), name: name.clone(), number: candidate })
    }

    /// Returns whether this holding lasts.
    pub fn is_held(&self, fence: &Fence) -> bool {
        self.with(&fence.lease, |election| election.is_held(fence.token))
    }

    /// Ends the current holding, as the loss of a connection would, for tests.
    ///
    /// The next candidate gets the lease, or the same one again if there is no other.
    pub fn revoke(&self, name: &LeaseName) {
        self.with(name, |election| {
            if let Some(front) = election.candidates.pop_front() {
                front.1.send_replace(None);
                election.candidates.push_back(front);
                election.begin(name);
            }
        });
    }

    /// Keeps the holders of all leases unchanged until the result is dropped.
    #[cfg(feature = "redb")]
    pub(super) fn freeze(&self) -> Frozen<'_> {
        Frozen(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn resign(&self, name: &LeaseName, candidate: u64) {
        self.with(name, |election| {
            let is_leader = election.candidates.front().is_some_and(|front| front.0 == candidate);
            election.candidates.retain(|(other, _)| *other != candidate);
            if is_leader {
                election.begin(name);
            }
        });
    }

    fn with<T>(&self, name: &LeaseName, act: impl FnOnce(&mut Election) -> T) -> T {
        let mut elections = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The election is kept without candidates, because its token must go on growing.
        act(elections.entry(name.clone()).or_default())
    }
}

/// A guard that keeps the holders of leases unchanged.
#[cfg(feature = "redb")]
pub(super) struct Frozen<'a>(MutexGuard<'a, HashMap<LeaseName, Election>>);

#[cfg(feature = "redb")]
impl Frozen<'_> {
    /// Returns whether this holding lasts.
    pub(super) fn is_held(&self, fence: &Fence) -> bool {
        self.0.get(&fence.lease).is_some_and(|election| election.is_held(fence.token))
    }
}

/// A candidate, whose drop passes the lease to the next one.
struct Candidate {
    leases: LocalLeases,
    name: LeaseName,
    number: u64,
}

impl Drop for Candidate {
    fn drop(&mut self) {
        self.leases.resign(&self.name, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(lease: &Lease) -> Option<u64> {
        lease.held().map(|fence| fence.token)
    }

    #[test]
    fn the_first_holds_it_and_the_next_inherits() {
        let leases = LocalLeases::default();
        let name: LeaseName = "bar".parse().unwrap();
        let (first, second, third) = (leases.stand(&name), leases.stand(&name), leases.stand(&name));
        assert_eq!([&first, &second, &third].map(token), [Some(1), None, None]);

        let yesterday = first.held().unwrap();
        assert!(leases.is_held(&yesterday));
        drop(second);
        assert!(leases.is_held(&yesterday));
        drop(first);
        assert_eq!(token(&third), Some(2));
        assert!(!leases.is_held(&yesterday));

        let last = third.held().unwrap();
        drop(third);
        assert!(!leases.is_held(&last));
        assert_eq!(token(&leases.stand(&name)), Some(3));
    }

    #[tokio::test(start_paused = true)]
    async fn a_vacancy_lasts_from_when_nobody_holds_it() {
        let (vacant, start) = watch::channel(None);
        let lease = Lease::new(watch::channel(None).1, ()).with_vacancy(Vacancy::new(start));
        let vacancy = lease.vacancy();
        assert_eq!(vacancy.lasts(), None);
        vacant.send_replace(Some(Instant::now()));
        tokio::time::advance(Duration::from_secs(3)).await;
        drop(lease);
        assert_eq!(vacancy.lasts(), Some(Duration::from_secs(3)));
        vacant.send_replace(None);
        assert_eq!(vacancy.lasts(), None);
        // A candidate that waits in one process always waits for a holder.
        let leases = LocalLeases::default();
        let name: LeaseName = "bar".parse().unwrap();
        let candidates = [leases.stand(&name), leases.stand(&name)];
        assert_eq!(candidates.map(|lease| lease.vacancy().lasts()), [None, None]);
    }

    #[test]
    fn a_revoked_lease_goes_round() {
        let leases = LocalLeases::default();
        let name: LeaseName = "bar".parse().unwrap();
        let (first, second) = (leases.stand(&name), leases.stand(&name));
        let mut fence = first.watch();
        leases.revoke(&name);
        assert_eq!([&first, &second].map(token), [None, Some(2)]);
        assert!(fence.has_changed().unwrap() && fence.borrow_and_update().is_none());
        leases.revoke(&name);
        assert_eq!([&first, &second].map(token), [Some(3), None]);
    }

    #[test]
    fn leases_of_other_names_are_others() {
        let leases = LocalLeases::default();
        let [one, two] = ["one", "two"].map(|name| leases.stand(&name.parse().unwrap()));
        assert_eq!([token(&one), token(&two)], [Some(1), Some(1)]);
        assert!("a/b".parse::<LeaseName>().is_err() && "".parse::<LeaseName>().is_err());
    }
}

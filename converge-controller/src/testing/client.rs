//! A client with assertions for tests.

use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::clock::Random;
use crate::identity::Id;
use crate::registry::{RegistryError, TypeRegistry};
use crate::resource::{Condition, ConditionState, Resource, Version};
use crate::service::Client;
use crate::storage::{Consistency, Memory};

use super::service::service;

/// The default time to wait for an expected state, in the time of tokio.
pub(super) const PATIENCE: Duration = Duration::from_secs(7);
/// The interval between two looks.
const EVERY: Duration = Duration::from_millis(25);

/// A [`Client`] with assertions.
///
/// A *required* state must hold now. A state that is *waited for* must hold within seven seconds of tokio's
/// time, or the time [set](Self::with_patience); in a test with paused time these pass at once. A failed
/// assertion fails the test at the line of the call, with the last state that was seen.
#[derive(Clone)]
pub struct TestClient {
    client: Client,
    patience: Duration,
}

impl Deref for TestClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// The expectation of a condition; an absent reason matches any.
#[derive(Clone, Debug)]
pub struct ExpectedCondition {
    key: String,
    condition_type: String,
    state: ConditionState,
    reason: Option<String>,
}

/// Expects a condition of a type and state, in the status under a key.
pub fn condition(key: &str, condition_type: &str, state: ConditionState) -> ExpectedCondition {
    ExpectedCondition { key: key.to_owned(), condition_type: condition_type.to_owned(), state, reason: None }
}

impl ExpectedCondition {
    /// Expects this reason.
    #[must_use]
    pub fn because(self, reason: &str) -> Self {
        Self { reason: Some(reason.to_owned()), ..self }
    }

    fn fits(&self, condition: &Condition) -> bool {
        condition.condition_type == self.condition_type
            && condition.state == self.state
            && self.reason.as_ref().is_none_or(|reason| *reason == condition.reason)
    }

    fn holds(&self, resource: &Resource) -> bool {
        let mut statuses = resource.status.iter().filter(|(key, _)| key.as_str() == self.key);
        statuses.any(|(_, status)| status.conditions.iter().any(|condition| self.fits(condition)))
    }
}

/// Returns whether the status under a key is about the current generation of the resource.
fn is_current(resource: &Resource, key: &str) -> bool {
    let mut statuses = resource.status.iter().filter(|(other, _)| other.as_str() == key);
    statuses.any(|(_, status)| Some(status.observed_generation) == resource.generation)
}

type Place = &'static Location<'static>;

impl TestClient {
    /// Creates a test client from a client.
    pub fn new(client: Client) -> Self {
        Self { client, patience: PATIENCE }
    }

    /// Sets the time to wait for expected states.
    ///
    /// A real store that has to recover first needs a longer one.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Creates a client of a new service with these types, over a store in memory.
    ///
    /// No controllers run: a [`TestController`](super::TestController) calls one by hand.
    ///
    /// # Panics
    ///
    /// Panics if a type is refused.
    pub async fn in_memory(types: impl FnOnce(&mut TypeRegistry) -> Result<(), RegistryError>) -> Self {
        Self::new(service(Arc::new(Memory::new()), Random::from_seed(0), None, [types]).await)
    }

    async fn find_at(&self, id: &Id, place: Place) -> Option<Arc<Resource>> {
        let result = self.client.find(id, Consistency::Strong).await;
        result.unwrap_or_else(|error| panic!("{place}: {id} cannot be read: {error}"))
    }

    /// Returns the resource, which must exist.
    #[track_caller]
    pub fn require_exists<'a>(&'a self, id: &'a Id) -> impl Future<Output = Arc<Resource>> + 'a {
        let place = Location::caller();
        async move { self.find_at(id, place).await.unwrap_or_else(|| panic!("{place}: {id} is not there")) }
    }

    /// Asserts that the resource does not exist.
    #[track_caller]
    pub fn require_not_found<'a>(&'a self, id: &'a Id) -> impl Future<Output = ()> + 'a {
        let place = Location::caller();
        async move {
            if let Some(resource) = self.find_at(id, place).await {
                panic!("{place}: {id} is there: {resource:?}");
            }
        }
    }

    /// Returns the resource, which must have another version than this one.
    #[track_caller]
    pub fn require_version_changed<'a>(
        &'a self,
        id: &'a Id,
        version: &'a Version,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.require(id, "has another version", move |resource| resource.version.as_ref() != Some(version))
    }

    /// Returns the resource, which must have this version.
    #[track_caller]
    pub fn require_version_unchanged<'a>(
        &'a self,
        id: &'a Id,
        version: &'a Version,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.require(id, "has that version", move |resource| resource.version.as_ref() == Some(version))
    }

    /// Returns the resource, which must have a condition.
    #[track_caller]
    pub fn require_status_condition<'a>(
        &'a self,
        id: &'a Id,
        expected: &'a ExpectedCondition,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.require(id, "has the condition", move |resource| expected.holds(resource))
    }

    /// Returns the resource, which must have a condition in a status about its current generation.
    #[track_caller]
    pub fn require_status_condition_for_current_gen<'a>(
        &'a self,
        id: &'a Id,
        expected: &'a ExpectedCondition,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.require(id, "has the condition for its generation", move |resource| {
            is_current(resource, &expected.key) && expected.holds(resource)
        })
    }

    /// Returns the resource, which must have a status under a key about its current generation.
    #[track_caller]
    pub fn require_reconciled_current_gen<'a>(
        &'a self,
        id: &'a Id,
        key: &'a str,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.require(id, "is reconciled", move |resource| is_current(resource, key))
    }

    /// Returns the resource, which must have a note.
    #[track_caller]
    pub fn require_note<'a>(
        &'a self,
        id: &'a Id,
        key: &'a str,
        text: &'a str,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.require(id, "has the note", move |resource| resource.metadata.get(key) == Some(text))
    }

    #[track_caller]
    fn require<'a>(
        &'a self,
        id: &'a Id,
        what: &'a str,
        holds: impl Fn(&Resource) -> bool + 'a,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        let place = Location::caller();
        async move {
            match self.find_at(id, place).await {
                Some(resource) if holds(&resource) => resource,
                found => panic!("{place}: not so: {id} {what}; it is {found:?}"),
            }
        }
    }

    /// Waits until the status under a key is about the current generation of the resource.
    #[track_caller]
    pub fn wait_for_reconciliation<'a>(
        &'a self,
        id: &'a Id,
        key: &'a str,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.wait(id, "is reconciled", move |resource| is_current(resource, key))
    }

    /// Waits until the resource has a condition.
    #[track_caller]
    pub fn wait_for_status_condition<'a>(
        &'a self,
        id: &'a Id,
        expected: &'a ExpectedCondition,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.wait(id, "has the condition", move |resource| expected.holds(resource))
    }

    /// Waits until the resource has another version than this one.
    #[track_caller]
    pub fn wait_for_new_version<'a>(
        &'a self,
        id: &'a Id,
        version: &'a Version,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.wait(id, "has another version", move |resource| resource.version.as_ref() != Some(version))
    }

    /// Waits until the resource is in the expected state.
    #[track_caller]
    pub fn wait_for_resource_state<'a>(
        &'a self,
        id: &'a Id,
        holds: impl Fn(&Resource) -> bool + 'a,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.wait(id, "is as it should be", holds)
    }

    #[track_caller]
    fn wait<'a>(
        &'a self,
        id: &'a Id,
        what: &'a str,
        holds: impl Fn(&Resource) -> bool + 'a,
    ) -> impl Future<Output = Arc<Resource>> + 'a {
        self.look_until(id, what, move |resource| match resource {
            Some(resource) if holds(&resource) => Ok(resource),
            found => Err(found),
        })
    }

    /// Waits until the resource does not exist.
    #[track_caller]
    pub fn wait_for_deletion<'a>(&'a self, id: &'a Id) -> impl Future<Output = ()> + 'a {
        self.look_until(id, "is gone", |resource| resource.map_or(Ok(()), |found| Err(Some(found))))
    }

    /// Reads the resource repeatedly until `judge` accepts its state.
    #[track_caller]
    fn look_until<'a, T: 'a>(
        &'a self,
        id: &'a Id,
        what: &'a str,
        judge: impl Fn(Option<Arc<Resource>>) -> Result<T, Option<Arc<Resource>>> + 'a,
    ) -> impl Future<Output = T> + 'a {
        let place = Location::caller();
        async move {
            let end = Instant::now() + self.patience;
            loop {
                match judge(self.find_at(id, place).await) {
                    Ok(value) => return value,
                    Err(resource) if Instant::now() >= end => {
                        let patience = self.patience;
                        panic!("{place}: not so after {patience:?}: {id} {what}; it is {resource:?}")
                    }
                    Err(_) => sleep(EVERY).await,
                }
            }
        }
    }

    /// Returns the identity of a resource, with its uid.
    #[track_caller]
    pub fn resolve_id<'a>(&'a self, id: &'a Id) -> impl Future<Output = Id> + 'a {
        let lookup = self.require_exists(id);
        async move { lookup.await.id.clone() }
    }

    /// Deletes a resource.
    #[track_caller]
    pub fn must_delete<'a>(&'a self, id: &'a Id) -> impl Future<Output = ()> + 'a {
        let place = Location::caller();
        async move {
            let deleted = self.client.delete(id, None).await;
            deleted.unwrap_or_else(|error| panic!("{place}: {id} cannot be deleted: {error}"));
        }
    }
}

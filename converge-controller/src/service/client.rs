//! The service, and its clients.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::authorize::{Access, Authorizer, Caller, TenancyDefaults, Verb};
use crate::builtin_types;
use crate::clock::{Clock, Random};
use crate::identity::{Generation, Id, Type, Uid};
use crate::registry::{Registration, RegistryError, TypeRegistry};
use crate::resource::Resource;
use crate::storage::{Backend, CommitError, Fence, Unavailable};

use super::error::{FailedPrecondition, InvalidArgument, PermissionDenied, ServiceError};
use super::tenancy::complete;

/// The service: a store with rules for resources.
///
/// Clones are cheap.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    backend: Arc<dyn Backend>,
    /// The types that the service was created with.
    own: TypeRegistry,
    /// All current types, replaced as a whole, so that each request sees a consistent set.
    types: watch::Sender<Arc<TypeRegistry>>,
    clock: Clock,
    random: Mutex<Random>,
}

impl Service {
    /// Creates a service over a store, with these types and the built-in ones.
    ///
    /// # Errors
    ///
    /// Fails if a type has the name of a built-in one.
    pub fn new(
        backend: Arc<dyn Backend>,
        mut types: TypeRegistry,
        clock: Clock,
        random: Random,
    ) -> Result<Self, RegistryError> {
        builtin_types::register_types(&mut types)?;
        let (own_types, types) = (types.clone(), watch::Sender::new(Arc::new(types)));
        Ok(Self(Arc::new(Inner { backend, own: own_types, types, clock, random: Mutex::new(random) })))
    }

    /// Creates the default partition and the default namespace if they are missing.
    ///
    /// Call it before the service is used.
    ///
    /// # Errors
    ///
    /// Fails if the store is unavailable.
    pub async fn start(&self) -> Result<(), Unavailable> {
        for (id, data) in builtin_types::defaults().into_iter().flatten() {
            let now = self.clock().now();
            let (uid, generation) =
                self.random(|random| (Uid::at(now, random.bits()), Generation::at(now, random.bits())));
            let missing = Resource {
                generation: Some(generation),
                data: Some(data),
                ..Resource::new(id.with_uid(uid))
            };
            match self.backend().write(missing).await {
                // The resource exists, perhaps because another server has just created it.
                Ok(_) | Err(CommitError::Conflict { .. }) => {}
                Err(CommitError::Unavailable(unavailable)) => return Err(unavailable),
                Err(error) => return Err(Unavailable::because("the default tenancy cannot be made", error)),
            }
        }
        Ok(())
    }

    /// Returns a client that makes requests as this caller.
    pub fn client(&self, caller: Caller) -> Client {
        Client { service: self.clone(), caller, lease: None }
    }

    /// Returns the current types.
    pub fn types(&self) -> Arc<TypeRegistry> {
        Arc::clone(&self.0.types.borrow())
    }

    /// Returns the types that the service was created with, which it always has.
    pub fn own_types(&self) -> &TypeRegistry {
        &self.0.own
    }

    /// Replaces all types defined by earlier calls by these; [its own types](Self::own_types) stay.
    ///
    /// Requests from now on use the new types; open watches continue.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use converge_controller::clock::{Clock, Random};
    /// use converge_controller::registry::{Cause, Hooks, Registration, TypeRegistry};
    /// use converge_controller::service::Service;
    /// use converge_controller::storage::Memory;
    /// use converge_controller::{Data, Scope};
    ///
    /// struct AnyData;
    ///
    /// impl Hooks for AnyData {
    ///     fn check_data(&self, _: &Data) -> Result<(), Cause> {
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let service =
    ///     Service::new(Arc::new(Memory::new()), TypeRegistry::new(), Clock::machine(), Random::from_machine())?;
    /// let artist = "demo.v2.Artist".parse()?;
    /// service.define([Registration::new(artist, Scope::Namespace, "demo", AnyData)])?;
    /// assert!(service.types().get(&"demo.v2.Artist".parse()?).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if two of the types, or one of them and one of its own, conflict. The types then stay unchanged.
    pub fn define(&self, types: impl IntoIterator<Item = Registration>) -> Result<(), RegistryError> {
        let mut all_types = self.0.own.clone();
        for registration in types {
            all_types.add(registration)?;
        }
        self.0.types.send_replace(Arc::new(all_types));
        Ok(())
    }

    /// Returns the store.
    pub fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// Returns the clock for timestamps.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Draws from the source of random numbers.
    pub(super) fn random<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut self.0.random.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the registration of a type.
    pub(super) fn registration(&self, resource_type: &Type) -> Result<Arc<Registration>, InvalidArgument> {
        self.types().get(resource_type).cloned().ok_or_else(|| self.unknown(resource_type))
    }

    /// Returns the error for a type that is not registered.
    pub(super) fn unknown(&self, resource_type: &Type) -> InvalidArgument {
        let others = self
            .types()
            .versions(resource_type)
            .map(|registration| registration.resource_type.clone())
            .collect();
        InvalidArgument::TypeNotRegistered { resource_type: resource_type.clone(), others }
    }
}

/// A client that makes requests to a [`Service`] as a [`Caller`].
///
/// Clones are cheap.
#[derive(Clone)]
pub struct Client {
    pub(super) service: Service,
    caller: Caller,
    lease: Option<watch::Receiver<Option<Fence>>>,
}

impl Client {
    /// Restricts writes to the time while a lease is held.
    ///
    /// A process that was paused and has lost the lease may still try to write; the store refuses that.
    pub fn fenced(self, lease: watch::Receiver<Option<Fence>>) -> Self {
        Self { lease: Some(lease), ..self }
    }

    /// Returns the service.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the caller.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    pub(super) fn backend(&self) -> &dyn Backend {
        self.service.backend()
    }

    pub(super) fn defaults(&self) -> &TenancyDefaults {
        self.caller.defaults()
    }

    pub(super) fn authorizer(&self) -> &dyn Authorizer {
        self.caller.authorizer()
    }

    /// Returns the lease that protects a write.
    pub(super) fn fence(&self) -> Result<Option<Fence>, FailedPrecondition> {
        match &self.lease {
            None => Ok(None),
            Some(lease) => lease.borrow().clone().map(Some).ok_or(FailedPrecondition::LeaseLost),
        }
    }

    /// Returns the registration of the type of an identity, and the identity with the complete tenancy.
    pub(super) fn resolve(&self, id: &Id) -> Result<(Arc<Registration>, Id), InvalidArgument> {
        let registration = self.service.registration(&id.resource_type)?;
        let tenancy = complete(registration.scope, &id.resource_type, &id.tenancy, self.defaults())?;
        // Identities use the type of the registry, so that a million resources share its texts.
        let resource_type = registration.resource_type.clone();
        Ok((registration, Id { resource_type, tenancy, ..id.clone() }))
    }

    /// Returns the registration whose rules apply: that of the stored version of the type, if it differs.
    pub(super) fn applicable_type(
        &self,
        registration: &Arc<Registration>,
        stored: Option<&Resource>,
    ) -> Arc<Registration> {
        let stored = stored
            .map(|stored| &stored.id.resource_type)
            .filter(|stored| **stored != registration.resource_type);
        stored
            .and_then(|stored| self.service.types().get(stored).cloned())
            .unwrap_or_else(|| Arc::clone(registration))
    }

    /// Checks that the caller may write a resource: the stored one, or else the one to be written.
    ///
    /// An error names the resource as requested.
    pub(super) fn may_write(
        &self,
        registration: &Registration,
        resource: &Resource,
        asked: &Id,
    ) -> Result<(), ServiceError> {
        match self.access_to_write(registration, resource) {
            Access::Allow => Ok(()),
            Access::Deny | Access::NeedResource => Err(denied(Verb::Write, asked)),
        }
    }
}

/// Returns the error for a denied request.
pub(super) fn denied(verb: Verb, id: &Id) -> ServiceError {
    let (resource_type, name) = (id.resource_type.clone(), Some(id.name.clone()));
    Box::new(PermissionDenied { verb, resource_type, tenancy: id.tenancy.clone().into(), name }).into()
}

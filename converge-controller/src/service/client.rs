//! The service, and who asks it.

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

/// Resources with rules, over a store without. It is cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    backend: Arc<dyn Backend>,
    /// The types that it was made with.
    own: TypeRegistry,
    /// All types that there are now. Who is answered sees one set of them, which is replaced as a whole.
    types: watch::Sender<Arc<TypeRegistry>>,
    clock: Clock,
    random: Mutex<Random>,
}

impl Service {
    /// A service over a store, for the resources of these types and of those that every service has.
    ///
    /// # Errors
    ///
    /// A type has the name of one that every service has.
    pub fn new(
        backend: Arc<dyn Backend>,
        mut types: TypeRegistry,
        clock: Clock,
        random: Random,
    ) -> Result<Self, RegistryError> {
        builtin_types::register_types(&mut types)?;
        let (own, types) = (types.clone(), watch::Sender::new(Arc::new(types)));
        Ok(Self(Arc::new(Inner { backend, own, types, clock, random: Mutex::new(random) })))
    }

    /// Makes what has to be there always: the partition and the namespace that are called `default`. Call it once the service
    /// is to be used; a store that has them is left as it is.
    ///
    /// # Errors
    ///
    /// The store cannot be asked.
    pub async fn start(&self) -> Result<(), Unavailable> {
        for (id, data) in builtin_types::always_there().into_iter().flatten() {
            let now = self.clock().now();
            let (uid, generation) =
                self.random(|random| (Uid::at(now, random.bits()), Generation::at(now, random.bits())));
            let missing = Resource {
                generation: Some(generation),
                data: Some(data),
                ..Resource::new(id.with_uid(uid))
            };
            match self.backend().write(missing).await {
                // There is one, perhaps since another server made it a moment ago.
                Ok(_) | Err(CommitError::Conflict { .. }) => {}
                Err(CommitError::Unavailable(unavailable)) => return Err(unavailable),
                Err(error) => return Err(Unavailable::because("the default tenancy cannot be made", error)),
            }
        }
        Ok(())
    }

    /// Asks in the name of a caller.
    pub fn client(&self, caller: Caller) -> Client {
        Client { service: self.clone(), caller, lease: None }
    }

    /// The types that it knows now.
    pub fn types(&self) -> Arc<TypeRegistry> {
        Arc::clone(&self.0.types.borrow())
    }

    /// The types that it was made with, which it always knows.
    pub fn own_types(&self) -> &TypeRegistry {
        &self.0.own
    }

    /// Takes these types in place of all that were taken so before, beside [its own](Self::own_types). What is asked from now on
    /// is answered by them; watches that are open go on.
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
    /// Two of them, or one of them and one of its own, cannot stand side by side. Then it knows what it knew.
    pub fn define(&self, types: impl IntoIterator<Item = Registration>) -> Result<(), RegistryError> {
        let mut all = self.0.own.clone();
        for registration in types {
            all.add(registration)?;
        }
        self.0.types.send_replace(Arc::new(all));
        Ok(())
    }

    /// The store.
    pub fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// The clock by which it notes times.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Draws from its source of chance.
    pub(super) fn random<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut self.0.random.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is known of a type.
    pub(super) fn registration(&self, resource_type: &Type) -> Result<Arc<Registration>, InvalidArgument> {
        self.types().get(resource_type).cloned().ok_or_else(|| self.unknown(resource_type))
    }

    /// The refusal of a type that is not registered.
    pub(super) fn unknown(&self, resource_type: &Type) -> InvalidArgument {
        let others = self.types().versions(resource_type).map(|other| other.resource_type.clone()).collect();
        InvalidArgument::TypeNotRegistered { resource_type: resource_type.clone(), others }
    }
}

/// Asks a [`Service`] in the name of a [`Caller`]. It is cheap to clone.
#[derive(Clone)]
pub struct Client {
    pub(super) service: Service,
    caller: Caller,
    lease: Option<watch::Receiver<Option<Fence>>>,
}

impl Client {
    /// The same client, whose writes happen only while a lease is held: what whoever was paused and has lost the lease
    /// meanwhile still writes is refused by the store.
    pub fn fenced(self, lease: watch::Receiver<Option<Fence>>) -> Self {
        Self { lease: Some(lease), ..self }
    }

    /// The service.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Who asks.
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

    /// The lease in whose name a write is done.
    pub(super) fn fence(&self) -> Result<Option<Fence>, FailedPrecondition> {
        match &self.lease {
            None => Ok(None),
            Some(lease) => lease.borrow().clone().map(Some).ok_or(FailedPrecondition::LeaseLost),
        }
    }

    /// What an identity means: what is known of its type, and the identity with the whole tenancy.
    pub(super) fn resolve(&self, id: &Id) -> Result<(Arc<Registration>, Id), InvalidArgument> {
        let registration = self.service.registration(&id.resource_type)?;
        let tenancy = complete(registration.scope, &id.resource_type, &id.tenancy, self.defaults())?;
        // The texts of the type are those of the registry, so that a million resources share them.
        let resource_type = registration.resource_type.clone();
        Ok((registration, Id { resource_type, tenancy, ..id.clone() }))
    }

    /// What decides about a resource that was asked for: its own type, where it is stored as another version of the group.
    pub(super) fn deciding(&self, asked: &Arc<Registration>, stored: Option<&Resource>) -> Arc<Registration> {
        let stored =
            stored.map(|stored| &stored.id.resource_type).filter(|stored| **stored != asked.resource_type);
        stored
            .and_then(|stored| self.service.types().get(stored).cloned())
            .unwrap_or_else(|| Arc::clone(asked))
    }

    /// Checks that the caller may write a resource: the stored one or, where there is none, what is to be written. A
    /// refusal names it as it was asked for.
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

/// The refusal of what was asked for.
pub(super) fn denied(verb: Verb, asked: &Id) -> ServiceError {
    let (resource_type, name) = (asked.resource_type.clone(), Some(asked.name.clone()));
    Box::new(PermissionDenied { verb, resource_type, tenancy: asked.tenancy.clone().into(), name }).into()
}

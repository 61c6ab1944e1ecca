//! The types and controllers of a server.

mod etcd;
mod store;

use std::fmt;
use std::sync::Arc;

use converge_controller::authorize::Caller;
use converge_controller::clock::{Clock, Random};
use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};
use converge_controller::service::Service;
use converge_controller::storage::Backend;

pub use etcd::{EtcdAddress, InvalidEtcdAddress};
pub use store::Store;
pub(crate) use store::StoreError;

use crate::{access, definitions, fleet};

type Types = dyn Fn(&mut TypeRegistry) -> Result<(), RegistryError> + Send + Sync;
type Controllers = dyn Fn(&mut Manager) -> Result<(), RegisterError> + Send + Sync;

/// The types and controllers of a server, both built-in and from a program.
#[derive(Clone, Default)]
pub(crate) struct Content {
    types: Vec<Arc<Types>>,
    controllers: Vec<Arc<Controllers>>,
}

impl Content {
    pub(crate) fn add_types(
        &mut self,
        register: impl Fn(&mut TypeRegistry) -> Result<(), RegistryError> + Send + Sync + 'static,
    ) {
        self.types.push(Arc::new(register));
    }

    pub(crate) fn add_controllers(
        &mut self,
        register: impl Fn(&mut Manager) -> Result<(), RegisterError> + Send + Sync + 'static,
    ) {
        self.controllers.push(Arc::new(register));
    }

    /// Creates a service for all types, including those that every service has.
    pub(crate) fn service(&self, store: Arc<dyn Backend>) -> Result<Service, RegistryError> {
        let mut types = TypeRegistry::new();
        fleet::register_types(&mut types)?;
        access::register_types(&mut types)?;
        definitions::register_types(&mut types)?;
        for register in &self.types {
            register(&mut types)?;
        }
        Service::new(store, types, Clock::machine(), Random::from_machine())
    }

    /// Creates a manager of all controllers.
    pub(crate) fn manager(&self, service: &Service) -> Result<Manager, RegisterError> {
        let mut manager = Manager::new(service.client(Caller::system()), Random::from_machine());
        converge_controller::controllers::register_controllers(&mut manager)?;
        fleet::register_controllers(&mut manager)?;
        definitions::register_controllers(&mut manager)?;
        for register in &self.controllers {
            register(&mut manager)?;
        }
        Ok(manager)
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (types, controllers) = (self.types.len(), self.controllers.len());
        f.debug_struct("Content").field("types", &types).field("controllers", &controllers).finish()
    }
}

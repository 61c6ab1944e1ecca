//! The descriptor pool of the service and of all types, which reflection serves.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use converge_controller::protobuf::{Declaration, Files};
use converge_controller::registry::TypeRegistry;
use prost_reflect::{DescriptorPool, FileDescriptor};
use protox::file::File;

use super::methods::{self, methods};
use crate::type_snapshot::{TypeSnapshot, Types};

/// The descriptors of the service and of every registered type.
///
/// It is cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Pool(DescriptorPool);

impl Pool {
    /// Creates the pool of the registered types.
    ///
    /// # Errors
    ///
    /// The types cannot be described together.
    pub(crate) fn new(types: &TypeRegistry) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let registered =
            types.iter().filter_map(|registration| registration.message.clone()).map(Declaration::Message);
        let service_messages = methods().into_iter().flat_map(|method| method.messages);
        let files = Files::from_types(registered.chain(service_messages))?;
        let mut pool = DescriptorPool::decode(files.descriptor_set().as_slice())?;
        let service = File::from_source(methods::PROTO.0, methods::PROTO.1)?;
        pool.add_file_descriptor_proto(service.file_descriptor_proto().clone())?;
        Ok(Self(pool))
    }

    pub(super) fn services(&self) -> impl Iterator<Item = String> {
        self.0.services().map(|service| service.full_name().to_owned())
    }

    pub(super) fn file(&self, name: &str) -> Option<FileDescriptor> {
        self.0.get_file_by_name(name)
    }

    /// Returns the file that defines a symbol, by its full name.
    pub(super) fn file_of(&self, symbol: &str) -> Option<FileDescriptor> {
        // A method, a field or an enum value is in the file of its parent.
        self.file_of_whole(symbol).or_else(|| self.file_of_whole(symbol.rsplit_once('.')?.0))
    }

    /// Returns the file of a message, an enum, a service or an extension.
    fn file_of_whole(&self, symbol: &str) -> Option<FileDescriptor> {
        let message = || Some(self.0.get_message_by_name(symbol)?.parent_file());
        let enumeration = || Some(self.0.get_enum_by_name(symbol)?.parent_file());
        let service = || Some(self.0.get_service_by_name(symbol)?.parent_file());
        let extension = || Some(self.0.get_extension_by_name(symbol)?.parent_file());
        message().or_else(enumeration).or_else(service).or_else(extension)
    }

    /// Returns the file of the extension with this number.
    pub(super) fn file_of_extension(&self, message_name: &str, number: i32) -> Option<FileDescriptor> {
        let extension = self.0.get_message_by_name(message_name)?.get_extension(number.try_into().ok()?)?;
        Some(extension.parent_file())
    }

    /// Returns the extension numbers of a message.
    pub(super) fn extensions(&self, message_name: &str) -> Option<Vec<i32>> {
        let message = self.0.get_message_by_name(message_name)?;
        Some(message.extensions().filter_map(|extension| i32::try_from(extension.number()).ok()).collect())
    }
}

/// A snapshot of types and its pool.
type Last = (Arc<TypeSnapshot>, Pool);

/// The pool for the current types, including those that are defined at run time.
#[derive(Clone)]
pub(super) struct Pools {
    base: Pool,
    /// The most recent pool and the types that it describes.
    last: Arc<Mutex<Option<Last>>>,
}

impl Pools {
    pub(super) fn new(base: Pool) -> Self {
        Self { base, last: Arc::default() }
    }

    /// Returns the pool for the current types.
    pub(super) fn now(&self, types: &Types) -> Pool {
        let snapshot = types.now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pool)) = last.as_ref().filter(|(of, _)| Arc::ptr_eq(of, &snapshot)) {
            return pool.clone();
        }
        let mut pool = self.base.clone();
        if let Err(error) = snapshot.files.extend(&mut pool.0) {
            tracing::error!(%error, "reflection cannot serve the defined types");
            return self.base.clone();
        }
        *last = Some((snapshot, pool.clone()));
        pool
    }
}

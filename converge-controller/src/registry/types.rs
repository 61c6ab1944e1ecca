//! The registry of the types of a service.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::debug_as_text;
use crate::identity::{Id, Scope, Type};
use crate::protobuf::{Declaration, DescriptorError, Files, MessageDescriptor};

use super::hooks::Hooks;

/// The registration of a type.
#[derive(Clone)]
pub struct Registration {
    /// The type.
    pub resource_type: Type,
    /// The scope of its resources.
    pub scope: Scope,
    /// The origin of the registration, for messages: the path of the Rust type, or the name of a file.
    pub origin: Arc<str>,
    /// The hooks of the type.
    pub hooks: Arc<dyn Hooks>,
    /// The descriptor of its data, if it is known at compile time.
    pub message: Option<MessageDescriptor>,
    /// The resource that defines the type, with its uid.
    ///
    /// A resource of the type can only be created while the definition exists and is not marked for deletion.
    pub definition: Option<Id>,
}

impl Registration {
    /// Creates a registration with hooks.
    pub fn new(resource_type: Type, scope: Scope, origin: impl Into<Arc<str>>, hooks: impl Hooks) -> Self {
        Self {
            resource_type,
            scope,
            origin: origin.into(),
            hooks: Arc::new(hooks),
            message: None,
            definition: None,
        }
    }

    /// Adds the descriptor of the data.
    pub fn with_message(self, message: MessageDescriptor) -> Self {
        Self { message: Some(message), ..self }
    }

    /// Sets the resource, with its uid, that defines the type.
    ///
    /// The store refuses to create resources of the type once the definition is being deleted, even for a
    /// process that has not noticed the deletion.
    pub fn defined_by(self, definition: Id) -> Self {
        Self { definition: Some(definition), ..self }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("type", &self.resource_type.to_string())
            .field("scope", &self.scope)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// The reason why a type cannot be registered.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// A type with this name is registered.
    #[error("{resource_type} is registered twice: by {first} and by {second}")]
    Twice {
        /// The type.
        resource_type: Type,
        /// The origin of the existing registration.
        first: Arc<str>,
        /// The origin of the new registration.
        second: Arc<str>,
    },
    /// Another version of the type has another scope, though both versions are one resource in the store.
    #[error(
        "{resource_type} of {second} is {scope} scoped, but {other} of {first} is {other_scope} scoped: versions of one type share their resources"
    )]
    Scope {
        /// The type.
        resource_type: Box<Type>,
        /// The scope of the type.
        scope: Scope,
        /// The origin of the new registration.
        second: Arc<str>,
        /// The registered version.
        other: Box<Type>,
        /// The scope of the registered version.
        other_scope: Scope,
        /// The origin of the registered version.
        first: Arc<str>,
    },
}

debug_as_text!(RegistryError);

/// The types of a service.
///
/// Each package of types has a function `register_types(&mut TypeRegistry)`, and one place calls them all;
/// nothing registers itself.
#[derive(Clone, Debug, Default)]
pub struct TypeRegistry {
    types: BTreeMap<Type, Arc<Registration>>,
}

impl TypeRegistry {
    /// Creates a registry without types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type.
    ///
    /// # Errors
    ///
    /// Fails if a type with this name is registered, or another version of the type has another scope.
    pub fn add(&mut self, registration: Registration) -> Result<(), RegistryError> {
        let Registration { resource_type, scope, origin, .. } = &registration;
        if let Some(earlier) = self.types.get(resource_type) {
            return Err(RegistryError::Twice {
                resource_type: resource_type.clone(),
                first: Arc::clone(&earlier.origin),
                second: Arc::clone(origin),
            });
        }
        let other = self.versions(resource_type).find(|other| other.scope != *scope);
        if let Some(other) = other {
            return Err(RegistryError::Scope {
                resource_type: Box::new(resource_type.clone()),
                scope: *scope,
                second: Arc::clone(origin),
                other: Box::new(other.resource_type.clone()),
                other_scope: other.scope,
                first: Arc::clone(&other.origin),
            });
        }
        self.types.insert(resource_type.clone(), Arc::new(registration));
        Ok(())
    }

    /// Returns the registration of a type.
    pub fn get(&self, resource_type: &Type) -> Option<&Arc<Registration>> {
        self.types.get(resource_type)
    }

    /// Iterates over all types, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Registration> {
        self.types.values().map(AsRef::as_ref)
    }

    /// Returns the `.proto` files of all types and of the types that these contain.
    ///
    /// # Errors
    ///
    /// Fails if two messages have the same name.
    pub fn files(&self) -> Result<Files, DescriptorError> {
        Files::from_types(
            self.iter().filter_map(|registration| registration.message.clone()).map(Declaration::Message),
        )
    }

    /// Iterates over all versions of a type.
    pub fn versions(&self, resource_type: &Type) -> impl Iterator<Item = &Registration> {
        self.iter().filter(|other| {
            other.resource_type.group == resource_type.group && other.resource_type.kind == resource_type.kind
        })
    }
}

//! The types that a service knows.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::identity::{Id, Scope, Type};
use crate::protobuf::{Declaration, DescriptorError, Files, MessageDescriptor};

use super::hooks::Hooks;

/// One type that a service knows.
#[derive(Clone)]
pub struct Registration {
    /// The type.
    pub resource_type: Type,
    /// How much of a tenancy its resources have.
    pub scope: Scope,
    /// Who registers it, for messages: the path of the Rust type, or the name of a file.
    pub origin: Arc<str>,
    /// What is asked of it.
    pub hooks: Arc<dyn Hooks>,
    /// Its data as a message, where that is known while the program is built.
    pub message: Option<MessageDescriptor>,
    /// The resource that says that there is this type, with its uid. No resource of the type is made unless it is there and stays.
    pub definition: Option<Id>,
}

impl Registration {
    /// A type with hooks.
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

    /// With a description of its data as a message.
    pub fn with_message(self, message: MessageDescriptor) -> Self {
        Self { message: Some(message), ..self }
    }

    /// Of a type that there is only while a resource is there: this one, with its uid.
    ///
    /// Who does not know yet that it goes makes no resource of the type any more: the store refuses it.
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

/// A type cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// There is one of that name.
    #[error("{resource_type} is registered twice: by {first} and by {second}")]
    Twice {
        /// The type.
        resource_type: Type,
        /// Who registered it.
        first: Arc<str>,
        /// Who wants to.
        second: Arc<str>,
    },
    /// Another version of it has another scope, though both are one resource in the store.
    #[error(
        "{resource_type} of {second} is {scope} scoped, but {other} of {first} is {other_scope} scoped: versions of one type share their resources"
    )]
    Scope {
        /// The type.
        resource_type: Box<Type>,
        /// Its scope.
        scope: Scope,
        /// Who wants to register it.
        second: Arc<str>,
        /// The version that is registered.
        other: Box<Type>,
        /// Its scope.
        other_scope: Scope,
        /// Who registered that.
        first: Arc<str>,
    },
}

/// The types that a service knows. Each package of types has a function `register_types(&mut TypeRegistry)`, and one place
/// calls them all; nothing registers itself.
#[derive(Clone, Debug, Default)]
pub struct TypeRegistry {
    types: BTreeMap<Type, Arc<Registration>>,
}

impl TypeRegistry {
    /// A registry without types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type.
    ///
    /// # Errors
    ///
    /// There is one of that name, or another version of it has another scope.
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

    /// The type of this name.
    pub fn get(&self, resource_type: &Type) -> Option<&Arc<Registration>> {
        self.types.get(resource_type)
    }

    /// All types, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Registration> {
        self.types.values().map(AsRef::as_ref)
    }

    /// The `.proto` files of all types and of what they hold.
    ///
    /// # Errors
    ///
    /// Types cannot be described together: two messages in them have one name.
    pub fn files(&self) -> Result<Files, DescriptorError> {
        Files::of(self.iter().filter_map(|found| found.message.clone()).map(Declaration::Message))
    }

    /// All versions of one type.
    pub fn versions(&self, of: &Type) -> impl Iterator<Item = &Registration> {
        self.iter()
            .filter(|other| other.resource_type.group == of.group && other.resource_type.kind == of.kind)
    }
}

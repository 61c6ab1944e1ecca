//! The hooks of a Rust type, adapted to stored resources.

#[cfg(test)]
mod tests;

use super::hooks::{Cause, Hooks};
use super::stored_resource::{StoredResource, TypedHooks};
use super::typed_resource::Typed;
use super::types::{Registration, RegistryError, TypeRegistry};
use crate::authorize::{Access, Authorizer, Verb};
use crate::identity::{Id, TenancyPattern, Type};
use crate::resource::{Data, Resource};

impl Registration {
    /// Returns the registration of a Rust type with its hooks.
    pub fn for_type<T: StoredResource>() -> Self {
        let origin = std::any::type_name::<T>();
        Self::new(T::resource_type().clone(), T::SCOPE, origin, T::hooks()).with_message(T::descriptor())
    }
}

impl TypeRegistry {
    /// Registers a Rust type.
    ///
    /// ```
    /// use converge_controller::StoredResource;
    /// use converge_controller::registry::{RegistryError, TypeRegistry};
    ///
    /// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
    /// #[stored(group = "demo", version = "v2", scope = namespace)]
    /// pub struct Artist {
    ///     #[stored(tag = 1)]
    ///     name: String,
    /// }
    ///
    /// /// Each package of types has such a function.
    /// pub fn register_types(registry: &mut TypeRegistry) -> Result<(), RegistryError> {
    ///     registry.register::<Artist>()
    /// }
    ///
    /// let mut registry = TypeRegistry::new();
    /// register_types(&mut registry)?;
    /// assert!(registry.get(Artist::resource_type()).is_some());
    /// # Ok::<(), RegistryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a type with this name is registered, or another version of the type has another scope.
    pub fn register<T: StoredResource>(&mut self) -> Result<(), RegistryError> {
        self.add(Registration::for_type::<T>())
    }
}

impl<T: StoredResource> Hooks for TypedHooks<T> {
    fn check_data(&self, data: &Data) -> Result<(), Cause> {
        T::decode(data.value.clone())?;
        Ok(())
    }

    fn mutate(&self, resource: &Resource) -> Result<Option<Resource>, Cause> {
        let Some(mutate) = self.mutate else { return Ok(None) };
        let before = Typed::<T>::decode(resource.clone())?;
        let mut after = before.clone();
        mutate(&mut after)?;
        // Unchanged data keep their bytes, which may contain fields that are unknown here.
        if after.data != before.data {
            Ok(Some(after.into_resource()))
        } else if after.resource == before.resource {
            Ok(None)
        } else {
            Ok(Some(after.resource))
        }
    }

    fn validate(&self, resource: &Resource) -> Result<(), Cause> {
        let Some(validate) = self.validate else { return Ok(()) };
        Ok(validate(&Typed::decode(resource.clone())?)?)
    }

    fn authorize_read(&self, authorizer: &dyn Authorizer, id: &Id, resource: Option<&Resource>) -> Access {
        let Some(authorize) = self.authorize_read else { return authorizer.may(Verb::Read, id).into() };
        match resource.map(|resource| Typed::decode(resource.clone())).transpose() {
            Ok(resource) => authorize(authorizer, id, resource.as_ref()),
            // Data that cannot be decoded cannot be judged.
            Err(_) => Access::Deny,
        }
    }

    fn authorize_write(&self, authorizer: &dyn Authorizer, resource: &Resource) -> Access {
        let Some(authorize) = self.authorize_write else {
            return authorizer.may(Verb::Write, &resource.id).into();
        };
        match Typed::decode(resource.clone()) {
            Ok(resource) => authorize(authorizer, &resource),
            Err(_) => Access::Deny,
        }
    }

    fn authorize_list(
        &self,
        authorizer: &dyn Authorizer,
        resource_type: &Type,
        tenancy: &TenancyPattern,
    ) -> Access {
        match self.authorize_list {
            Some(authorize) => authorize(authorizer, tenancy),
            None => authorizer.may_list(resource_type, tenancy).into(),
        }
    }
}

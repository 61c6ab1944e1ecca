//! The visibility of resources for a caller.

use crate::authorize::{Access, Verb};
use crate::registry::TypeRegistry;
use crate::resource::Resource;

use super::client::Client;

impl Client {
    /// Returns whether the caller may read a resource that was found.
    ///
    /// For an unregistered type, the authorizer is asked by name, as for a type without hooks.
    pub(super) fn may_read(&self, types: &TypeRegistry, resource: &Resource) -> bool {
        let id = &resource.id;
        let Some(registration) = types.get(&id.resource_type) else {
            return self.may(Verb::Read, id);
        };
        match self.access_to_read(registration, id, None) {
            Access::Allow => true,
            Access::Deny => false,
            Access::NeedResource => self.access_to_read(registration, id, Some(resource)) == Access::Allow,
        }
    }
}

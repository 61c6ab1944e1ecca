//! What of the resources that there are a caller gets to see.

use crate::authorize::{Access, Verb};
use crate::registry::TypeRegistry;
use crate::resource::Resource;

use super::client::Client;

impl Client {
    /// Whether the caller may read a resource that was found. Of a type that is not registered any more the caller is asked
    /// for by name, as for a type without hooks.
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

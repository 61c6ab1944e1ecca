//! What of the resources that there are a caller gets to see.

use crate::authorize::{Access, Verb};
use crate::resource::Resource;

use super::client::Client;

impl Client {
    /// Whether the caller may read a resource that was found. Of a type that is not registered any more the caller is asked
    /// for by name, as for a type without hooks.
    pub(super) fn may_read(&self, resource: &Resource) -> bool {
        let id = &resource.id;
        let Some(registration) = self.service.types().get(&id.resource_type) else {
            return self.authorizer().may(Verb::Read, id);
        };
        match registration.hooks.authorize_read(self.authorizer(), id, None) {
            Access::Allow => true,
            Access::Deny => false,
            Access::NeedResource => {
                registration.hooks.authorize_read(self.authorizer(), id, Some(resource)) == Access::Allow
            }
        }
    }
}

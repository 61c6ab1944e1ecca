//! Asking types and authorizers, and what becomes of their panics.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::authorize::{Access, Verb};
use crate::identity::{Id, TenancyPattern, Type};
use crate::registry::Registration;
use crate::resource::Resource;

use super::client::Client;
use super::error::ServiceError;

/// Asks a hook about data. A panic is that of one write, and is told to who made it.
pub(super) fn contained<T>(
    given: &Resource,
    hook: &'static str,
    ask: impl FnOnce() -> T,
) -> Result<T, ServiceError> {
    let id = || Box::new(given.id.clone());
    caught(&given.id, hook, ask).map_err(|message| ServiceError::HookPanicked { id: id(), hook, message })
}

/// Asks whether a caller may. A panic is a denial, and the log alone has what it says: the hook may have looked at a resource of
/// which the caller must not learn that there is one.
fn access(of: &dyn Display, hook: &'static str, ask: impl FnOnce() -> Access) -> Access {
    caught(of, hook, ask).unwrap_or(Access::Deny)
}

/// Asks; the error is what a panic says.
fn caught<T>(of: &dyn Display, hook: &'static str, ask: impl FnOnce() -> T) -> Result<T, String> {
    // What it leaves half done is its own: it gets what is asked by reference.
    catch_unwind(AssertUnwindSafe(ask)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let message = text.unwrap_or_else(|| "without a message".to_owned());
        tracing::error!(%of, hook, message, "a hook or an authorizer panicked");
        message
    })
}

impl Client {
    /// What a type says of reading a resource; it is asked without it first.
    pub(super) fn access_to_read(
        &self,
        registration: &Registration,
        id: &Id,
        resource: Option<&Resource>,
    ) -> Access {
        access(id, "authorize_read", || registration.hooks.authorize_read(self.authorizer(), id, resource))
    }

    /// What a type says of writing a resource.
    pub(super) fn access_to_write(&self, registration: &Registration, resource: &Resource) -> Access {
        let ask = || registration.hooks.authorize_write(self.authorizer(), resource);
        access(&resource.id, "authorize_write", ask)
    }

    /// What a type says of lists and watches.
    pub(super) fn access_to_list(
        &self,
        registration: &Registration,
        resource_type: &Type,
        tenancy: &TenancyPattern,
    ) -> Access {
        let ask = || registration.hooks.authorize_list(self.authorizer(), resource_type, tenancy);
        access(resource_type, "authorize_list", ask)
    }

    /// Whether the caller may, by what is asked for alone: for types that are not registered.
    pub(super) fn may(&self, verb: Verb, id: &Id) -> bool {
        access(id, "allows", || self.authorizer().may(verb, id).into()) == Access::Allow
    }
}

//! Calls of hooks and authorizers, with containment of panics.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::authorize::{Access, Verb};
use crate::identity::{Id, TenancyPattern, Type};
use crate::registry::Registration;
use crate::resource::Resource;

use super::client::Client;
use super::error::ServiceError;

/// Calls a data hook. A panic becomes an error of this write.
pub(super) fn contained<T>(
    given: &Resource,
    hook: &'static str,
    ask: impl FnOnce() -> T,
) -> Result<T, ServiceError> {
    let id = || Box::new(given.id.clone());
    caught(&given.id, hook, ask).map_err(|message| ServiceError::HookPanicked { id: id(), hook, message })
}

/// Calls an authorization hook. A panic is a denial, and its message is only logged.
///
/// The hook may have read a resource whose existence the caller must not learn.
fn access(subject: &dyn Display, hook: &'static str, ask: impl FnOnce() -> Access) -> Access {
    caught(subject, hook, ask).unwrap_or(Access::Deny)
}

/// Calls a hook, and converts a panic to an error with its message.
fn caught<T>(subject: &dyn Display, hook: &'static str, ask: impl FnOnce() -> T) -> Result<T, String> {
    // Hooks receive their arguments by reference, so an interrupted hook leaves no broken state here.
    catch_unwind(AssertUnwindSafe(ask)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let message = text.unwrap_or_else(|| "without a message".to_owned());
        tracing::error!(%subject, hook, message, "a hook or an authorizer panicked");
        message
    })
}

impl Client {
    /// Returns the decision of a type on reading a resource; the hook is called without the resource first.
    pub(super) fn access_to_read(
        &self,
        registration: &Registration,
        id: &Id,
        resource: Option<&Resource>,
    ) -> Access {
        access(id, "authorize_read", || registration.hooks.authorize_read(self.authorizer(), id, resource))
    }

    /// Returns the decision of a type on writing a resource.
    pub(super) fn access_to_write(&self, registration: &Registration, resource: &Resource) -> Access {
        let ask = || registration.hooks.authorize_write(self.authorizer(), resource);
        access(&resource.id, "authorize_write", ask)
    }

    /// Returns the decision of a type on lists and watches.
    pub(super) fn access_to_list(
        &self,
        registration: &Registration,
        resource_type: &Type,
        tenancy: &TenancyPattern,
    ) -> Access {
        let ask = || registration.hooks.authorize_list(self.authorizer(), resource_type, tenancy);
        access(resource_type, "authorize_list", ask)
    }

    /// Returns whether the caller may do this, by the request alone: for types that are not registered.
    pub(super) fn may(&self, verb: Verb, id: &Id) -> bool {
        access(id, "allows", || self.authorizer().may(verb, id).into()) == Access::Allow
    }
}

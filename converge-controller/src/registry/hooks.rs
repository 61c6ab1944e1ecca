//! The hooks of a type that the service calls.

use std::error::Error;

use crate::authorize::{Access, Authorizer, Verb};
use crate::identity::{Id, TenancyPattern, Type};
use crate::resource::{Data, Resource};

/// The reason why a hook refuses.
pub type Cause = Box<dyn Error + Send + Sync>;

/// The hooks of a type that the service calls.
///
/// Derived types implement them automatically. Only types that become known at run time implement the trait
/// by hand.
///
/// A hook does not block, and does not read other resources. A controller checks conditions that depend on
/// other resources, and reports them in a status. A panic in a data hook is an error of that one write, which
/// names the hook. A panic in an authorization hook is a denial; it is only logged, because its message may
/// contain what the caller must not know.
pub trait Hooks: Send + Sync + 'static {
    /// Checks that data are a message of the type.
    ///
    /// # Errors
    ///
    /// Returns the reason if they are not.
    fn check_data(&self, data: &Data) -> Result<(), Cause>;

    /// Returns the data and metadata to store, with defaults and in a canonical form; `None` for no change.
    ///
    /// # Errors
    ///
    /// Fails if the hook cannot do its work, which is a fault of the hook and not of the caller.
    fn mutate(&self, resource: &Resource) -> Result<Option<Resource>, Cause> {
        let _ = resource;
        Ok(None)
    }

    /// Checks that the resource is well-formed.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong.
    fn validate(&self, resource: &Resource) -> Result<(), Cause> {
        let _ = resource;
        Ok(())
    }

    /// Returns whether a caller may read a resource. It is called without the resource first.
    fn authorize_read(&self, authorizer: &dyn Authorizer, id: &Id, resource: Option<&Resource>) -> Access {
        let _ = resource;
        authorizer.may(Verb::Read, id).into()
    }

    /// Returns whether a caller may write a resource or its status, or delete it.
    ///
    /// If the resource does not exist, it is called with one that has only an identity.
    fn authorize_write(&self, authorizer: &dyn Authorizer, resource: &Resource) -> Access {
        authorizer.may(Verb::Write, &resource.id).into()
    }

    /// Returns whether a caller may list and watch resources at all.
    ///
    /// Each resource in the result is then checked like a read.
    fn authorize_list(
        &self,
        authorizer: &dyn Authorizer,
        resource_type: &Type,
        tenancy: &TenancyPattern,
    ) -> Access {
        authorizer.may_list(resource_type, tenancy).into()
    }
}

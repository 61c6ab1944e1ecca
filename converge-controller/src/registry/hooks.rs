//! What the service asks a type.

use std::error::Error;

use crate::authorize::{Access, Authorizer, Verb};
use crate::identity::{Id, TenancyPattern, Type};
use crate::resource::{Data, Resource};

/// Why a hook refuses.
pub type Cause = Box<dyn Error + Send + Sync>;

/// What the service asks a type. Whoever derives a type does not write this; it is for types that are known only while
/// the program runs.
///
/// None of it waits, and none of it looks at other resources: what depends on those is the work of a controller, which says
/// in a status what it found. A panic of what is asked about data is an error of that one write, which names the hook; one of
/// what is asked about a caller is a denial, and is told in the log alone, as it may say what the caller must not know.
pub trait Hooks: Send + Sync + 'static {
    /// Whether data are a message of the type.
    ///
    /// # Errors
    ///
    /// They are not; says why.
    fn check_data(&self, data: &Data) -> Result<(), Cause>;

    /// The data and metadata as they should be stored: with defaults filled in, in one form. `None` to leave them.
    ///
    /// # Errors
    ///
    /// The hook cannot do its work, which is its mistake and not that of whoever writes.
    fn mutate(&self, resource: &Resource) -> Result<Option<Resource>, Cause> {
        let _ = resource;
        Ok(None)
    }

    /// Whether the resource is well-formed.
    ///
    /// # Errors
    ///
    /// It is not; says everything that is wrong.
    fn validate(&self, resource: &Resource) -> Result<(), Cause> {
        let _ = resource;
        Ok(())
    }

    /// Whether somebody may read a resource. It is asked without the resource first.
    fn authorize_read(&self, authorizer: &dyn Authorizer, id: &Id, resource: Option<&Resource>) -> Access {
        let _ = resource;
        authorizer.may(Verb::Read, id).into()
    }

    /// Whether somebody may write a resource, its status too, or delete it. Where that is not there, it is asked with one
    /// that has nothing but an identity.
    fn authorize_write(&self, authorizer: &dyn Authorizer, resource: &Resource) -> Access {
        authorizer.may(Verb::Write, &resource.id).into()
    }

    /// Whether somebody may list and watch resources at all. Each one that is found is asked for as if it were read.
    fn authorize_list(
        &self,
        authorizer: &dyn Authorizer,
        resource_type: &Type,
        tenancy: &TenancyPattern,
    ) -> Access {
        authorizer.may_list(resource_type, tenancy).into()
    }
}

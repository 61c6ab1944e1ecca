//! Rust types that are the data of resources.

use super::hooks::Cause;
use super::typed_resource::Typed;
use crate::authorize::{Access, Authorizer};
use crate::identity::{Id, Scope, TenancyPattern, Type};
use crate::protobuf::StoredMessage;
use crate::validation::Invalid;

/// A struct that is the data of a resource type.
///
/// It is implemented by its derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stored resource",
    note = "write #[derive(StoredResource)] on the struct"
)]
pub trait StoredResource: StoredMessage + Clone + PartialEq + 'static {
    /// The scope of the resources.
    const SCOPE: Scope;

    /// Returns the type of the resources.
    fn resource_type() -> &'static Type;

    /// Returns the hooks of the type.
    fn hooks() -> TypedHooks<Self> {
        TypedHooks::default()
    }
}

/// Checks a resource by itself.
pub type Validate<T> = fn(&Typed<T>) -> Result<(), Invalid>;
/// Fills in defaults, and normalizes values.
///
/// An error is a fault of the hook, not of the caller.
pub type Mutate<T> = fn(&mut Typed<T>) -> Result<(), Cause>;
/// Decides whether a caller may read a resource.
///
/// It is called without the resource first, and may ask for it with [`Access::NeedResource`].
pub type AuthorizeRead<T> = fn(&dyn Authorizer, &Id, Option<&Typed<T>>) -> Access;
/// Decides whether a caller may write a resource or its status, or delete it.
pub type AuthorizeWrite<T> = fn(&dyn Authorizer, &Typed<T>) -> Access;
/// Decides whether a caller may list and watch resources in these tenancies at all.
pub type AuthorizeList = fn(&dyn Authorizer, &TenancyPattern) -> Access;

/// The optional hooks of a type.
///
/// An absent hook has the default behaviour of all types.
#[derive(Debug)]
pub struct TypedHooks<T> {
    /// The hook that checks a resource, see [`Validate`].
    pub validate: Option<Validate<T>>,
    /// The hook that fills in defaults, see [`Mutate`].
    pub mutate: Option<Mutate<T>>,
    /// The hook that authorizes reads, see [`AuthorizeRead`].
    pub authorize_read: Option<AuthorizeRead<T>>,
    /// The hook that authorizes writes, see [`AuthorizeWrite`].
    pub authorize_write: Option<AuthorizeWrite<T>>,
    /// The hook that authorizes lists, see [`AuthorizeList`].
    pub authorize_list: Option<AuthorizeList>,
}

impl<T> Default for TypedHooks<T> {
    fn default() -> Self {
        Self {
            validate: None,
            mutate: None,
            authorize_read: None,
            authorize_write: None,
            authorize_list: None,
        }
    }
}

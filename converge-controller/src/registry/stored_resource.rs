//! A Rust type whose values are the data of resources.

use super::hooks::Cause;
use super::typed_resource::Typed;
use crate::authorize::{Access, Authorizer};
use crate::identity::{Id, Scope, TenancyPattern, Type};
use crate::protobuf::StoredMessage;
use crate::validation::Invalid;

/// A struct that is the data of a type of resource. Derive it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stored resource",
    note = "write #[derive(StoredResource)] on the struct"
)]
pub trait StoredResource: StoredMessage + Clone + PartialEq + 'static {
    /// How much of a tenancy the resources have.
    const SCOPE: Scope;

    /// The type of the resources.
    fn resource_type() -> &'static Type;

    /// What the service asks the type.
    fn hooks() -> TypedHooks<Self> {
        TypedHooks::default()
    }
}

/// Says what is wrong with a resource by itself.
pub type Validate<T> = fn(&Typed<T>) -> Result<(), Invalid>;
/// Fills in defaults, and brings what is given in one form. An error is a mistake of the hook, not of whoever writes.
pub type Mutate<T> = fn(&mut Typed<T>) -> Result<(), Cause>;
/// Whether somebody may read a resource. It is asked without the resource first, and may ask for it with
/// [`Access::NeedResource`].
pub type AuthorizeRead<T> = fn(&dyn Authorizer, &Id, Option<&Typed<T>>) -> Access;
/// Whether somebody may write a resource, its status too, or delete it.
pub type AuthorizeWrite<T> = fn(&dyn Authorizer, &Typed<T>) -> Access;
/// Whether somebody may list and watch resources in these tenancies at all.
pub type AuthorizeList = fn(&dyn Authorizer, &TenancyPattern) -> Access;

/// What the service asks a type, as functions of the author. What is absent is done as for every type.
#[derive(Debug)]
pub struct TypedHooks<T> {
    /// See [`Validate`].
    pub validate: Option<Validate<T>>,
    /// See [`Mutate`].
    pub mutate: Option<Mutate<T>>,
    /// See [`AuthorizeRead`].
    pub authorize_read: Option<AuthorizeRead<T>>,
    /// See [`AuthorizeWrite`].
    pub authorize_write: Option<AuthorizeWrite<T>>,
    /// See [`AuthorizeList`].
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

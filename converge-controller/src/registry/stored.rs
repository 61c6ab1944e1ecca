//! A Rust type whose values are the data of resources.

use crate::identity::{Scope, Type};
use crate::protobuf::StoredMessage;

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
}

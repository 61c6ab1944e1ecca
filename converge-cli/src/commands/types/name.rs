//! The names of type definitions.

use crate::remote::{Named, RemoteError, Types};

/// The resource type of definitions.
pub(super) const DEFINITION: &str = "converge.v1.TypeDefinition";

/// Returns the reference of a definition by its name.
pub(super) fn named(types: &Types, name: &str) -> Result<Named, RemoteError> {
    Ok(Named {
        resource_type: types.find(DEFINITION)?.clone(),
        name: name.to_owned(),
        partition: String::new(),
        namespace: String::new(),
    })
}

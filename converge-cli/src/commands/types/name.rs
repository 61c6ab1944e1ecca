//! What a definition of types is called.

use crate::remote::{Named, RemoteError, Types};

/// What definitions are.
pub(super) const DEFINITION: &str = "converge.v1.TypeDefinition";

/// A definition by its name.
pub(super) fn named(types: &Types, name: &str) -> Result<Named, RemoteError> {
    Ok(Named {
        resource_type: types.find(DEFINITION)?.clone(),
        name: name.to_owned(),
        partition: String::new(),
        namespace: String::new(),
    })
}

//! The names of tokens.

use crate::remote::{Named, RemoteError, Types};

/// Returns the reference of a token by its name.
pub(super) fn named(types: &Types, name: &str) -> Result<Named, RemoteError> {
    let resource_type = types.find("access.v1.Token")?.clone();
    let (name, partition, namespace) = (name.to_owned(), String::new(), String::new());
    Ok(Named { resource_type, name, partition, namespace })
}

//! The type and the names of secrets.

use crate::args::TenancyArgs;
use crate::remote::{Named, RemoteError, Types};

/// The resource type of secrets.
pub(super) const SECRET: &str = "converge.v1.Secret";

/// Returns the reference of a secret by its name.
pub(super) fn named(types: &Types, name: &str, tenancy: &TenancyArgs) -> Result<Named, RemoteError> {
    let TenancyArgs { partition, namespace } = tenancy;
    Ok(Named {
        resource_type: types.find(SECRET)?.clone(),
        name: name.to_owned(),
        partition: partition.clone(),
        namespace: namespace.clone(),
    })
}

//! What a secret is called.

use crate::args::TenancyArgs;
use crate::remote::{Named, RemoteError, Types};

/// What secrets are.
pub(super) const SECRET: &str = "converge.v1.Secret";

/// A secret by its name.
pub(super) fn named(types: &Types, name: &str, tenancy: &TenancyArgs) -> Result<Named, RemoteError> {
    let TenancyArgs { partition, namespace } = tenancy;
    Ok(Named {
        resource_type: types.find(SECRET)?.clone(),
        name: name.to_owned(),
        partition: partition.clone(),
        namespace: namespace.clone(),
    })
}

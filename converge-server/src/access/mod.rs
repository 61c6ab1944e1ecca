//! Authentication and authorization of callers.
//!
//! Begin with `token`, the stored type, and `gate`, which authenticates callers by the contents of their
//! requests. Nodes authenticate with certificates (`certificate`), which they get when they join (`issue`).
//! Their permissions are in `node`.

mod authentication;
mod certificate;
mod certificate_issuer;
mod join_token;
mod node;
mod rule;
mod secret;
mod token;
mod token_usage;

#[cfg(test)]
mod tests;

use converge_controller::registry::{RegistryError, TypeRegistry};

pub(crate) use authentication::{Authenticator, Denied, Pass};
pub(crate) use certificate::{Fingerprint, NodeCertificate};
pub use certificate_issuer::Joining;
pub(crate) use certificate_issuer::{Issued, JoinError, Joiner};
#[cfg(test)]
pub(crate) use join_token::Join;
pub(crate) use token::Token;

pub(crate) fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<Token>()?;
    types.register::<NodeCertificate>()
}

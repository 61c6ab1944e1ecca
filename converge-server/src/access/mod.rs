//! Who asks, and how it is known.
//!
//! Begin with `token`, the stored type, and `gate`, which knows callers by what their requests bring. Nodes are known by certificates
//! (`certificate`), which they get when they join (`issue`), and may do what `node` says.

mod certificate;
mod gate;
mod issue;
mod join;
mod node;
mod rule;
mod secret;
mod token;
mod uses;

#[cfg(test)]
mod tests;

use converge_controller::registry::{RegistryError, TypeRegistry};

pub(crate) use certificate::{Fingerprint, NodeCertificate};
pub(crate) use gate::{Denied, Gate, Pass};
pub use issue::Joining;
pub(crate) use issue::{Issued, JoinError, Joiner};
#[cfg(test)]
pub(crate) use join::Join;
pub(crate) use token::Token;

pub(crate) fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<Token>()?;
    types.register::<NodeCertificate>()
}

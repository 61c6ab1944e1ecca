//! Images, containers, networks and volumes of a Docker engine.

mod change;
pub mod container;
mod credentials;
mod differences;
mod engine;
pub mod image;
pub mod network;
mod reference;
mod text_type;
pub mod volume;

use converge_core::prelude::*;
use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry
        .with::<container::ContainerPreparer>()?
        .with::<image::ImagePreparer>()?
        .with::<network::NetworkPreparer>()?
        .with::<volume::VolumePreparer>()
}

/// A status that says what has to come first.
fn may_change(why: String) -> Status {
    let mut status = Status::new();
    status.add_message(why);
    status.raise_level(StatusLevel::MayChange);
    status
}

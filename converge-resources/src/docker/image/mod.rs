//! The `docker.image` resource: an image of the engine.

mod progress;
mod pull;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Image;

use super::reference::Reference;

/// Pulls an image from its registry.
///
/// An image that the engine already has is not looked up in the registry again, even if its tag has moved
/// there. Use another tag, or a digest.
///
/// # Registries
///
/// A name without a registry is one of Docker Hub. The credentials are those of `docker login`: from
/// `config.json` in the directory that `DOCKER_CONFIG` names, or in `~/.docker`, with the helpers that the
/// file names (`credHelpers`, `credsStore`).
///
/// # Engine
///
/// The engine is the one that `DOCKER_HOST` names, with `unix://` or `tcp://`, and otherwise the one at
/// `/var/run/docker.sock`. This holds for all resources of this family.
#[derive(Debug, Preparer)]
#[preparer(name = "docker.image", task = Image, validate, footprint, example = "example.hcl")]
pub struct ImagePreparer {
    /// Name of the image, with its registry unless that is Docker Hub.
    ///
    /// Examples are `nginx`, `team/app`, `registry.example.com:5000/team/app`. The name may end in a tag or a
    /// digest if `tag` is not given.
    #[hcl(required, nonempty)]
    name: String,
    /// Tag of the image, or its digest: `1.27`, `sha256:..`. The default is `latest`.
    tag: Option<String>,
    /// The longest time that a pull may make no progress.
    ///
    /// After that the pull fails, and the error names the layer and how far it came.
    #[hcl(default = "2m", nonempty)]
    inactivity_timeout: Duration,
}

impl ImagePreparer {
    fn reference(&self) -> Result<Reference, Vec<FieldError>> {
        // In modules for the original Converge, an empty tag means that there is none.
        let tag = self.tag.as_deref().filter(|tag| !tag.is_empty());
        Reference::with_tag(&self.name, tag).map_err(|error| {
            let field = if tag.is_some() && error.is_about_the_tag() { "tag" } else { "name" };
            vec![FieldError::new(field, FieldErrorKind::Invalid { message: error.to_string() })]
        })
    }
}

impl Validate for ImagePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.reference().map(drop)
    }
}

/// The tag is a part of the name, and may be declared in a field of its own.
impl HasFootprint for ImagePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if let Ok(reference) = self.reference() {
            footprint.ensures(kind::IMAGE, &reference.to_string());
        }
    }
}

impl Resource for ImagePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Image> {
        Ok(Image::new(self.reference()?, self.inactivity_timeout))
    }
}

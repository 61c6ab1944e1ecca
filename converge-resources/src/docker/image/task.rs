use std::time::Duration;

use converge_sdk::prelude::*;

use super::pull;
use crate::docker::engine::{Engine, FoundExt as _};
use crate::docker::reference::Reference;

/// The task of a `docker.image` resource.
#[derive(Debug, Export)]
pub struct Image {
    /// The name, with the registry if one is declared.
    #[export]
    name: String,
    /// The tag or digest.
    #[export]
    tag: String,
    reference: Reference,
    inactivity_timeout: Duration,
}

impl Image {
    pub(super) fn new(reference: Reference, inactivity_timeout: Duration) -> Self {
        let (name, tag) = (reference.name().to_owned(), reference.version().to_owned());
        Self { name, tag, reference, inactivity_timeout }
    }
}

impl Task for Image {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let engine = match Engine::connect_or_wait(cx).await? {
            Ok(engine) => engine,
            Err(waits) => return Ok(waits),
        };
        let name = self.reference.to_string();
        let response =
            engine.ask(format!("look for the image {name:?}"), engine.docker().inspect_image(&name));
        let mut status = Status::new();
        if response.await.found()?.is_none() {
            status.add_difference("image", "absent", "present");
            status.raise_level(StatusLevel::WillChange);
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let engine = Engine::connect(cx).await?;
        let lines = pull::pull(cx, &engine, &self.reference, self.inactivity_timeout).await?;
        let mut status = Status::new();
        for line in lines {
            status.add_message(line);
        }
        Ok(status)
    }
}

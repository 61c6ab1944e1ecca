//! Asks the engine for a container, and for what it needs.

use bollard::models::{ContainerInspectResponse, ContainerState, ImageInspect};
use bollard::query_parameters::{InspectContainerOptions, InspectNetworkOptions};
use converge_core::prelude::*;

use super::compare::Actual;
use super::network_mode::NetworkMode;
use super::spec::Spec;
use crate::docker::engine::{Engine, EngineError, FoundExt as _};

pub(super) async fn container(
    engine: &Engine,
    name: &str,
) -> Result<Option<ContainerInspectResponse>, EngineError> {
    let request = engine.docker().inspect_container(name, None::<InspectContainerOptions>);
    let found = engine.ask(format!("look for the container {name:?}"), request).await.found()?;
    // The engine also looks for ids that begin like this.
    let is_named = |found: &ContainerInspectResponse| {
        found.name.as_deref().is_some_and(|found| found.trim_start_matches('/') == name)
    };
    Ok(found.filter(is_named))
}

async fn image(engine: &Engine, name: &str) -> Result<Option<ImageInspect>, EngineError> {
    engine.ask(format!("look for the image {name:?}"), engine.docker().inspect_image(name)).await.found()
}

/// Everything that is compared with the declaration.
pub(super) async fn actual(
    engine: &Engine,
    spec: &Spec,
    container: ContainerInspectResponse,
) -> Result<Actual, EngineError> {
    let named = image(engine, &spec.image).await?;
    let made_of = match &container.image {
        Some(id) if named.as_ref().and_then(|named| named.id.as_ref()) != Some(id) => {
            image(engine, id).await?
        }
        // One that is gone is compared with what took its place.
        _ => None,
    };
    let config = made_of.and_then(|image| image.config).or_else(|| named.as_ref()?.config.clone());
    let shared = match &spec.network_mode {
        NetworkMode::Container(name) => self::container(engine, name).await?.and_then(|found| found.id),
        _ => None,
    };
    Ok(Actual {
        container,
        image: config.unwrap_or_default(),
        named_image: named.and_then(|named| named.id),
        shared,
    })
}

/// What a new container needs and the engine does not have, each as the error about it.
pub(super) async fn missing(engine: &Engine, spec: &Spec) -> Result<Vec<Error>, EngineError> {
    let mut missing = Vec::new();
    let mut add =
        |kind: &'static str, name: &str| missing.push(Error::NotFound { kind, name: name.to_owned() });
    if image(engine, &spec.image).await?.is_none() {
        add("image", &spec.image);
    }
    let mut networks: Vec<&str> = spec.network_mode.network().into_iter().collect();
    networks.extend(spec.further_networks().map(String::as_str));
    for name in networks {
        let request = engine.docker().inspect_network(name, None::<InspectNetworkOptions>);
        if engine.ask(format!("look for the network {name:?}"), request).await.found()?.is_none() {
            add("network", name);
        }
    }
    let shared = match &spec.network_mode {
        NetworkMode::Container(name) => Some(name),
        _ => None,
    };
    let others = spec.links.iter().map(|link| &link.container);
    let others = others.chain(spec.volumes_from.iter().map(|from| &from.container)).chain(shared);
    for name in others {
        if container(engine, name).await?.is_none() {
            add("container", name);
        }
    }
    Ok(missing)
}

/// How a container came to its end, in words.
pub(super) fn ended(state: &ContainerState) -> String {
    let code = state.exit_code.unwrap_or_default();
    let mut text = format!("it ended with exit code {code}");
    if state.oom_killed.unwrap_or_default() {
        text.push_str(", as it had no memory left");
    }
    if let Some(error) = state.error.as_deref().filter(|error| !error.is_empty()) {
        text.push_str(": ");
        text.push_str(error);
    }
    text
}

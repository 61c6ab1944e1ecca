//! Requests to the engine about a container and the objects that it needs.

use bollard::models::{ContainerInspectResponse, ContainerState, ImageInspect};
use bollard::query_parameters::{InspectContainerOptions, InspectNetworkOptions};
use converge_sdk::prelude::*;

use super::compare::Actual;
use super::network_mode::NetworkMode;
use super::spec::Spec;
use crate::docker::engine::{Engine, EngineError, FoundExt as _};

pub(super) async fn container(
    engine: &Engine,
    name: &str,
) -> Result<Option<ContainerInspectResponse>, EngineError> {
    let request = engine.docker().inspect_container(name, None::<InspectContainerOptions>);
    let response = engine.ask(format!("look for the container {name:?}"), request).await.found()?;
    // The engine also matches ids that begin with the name.
    let is_named = |candidate: &ContainerInspectResponse| {
        candidate.name.as_deref().is_some_and(|text| text.trim_start_matches('/') == name)
    };
    Ok(response.filter(is_named))
}

async fn image(engine: &Engine, name: &str) -> Result<Option<ImageInspect>, EngineError> {
    engine.ask(format!("look for the image {name:?}"), engine.docker().inspect_image(name)).await.found()
}

/// Collects the actual state that is compared with the declaration.
pub(super) async fn actual(
    engine: &Engine,
    spec: &Spec,
    container: ContainerInspectResponse,
) -> Result<Actual, EngineError> {
    let current_image = image(engine, &spec.image).await?;
    let made_of = match &container.image {
        Some(id) if current_image.as_ref().and_then(|response| response.id.as_ref()) != Some(id) => {
            image(engine, id).await?
        }
        // The named image is the container's own image, or there is no image id. If the own image is gone,
        // the named one is compared instead.
        _ => None,
    };
    let config = made_of.and_then(|image| image.config).or_else(|| current_image.as_ref()?.config.clone());
    let shared = match &spec.network_mode {
        NetworkMode::Container(name) => self::container(engine, name).await?.and_then(|response| response.id),
        _ => None,
    };
    Ok(Actual {
        container,
        image: config.unwrap_or_default(),
        named_image: current_image.and_then(|response| response.id),
        shared,
    })
}

/// Returns an error for each object that a new container needs and the engine does not have.
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

/// Describes how a container ended.
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

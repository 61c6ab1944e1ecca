use std::time::Duration;

use bollard::errors::Error as ClientError;
use bollard::models::{ContainerInspectResponse, NetworkConnectRequest};
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, InspectContainerOptions, RemoveContainerOptionsBuilder,
    RenameContainerOptionsBuilder, StartContainerOptions, StopContainerOptions,
};
use converge_sdk::prelude::*;

use super::spec::Spec;
use super::{inspect, make};
use crate::docker::engine::{Engine, EngineError, FoundExt as _};

/// The suffix of the name of a new container until the old one is removed.
const NEW: &str = "-converge-new";

/// The time that the engine gives a container to stop by default.
const STOP: Duration = Duration::from_secs(10);

/// The time limit for the engine in addition to the stop time, and the limit for a start.
///
/// A start may have to wait for a file system.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The time that a container must run to count as started, and the interval between looks at it.
const SETTLE: Duration = Duration::from_secs(1);
const LOOKS: u32 = 5;

#[derive(Debug)]
pub(super) struct ExistingContainer {
    id: String,
    runs: bool,
    paused: bool,
    /// The time that the container has to end when it is stopped.
    grace: Duration,
}

impl ExistingContainer {
    pub(super) fn from_inspect(container: &ContainerInspectResponse) -> Self {
        let state = container.state.clone().unwrap_or_default();
        let seconds = container.config.as_ref().and_then(|config| config.stop_timeout);
        Self {
            id: container.id.clone().unwrap_or_default(),
            runs: state.running.unwrap_or_default(),
            paused: state.paused.unwrap_or_default(),
            grace: seconds.and_then(|seconds| seconds.try_into().ok()).map_or(STOP, Duration::from_secs),
        }
    }
}

/// The requests that bring one container to its declared state.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    pub(super) engine: &'a Engine,
    pub(super) spec: &'a Spec,
}

impl Steps<'_> {
    /// Creates a container if none exists.
    pub(super) async fn create(&self, runs: bool) -> Result<(), EngineError> {
        let new_name = self.new_name();
        // An interrupted run may have left a new container behind.
        self.remove(&new_name).await?;
        let id = if self.spec.further_networks().next().is_none() {
            self.make(&self.spec.name).await?
        } else {
            // Networks are attached one by one. A run that is interrupted meanwhile must not leave an
            // incomplete container under the final name: the next run would find it different and could not
            // repair it.
            let id = self.make(&new_name).await?;
            self.rename(&id).await?;
            id
        };
        if runs { self.start(&id).await } else { Ok(()) }
    }

    /// Replaces a container by a new one.
    ///
    /// If the new one cannot be created, the old one stays. Most refusals of the engine come at that point,
    /// so a mistake does not cost a running container.
    pub(super) async fn recreate(&self, old: &ExistingContainer, runs: bool) -> Result<(), EngineError> {
        let new_name = self.new_name();
        self.remove(&new_name).await?;
        let id = self.make(&new_name).await?;
        self.stop(old).await?;
        self.remove(&old.id).await?;
        self.rename(&id).await?;
        if runs { self.start(&id).await } else { Ok(()) }
    }

    pub(super) async fn run(&self, old: &ExistingContainer) -> Result<(), EngineError> {
        if !old.paused {
            return self.start(&old.id).await;
        }
        let doing = format!("let the container {:?} go on", self.spec.name);
        self.engine.ask(doing, self.engine.docker().unpause_container(&old.id)).await
    }

    pub(super) async fn stop(&self, old: &ExistingContainer) -> Result<(), EngineError> {
        if !old.runs {
            return Ok(());
        }
        let doing = format!("stop the container {:?}", self.spec.name);
        let request = self.engine.docker().stop_container(&old.id, None::<StopContainerOptions>);
        self.engine.ask_within(old.grace + TIMEOUT, doing, request).await.found().map(|_| ())
    }

    fn new_name(&self) -> String {
        format!("{}{NEW}", self.spec.name)
    }

    /// Gives the new container its final name.
    async fn rename(&self, id: &str) -> Result<(), EngineError> {
        let rename = RenameContainerOptionsBuilder::new().name(&self.spec.name).build();
        let doing = format!("give the container {:?} the name {:?}", self.new_name(), self.spec.name);
        self.engine.ask(doing, self.engine.docker().rename_container(id, rename)).await
    }

    /// Creates a container, and attaches it to all its networks.
    async fn make(&self, name: &str) -> Result<String, EngineError> {
        let options = CreateContainerOptionsBuilder::new().name(name).build();
        let request = self.engine.docker().create_container(Some(options), make::request(self.spec));
        let id =
            self.ask_about_program(format!("make the container {:?}", self.spec.name), request).await?.id;
        for network in self.spec.further_networks() {
            let doing = format!("attach the container {:?} to the network {network:?}", self.spec.name);
            let attach = NetworkConnectRequest { container: id.clone(), ..NetworkConnectRequest::default() };
            let attached =
                self.engine.ask(doing, self.engine.docker().connect_network(network, attach)).await;
            if let Err(error) = attached {
                // A container that lacks some of its networks is worse than none. Only the first error is
                // reported.
                let _ = self.remove(&id).await;
                return Err(error);
            }
        }
        Ok(id)
    }

    async fn start(&self, id: &str) -> Result<(), EngineError> {
        let request = self.engine.docker().start_container(id, None::<StartContainerOptions>);
        self.ask_about_program(format!("start the container {:?}", self.spec.name), request).await?;
        self.stays_up(id).await
    }

    /// Waits until a started container has run long enough to count as started.
    ///
    /// The engine counts a container as started as soon as its program exists. A program with a wrong
    /// configuration, or nothing to do, ends at once. A check right after the start may or may not notice.
    async fn stays_up(&self, id: &str) -> Result<(), EngineError> {
        for _ in 0..LOOKS {
            self.engine.pause(SETTLE / LOOKS).await;
            let doing = format!("look for the container {:?}", self.spec.name);
            let request = self.engine.docker().inspect_container(id, None::<InspectContainerOptions>);
            let state = self.engine.ask(doing, request).await?.state.unwrap_or_default();
            if !state.running.unwrap_or_default() {
                return Err(EngineError::Ended {
                    container: self.spec.name.clone(),
                    how: inspect::ended(&state),
                });
            }
        }
        Ok(())
    }

    /// The engine repeats the command in its errors, and that may be secret.
    async fn ask_about_program<T>(
        &self,
        doing: String,
        request: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, EngineError> {
        let answer = self.engine.ask_within(TIMEOUT, doing, request).await;
        answer.map_err(|error| match error {
            EngineError::Refused { doing, status, .. } if self.spec.has_secret_command() => {
                let message = "its output is not shown, as `entrypoint` or `command` has a secret".to_owned();
                EngineError::Refused { doing, status, message }
            }
            error => error,
        })
    }

    /// Removes a container if it exists. Its volumes stay.
    async fn remove(&self, name_or_id: &str) -> Result<(), EngineError> {
        let options = RemoveContainerOptionsBuilder::new().force(true).build();
        let doing = format!("remove the container {name_or_id:?}");
        let request = self.engine.docker().remove_container(name_or_id, Some(options));
        self.engine.ask(doing, request).await.found().map(|_| ())
    }
}

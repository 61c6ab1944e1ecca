//! Makes, starts and stops containers.

use bollard::models::{ContainerInspectResponse, ContainerState, ContainerStateStatusEnum as Found};
use converge_core::prelude::*;

use super::link::Link;
use super::mount::{Mount, VolumesFrom};
use super::network_mode::NetworkMode;
use super::port::{Mapping, Port};
use super::spec::Spec;
use super::steps::{Old, Steps};
use super::{RunState, compare, look};
use crate::docker::change::ChangeError;
use crate::docker::engine::Engine;
use crate::text::Text;

/// What errors call it.
const KIND: &str = "container";

/// A container.
#[derive(Debug, Export)]
pub struct Container {
    /// Its name.
    #[export]
    name: String,
    /// The image as it is declared.
    #[export]
    image: String,
    /// The entrypoint that takes the place of the image's.
    #[export]
    entrypoint: Vec<Text>,
    /// The command that takes the place of the image's.
    #[export]
    command: Vec<Text>,
    /// The directory that takes the place of the image's.
    #[export]
    workingdir: String,
    /// The variables that are added, each as `NAME=value`.
    #[export]
    env: Vec<Text>,
    /// Ports that it listens on beside those of the image.
    #[export]
    expose: Vec<Port>,
    /// Containers that it reaches by name, each as `CONTAINER:ALIAS`.
    #[export]
    links: Vec<Link>,
    /// Ports that are published, each as `IP:HOST:CONTAINER/PROTOCOL` without what is not declared.
    #[export]
    portbindings: Vec<Mapping>,
    /// Addresses of its name servers.
    #[export]
    dns: Vec<String>,
    /// What it sees of the machine.
    #[export]
    volumes: Vec<Mount>,
    /// Containers whose volumes it sees.
    #[export]
    volumesfrom: Vec<VolumesFrom>,
    /// Whether each port that it listens on is published.
    #[export]
    publishallports: bool,
    /// The network that it begins with.
    #[export]
    networkmode: NetworkMode,
    /// The networks that are declared.
    #[export]
    networks: Vec<String>,
    /// Whether it is to run.
    #[export]
    status: RunState,
    /// Whether it may be made anew.
    #[export]
    force: bool,
    spec: Spec,
    plan: Plan,
}

/// What an apply has to do.
#[derive(Debug, Default)]
enum Plan {
    #[default]
    Nothing,
    Create,
    Recreate(Old),
    Run(Old),
    Stop(Old),
}

impl Container {
    pub(super) fn new(name: String, spec: Spec, status: RunState, force: bool) -> Self {
        let pair =
            |(name, value): (&String, &Text)| Text::new(format!("{name}={}", &**value), value.is_secret());
        Self {
            name,
            image: spec.image.clone(),
            entrypoint: spec.entrypoint.clone(),
            command: spec.command.clone(),
            workingdir: spec.working_dir.clone(),
            env: spec.env.iter().map(pair).collect(),
            expose: spec.expose.clone(),
            links: spec.links.clone(),
            portbindings: spec.ports.clone(),
            dns: spec.dns.clone(),
            volumes: spec.volumes.clone(),
            volumesfrom: spec.volumes_from.clone(),
            publishallports: spec.publish_all_ports,
            networkmode: spec.network_mode.clone(),
            networks: spec.networks.clone(),
            status,
            force,
            spec,
            plan: Plan::Nothing,
        }
    }

    fn wanted(&self) -> &'static str {
        match self.status {
            RunState::Running => "running",
            RunState::Created => "created",
        }
    }

    /// A container that is not there: it can be made when everything is there that it needs.
    async fn check_absent(&mut self, cx: &Context, engine: &Engine, status: &mut Status) -> Result<()> {
        status.add_difference("status", "absent", self.wanted(), "");
        status.raise_level(StatusLevel::WillChange);
        self.plan = Plan::Create;
        self.check_needs(cx, engine, status).await
    }

    async fn check_needs(&self, cx: &Context, engine: &Engine, status: &mut Status) -> Result<()> {
        for error in look::missing(engine, &self.spec).await? {
            if cx.pending().is_empty() {
                status.set_error(error);
                break;
            }
            // Something that comes first may bring it.
            if let Error::NotFound { kind, name } = error {
                status.add_message(format!("the {kind} {name:?} does not exist yet"));
            }
        }
        Ok(())
    }

    async fn check_present(
        &mut self,
        cx: &Context,
        engine: &Engine,
        found: ContainerInspectResponse,
        status: &mut Status,
    ) -> Result<()> {
        let old = Old::of(&found);
        let state = found.state.clone().unwrap_or_default();
        let differences = compare::differences(&self.spec, &look::actual(engine, &self.spec, found).await?);
        let runs_as_declared = self.check_run_state(&state, status);
        if differences.is_empty() {
            self.plan = match self.status {
                _ if runs_as_declared => Plan::Nothing,
                RunState::Running => Plan::Run(old),
                RunState::Created => Plan::Stop(old),
            };
            return Ok(());
        }
        differences.report(status);
        status.raise_level(StatusLevel::WillChange);
        if !self.force {
            status.set_error(Error::other(ChangeError::NeedsForce {
                kind: KIND,
                name: self.name.clone(),
                fields: differences.names(),
                anew: "it is removed and made anew",
            }));
            return Ok(());
        }
        self.plan = Plan::Recreate(old);
        self.check_needs(cx, engine, status).await
    }

    /// Reports a container that runs and should not, or the other way round.
    fn check_run_state(&self, state: &ContainerState, status: &mut Status) -> bool {
        let found = state.status.unwrap_or(Found::EMPTY);
        let as_declared = match self.status {
            RunState::Running => found == Found::RUNNING,
            // One that ran and ended does not run either.
            RunState::Created => !state.running.unwrap_or_default(),
        };
        if !as_declared {
            status.add_difference("status", found.to_string(), self.wanted(), "");
            status.raise_level(StatusLevel::WillChange);
            if matches!(found, Found::EXITED | Found::DEAD) {
                status.add_message(format!(
                    "{}; `docker logs {}` shows what it said",
                    ended(state),
                    self.name
                ));
            }
        }
        as_declared
    }
}

/// How a container ended.
fn ended(state: &ContainerState) -> String {
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

#[async_trait]
impl Task for Container {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.plan = Plan::Nothing;
        let engine = match Engine::connect_or_wait(cx).await? {
            Ok(engine) => engine,
            Err(waits) => return Ok(waits),
        };
        let mut status = Status::new();
        match look::container(&engine, &self.name).await? {
            // What the engine says of a container is large.
            Some(found) => Box::pin(self.check_present(cx, &engine, found, &mut status)).await?,
            None => self.check_absent(cx, &engine, &mut status).await?,
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let engine = Engine::connect(cx).await?;
        let steps = Steps { engine: &engine, name: &self.name, spec: &self.spec };
        let runs = self.status == RunState::Running;
        match std::mem::take(&mut self.plan) {
            Plan::Nothing => {}
            Plan::Create => steps.create(runs).await?,
            Plan::Recreate(old) => steps.recreate(&old, runs).await?,
            Plan::Run(old) => steps.run(&old).await?,
            Plan::Stop(old) => steps.stop(&old).await?,
        }
        Ok(Status::new())
    }
}

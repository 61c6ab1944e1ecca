use super::spec::{RunState, Spec};
use super::steps::{ExistingContainer, Steps};
use super::{compare, inspect};
use crate::docker::engine::Engine;
use crate::docker::replacement::needs_force;
use bollard::models::{ContainerInspectResponse, ContainerState, ContainerStateStatusEnum as EngineStatus};
use converge_sdk::Exports;
use converge_sdk::prelude::*;
use converge_sdk::schema::ExportField;
use converge_sdk::system::Command;

/// The task of a `docker.container` resource.
#[derive(Debug)]
pub struct Container {
    spec: Spec,
    plan: ContainerPlan,
}

#[derive(Debug, Default)]
enum ContainerPlan {
    #[default]
    Nothing,
    Create,
    Recreate(ExistingContainer),
    Run(ExistingContainer),
    Stop(ExistingContainer),
}

// Not derived with `embed`, which would also export every field under the name of the type.
impl Export for Container {
    fn export_fields() -> Vec<ExportField> {
        Spec::export_fields()
    }

    fn exports(&self) -> Exports {
        self.spec.exports()
    }
}

impl Container {
    pub(super) fn new(spec: Spec) -> Self {
        Self { spec, plan: ContainerPlan::Nothing }
    }

    /// Plans to create the container, if all objects that it needs exist.
    async fn check_absent(&mut self, cx: &Context, engine: &Engine, status: &mut Status) -> Result<()> {
        status.add_difference("status", "absent", self.spec.status.as_str());
        status.raise_level(StatusLevel::WillChange);
        self.plan = ContainerPlan::Create;
        self.check_needs(cx, engine, status).await
    }

    async fn check_needs(&self, cx: &Context, engine: &Engine, status: &mut Status) -> Result<()> {
        for error in inspect::missing(engine, &self.spec).await? {
            if cx.pending().is_empty() {
                status.set_error(error);
                break;
            }
            // A pending change may create it.
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
        let old = ExistingContainer::from_inspect(&found);
        let state = found.state.clone().unwrap_or_default();
        let differences =
            compare::differences(&self.spec, &inspect::actual(engine, &self.spec, found).await?);
        let runs_as_declared = self.check_run_state(&state, status);
        if differences.is_empty() {
            self.plan = match self.spec.status {
                _ if runs_as_declared => ContainerPlan::Nothing,
                RunState::Running => ContainerPlan::Run(old),
                RunState::Created => ContainerPlan::Stop(old),
            };
            return Ok(());
        }
        differences.report(status);
        status.raise_level(StatusLevel::WillChange);
        if !self.spec.force {
            let anew = "it is removed and created again";
            status.set_error(needs_force("container", &self.spec.name, &differences, anew));
            return Ok(());
        }
        self.plan = ContainerPlan::Recreate(old);
        self.check_needs(cx, engine, status).await
    }

    /// Reports whether the container runs against its declaration.
    fn check_run_state(&self, state: &ContainerState, status: &mut Status) -> bool {
        let current = state.status.unwrap_or(EngineStatus::EMPTY);
        let as_declared = match self.spec.status {
            RunState::Running => current == EngineStatus::RUNNING,
            // A container that ran and ended does not run either.
            RunState::Created => !state.running.unwrap_or_default(),
        };
        if !as_declared {
            status.add_difference("status", current.to_string(), self.spec.status.as_str());
            status.raise_level(StatusLevel::WillChange);
            if matches!(current, EngineStatus::EXITED | EngineStatus::DEAD) {
                status.add_message(format!(
                    "{}; `docker logs {}` shows its output",
                    inspect::ended(state),
                    self.spec.name
                ));
            }
        }
        as_declared
    }
}

impl Task for Container {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.plan = ContainerPlan::Nothing;
        // The program of a container is a process of this machine, and all users can list its arguments.
        let arguments = self.spec.entrypoint.iter().chain(&self.spec.command).map(|argument| &**argument);
        let program = Command::new(format!("container {}", self.spec.name)).args(arguments);
        cx.system().processes().started_elsewhere(&program).await;
        let engine = match Engine::connect_or_wait(cx).await? {
            Ok(engine) => engine,
            Err(waits) => return Ok(waits),
        };
        let mut status = Status::new();
        match inspect::container(&engine, &self.spec.name).await? {
            // The inspect response is large.
            Some(container) => Box::pin(self.check_present(cx, &engine, container, &mut status)).await?,
            None => self.check_absent(cx, &engine, &mut status).await?,
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let engine = Engine::connect(cx).await?;
        let steps = Steps { engine: &engine, spec: &self.spec };
        let runs = self.spec.status == RunState::Running;
        match std::mem::take(&mut self.plan) {
            ContainerPlan::Nothing => {}
            ContainerPlan::Create => steps.create(runs).await?,
            ContainerPlan::Recreate(old) => steps.recreate(&old, runs).await?,
            ContainerPlan::Run(old) => steps.run(&old).await?,
            ContainerPlan::Stop(old) => steps.stop(&old).await?,
        }
        Ok(Status::new())
    }
}

//! Makes and removes volumes.

use std::collections::HashMap;

use bollard::models::{Volume as Found, VolumeCreateRequest};
use bollard::query_parameters::RemoveVolumeOptions;
use converge_core::prelude::*;
use indexmap::IndexMap;

use crate::docker::change::{Declared, Plan, State};
use crate::docker::differences::{Differences, Undeclared};
use crate::docker::engine::{Engine, EngineError, Found as _};
use crate::text::Text;

/// What errors call it.
const KIND: &str = "volume";

/// A volume.
#[derive(Debug, Export)]
pub struct Volume {
    /// Its name.
    #[export]
    name: String,
    /// Its labels.
    #[export]
    labels: IndexMap<String, Text>,
    /// The driver that keeps it.
    #[export]
    driver: String,
    /// Options for the driver.
    #[export]
    options: IndexMap<String, Text>,
    /// Whether it is to exist.
    #[export]
    state: State,
    /// Whether it may be made anew.
    #[export]
    force: bool,
    plan: Plan,
}

impl Volume {
    pub(super) fn new(
        name: String,
        driver: String,
        labels: IndexMap<String, Text>,
        options: IndexMap<String, Text>,
        state: State,
        force: bool,
    ) -> Self {
        Self { name, labels, driver, options, state, force, plan: Plan::Nothing }
    }

    async fn find(&self, engine: &Engine) -> Result<Option<Found>, EngineError> {
        let doing = format!("look for the volume {:?}", self.name);
        engine.ask(doing, engine.docker().inspect_volume(&self.name)).await.found()
    }

    /// What of it is not as declared.
    pub(super) fn differences(&self, found: &Found) -> Differences {
        let mut differences = Differences::default();
        differences.compare("driver", &found.driver, &self.driver);
        differences.compare_maps("labels", &found.labels, &self.labels, Undeclared::Shown);
        differences.compare_maps("options", &found.options, &self.options, Undeclared::Hidden);
        differences
    }

    async fn remove(&self, engine: &Engine) -> Result<(), EngineError> {
        let doing = format!("remove the volume {:?}", self.name);
        let remove = engine.docker().remove_volume(&self.name, None::<RemoveVolumeOptions>);
        engine.ask(doing, remove).await.found().map(|_| ())
    }

    async fn create(&self, engine: &Engine) -> Result<(), EngineError> {
        let request = VolumeCreateRequest {
            name: Some(self.name.clone()),
            driver: Some(self.driver.clone()),
            driver_opts: Some(exposed(&self.options)),
            labels: Some(exposed(&self.labels)),
            ..VolumeCreateRequest::default()
        };
        let doing = format!("make the volume {:?}", self.name);
        engine.ask(doing, engine.docker().create_volume(request)).await.map(|_| ())
    }
}

fn exposed(map: &IndexMap<String, Text>) -> HashMap<String, String> {
    map.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
}

#[async_trait]
impl Task for Volume {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.plan = Plan::Nothing;
        let engine = match Engine::connect_or_wait(cx).await? {
            Ok(engine) => engine,
            Err(waits) => return Ok(waits),
        };
        let found = self.find(&engine).await?;
        let mut status = Status::new();
        let declared = Declared {
            kind: KIND,
            name: &self.name,
            state: self.state,
            force: self.force,
            anew: "it is removed with everything in it, and made anew",
        };
        let differences = found.map(|found| self.differences(&found));
        self.plan = declared.decide(cx, &engine, differences.as_ref(), &mut status).await?;
        if self.plan == Plan::Recreate {
            status.set_warning(format!("what the volume {:?} holds is lost when it is made anew", self.name));
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let engine = Engine::connect(cx).await?;
        let plan = std::mem::take(&mut self.plan);
        if plan.removes() {
            self.remove(&engine).await?;
        }
        if plan.creates() {
            self.create(&engine).await?;
        }
        Ok(Status::new())
    }
}

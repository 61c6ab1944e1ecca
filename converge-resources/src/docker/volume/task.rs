use bollard::models::{self, VolumeCreateRequest};
use bollard::query_parameters::RemoveVolumeOptions;
use converge_core::prelude::*;
use indexmap::IndexMap;

use crate::docker::change::{self, Plan, Replaceable};
use crate::docker::differences::{Differences, Undeclared};
use crate::docker::engine::{Engine, EngineError, FoundExt as _};
use crate::presence::Presence;
use crate::text::{self, Text};

/// A volume.
#[derive(Debug, Export)]
pub struct Volume {
    /// Its name.
    #[export]
    pub(super) name: String,
    /// Its labels.
    #[export]
    pub(super) labels: IndexMap<String, Text>,
    /// The driver that keeps it.
    #[export]
    pub(super) driver: String,
    /// Options for the driver.
    #[export]
    pub(super) options: IndexMap<String, Text>,
    /// Whether it is to exist.
    #[export]
    pub(super) state: Presence,
    /// Whether it may be made anew.
    #[export]
    pub(super) force: bool,
    pub(super) plan: Plan,
}

impl Volume {
    pub(super) fn differences(&self, found: &models::Volume) -> Differences {
        let mut differences = Differences::default();
        differences.compare("driver", &found.driver, &self.driver);
        differences.compare_maps("labels", &found.labels, &self.labels, Undeclared::Shown);
        differences.compare_maps("options", &found.options, &self.options, Undeclared::Hidden);
        differences
    }
}

#[async_trait]
impl Replaceable for Volume {
    const KIND: &'static str = "volume";
    const ANEW: &'static str = "it is removed with everything in it, and made anew";

    fn declared(&self) -> (&str, Presence, bool) {
        (&self.name, self.state, self.force)
    }

    fn plan(&mut self) -> &mut Plan {
        &mut self.plan
    }

    async fn compare(&mut self, engine: &Engine) -> Result<Option<Differences>, EngineError> {
        let doing = format!("look for the volume {:?}", self.name);
        let found = engine.ask(doing, engine.docker().inspect_volume(&self.name)).await.found()?;
        Ok(found.map(|found| self.differences(&found)))
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
            driver_opts: Some(text::exposed(&self.options)),
            labels: Some(text::exposed(&self.labels)),
            ..VolumeCreateRequest::default()
        };
        let doing = format!("make the volume {:?}", self.name);
        engine.ask(doing, engine.docker().create_volume(request)).await.map(|_| ())
    }
}

impl Task for Volume {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = change::check(self, cx).await?;
        if self.plan == Plan::Recreate {
            status.add_warning(format!("what the volume {:?} holds is lost when it is made anew", self.name));
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        change::apply(self, cx).await
    }
}

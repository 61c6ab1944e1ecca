use bollard::models::{self, VolumeCreateRequest};
use bollard::query_parameters::RemoveVolumeOptions;
use converge_sdk::prelude::*;
use indexmap::IndexMap;

use crate::docker::differences::{Differences, Undeclared};
use crate::docker::engine::{Engine, EngineError, FoundExt as _};
use crate::docker::replacement::{self, Plan, Replaceable};
use crate::text::{self, Text};

/// Creates a volume, or removes it.
///
/// An existing volume cannot be changed. If driver, labels or options differ, that is an error, unless
/// `force` allows the volume to be removed **with everything in it** and created again. A volume that a
/// container uses, running or not, is never removed.
///
/// The engine is found as described for `docker.image`.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "docker.volume", task = Self, example = "example.hcl")]
pub struct Volume {
    /// Name of the volume.
    #[hcl(
        required,
        nonempty,
        manages = "volume",
        pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]+$",
        expects = "the name of a volume: it has two or more of a-z A-Z 0-9 _ . - and begins with a letter or a digit"
    )]
    #[export]
    name: String,
    /// The driver that stores the volume.
    #[hcl(default = "local", nonempty)]
    #[export]
    driver: String,
    /// Labels of the volume.
    #[hcl(default)]
    #[export]
    labels: IndexMap<String, Text>,
    /// Options for the driver: `{ type = "tmpfs", device = "tmpfs", o = "size=1m" }`.
    #[hcl(default)]
    #[export]
    options: IndexMap<String, Text>,
    /// Whether the volume is to exist. `absent` removes it with everything in it.
    #[hcl(default, removes = "absent")]
    #[export]
    state: Ensure,
    /// Whether a volume that differs is removed, with everything in it, and created again.
    #[hcl(default)]
    #[export]
    force: bool,
    /// The step that the check planned.
    #[hcl(skip)]
    plan: Plan,
}

impl Volume {
    pub(super) fn differences(&self, volume: &models::Volume) -> Differences {
        let mut differences = Differences::default();
        differences.compare("driver", &volume.driver, &self.driver);
        differences.compare_maps("labels", &volume.labels, &self.labels, Undeclared::Shown);
        differences.compare_maps("options", &volume.options, &self.options, Undeclared::Hidden);
        differences
    }
}

#[async_trait]
impl Replaceable for Volume {
    const KIND: &'static str = "volume";
    const ANEW: &'static str = "it is removed with everything in it, and created again";

    fn declared(&self) -> (&str, Ensure, bool) {
        (&self.name, self.state, self.force)
    }

    fn plan(&mut self) -> &mut Plan {
        &mut self.plan
    }

    async fn compare(&mut self, engine: &Engine) -> Result<Option<Differences>, EngineError> {
        let doing = format!("look for the volume {:?}", self.name);
        let volume = engine.ask(doing, engine.docker().inspect_volume(&self.name)).await.found()?;
        Ok(volume.map(|volume| self.differences(&volume)))
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
        let mut status = replacement::check(self, cx).await?;
        if self.plan == Plan::Recreate {
            status.add_warning(format!(
                "the content of the volume {:?} is lost when it is created again",
                self.name
            ));
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        replacement::apply(self, cx).await
    }
}

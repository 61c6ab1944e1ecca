//! `docker.volume`: a place where containers keep what outlives them.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use indexmap::IndexMap;

pub use task::Volume;

use super::change::Plan;
use crate::presence::Presence;
use crate::text::Text;

/// Makes a volume, or removes it.
///
/// A volume cannot be changed while it exists. When driver, labels or options differ, that is an error, unless `force`
/// allows to remove the volume **with everything in it** and to make it anew. A volume that a container uses, also
/// one that does not run, is never removed.
///
/// The engine is found as `docker.image` says.
#[derive(Debug, Preparer)]
#[preparer(name = "docker.volume", task = Volume, example = "example.hcl")]
pub struct VolumePreparer {
    /// Name of the volume.
    #[hcl(
        required,
        nonempty,
        manages = "volume",
        pattern = "^[a-zA-Z0-9][a-zA-Z0-9_.-]+$",
        expects = "the name of a volume: it has two or more of a-z A-Z 0-9 _ . - and begins with a letter or a digit"
    )]
    name: String,
    /// The driver that keeps it.
    #[hcl(default = "local", nonempty)]
    driver: String,
    /// Labels of the volume.
    #[hcl(default)]
    labels: IndexMap<String, Text>,
    /// Options for the driver: `{ type = "tmpfs", device = "tmpfs", o = "size=1m" }`.
    #[hcl(default)]
    options: IndexMap<String, Text>,
    /// Whether the volume is to exist. `absent` removes it with everything in it.
    #[hcl(default, removes = "absent")]
    state: Presence,
    /// Whether a volume that differs is removed, with everything in it, and made anew.
    #[hcl(default)]
    force: bool,
}

impl Resource for VolumePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Volume> {
        let Self { name, driver, labels, options, state, force } = self;
        Ok(Volume { name, labels, driver, options, state, force, plan: Plan::Nothing })
    }
}

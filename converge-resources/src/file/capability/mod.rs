//! `file.capability`: what a program may do without being root.

mod set;
mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;

pub use task::Capability;

use set::CapabilitySet;

/// Sees to it that a program has capabilities, such as to listen at a port below 1024 without being root.
///
/// It is done by `getcap` and `setcap`, which the package `libcap2-bin` has, or `libcap` on Fedora and Red Hat.
///
/// # Guarantees
///
/// All capabilities of the file are those that are declared. Texts that mean the same are no difference: `cap_net_raw+ep` is `cap_net_raw=ep`. What
/// is no file is an error: a link, whose target has to be named instead, or a folder.
///
/// # Caveats
///
/// Linux takes the capabilities away from a file that is written to or replaced, so name what writes it in `depends`. Whoever may write to the file's folder
/// decides which file gets them. File systems that cannot keep capabilities refuse them.
#[derive(Debug, Preparer)]
#[preparer(name = "file.capability", task = Capability, footprint, example = "example.hcl")]
pub struct CapabilityPreparer {
    /// Path of the program.
    #[hcl(required, nonempty, pattern = "^/", expects = "an absolute path")]
    destination: String,
    /// The capabilities, as `setcap` takes them: `"cap_net_bind_service=+ep"`. All others go.
    #[hcl(required_if = "state=present", nonempty)]
    capabilities: Option<CapabilitySet>,
    /// Whether the file has these capabilities, or none.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl HasFootprint for CapabilityPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.manages("capabilities", &self.destination);
        footprint.needs(kind::PATH, &self.destination);
    }
}

impl Resource for CapabilityPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Capability> {
        let Self { destination, capabilities, state } = self;
        let capabilities = capabilities.filter(|_| state.is_present());
        Ok(Capability { destination, capabilities, state, steps: Vec::new() })
    }
}

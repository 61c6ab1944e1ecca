//! The `file.capability` resource: capabilities of a program that does not run as root.

mod set;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;

pub use task::Capability;

use set::CapabilitySet;

/// Ensures that a program has capabilities, such as the use of ports below 1024 without root.
///
/// The resource uses `getcap` and `setcap` from the package `libcap2-bin`, or `libcap` on Fedora and Red Hat.
///
/// # Guarantees
///
/// The file has exactly the declared capabilities. Two texts with the same meaning are no difference:
/// `cap_net_raw+ep` is `cap_net_raw=ep`. Anything but a file is an error: a directory, or a link, whose
/// target has to be named instead.
///
/// # Caveats
///
/// Linux removes the capabilities of a file that a program writes to or replaces. Types such as `file.copy`
/// keep them, as long as the owner stays; name a `task` that writes it in `depends`. Whoever may write to the directory of the file decides which file gets them. File systems
/// that cannot store capabilities refuse them.
#[derive(Debug, Preparer)]
#[preparer(name = "file.capability", task = Capability, footprint, example = "example.hcl")]
pub struct CapabilityPreparer {
    /// Path of the program.
    #[hcl(required, nonempty, pattern = "^/", expects = "an absolute path")]
    destination: String,
    /// The capabilities, in the syntax of `setcap`: `"cap_net_bind_service=+ep"`. All others are removed.
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

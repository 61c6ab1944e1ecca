//! `system.kernel_module`: a module of the kernel.

mod edit;
mod kernel_state;
#[cfg(test)]
mod model;
mod name;
mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};
use indexmap::IndexMap;

pub use task::KernelModule;

use name::{ModuleName, ParameterName, ParameterValue};

/// Sees to it that a module of the kernel is loaded, or is not, now and after each boot.
///
/// It is loaded and unloaded by `modprobe`. For the next boot it is a line of `/etc/modules-load.d/NAME.conf`; its parameters, and that it is
/// blacklisted, are lines of `/etc/modprobe.d/zz-NAME.conf`, which counts more than other files. `NAME` is the name of the module with `_` for each `-`.
///
/// # Guarantees
///
/// All other lines of these files stay as they are, byte for byte; a file of which nothing is left is removed. A module that the kernel does not
/// have, a parameter that the module does not have, and another name of a module are errors: the kernel itself says nothing of a parameter that it
/// does not know. What is built into the kernel counts as loaded, and cannot be unloaded. A module that is in use is not unloaded, and the error says
/// by what it is used.
///
/// # Caveats
///
/// A module that is loaded keeps the parameters that it was loaded with; where the kernel shows other ones, that is a warning. Other files may
/// load the module at boot, or blacklist it; that is a warning, too. A module that is blacklisted is loaded nevertheless when another one needs it, or
/// somebody asks for it by its name.
#[derive(Debug, Preparer)]
#[preparer(
    name = "system.kernel_module",
    task = KernelModule,
    validate,
    footprint,
    lock = "file.edit",
    example = "example.hcl"
)]
pub struct KernelModulePreparer {
    /// Name of the module: `br_netfilter`. `-` and `_` are the same.
    #[hcl(required, nonempty)]
    name: ModuleName,
    /// What the module is told when it is loaded, as in `{ numdummies = "2" }`. Without it, what `/etc/modprobe.d` says of it stays; an empty map
    /// takes that out of the file of the module.
    parameters: Option<IndexMap<ParameterName, ParameterValue>>,
    /// Whether the files say the same for the next boot. Without it, they are not looked at.
    #[hcl(default = true)]
    persistent: bool,
    /// Whether the kernel does not load the module by itself when it finds a device for it. It is for a module that is to be absent.
    #[hcl(default)]
    blacklisted: bool,
    /// Whether the module is to be loaded.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for KernelModulePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let wrong = |field: &'static str, message: &str| {
            FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })
        };
        let mut errors = Vec::new();
        if self.blacklisted && self.state.is_present() {
            errors.push(wrong(
                "blacklisted",
                "a module that is blacklisted is not loaded at boot: write `state = \"absent\"`",
            ));
        }
        if self.blacklisted && !self.persistent {
            errors.push(wrong("blacklisted", "that is a line of a file, and `persistent` is false"));
        }
        if !self.state.is_present() && self.parameters.as_ref().is_some_and(|all| !all.is_empty()) {
            errors.push(wrong("parameters", "a module that is absent has none"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for KernelModulePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.manages("module of the kernel", self.name.as_str());
        if self.persistent {
            footprint.touches(kind::PATH, &self.name.load_file());
            footprint.touches(kind::PATH, &self.name.options_file());
        }
    }
}

impl Resource for KernelModulePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<KernelModule> {
        let Self { name, parameters, persistent, blacklisted, state } = self;
        Ok(KernelModule { name, parameters, persistent, blacklisted, state, steps: Vec::new() })
    }
}

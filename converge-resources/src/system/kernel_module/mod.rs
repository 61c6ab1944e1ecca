//! The `system.kernel_module` resource: a module of the kernel.

mod edit;
mod kernel_state;
#[cfg(test)]
mod model;
mod name;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};
use indexmap::IndexMap;

pub use task::KernelModule;

use name::{ModuleName, ParameterName, ParameterValue};

/// Ensures that a module of the kernel is loaded, or that it is not, now and after each boot.
///
/// `modprobe` loads and unloads the module. For the next boot, the module is a line of
/// `/etc/modules-load.d/NAME.conf`. Its parameters and its blacklisting are lines of
/// `/etc/modprobe.d/zz-NAME.conf`, which takes precedence over other files. `NAME` is the name of the module
/// with `_` for each `-`.
///
/// # Guarantees
///
/// All other lines of these files stay as they are, byte for byte; a file that becomes empty is removed. A
/// module that the kernel does not have, a parameter that the module does not have, and an alias of a module
/// are errors: the kernel itself ignores unknown parameters. A built-in module counts as loaded, and cannot
/// be unloaded. A module in use is not unloaded, and the error names its users.
///
/// # Caveats
///
/// A loaded module keeps its present parameters; if the kernel shows other values, that is a warning. Other
/// files may load the module at boot, or blacklist it; that is a warning, too. A blacklisted module is loaded
/// nevertheless if another one needs it, or if somebody loads it by its name.
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
    /// Name of the module: `br_netfilter`. `-` and `_` are equal.
    #[hcl(required, nonempty)]
    name: ModuleName,
    /// Parameters of the module, as in `{ numdummies = "2" }`, which apply when it is loaded.
    ///
    /// Without this field, parameters in `/etc/modprobe.d` stay; an empty map removes them from the file of
    /// the module.
    parameters: Option<IndexMap<ParameterName, ParameterValue>>,
    /// Whether the state also applies to the next boot. Without it, the files are not managed.
    #[hcl(default = true)]
    persistent: bool,
    /// Whether the kernel may not load the module by itself for a device.
    ///
    /// This is for a module that is to be absent.
    #[hcl(default)]
    blacklisted: bool,
    /// Whether the module is to be loaded.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for KernelModulePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let error = |field: &'static str, message: &str| {
            FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })
        };
        let mut errors = Vec::new();
        if self.blacklisted && self.state.is_present() {
            errors.push(error(
                "blacklisted",
                "a module that is blacklisted is not loaded at boot: write `state = \"absent\"`",
            ));
        }
        if self.blacklisted && !self.persistent {
            errors.push(error("blacklisted", "it needs a file, but `persistent` is false"));
        }
        if !self.state.is_present()
            && self.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty())
        {
            errors.push(error("parameters", "an absent module has no parameters"));
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

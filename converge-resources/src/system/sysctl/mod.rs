//! `system.sysctl`: a setting of the kernel.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use converge_core::footprint::Footprint;
use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::Sysctl;

use edit::{Key, Setting};

/// Sees to it that a setting of the kernel has a value, now and after each boot.
///
/// The value is a line of a file in `/etc/sysctl.d`, and it is written to `/proc/sys`, as `sysctl` does. A setting that the kernel does not have
/// is an error: its module may have to be loaded first.
///
/// # Guarantees
///
/// All other lines of the file stay as they are, byte for byte. The file is replaced as a whole.
///
/// # Caveats
///
/// A file whose name comes later may say something else, which is what counts after a boot. With `state = "absent"` the kernel keeps the value that it
/// has until then. Some settings cannot be read, or read as something else than what was written; these are not for this resource.
#[derive(Debug, Preparer)]
#[preparer(name = "system.sysctl", task = Sysctl, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct SysctlPreparer {
    /// Name of the setting: `net.ipv4.ip_forward`. Where a part of it has dots in it, it is written with slashes: `net/ipv4/conf/eth0.1/forwarding`.
    #[hcl(required, nonempty)]
    name: Key,
    /// The value. How many blanks are between its words is no difference.
    #[hcl(required_if = "state=present")]
    value: Option<String>,
    /// Path of the file.
    #[hcl(
        default = "/etc/sysctl.d/99-converge.conf",
        nonempty,
        pattern = "^/",
        expects = "an absolute path",
        touches = "path"
    )]
    file: String,
    /// Whether the running kernel gets the value. Without it, it does so at the next boot.
    #[hcl(default = true)]
    live: bool,
    /// Whether the line is to be there.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for SysctlPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let wrong = |message: &str| {
            Err(vec![FieldError::new("value", FieldErrorKind::Invalid { message: message.to_owned() })])
        };
        match self.value.as_deref() {
            Some(value) if value.contains(['\n', '\r', '\0']) => wrong("it has several lines"),
            Some(value) if value.trim().is_empty() && self.state.is_present() => wrong("it is empty"),
            _ => Ok(()),
        }
    }
}

impl HasFootprint for SysctlPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.manages("setting of the kernel", self.name.dotted());
    }
}

impl Resource for SysctlPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Sysctl> {
        let Self { name, value, file, live, state } = self;
        let value = edit::words(&value.unwrap_or_default());
        let setting = Setting { key: name.clone(), value: state.is_present().then(|| value.clone()) };
        let path = PathBuf::from(&file);
        Ok(Sysctl { name, value, file, state, live, setting, path, steps: Vec::new() })
    }
}

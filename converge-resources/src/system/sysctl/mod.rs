//! The `system.sysctl` resource: a setting of the kernel.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Sysctl;

use edit::{Key, Setting};

/// Ensures that a setting of the kernel has a value, now and after each boot.
///
/// The value is a line of a file in `/etc/sysctl.d`, and it is written to `/proc/sys`, as `sysctl` does. A
/// setting that the kernel does not have is an error: its module may have to be loaded first.
///
/// # Guarantees
///
/// All other lines of the file stay as they are, byte for byte. The file is replaced as a whole. The kernel
/// gets the value first: one that it refuses is an error, and is not kept for the next boot.
///
/// # Caveats
///
/// A file with a later name may contain another value, which is then effective after a boot. With `state =
/// "absent"`, the kernel keeps its present value until the next boot. The resource does not support settings
/// that cannot be read, or that read differently from what was written.
#[derive(Debug, Preparer)]
#[preparer(name = "system.sysctl", task = Sysctl, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct SysctlPreparer {
    /// Name of the setting: `net.ipv4.ip_forward`.
    ///
    /// If a part of it contains dots, write it with slashes: `net/ipv4/conf/eth0.1/forwarding`.
    #[hcl(required, nonempty)]
    name: Key,
    /// The value. The number of blanks between its words does not matter.
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
    /// Whether the running kernel gets the value now. Otherwise the value takes effect at the next boot.
    #[hcl(default = true)]
    live: bool,
    /// Whether the line is to be present.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for SysctlPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let refuse = |message: &str| {
            Err(vec![FieldError::new("value", FieldErrorKind::Invalid { message: message.to_owned() })])
        };
        match self.value.as_deref() {
            Some(value) if value.contains(['\n', '\r', '\0']) => refuse("it has several lines"),
            Some(value) if value.trim().is_empty() && self.state.is_present() => refuse("it is empty"),
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

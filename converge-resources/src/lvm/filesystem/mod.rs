//! The `filesystem` resource: a file system on a device, mounted by a systemd unit.
//!
//! No field allows the resource to overwrite data on a device. Such a field would stay in the module, and
//! would format the device again when somebody changes `fstype` a year later.
//!
//! The resource calls `systemctl`: it needs only four short commands, and D-Bus would make this family depend
//! on the `systemd` family.

mod task;
#[cfg(test)]
mod tests;
mod unit;

use converge_sdk::prelude::*;

use crate::mount_fields::MountOption;
pub use task::Filesystem;
use unit::{DependentUnit, MountPoint, MountUnit};

/// Creates a file system on an empty device, and has systemd mount it, now and at each boot.
///
/// The unit is `/etc/systemd/system/NAME.mount`, where `NAME` is the path of the mount point as
/// `systemd-escape --path` writes it. The unit is enabled and started. The mount point is created if it does
/// not exist.
///
/// # Guarantees
///
/// Only an empty device gets a file system. A device that holds anything but a file system of type `fstype`
/// is an error that says what is on it. No field allows the resource to overwrite that: if its data is not
/// needed, empty the device with `wipefs --all` first. The device is inspected immediately before it is
/// formatted.
///
/// Nothing is unmounted: if something else is mounted at the mount point, the resource fails.
///
/// # Caveats
///
/// This resource does not grow a file system: `lvm.logicalvolume` does that together with the volume. The
/// file system has the default options of `mkfs`. In a plan, a pending change may create a device that does
/// not exist yet; then the plan says *may change*. The resource needs systemd and the program `mkfs.FSTYPE`.
#[derive(Debug, Preparer)]
#[preparer(name = "filesystem", task = Filesystem, example = "example.hcl")]
pub struct FilesystemPreparer {
    /// Path of the device. `/dev/disk/by-uuid` has a path for each file system by its UUID.
    #[hcl(required, nonempty, pattern = "^/", expects = "an absolute path", needs = "path")]
    device: String,
    /// Path of the directory where the file system is mounted.
    #[hcl(required, nonempty, manages = "path:mount", ensures = "path:tree")]
    mount: MountPoint,
    /// Type of the file system, as `mkfs` and `mount` name it: `ext4`, `xfs`, `btrfs`.
    #[hcl(
        required,
        nonempty,
        pattern = "^[a-z0-9_.-]+$",
        expects = "the type of a file system, such as ext4 or xfs"
    )]
    fstype: String,
    /// Mount options, as in `["noatime", "nodev"]`.
    ///
    /// A change takes effect at the next mount. Every user of the machine can read them, in the unit and
    /// among the arguments of `mount`; a secret among them causes a warning.
    #[hcl(default, needs = "user, group, path")]
    options: Vec<MountOption>,
    /// Units that cannot start unless the file system is mounted.
    #[hcl(name = "requiredBy", alias = "required_by", default)]
    required_by: Vec<DependentUnit>,
    /// Units that mount the file system when they start.
    ///
    /// `local-fs.target` is always one of them, so that the file system is mounted at boot.
    #[hcl(name = "wantedBy", alias = "wanted_by", default)]
    wanted_by: Vec<DependentUnit>,
    /// Units that start only after the file system is mounted. `local-fs.target` is always one of them.
    #[hcl(default)]
    before: Vec<DependentUnit>,
}

impl Resource for FilesystemPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Filesystem> {
        let Self { device, mount, fstype, options, required_by, wanted_by, before } = self;
        let unit = MountUnit {
            device: device.clone(),
            mount: mount.clone(),
            fstype: fstype.clone(),
            options,
            required_by,
            wanted_by,
            before,
        };
        Ok(Filesystem { device, mount, fstype, unit, steps: Vec::new() })
    }
}

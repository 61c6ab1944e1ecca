//! `filesystem`: a file system on a device, mounted by a unit of systemd.
//!
//! No field allows to overwrite what is on a device. What is written in a module stays there: it would format the device again
//! when somebody changes `fstype` a year later.
//!
//! systemd is asked with `systemctl`: it takes four short commands, and with D-Bus this family would build that of `systemd`
//! with it.

mod task;
#[cfg(test)]
mod tests;
mod unit;

use converge_core::prelude::*;

use crate::mount_fields::MountOption;
pub use task::Filesystem;
use unit::{DependentUnit, MountPoint, MountUnit};

/// Makes a file system on a device that is empty, and has systemd mount it, now and whenever the machine starts.
///
/// The unit is `/etc/systemd/system/NAME.mount`, where `NAME` is the path of the mount point as `systemd-escape --path`
/// writes it. It is enabled and started. The mount point is made if it does not exist.
///
/// # Guarantees
///
/// Only an empty device gets a file system. One that holds anything but a file system of type `fstype` is an error that says
/// what is on it, and no field allows to overwrite that: empty the device with `wipefs --all` first, if nothing on it is
/// needed. The device is looked at right before.
///
/// Nothing that is mounted is unmounted: where something else is mounted at the mount point, the resource fails.
///
/// # Caveats
///
/// A file system is not made larger by this resource: `lvm.logicalvolume` does that with the volume that it is on. Options
/// for the file system itself are the defaults of `mkfs`. In a plan, a device that does not exist may be made by something
/// that this resource depends on; then the plan says *may change*. It needs systemd, and the program `mkfs.FSTYPE`.
#[derive(Debug, Preparer)]
#[preparer(name = "filesystem", task = Filesystem, example = "example.hcl")]
pub struct FilesystemPreparer {
    /// Path of the device. `/dev/disk/by-uuid` has one for each file system by its UUID.
    #[hcl(required, nonempty, pattern = "^/", expects = "an absolute path", needs = "path")]
    device: String,
    /// Path of the directory where it is mounted.
    #[hcl(required, nonempty, manages = "path:mount", ensures = "path:tree")]
    mount: MountPoint,
    /// Type of the file system, as `mkfs` and `mount` know it: `ext4`, `xfs`, `btrfs`.
    #[hcl(
        required,
        nonempty,
        pattern = "^[a-z0-9_.-]+$",
        expects = "the type of a file system, such as ext4 or xfs"
    )]
    fstype: String,
    /// Options of the mount, as in `["noatime", "nodev"]`. A change of these takes effect when it is mounted the next time.
    /// Every user of the machine can read them, in the unit and among the arguments of `mount`; a secret among them is a
    /// warning.
    #[hcl(default)]
    options: Vec<MountOption>,
    /// Units that cannot start unless it is mounted.
    #[hcl(name = "requiredBy", alias = "required_by", default)]
    required_by: Vec<DependentUnit>,
    /// Units that have it mounted when they start. `local-fs.target` always does, so that it is mounted when the machine
    /// starts.
    #[hcl(name = "wantedBy", alias = "wanted_by", default)]
    wanted_by: Vec<DependentUnit>,
    /// Units that start only after it is mounted. `local-fs.target` always does.
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

//! `lvm.volumegroup`: devices whose space logical volumes are made of.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::VolumeGroup;

/// Makes a volume group of devices, and adds devices to it.
///
/// # Guarantees
///
/// A device that holds anything is not touched: a file system, a partition table, a member of a RAID or of another
/// volume group. The error says what is on it. `overwrite` allows it for what nobody uses; a device of another volume
/// group, one that is mounted, and one that other devices are made of are refused even so. An empty device that LVM
/// knows, but that belongs to no group, is taken.
///
/// A device that volumes have data on is never taken out of a group.
///
/// # Caveats
///
/// In a plan a device that does not exist may be made by something that this resource depends on; then the plan says
/// *may change*. A group is never removed. The commands of LVM are needed, which are in the package `lvm2`.
#[derive(Debug, Preparer)]
#[preparer(name = "lvm.volumegroup", task = VolumeGroup, example = "example.hcl", lock = "lvm")]
pub struct VolumeGroupPreparer {
    /// Name of the volume group.
    #[hcl(
        required,
        nonempty,
        manages = "volume_group",
        pattern = "^[A-Za-z0-9_+.][A-Za-z0-9_+.-]*$",
        expects = "the name of a volume group: it has only a-z A-Z 0-9 _ + . - and does not begin with -"
    )]
    name: String,
    /// Paths of the devices that it is made of. A link, such as those in `/dev/disk/by-id`, stands for the device that it
    /// leads to.
    #[hcl(default, needs = "path")]
    devices: Vec<String>,
    /// Whether devices of the group that are not in `devices` are taken out of it. Without it they stay, and a message
    /// names them.
    #[hcl(default)]
    remove: bool,
    /// Whether a device that `remove` takes out also loses the mark that it had belonged to LVM, so that nothing is on it
    /// any more. Without it, it stays an empty device of LVM. When a run is killed between the two, the mark stays.
    #[hcl(name = "forceRemove", alias = "force_remove", default)]
    force_remove: bool,
    /// Whether a device of `devices` may be taken whatever is on it. **All of its data is lost**, at the moment when it is
    /// added to the group; one that is in the group already is left alone.
    #[hcl(default)]
    overwrite: bool,
}

impl Resource for VolumeGroupPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<VolumeGroup> {
        let Self { name, devices, remove, force_remove, overwrite } = self;
        Ok(VolumeGroup { name, devices, remove, force_remove, overwrite, steps: Vec::new() })
    }
}

//! The `lvm.logicalvolume` resource: a device made of the space of a volume group.

mod size;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;

use size::Size;
pub use task::LogicalVolume;

/// Creates a logical volume in a volume group, and grows it.
///
/// # Guarantees
///
/// A volume never shrinks: if `size` is less than the present size, the resource fails and says so. An
/// existing inactive volume is activated.
///
/// If a volume grows, the file system on it grows too, unless `resizefs` is `false`. This works for ext2,
/// ext3 and ext4, mounted or not, and for xfs and btrfs while they are mounted. If an earlier run was killed
/// in between, or the file system was not mounted, a later run grows it.
///
/// # Caveats
///
/// Sizes are rounded up to whole extents, which are 4 MiB each unless the group was created otherwise; shares
/// are rounded down. In a plan, a pending change may create a group that does not exist yet, or change the
/// size that a share refers to; then the plan says *may change*. The resource needs the commands of LVM from
/// the package `lvm2`, and for growing file systems those of `e2fsprogs`, `xfsprogs` or `btrfs-progs`.
#[derive(Debug, Preparer)]
#[preparer(name = "lvm.logicalvolume", task = LogicalVolume, footprint, example = "example.hcl", lock = "lvm")]
pub struct LogicalVolumePreparer {
    /// Name of the volume group.
    #[hcl(
        name = "group",
        required,
        nonempty,
        needs = "volume_group",
        touches = "volume_group",
        pattern = "^[A-Za-z0-9_+.][A-Za-z0-9_+.-]*$",
        expects = "the name of a volume group: it has only a-z A-Z 0-9 _ + . - and does not begin with -"
    )]
    group: String,
    /// Name of the volume.
    #[hcl(
        required,
        nonempty,
        pattern = "^[A-Za-z0-9_+.][A-Za-z0-9_+.-]*$",
        expects = "the name of a volume: it has only a-z A-Z 0-9 _ + . - and does not begin with -"
    )]
    name: String,
    /// The size of the volume: an absolute size, or a share of the group.
    ///
    /// An absolute size is a number with a unit, as in `"1G"` or `"1.5G"`. The units are `b` (bytes), `s`
    /// (sectors of 512 bytes), `k`, `m`, `g`, `t`, `p`, `e` (each 1024 of the one before), in upper or lower
    /// case.
    ///
    /// A share is, for example, `"50%VG"` of the whole group, or `"100%FREE"` of the space that other volumes
    /// leave free. A share of the free space includes the space of the volume itself. `"100%FREE"` therefore
    /// also takes space that is added to the group later; it never shrinks the volume. `%PVS` means the same
    /// as `%VG`.
    #[hcl(required, nonempty)]
    size: Size,
    /// Whether the file system on the volume grows with it.
    #[hcl(default = true, alias = "resize_fs")]
    resizefs: bool,
}

/// The footprint has the volume, by its group and name, and the paths of its device.
impl HasFootprint for LogicalVolumePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let Self { group, name, .. } = self;
        footprint.manages("logical_volume", &format!("{group}/{name}"));
        footprint.ensures(kind::PATH, &format!("/dev/{group}/{name}"));
        // The device mapper doubles the dashes in a name.
        let (group, name) = (group.replace('-', "--"), name.replace('-', "--"));
        footprint.ensures(kind::PATH, &format!("/dev/mapper/{group}-{name}"));
    }
}

impl Resource for LogicalVolumePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<LogicalVolume> {
        let Self { group, name, size, resizefs } = self;
        Ok(LogicalVolume::new(group, name, size, resizefs))
    }
}

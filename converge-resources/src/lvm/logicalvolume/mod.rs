//! `lvm.logicalvolume`: a device made of the space of a volume group.

mod size;
mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;

use size::Size;
pub use task::LogicalVolume;

/// Makes a logical volume in a volume group, and makes it larger.
///
/// # Guarantees
///
/// A volume is never made smaller: where `size` says less than it has, the resource fails and says so. A volume that is
/// there and not active is activated.
///
/// When a volume grows, the file system on it grows too, unless `resizefs` is `false`: ext2, ext3 and ext4, mounted or not;
/// xfs and btrfs while they are mounted. Where this did not happen, as an earlier run was killed in between or the file
/// system was not mounted, it is made up for.
///
/// # Caveats
///
/// Sizes are rounded up to whole extents, which are 4 MiB each unless the group was made otherwise; shares are rounded
/// down. In a plan, a group that does not exist may be made by something that this resource depends on, and a share may be
/// of more or of less after that; then the plan says *may change*. The commands of LVM are needed, which are in the package
/// `lvm2`, and for file systems to grow those of `e2fsprogs`, `xfsprogs` or `btrfs-progs`.
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
    /// Its size: a number with one of the units `b` (bytes), `s` (sectors of 512 bytes), `k`, `m`, `g`, `t`, `p`, `e` (each
    /// 1024 of the one before), in any case of letters, as in `"1G"` or `"1.5G"`; or a share, as in `"50%VG"` of the whole
    /// group, or `"100%FREE"` of what other volumes leave free. A share of what is free counts what the volume itself has, so
    /// that `"100%FREE"` also takes what is added to the group later; it never asks for less than there is. `%PVS` means the
    /// same as `%VG`.
    #[hcl(required, nonempty)]
    size: Size,
    /// Whether the file system on the volume grows with it.
    #[hcl(default = true, alias = "resize_fs")]
    resizefs: bool,
}

/// The volume is named by its group and itself, and so are the paths of its device.
impl HasFootprint for LogicalVolumePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let Self { group, name, .. } = self;
        footprint.manages("logical_volume", &format!("{group}/{name}"));
        footprint.ensures(kind::PATH, &format!("/dev/{group}/{name}"));
        // A name in the device mapper has its own dashes doubled.
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

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

use super::size::Size;
use crate::bytes::Bytes;
use crate::lvm::ONLY_LINUX;
use crate::lvm::growth::{self, GrowableFilesystem};
use crate::lvm::report::{self, VolumeGroupReport};
use crate::steps::{self, Findings, Stepwise};
use crate::{device, missing_dependency, tools};

/// The task of an `lvm.logicalvolume` resource.
#[derive(Debug, Export)]
pub struct LogicalVolume {
    /// The name of the volume group.
    #[export]
    group: String,
    /// The name of the volume.
    #[export]
    name: String,
    /// The size, as the module declares it.
    #[export]
    size: Size,
    /// The path of the device in `/dev/mapper`, which is known before the volume exists.
    #[export]
    device: PathBuf,
    resizefs: bool,
    steps: Vec<LogicalVolumeStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogicalVolumeStep {
    /// Create the volume with this number of extents.
    Create(u64),
    Activate,
    /// Grow the volume to this number of extents.
    Extend(u64),
    /// Grow the file system to the size of the volume.
    Grow(GrowableFilesystem),
}

impl LogicalVolume {
    pub(super) fn new(group: String, name: String, size: Size, resizefs: bool) -> Self {
        let device = Path::new("/dev/mapper").join(mapped(&group, &name));
        Self { group, name, size, device, resizefs, steps: Vec::new() }
    }

    /// Checks that the group has enough free extents.
    fn check_free_space(
        &self,
        cx: &Context,
        group: &VolumeGroupReport,
        wanted: u64,
        own: u64,
        look: &mut Findings<LogicalVolumeStep>,
    ) {
        let (name, group_name) = (&self.name, &self.group);
        if wanted == 0 {
            let extent = Bytes(group.extent_size);
            look.status.raise_level_for_diffs();
            look.status.set_error(format!(
                "`size` of {group_name}/{name} is less than an extent of the volume group, which is {extent}"
            ));
            return;
        }
        let needed = wanted - own;
        if needed <= group.free_extents {
            return;
        }
        let needed = Bytes(needed.saturating_mul(group.extent_size));
        let available = Bytes(group.free_extents.saturating_mul(group.extent_size));
        if cx.pending().is_empty() {
            look.status.raise_level_for_diffs();
            look.status.set_error(format!(
                "{group_name}/{name} needs {needed} more, and {available} are free in the volume group {group_name:?}"
            ));
        } else {
            look.status.add_message(format!("it needs {needed} more, and {available} are free so far"));
            look.status.raise_level(StatusLevel::MayChange);
        }
    }

    /// Checks whether the file system has to grow to `size`, the present or planned bytes of the volume.
    async fn check_filesystem(
        &self,
        cx: &Context,
        size: u64,
        extends: bool,
        look: &mut Findings<LogicalVolumeStep>,
    ) -> Result<()> {
        let Some(path) = device::resolve(cx, &self.device).await? else { return Ok(()) };
        let Some(filesystem) = growth::find(cx, &path).await? else { return Ok(()) };
        if !extends && !filesystem.leaves_room(size) {
            return Ok(());
        }
        if !filesystem.can_grow() {
            look.status.add_warning(format!(
                "the {} on it is not mounted, so it keeps its {} until a run finds it mounted",
                filesystem.name,
                Bytes(filesystem.size)
            ));
            return Ok(());
        }
        let describe = |size: u64| format!("{} of {}", filesystem.name, Bytes(size));
        look.status.add_difference("file system", describe(filesystem.size), describe(size));
        look.steps.push(LogicalVolumeStep::Grow(filesystem));
        Ok(())
    }

    /// Returns an error unless the device of the volume exists. LVM has waited for `udev` already.
    async fn find_device(&self, cx: &Context) -> Result<()> {
        if device::resolve(cx, &self.device).await?.is_some() {
            return Ok(());
        }
        let device = self.device.display();
        Err(Error::msg(format!("{device} did not appear when the volume was activated; is `udev` running?")))
    }
}

/// Returns the name of a volume in `/dev/mapper`, in which a dash is doubled.
pub(super) fn mapped(group: &str, name: &str) -> String {
    format!("{}-{}", group.replace('-', "--"), name.replace('-', "--"))
}

#[async_trait]
impl Stepwise for LogicalVolume {
    const TYPE: &'static str = "lvm.logicalvolume";
    const ONLY_LINUX: &'static str = ONLY_LINUX;
    type Step = LogicalVolumeStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<LogicalVolumeStep>> {
        let Some(group) = report::volume_group(cx, &self.group).await? else {
            let message = format!("the volume group {:?} does not exist yet", self.group);
            let status = missing_dependency::missing(cx, "volume group", &self.group, message)?;
            return Ok(Findings { status, steps: Vec::new() });
        };
        if self.size.is_share() && !cx.pending().is_empty() {
            let message = "its size is a share, and its dependencies may change the total";
            return Ok(Findings::not_yet(message));
        }
        let mut findings = Findings::new();
        let volume = report::logical_volume(cx, &self.group, &self.name).await?;
        let has_size = volume.as_ref().map_or(0, |volume| volume.size);
        let current = has_size / group.extent_size.max(1);
        let target = self.size.extents(&group, current);
        let wanted_size = Bytes(target.saturating_mul(group.extent_size));

        let Some(volume) = volume else {
            findings.status.add_difference("size", "absent", wanted_size.to_string());
            self.check_free_space(cx, &group, target, 0, &mut findings);
            findings.steps.push(LogicalVolumeStep::Create(target));
            findings.status.raise_level_for_diffs();
            return Ok(findings);
        };
        if !volume.is_active {
            findings.status.add_difference("state", "inactive", "active");
            findings.steps.push(LogicalVolumeStep::Activate);
            if self.resizefs {
                findings
                    .status
                    .add_message("a file system on it grows with it; that is looked at when it is active");
            }
        }
        if target < current && !self.size.only_grows() {
            findings.status.add_difference("size", Bytes(has_size).to_string(), wanted_size.to_string());
            findings.status.raise_level_for_diffs();
            findings.status.set_error(format!(
                "{}/{} has {}, and `size` says {wanted_size}: a volume is never made smaller, as what is in the part \
                 that goes would be lost; write the size that it has, or make it smaller by hand",
                self.group,
                self.name,
                Bytes(has_size)
            ));
            return Ok(findings);
        }
        let size = if target > current {
            findings.status.add_difference("size", Bytes(has_size).to_string(), wanted_size.to_string());
            findings.steps.push(LogicalVolumeStep::Extend(target));
            self.check_free_space(cx, &group, target, current, &mut findings);
            wanted_size.0
        } else {
            has_size
        };
        if self.resizefs && volume.is_active {
            self.check_filesystem(cx, size, target > current, &mut findings).await?;
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &LogicalVolumeStep) -> Result<()> {
        let volume = format!("{}/{}", self.group, self.name);
        match step {
            LogicalVolumeStep::Create(extents) => {
                // `--yes` erases signatures that an earlier volume left in the allocated space; no volume
                // owns these any more.
                let extents = extents.to_string();
                let args = ["--yes", "--name", &self.name, "--extents", &extents, &self.group];
                tools::change(cx, "lvcreate", args).await?;
                self.find_device(cx).await?;
            }
            LogicalVolumeStep::Activate => {
                tools::change(cx, "lvchange", ["--activate", "y", &volume]).await?;
                self.find_device(cx).await?;
            }
            LogicalVolumeStep::Extend(extents) => {
                tools::change(cx, "lvextend", ["--extents", &extents.to_string(), &volume]).await?;
            }
            LogicalVolumeStep::Grow(held) => {
                let path = device::resolve(cx, &self.device).await?;
                held.grow(cx, &path.unwrap_or_else(|| self.device.clone())).await?;
            }
        }
        Ok(())
    }

    async fn finish(&self, cx: &Context, steps: &[LogicalVolumeStep]) -> Result<()> {
        if steps.contains(&LogicalVolumeStep::Activate) {
            // The device exists only now, so the file system on it is inspected here.
            for step in &self.inspect(cx).await?.steps {
                if matches!(step, LogicalVolumeStep::Grow(_)) {
                    self.make(cx, step).await?;
                }
            }
        }
        Ok(())
    }
}

steps::task!(LogicalVolume);

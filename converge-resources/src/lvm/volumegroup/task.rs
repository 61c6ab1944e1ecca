use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;

use crate::lvm::ONLY_LINUX;
use crate::lvm::report::{self, PhysicalVolume};
use crate::steps::{self, Findings, Stepwise};
use crate::{device, tools};

/// Creates a volume group of devices, and adds devices to it.
///
/// # Guarantees
///
/// A device that holds anything is not touched: a file system, a partition table, a member of a RAID or of
/// another volume group. The error says what is on it. `overwrite` allows the use of such a device if nothing
/// uses it. A device of another volume group, a mounted device, and a device that others are built on are
/// refused even so. An empty device that LVM knows, but that belongs to no group, is used.
///
/// A device that holds data of volumes is never removed from a group.
///
/// # Caveats
///
/// In a plan, a pending change may create a device that does not exist yet; then the plan says *may change*.
/// A group is never removed. The resource needs the commands of LVM from the package `lvm2`.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "lvm.volumegroup", task = Self, example = "example.hcl", lock = "lvm")]
pub struct VolumeGroup {
    /// Name of the volume group.
    #[hcl(
        required,
        nonempty,
        manages = "volume_group",
        pattern = "^[A-Za-z0-9_+.][A-Za-z0-9_+.-]*$",
        expects = "the name of a volume group: it has only a-z A-Z 0-9 _ + . - and does not begin with -"
    )]
    #[export]
    name: String,
    /// Paths of the devices of the group.
    ///
    /// A link, such as those in `/dev/disk/by-id`, stands for its target.
    #[hcl(default, needs = "path")]
    #[export]
    devices: Vec<String>,
    /// Whether devices of the group that are not in `devices` are removed from it.
    ///
    /// Without it they stay, and a message names them.
    #[hcl(default)]
    remove: bool,
    /// Whether a device that `remove` takes out also loses its LVM signature.
    ///
    /// It is empty afterwards. Without this field, the device remains an empty device of LVM. If a run is
    /// killed between the two steps, the signature stays.
    #[hcl(name = "forceRemove", alias = "force_remove", default)]
    force_remove: bool,
    /// Whether a device of `devices` may be used whatever is on it.
    ///
    /// **All of its data is lost** when it is added to the group. A device that is in the group already is
    /// left alone.
    #[hcl(default)]
    overwrite: bool,
    /// The steps that the check planned.
    #[hcl(skip)]
    steps: Vec<VolumeGroupStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VolumeGroupStep {
    /// Erase the signatures on a device.
    Wipe(String),
    /// Create the group with these devices.
    Create(Vec<String>),
    Extend(Vec<String>),
    /// Remove a device from the group, and erase its LVM signature if `unmark` is set.
    Reduce {
        device: String,
        unmark: bool,
    },
}

impl VolumeGroup {
    /// Checks a device that is to be added. `known` is LVM's information about it.
    async fn check_new(
        &self,
        cx: &Context,
        written: &str,
        path: &Path,
        known: Option<&PhysicalVolume>,
        look: &mut Findings<VolumeGroupStep>,
    ) -> Result<()> {
        let joins = format!("in volume group {}", self.name);
        let device = written.to_owned();
        match known {
            Some(volume) if !volume.group.is_empty() => {
                look.status.add_difference(written, format!("in volume group {}", volume.group), joins);
                let group = &volume.group;
                look.refuse(format!(
                    "{device} belongs to the volume group {group:?}; take it out of that first: `vgreduce {group} {device}`"
                ));
                return Ok(());
            }
            Some(_) => {
                look.status.add_difference(written, "in no volume group", joins);
                return Ok(());
            }
            None => {}
        }
        let signatures = device::signatures(cx, path).await?;
        let users = device::users(cx, path).await?;
        let signature_text = device::shown(&signatures);
        look.status.add_difference_with_default(written, signature_text.as_str(), joins, "(empty)");
        if !users.is_empty() {
            look.refuse(device::in_use(written, &users));
        } else if !signatures.is_empty() {
            if self.overwrite {
                look.status.add_message(format!("the data on {written} will be lost: {signature_text}"));
                look.steps.push(VolumeGroupStep::Wipe(device));
            } else {
                look.refuse(format!(
                    "{device} is not empty: it holds {signature_text}; write `overwrite = true` to lose its data"
                ));
            }
        }
        Ok(())
    }

    /// Checks a device of the group that the module does not name.
    fn check_extra(&self, volume: &PhysicalVolume, is_last: bool, findings: &mut Findings<VolumeGroupStep>) {
        let PhysicalVolume { device, group, used_extents, .. } = volume.clone();
        if volume.is_missing() {
            findings.status.add_warning(format!("a device of the volume group {group:?} is not attached"));
            return;
        }
        if !self.remove {
            findings.status.add_message(format!(
                "{device} is in the volume group too; `remove = true` takes out what `devices` does not name"
            ));
            return;
        }
        let leaves = if self.force_remove { "" } else { "in no volume group" };
        let joined = format!("in volume group {group}");
        findings.status.add_difference_with_default(device.as_str(), joined, leaves, "(empty)");
        if used_extents > 0 {
            findings.refuse(format!(
                "volumes have data on {device} ({used_extents} extents), so it cannot be taken out of the volume group \
                 {group:?}; move that first: `pvmove {device}`"
            ));
        } else if is_last {
            findings.refuse(format!(
                "a volume group needs a device, so {device} cannot be taken out of {group:?}; add another to `devices`, \
                 or remove the group with `vgremove {group}`"
            ));
        } else {
            findings.steps.push(VolumeGroupStep::Reduce { device, unmark: self.force_remove });
        }
    }
}

fn with<'a>(name: &'a str, devices: &'a [String]) -> impl Iterator<Item = &'a str> {
    std::iter::once(name).chain(devices.iter().map(String::as_str))
}

/// Returns LVM's devices, by paths without links.
///
/// The names of devices that are not attached are not paths.
async fn physical_volumes(cx: &Context) -> Result<BTreeMap<PathBuf, PhysicalVolume>> {
    let mut volumes = BTreeMap::new();
    for (place, volume) in report::physical_volumes(cx).await?.into_iter().enumerate() {
        let path = if volume.is_missing() {
            // Several missing devices have the same name, so a number makes the key unique.
            PathBuf::from(format!("{}{place}", volume.device))
        } else {
            let path = PathBuf::from(&volume.device);
            device::resolve(cx, &path).await?.unwrap_or(path)
        };
        volumes.insert(path, volume);
    }
    Ok(volumes)
}

#[async_trait]
impl Stepwise for VolumeGroup {
    const TYPE: &'static str = "lvm.volumegroup";
    const ONLY_LINUX: &'static str = ONLY_LINUX;
    type Step = VolumeGroupStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<VolumeGroupStep>> {
        let mut findings = Findings::new();
        let volumes = physical_volumes(cx).await?;
        let group = report::volume_group(cx, &self.name).await?;

        let mut add = Vec::new();
        let mut targets: Vec<PathBuf> = Vec::new();
        for device in &self.devices {
            let Some(path) = device::resolve(cx, Path::new(device)).await? else {
                return Findings::missing_device(cx, device);
            };
            // The path occurs twice, under two names of one device.
            if targets.contains(&path) {
                continue;
            }
            match volumes.get(&path) {
                Some(volume) if volume.group == self.name => {}
                found => {
                    self.check_new(cx, device, &path, found, &mut findings).await?;
                    add.push(device.clone());
                }
            }
            targets.push(path);
        }
        match (group.is_some(), add.is_empty()) {
            (false, true) => {
                let group = &self.name;
                return Err(Error::msg(format!(
                    "the volume group {group:?} does not exist, and `devices` names none to make it of"
                )));
            }
            (false, false) => {
                findings.status.add_difference("group", "absent", "present");
                findings.steps.push(VolumeGroupStep::Create(add));
            }
            (true, true) => {}
            (true, false) => findings.steps.push(VolumeGroupStep::Extend(add)),
        }
        let extra =
            volumes.iter().filter(|(path, volume)| volume.group == self.name && !targets.contains(path));
        for (_, volume) in extra {
            self.check_extra(volume, targets.is_empty(), &mut findings);
        }
        if self.force_remove && !self.remove {
            findings
                .status
                .add_warning("`forceRemove` has no effect without `remove`, so no device is removed");
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &VolumeGroupStep) -> Result<()> {
        let name = self.name.as_str();
        // Commands run without `--yes`: if a device is not empty after all, LVM asks, gets no answer, and
        // stops.
        match step {
            VolumeGroupStep::Wipe(device) => tools::change(cx, "wipefs", ["--all", device]).await,
            VolumeGroupStep::Create(devices) => tools::change(cx, "vgcreate", with(name, devices)).await,
            VolumeGroupStep::Extend(devices) => tools::change(cx, "vgextend", with(name, devices)).await,
            VolumeGroupStep::Reduce { device, unmark } => {
                tools::change(cx, "vgreduce", [name, device]).await?;
                if *unmark { tools::change(cx, "pvremove", [device]).await } else { Ok(()) }
            }
        }
    }
}

steps::task!(VolumeGroup);

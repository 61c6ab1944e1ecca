//! Compares a group with its devices, and changes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use converge_core::prelude::*;

use super::VolumeGroupPreparer;
use crate::lvm::report::{self, PhysicalVolume};
use crate::lvm::steps::{self, Look, Stepwise};
use crate::lvm::{device, tools};

/// A volume group.
#[derive(Debug, Export)]
pub struct VolumeGroup {
    /// Name of the volume group.
    #[export]
    name: String,
    /// Paths of its devices, as the module gives them.
    #[export]
    devices: Vec<String>,
    remove: bool,
    force_remove: bool,
    overwrite: bool,
    /// What the check found that the apply has to do.
    steps: Vec<Step>,
}

/// One command that changes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lvm) enum Step {
    /// Erase what is on a device.
    Wipe(String),
    /// Make the group of these devices.
    Create(Vec<String>),
    /// Add these devices.
    Extend(Vec<String>),
    /// Take a device out, and erase the mark of LVM if `unmark` says so.
    Reduce {
        /// The device.
        device: String,
        /// Whether the mark of LVM goes too.
        unmark: bool,
    },
}

/// Why a device cannot be as declared.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(
        "{device} belongs to the volume group {group:?}; take it out of that first: `vgreduce {group} {device}`"
    )]
    Taken { device: String, group: String },
    #[error("{device} is in use: {}", .users.join("; "))]
    InUse { device: String, users: Vec<String> },
    #[error("{device} is not empty: it holds {found}; `overwrite = true` allows to lose what is on it")]
    NotEmpty { device: String, found: String },
    #[error(
        "volumes have data on {device} ({extents} extents), so it cannot be taken out of the volume group \
             {group:?}; move that first: `pvmove {device}`"
    )]
    HasData { device: String, group: String, extents: u64 },
    #[error("the volume group {group:?} does not exist, and `devices` names none to make it of")]
    NoDevices { group: String },
    #[error(
        "a volume group needs a device, so {device} cannot be taken out of {group:?}; add another to `devices`, \
             or remove the group with `vgremove {group}`"
    )]
    Last { device: String, group: String },
}

impl VolumeGroup {
    pub(super) fn new(preparer: VolumeGroupPreparer) -> Self {
        let VolumeGroupPreparer { name, devices, remove, force_remove, overwrite } = preparer;
        Self { name, devices, remove, force_remove, overwrite, steps: Vec::new() }
    }

    /// A device that is to be added. `known` is what LVM knows of it.
    async fn look_at_new(
        &self,
        cx: &Context,
        written: &str,
        path: &Path,
        known: Option<&PhysicalVolume>,
        look: &mut Look<Step>,
    ) -> Result<()> {
        let joins = format!("in volume group {}", self.name);
        let device = written.to_owned();
        match known {
            Some(volume) if !volume.group.is_empty() => {
                look.status.add_difference(written, format!("in volume group {}", volume.group), joins, "");
                look.refuse(Refused::Taken { device, group: volume.group.clone() });
                return Ok(());
            }
            Some(_) => {
                look.status.add_difference(written, "in no volume group", joins, "");
                return Ok(());
            }
            None => {}
        }
        let signatures = device::signatures(cx, path).await?;
        let users = device::users(cx, path).await?;
        let found = device::shown(&signatures);
        look.status.add_difference(written, found.as_str(), joins, "(empty)");
        if !users.is_empty() {
            look.refuse(Refused::InUse { device, users });
        } else if !signatures.is_empty() {
            if self.overwrite {
                look.status.add_message(format!("what is on {written} will be lost: {found}"));
                look.steps.push(Step::Wipe(device));
            } else {
                look.refuse(Refused::NotEmpty { device, found });
            }
        }
        Ok(())
    }

    /// A device of the group that the module does not name.
    fn look_at_extra(&self, volume: &PhysicalVolume, is_last: bool, look: &mut Look<Step>) {
        let PhysicalVolume { device, group, used_extents, .. } = volume.clone();
        if volume.is_missing() {
            look.status.set_warning(format!("a device of the volume group {group:?} is not attached"));
            return;
        }
        if !self.remove {
            look.status.add_message(format!(
                "{device} is in the volume group too; `remove = true` takes out what `devices` does not name"
            ));
            return;
        }
        let leaves = if self.force_remove { "(empty)" } else { "in no volume group" };
        look.status.add_difference(device.as_str(), format!("in volume group {group}"), leaves, "");
        if used_extents > 0 {
            look.refuse(Refused::HasData { device, group, extents: used_extents });
        } else if is_last {
            look.refuse(Refused::Last { device, group });
        } else {
            look.steps.push(Step::Reduce { device, unmark: self.force_remove });
        }
    }
}

fn with<'a>(name: &'a str, devices: &'a [String]) -> impl Iterator<Item = &'a str> {
    std::iter::once(name).chain(devices.iter().map(String::as_str))
}

/// What LVM knows, by paths without links. Devices that are not attached have names that are no paths.
async fn physical_volumes(cx: &Context) -> Result<BTreeMap<PathBuf, PhysicalVolume>> {
    let mut known = BTreeMap::new();
    for (place, volume) in report::physical_volumes(cx).await?.into_iter().enumerate() {
        let path = if volume.is_missing() {
            // Each is one of its own, although they have the same name.
            PathBuf::from(format!("{}{place}", volume.device))
        } else {
            let path = PathBuf::from(&volume.device);
            device::resolve(cx, &path).await?.unwrap_or(path)
        };
        known.insert(path, volume);
    }
    Ok(known)
}

#[async_trait]
impl Stepwise for VolumeGroup {
    const TYPE: &'static str = "lvm.volumegroup";
    type Step = Step;

    async fn look(&self, cx: &Context) -> Result<Look<Step>> {
        let mut look = Look::new();
        let known = physical_volumes(cx).await?;
        let group = report::volume_group(cx, &self.name).await?;

        let mut add = Vec::new();
        let mut wanted: Vec<PathBuf> = Vec::new();
        for written in &self.devices {
            let Some(path) = device::resolve(cx, Path::new(written)).await? else {
                if cx.pending().is_empty() {
                    return Err(Error::NotFound { kind: "device", name: written.clone() });
                }
                return Ok(Look::not_yet(format!("{written} does not exist yet")));
            };
            // Two names of one device.
            if wanted.contains(&path) {
                continue;
            }
            match known.get(&path) {
                Some(volume) if volume.group == self.name => {}
                found => {
                    self.look_at_new(cx, written, &path, found, &mut look).await?;
                    add.push(written.clone());
                }
            }
            wanted.push(path);
        }
        match (group.is_some(), add.is_empty()) {
            (false, true) => return Err(Error::other(Refused::NoDevices { group: self.name.clone() })),
            (false, false) => {
                look.status.add_difference("group", "absent", "present", "");
                look.steps.push(Step::Create(add));
            }
            (true, true) => {}
            (true, false) => look.steps.push(Step::Extend(add)),
        }
        let extra = known.iter().filter(|(path, volume)| volume.group == self.name && !wanted.contains(path));
        for (_, volume) in extra {
            self.look_at_extra(volume, wanted.is_empty(), &mut look);
        }
        if self.force_remove && !self.remove {
            look.status.set_warning("`forceRemove` says nothing without `remove`, so no device is taken out");
        }
        look.status.raise_level_for_diffs();
        Ok(look)
    }

    async fn make(&self, cx: &Context, step: &Step) -> Result<()> {
        let name = self.name.as_str();
        // Without `--yes`: should something be on a device after all, LVM asks, gets no answer, and stops.
        match step {
            Step::Wipe(device) => tools::run(cx, "wipefs", ["--all", device]).await?,
            Step::Create(devices) => tools::run(cx, "vgcreate", with(name, devices)).await?,
            Step::Extend(devices) => tools::run(cx, "vgextend", with(name, devices)).await?,
            Step::Reduce { device, unmark } => {
                let said = tools::run(cx, "vgreduce", [name, device]).await?;
                if *unmark { tools::run(cx, "pvremove", [device]).await? } else { said }
            }
        };
        Ok(())
    }
}

#[async_trait]
impl Task for VolumeGroup {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        self.steps.clear();
        let Look { status, steps } = steps::check(self, cx).await?;
        self.steps = steps;
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        steps::apply(self, &self.steps, cx).await?;
        Ok(Status::new())
    }
}

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow, WriteFile};

use super::unit::{MountPoint, MountUnit};
use crate::lvm::ONLY_LINUX;
use crate::steps::{self, Findings, Stepwise};
use crate::{device, mount_point, mount_table, platform, tools};

const UNIT_MODE: u32 = 0o644;

/// A directory that exists if systemd is the first process.
const SYSTEMD_RUNS: &str = "/run/systemd/system";

/// The task of a `filesystem` resource.
#[derive(Debug, Export)]
pub struct Filesystem {
    /// The path of the device, as the module gives it.
    #[export]
    pub(super) device: String,
    /// The path of the mount point.
    #[export]
    pub(super) mount: MountPoint,
    /// The type of the file system.
    #[export]
    pub(super) fstype: String,
    pub(super) unit: MountUnit,
    pub(super) steps: Vec<FilesystemStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FilesystemStep {
    /// Create the file system on this device.
    Format(PathBuf),
    /// Create these directories, outermost first.
    MakeDirectories(Vec<PathBuf>),
    WriteUnit,
    /// Have systemd read the unit file.
    Reload,
    Enable,
    Start,
}

impl Filesystem {
    /// Checks for systemd before anything is changed, because the unit is created last.
    async fn check_systemd(&self, cx: &Context) -> Result<()> {
        tools::require(cx, "systemctl").await?;
        if cx.system().files().metadata(Path::new(SYSTEMD_RUNS), Follow::Links).await?.is_none() {
            return Err(platform::unsupported(cx, Self::TYPE, "systemd is not running"));
        }
        Ok(())
    }

    async fn check_device(
        &self,
        cx: &Context,
        path: &Path,
        look: &mut Findings<FilesystemStep>,
    ) -> Result<()> {
        let signatures = device::signatures(cx, path).await?;
        // A file system may have further signatures: a FAT looks like a partition table.
        if signatures.iter().any(|signature| signature.kind == self.fstype) {
            return Ok(());
        }
        let signature_text = device::shown(&signatures);
        look.status.add_difference_with_default(
            "file system",
            signature_text.as_str(),
            self.fstype.as_str(),
            "(empty)",
        );
        if !signatures.is_empty() {
            let (device, fstype) = (&self.device, &self.fstype);
            look.refuse(format!(
                "{device} is not empty: it holds {signature_text}, and is to hold {fstype}; if nothing on it is needed, empty it \
                 with `wipefs --all {device}`"
            ));
            return Ok(());
        }
        let users = device::users(cx, path).await?;
        if !users.is_empty() {
            look.refuse(device::in_use(&self.device, &users));
            return Ok(());
        }
        tools::require(cx, &self.mkfs()).await?;
        look.steps.push(FilesystemStep::Format(path.to_owned()));
        Ok(())
    }

    async fn check_mount_point(&self, cx: &Context, findings: &mut Findings<FilesystemStep>) -> Result<()> {
        match mount_point::missing(cx, self.mount.path()).await? {
            Err(reason) => findings.refuse(reason),
            Ok(missing) if !missing.is_empty() => {
                findings.status.add_difference("mount point", "absent", "present");
                findings.steps.push(FilesystemStep::MakeDirectories(missing));
            }
            Ok(_) => {}
        }
        Ok(())
    }

    async fn check_unit(&self, cx: &Context, findings: &mut Findings<FilesystemStep>) -> Result<()> {
        let (name, path) = (self.unit.name(), self.unit.path());
        let target = self.unit.text();
        let files = cx.system().files();
        let file = files.read(&path).await?;
        let is_written = file.as_ref().is_some_and(|file| file.bytes == target.as_bytes());
        if !is_written {
            let text = file.map(|found| String::from_utf8_lossy(&found.bytes).into_owned());
            findings.status.add_difference_with_default(
                name.as_str(),
                text.unwrap_or_default(),
                target,
                "absent",
            );
            findings.steps.extend([FilesystemStep::WriteUnit, FilesystemStep::Reload]);
        } else if self.property(cx, "NeedDaemonReload").await? == "yes" {
            // An earlier run was killed between writing the unit and reloading it.
            findings.status.add_difference("systemd", "has read an older unit", "has read the unit");
            findings.steps.push(FilesystemStep::Reload);
        }
        let mut is_enabled = true;
        for link in self.unit.links() {
            is_enabled &= files.metadata(&link, Follow::Never).await?.is_some();
        }
        if !is_enabled || !is_written {
            // An enabled unit is enabled again too, because its `wanted_by` may have changed.
            if !is_enabled {
                findings.status.add_difference("enabled", "false", "true");
            }
            findings.steps.push(FilesystemStep::Enable);
        }
        Ok(())
    }

    async fn check_mounts(
        &self,
        cx: &Context,
        path: &Path,
        look: &mut Findings<FilesystemStep>,
    ) -> Result<()> {
        let mounts = mount_table::all(cx).await?;
        match mount_table::at(&mounts, self.mount.path()) {
            Some(mount) if mount_table::is_mount_of(cx, mount, path).await? => {}
            Some(mount) => {
                let source = mount.source.display().to_string();
                look.status.add_difference("mounted", source.as_str(), self.device.as_str());
                let (mount, device) = (self.mount.as_str(), &self.device);
                look.refuse(format!(
                    "{source} is mounted at {mount}, where {device} is to be; unmount it first: `umount {mount}`"
                ));
            }
            None => {
                look.status.add_difference("mounted", "false", "true");
                look.steps.push(FilesystemStep::Start);
                if let Some(warning) = mount_point::hides(cx, self.mount.path()).await? {
                    look.status.add_warning(warning);
                }
            }
        }
        for elsewhere in mount_table::targets_of_device(cx, &mounts, path).await? {
            if elsewhere != self.mount.path() {
                let elsewhere = elsewhere.display();
                look.status.add_warning(format!("{} is mounted at {elsewhere} too", self.device));
            }
        }
        Ok(())
    }

    fn mkfs(&self) -> String {
        format!("mkfs.{}", self.fstype)
    }

    /// Returns a property of the unit. systemd has properties even for units that do not exist.
    async fn property(&self, cx: &Context, property: &str) -> Result<String> {
        let property = format!("--property={property}");
        let output = tools::look(cx, "systemctl", ["show", "--value", &property, &self.unit.name()]).await?;
        Ok(output.trim().to_owned())
    }

    /// Returns the last log lines of the unit, or `None` if they cannot be read.
    ///
    /// A failure here must not replace the original error.
    async fn log(&self, cx: &Context) -> Option<String> {
        let name = self.unit.name();
        let args = ["--unit", &name, "--lines", "5", "--output", "cat", "--no-pager", "--quiet"];
        let output = tools::look(cx, "journalctl", args).await.ok()?;
        let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }
}

#[async_trait]
impl Stepwise for Filesystem {
    const TYPE: &'static str = "filesystem";
    const ONLY_LINUX: &'static str = ONLY_LINUX;
    type Step = FilesystemStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<FilesystemStep>> {
        if let Some(options) = self.unit.joined_options() {
            // systemd runs `mount`, and all users can list its arguments.
            let mount = Command::new("mount").args(["-o", &options]);
            cx.system().processes().started_elsewhere(&mount).await;
        }
        let Some(path) = device::resolve(cx, Path::new(&self.device)).await? else {
            return Findings::missing_device(cx, &self.device);
        };
        let mut findings = Findings::new();
        self.check_systemd(cx).await?;
        self.check_device(cx, &path, &mut findings).await?;
        self.check_mount_point(cx, &mut findings).await?;
        self.check_unit(cx, &mut findings).await?;
        self.check_mounts(cx, &path, &mut findings).await?;
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &FilesystemStep) -> Result<()> {
        let files = cx.system().files();
        let name = self.unit.name();
        match step {
            FilesystemStep::Format(path) => {
                tools::change(cx, &self.mkfs(), [path.to_string_lossy()]).await?;
            }
            FilesystemStep::MakeDirectories(missing) => mount_point::make(cx, missing).await?,
            FilesystemStep::WriteUnit => {
                let text = self.unit.text();
                let path = self.unit.path();
                // An existing file keeps its mode, because the check does not compare it.
                let is_new = files.metadata(&path, Follow::Links).await?.is_none();
                let write =
                    WriteFile { mode: is_new.then_some(UNIT_MODE), ..WriteFile::new(text.as_bytes()) };
                files.write(&path, write).await?;
            }
            FilesystemStep::Reload => {
                tools::change(cx, "systemctl", ["daemon-reload"]).await?;
            }
            // This also removes the links that an older text of the unit declared.
            FilesystemStep::Enable => {
                tools::change(cx, "systemctl", ["reenable", &name]).await?;
            }
            FilesystemStep::Start => {
                if let Err(error) = tools::change(cx, "systemctl", ["start", &name]).await {
                    let log = self.log(cx).await.map(|log| format!(" ({log})")).unwrap_or_default();
                    return Err(Error::msg(format!("{name} could not be started{log}: {error}")));
                }
            }
        }
        Ok(())
    }
}

steps::task!(Filesystem);

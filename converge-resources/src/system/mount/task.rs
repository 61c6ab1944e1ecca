use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use super::{kernel, options, source};
use crate::file::real_path;
use crate::mount_fields::Directory;
use crate::mount_table::{self, MountEntry};
use crate::steps::{self, Findings, Stepwise};
use crate::system::fstab::{self, Edited, Entry, Key};
use crate::{missing_dependency, mount_point, text_file, tools};

/// The state of a mount, now and at each boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum MountState {
    /// The source is mounted, now and at each boot.
    Mounted,
    /// The line is in the file, and nothing is mounted or unmounted.
    Present,
    /// Nothing is mounted at the path now, and the file is not managed.
    Unmounted,
    /// Nothing is mounted at the path, and the file has no line about it.
    Absent,
}

/// The task of a `system.mount` resource.
#[derive(Debug, Export)]
pub struct Mount {
    /// The path of the mount point.
    #[export]
    pub(super) destination: Directory,
    /// The source, as the module gives it.
    #[export]
    pub(super) source: Option<String>,
    /// The type of the file system.
    #[export]
    pub(super) fstype: Option<String>,
    /// The declared state: `mounted`, `present`, `unmounted` or `absent`.
    #[export]
    pub(super) state: MountState,
    /// Path of the file.
    #[export]
    pub(super) file: String,
    pub(super) entry: Entry,
    pub(super) path: PathBuf,
    pub(super) steps: Vec<MountStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MountStep {
    /// Create these directories, outermost first.
    MakeDirectories(Vec<PathBuf>),
    Unmount,
    Remount,
    Mount,
    /// Edit the file as it is at that moment.
    Edit,
    Reload,
}

impl Mount {
    fn place(&self) -> &Path {
        self.destination.path()
    }

    fn edit(&self, text: &str) -> Result<Edited> {
        let target = (self.state != MountState::Absent).then_some(&self.entry);
        let edited = fstab::edit(Key::Place(self.destination.as_str()), target, text);
        edited.map_err(|reason| Error::msg(format!("{}: {reason}", self.file)))
    }

    /// Compares the file with its declaration, and returns the present entry.
    async fn check_file(&self, cx: &Context, findings: &mut Findings<MountStep>) -> Result<Option<Entry>> {
        let text = text_file::read(cx, &self.path).await?.unwrap_or_default();
        let edited = self.edit(&text)?;
        if edited.text != text {
            let absent = || "absent".to_owned();
            let after = (self.state != MountState::Absent).then(|| self.entry.to_string());
            let before = edited.before.as_ref().map_or_else(absent, ToString::to_string);
            findings.status.add_difference(self.file.as_str(), before, after.unwrap_or_else(absent));
            findings.steps.push(MountStep::Edit);
            if self.file == fstab::FILE && fstab::systemd_runs(cx).await? {
                findings.steps.push(MountStep::Reload);
            }
        }
        Ok(edited.before)
    }

    /// Returns an error if the mount point has a link in its path.
    ///
    /// The kernel would show another path, and somebody could change the target of the link.
    async fn check_links(&self, cx: &Context) -> Result<()> {
        let resolved_path = real_path::resolved(cx, self.place()).await?;
        if resolved_path == self.place() {
            return Ok(());
        }
        Err(Error::msg(format!(
            "{} is a link, or has one on its way, and leads to {}: write that",
            self.destination,
            resolved_path.display()
        )))
    }

    /// Plans to unmount the present mount.
    ///
    /// Returns a status if a pending change may remove an obstacle.
    fn check_unmounted(
        &self,
        cx: &Context,
        all: &[MountEntry],
        look: &mut Findings<MountStep>,
    ) -> Result<Option<Status>> {
        let Some(mount) = mount_table::at(all, self.place()) else { return Ok(None) };
        look.status.add_difference("mounted", mount.source.display().to_string(), "false");
        let submount =
            all.iter().find(|entry| entry.target != self.place() && entry.target.starts_with(self.place()));
        if let Some(submount) = submount {
            let reason = format!("{} is mounted below it", submount.target.display());
            if cx.pending().is_empty() {
                return Err(Error::msg(format!("{} cannot be unmounted: {reason}", self.destination)));
            }
            return Ok(Some(missing_dependency::not_yet(format!(
                "{} cannot be unmounted yet: {reason}",
                self.destination
            ))));
        }
        look.steps.push(MountStep::Unmount);
        Ok(None)
    }

    /// Plans to mount the source.
    ///
    /// Returns a status if a pending change may bring something that is missing.
    async fn check_mounted(
        &self,
        cx: &Context,
        all: &[MountEntry],
        look: &mut Findings<MountStep>,
    ) -> Result<Option<Status>> {
        let before = self.check_file(cx, look).await?;
        let entry = &self.entry;
        let Some(source) = source::find(cx, entry, all).await? else {
            let not_yet = format!("{} does not exist yet", entry.source);
            return Ok(Some(missing_dependency::missing(cx, "source of a mount", &entry.source, not_yet)?));
        };
        let is_other_line = before.as_ref().is_some_and(|before| before.source != entry.source);
        let mut first = Vec::new();
        match mount_table::at(all, self.place()) {
            Some(mount) if source.is_mounted_as(cx, mount).await? => {
                if !source::is_type(&entry.kind, &mount.kind) {
                    return Err(Error::msg(format!(
                        "{} is mounted at {} as {}, and `fstype` says {}",
                        entry.source, self.destination, mount.kind, entry.kind
                    )));
                }
                let missing = options::missing(&entry.options, &mount.options);
                let differ = before.is_some_and(|before| before.options != entry.options);
                if differ || !missing.is_empty() {
                    look.status.add_difference("options", mount.options.as_str(), entry.options.as_str());
                    first.push(MountStep::Remount);
                }
            }
            Some(mount) => {
                let source_text = mount.source.display().to_string();
                // A mount that comes from the present line may be replaced; any other mount was made by
                // somebody else.
                let is_of_line = match &before {
                    Some(before) if is_other_line => match source::find(cx, before, all).await? {
                        Some(source) => source.is_mounted_as(cx, mount).await?,
                        None => false,
                    },
                    _ => false,
                };
                if !is_of_line {
                    return Err(Error::msg(format!(
                        "{source_text} is mounted at {0}, where {1} is to be; unmount it first: `umount {0}`",
                        self.destination, entry.source
                    )));
                }
                if let Some(status) = self.check_unmounted(cx, all, look)? {
                    return Ok(Some(status));
                }
                look.steps.retain(|step| *step != MountStep::Unmount);
                first.push(MountStep::Unmount);
            }
            None => {}
        }
        let is_there =
            first.first() != Some(&MountStep::Unmount) && mount_table::at(all, self.place()).is_some();
        if !is_there {
            let mounted = mount_table::at(all, self.place()).map(|mount| mount.source.display().to_string());
            let before = mounted.unwrap_or_else(|| "false".to_owned());
            look.status.add_difference("mounted", before, entry.source.as_str());
            if let Some(status) = self.check_type(cx).await? {
                return Ok(Some(status));
            }
            self.check_mount_point(cx, &mut first, look).await?;
            if is_other_line {
                // systemd may have a unit for the present line, and unmount anything else. So the new line is
                // written first.
                look.steps.push(MountStep::Mount);
            } else {
                first.push(MountStep::Mount);
            }
        }
        look.steps.splice(0..0, first);
        Ok(None)
    }

    async fn check_type(&self, cx: &Context) -> Result<Option<Status>> {
        let kind = self.entry.kind.as_str();
        if matches!(kind, "auto" | "none") || options::is_bind(&self.entry.options) {
            return Ok(None);
        }
        if let Some(helper) = kernel::helper(kind) {
            tools::require(cx, &helper).await?;
        } else if !kernel::has(cx, kind).await? {
            let not_yet = format!("the kernel has no file system {kind} yet");
            return missing_dependency::missing(cx, "file system of the kernel", kind, not_yet).map(Some);
        }
        Ok(None)
    }

    async fn check_mount_point(
        &self,
        cx: &Context,
        first: &mut Vec<MountStep>,
        look: &mut Findings<MountStep>,
    ) -> Result<()> {
        let place = self.place();
        let metadata = cx.system().files().metadata(place, Follow::Never).await?;
        if options::is_bind(&self.entry.options)
            && metadata.is_some_and(|metadata| metadata.kind == FileKind::File)
        {
            return Ok(());
        }
        let missing = mount_point::missing(cx, place).await?.map_err(Error::msg)?;
        if !missing.is_empty() {
            look.status.add_difference("mount point", "absent", "present");
            first.push(MountStep::MakeDirectories(missing));
        }
        let is_free = first.first() != Some(&MountStep::Unmount);
        if is_free && let Some(warning) = mount_point::hides(cx, place).await? {
            look.status.add_warning(warning);
        }
        Ok(())
    }
}

#[async_trait]
impl Stepwise for Mount {
    const TYPE: &'static str = "system.mount";
    const ONLY_LINUX: &'static str = "it is about mounts of Linux";
    type Step = MountStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<MountStep>> {
        let mut findings = Findings::new();
        self.check_links(cx).await?;
        let mounts = mount_table::all(cx).await?;
        let not_yet = match self.state {
            MountState::Mounted => self.check_mounted(cx, &mounts, &mut findings).await?,
            MountState::Present => self.check_file(cx, &mut findings).await.map(|_| None)?,
            MountState::Unmounted => self.check_unmounted(cx, &mounts, &mut findings)?,
            MountState::Absent => {
                let not_yet = self.check_unmounted(cx, &mounts, &mut findings)?;
                self.check_file(cx, &mut findings).await?;
                not_yet
            }
        };
        if let Some(status) = not_yet {
            return Ok(Findings { status, ..Findings::new() });
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &MountStep) -> Result<()> {
        let Entry { source, target, kind, options, .. } = &self.entry;
        match step {
            MountStep::MakeDirectories(missing) => mount_point::make(cx, missing).await,
            MountStep::Unmount => {
                // Several mounts at one path hide each other, so each of them has to be unmounted.
                let count =
                    mount_table::all(cx).await?.iter().filter(|mount| mount.target == self.place()).count();
                let count = if self.state == MountState::Mounted { count.min(1) } else { count };
                for _ in 0..count {
                    tools::change(cx, "umount", [target.as_str()]).await?;
                }
                Ok(())
            }
            MountStep::Remount => {
                let options = options::remount(options);
                tools::change(cx, "mount", ["-t", kind, "-o", &options, source, target]).await
            }
            MountStep::Mount => tools::change(cx, "mount", ["-t", kind, "-o", options, source, target]).await,
            MountStep::Edit => text_file::edit(cx, &self.path, |text| Ok(self.edit(text)?.text)).await,
            MountStep::Reload => tools::change(cx, "systemctl", ["daemon-reload"]).await,
        }
    }
}

steps::task!(Mount);

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{CommitFile, FileKind, Follow, Inherit, Metadata, Ownership};

use super::active_swaps;
use super::size::{LEAST, Size};
use crate::bytes::Bytes;
use crate::file::real_path;
use crate::steps::{self, Findings, Stepwise};
use crate::system::device_tag;
use crate::system::fstab::{self, Edited, Entry, Key};
use crate::{device, missing_dependency, mount_table, text_file, tools};

/// The mode of a swap file: only root may read what was in the memory of other users.
const MODE: u32 = 0o600;

/// The number of bytes that are written at once.
const PIECE: usize = 1 << 20;

/// File systems on which the kernel does not support swap files.
const UNFIT: [&str; 7] = ["btrfs", "overlay", "tmpfs", "ramfs", "zfs", "nfs", "nfs4"];

/// The task of a `system.swap` resource.
#[derive(Debug, Export)]
pub struct Swap {
    /// The file or the device, as the module gives it.
    #[export]
    pub(super) source: String,
    /// The size of the file, as the module gives it.
    #[export]
    pub(super) size: Option<Size>,
    /// The priority: the area with the highest is used first.
    #[export]
    pub(super) priority: Option<u32>,
    /// Whether the machine is to swap to it: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) entry: Entry,
    pub(super) steps: Vec<SwapStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SwapStep {
    /// Deactivate this swap area.
    Off(PathBuf),
    /// Write a file of this many zeros, and deactivate the one that it replaces.
    Make(u64),
    /// Make the file readable for root only.
    Close,
    /// Prepare this swap area.
    Format(PathBuf),
    /// Activate this swap area.
    On(PathBuf),
    /// Edit `/etc/fstab` as it is at that moment.
    Edit,
    /// Have systemd read `/etc/fstab`.
    Reload,
    RemoveFile,
}

/// The contents of a file or device.
#[derive(Debug, PartialEq, Eq)]
enum Holds {
    /// A swap area that `mkswap` prepared.
    Swap,
    /// Nothing that could be lost.
    Nothing,
    /// Something else, with its description.
    Other(String),
}

impl Swap {
    fn edit(&self, text: &str) -> Result<Edited> {
        let target = self.state.is_present().then_some(&self.entry);
        let edited = fstab::edit(Key::Swap(&self.source), target, text);
        edited.map_err(|reason| Error::msg(format!("{}: {reason}", fstab::FILE)))
    }

    async fn check_table(&self, cx: &Context, findings: &mut Findings<SwapStep>) -> Result<()> {
        let text = text_file::read(cx, Path::new(fstab::FILE)).await?.unwrap_or_default();
        let edited = self.edit(&text)?;
        if edited.text != text {
            let absent = || "absent".to_owned();
            let after = self.state.is_present().then(|| self.entry.to_string());
            let before = edited.before.as_ref().map_or_else(absent, ToString::to_string);
            findings.status.add_difference(fstab::FILE, before, after.unwrap_or_else(absent));
            findings.steps.push(SwapStep::Edit);
            if fstab::systemd_runs(cx).await? {
                findings.steps.push(SwapStep::Reload);
            }
        }
        Ok(())
    }

    /// Returns the existing file, or `None`.
    ///
    /// A link is an error, because its target may belong to somebody else.
    async fn find_file(&self, cx: &Context) -> Result<Option<Metadata>> {
        let path = Path::new(&self.source);
        let metadata = cx.system().files().metadata(path, Follow::Never).await?;
        let Some(metadata) = metadata else { return Ok(None) };
        let refused =
            |what: &str| Err(Error::msg(format!("{} is {what}, and no file to swap to", self.source)));
        match metadata.kind {
            FileKind::File if metadata.uid != 0 => refused(&format!("a file of the user {}", metadata.uid)),
            FileKind::File => Ok(Some(metadata)),
            FileKind::Symlink => refused("a link"),
            FileKind::Directory => refused("a directory"),
            FileKind::Special(special) => refused(&special.to_string()),
        }
    }

    /// Whether the swap space is a file, according to its declaration or to what exists.
    async fn is_file(&self, cx: &Context) -> Result<bool> {
        if self.size.is_some() {
            return Ok(true);
        }
        if device_tag::is_tag(&self.source) || self.source.starts_with("/dev/") {
            return Ok(false);
        }
        let metadata = cx.system().files().metadata(Path::new(&self.source), Follow::Never).await?;
        Ok(metadata.is_some_and(|metadata| !matches!(metadata.kind, FileKind::Special(_))))
    }

    async fn check_file(&self, cx: &Context, findings: &mut Findings<SwapStep>) -> Result<Option<Status>> {
        let path = Path::new(&self.source);
        let size = self.size.as_ref().map(|size| size.bytes);
        let text = |bytes: u64| Bytes(bytes).to_string();
        let resolved_path = real_path::resolved(cx, path).await?;
        let metadata = self.find_file(cx).await?;
        let active = active_swaps::at(cx, &resolved_path).await?;
        let Some(metadata) = metadata else {
            let Some(size) = size else {
                return Err(Error::NotFound { kind: "device", name: self.source.clone() });
            };
            if !text_file::has_folder(cx, path).await? {
                let folder = path.parent().unwrap_or(path).to_string_lossy().into_owned();
                let not_yet = format!("{folder} does not exist yet");
                return missing_dependency::missing(cx, "directory", &folder, not_yet).map(Some);
            }
            self.check_place(cx, &resolved_path).await?;
            findings.status.add_difference("file", "absent", text(size));
            findings.steps.push(SwapStep::Make(size));
            prepare_and_use(findings, &resolved_path);
            return Ok(None);
        };
        let is_swap = match self.holds(cx, path, Some(&metadata)).await? {
            Holds::Swap => true,
            Holds::Nothing => false,
            Holds::Other(what) => return Err(self.refuses(&what)),
        };
        let size = size.unwrap_or(metadata.len);
        if !is_swap && size < LEAST {
            return Err(Error::msg(format!(
                "{} has {}, which is too small to swap to: write its `size`",
                self.source,
                text(metadata.len)
            )));
        }
        if !is_swap || size != metadata.len {
            self.check_place(cx, &resolved_path).await?;
            let before =
                if is_swap { text(metadata.len) } else { format!("{} of zeros", text(metadata.len)) };
            findings.status.add_difference("file", before, text(size));
            // A file of zeros may have holes, so it is written again.
            findings.steps.push(SwapStep::Make(size));
            prepare_and_use(findings, &resolved_path);
            return Ok(None);
        }
        if metadata.mode & 0o7777 != MODE {
            findings.status.add_difference(
                "mode",
                format!("{:04o}", metadata.mode & 0o7777),
                format!("{MODE:04o}"),
            );
            findings.steps.push(SwapStep::Close);
        }
        self.check_use(findings, &resolved_path, active);
        Ok(None)
    }

    /// Returns an error if the kernel cannot swap to a file at this path.
    async fn check_place(&self, cx: &Context, resolved_path: &Path) -> Result<()> {
        let mounts = mount_table::all(cx).await?;
        match mount_table::holding(&mounts, resolved_path) {
            Some(mount) if UNFIT.contains(&mount.kind.as_str()) => Err(Error::msg(format!(
                "{} is on {}, and the kernel swaps to no file there",
                self.source, mount.kind
            ))),
            _ => Ok(()),
        }
    }

    async fn check_device(&self, cx: &Context, findings: &mut Findings<SwapStep>) -> Result<Option<Status>> {
        let Some(path) = device_tag::device(cx, &self.source).await? else {
            let not_yet = format!("{} does not exist yet", self.source);
            return missing_dependency::missing(cx, "device", &self.source, not_yet).map(Some);
        };
        let active = active_swaps::at(cx, &path).await?;
        match self.holds(cx, &path, None).await? {
            Holds::Swap => self.check_use(findings, &path, active),
            Holds::Nothing => {
                let users = device::users(cx, &path).await?;
                if !users.is_empty() {
                    return Err(Error::msg(device::in_use(&self.source, &users)));
                }
                findings.status.add_difference("device", "(empty)", "swap");
                prepare_and_use(findings, &path);
            }
            Holds::Other(what) => return Err(self.refuses(&what)),
        }
        Ok(None)
    }

    fn check_use(
        &self,
        findings: &mut Findings<SwapStep>,
        path: &Path,
        active: Option<active_swaps::Active>,
    ) {
        match (active, self.priority) {
            (None, _) => {
                findings.status.add_difference("used", "false", "true");
                findings.steps.push(SwapStep::On(path.to_owned()));
            }
            (Some(active), Some(priority)) if active.priority != i64::from(priority) => {
                findings.status.add_difference("priority", active.priority.to_string(), priority.to_string());
                findings.steps.extend([SwapStep::Off(path.to_owned()), SwapStep::On(path.to_owned())]);
            }
            (Some(_), _) => {}
        }
    }

    fn refuses(&self, description: &str) -> Error {
        let source = &self.source;
        Error::msg(format!(
            "{source} is not empty: it holds {description}; if nothing of it is needed, empty it with `wipefs --all {source}`, or remove the file"
        ))
    }

    /// Returns the contents of a device, or of a file with this metadata.
    async fn holds(&self, cx: &Context, path: &Path, file: Option<&Metadata>) -> Result<Holds> {
        let signatures = device::signatures(cx, path).await?;
        if signatures.iter().any(|signature| signature.kind == "swap") {
            return Ok(Holds::Swap);
        }
        if !signatures.is_empty() {
            return Ok(Holds::Other(device::shown(&signatures)));
        }
        match file {
            Some(file) if !is_zero(cx, path).await? => {
                Ok(Holds::Other(format!("{} of something else", Bytes(file.len))))
            }
            _ => Ok(Holds::Nothing),
        }
    }

    async fn check_absent(&self, cx: &Context, findings: &mut Findings<SwapStep>) -> Result<()> {
        let is_file = self.is_file(cx).await?;
        let (path, metadata) = if is_file {
            let path = real_path::resolved(cx, Path::new(&self.source)).await?;
            (Some(path), self.find_file(cx).await?)
        } else {
            (device_tag::device(cx, &self.source).await?, None)
        };
        let Some(path) = path else { return self.check_table(cx, findings).await };
        if active_swaps::at(cx, &path).await?.is_some() {
            findings.status.add_difference("used", "true", "false");
            findings.steps.push(SwapStep::Off(path.clone()));
        }
        self.check_table(cx, findings).await?;
        if let Some(metadata) = metadata {
            if let Holds::Other(what) = self.holds(cx, &path, Some(&metadata)).await? {
                return Err(self.refuses(&what));
            }
            findings.status.add_difference("file", Bytes(metadata.len).to_string(), "absent");
            findings.steps.push(SwapStep::RemoveFile);
        }
        Ok(())
    }

    /// Writes the whole file, which becomes visible only when it is complete.
    async fn make_file(&self, cx: &Context, size: u64) -> Result<()> {
        let mut staged = cx.system().files().stage(Path::new(&self.source)).await?;
        let zeros = vec![0; PIECE];
        let mut left = size;
        while left > 0 {
            cx.check_cancelled()?;
            let piece = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            staged.write(zeros.get(..piece).unwrap_or_default()).await?;
            left -= piece as u64;
        }
        // The old area is deactivated only now, so that a full disk leaves the machine its swap space.
        let resolved_path = real_path::resolved(cx, Path::new(&self.source)).await?;
        if active_swaps::at(cx, &resolved_path).await?.is_some() {
            tools::change(cx, "swapoff", [resolved_path.to_string_lossy()]).await?;
        }
        let ownership = Ownership { uid: Some(0), gid: Some(0) };
        let commit =
            CommitFile { mode: Some(MODE), ownership, inherit: Inherit::FromTrusted, modified: None };
        Ok(staged.commit(commit).await?)
    }
}

fn prepare_and_use(findings: &mut Findings<SwapStep>, path: &Path) {
    findings.steps.extend([SwapStep::Format(path.to_owned()), SwapStep::On(path.to_owned())]);
}

async fn is_zero(cx: &Context, path: &Path) -> Result<bool> {
    let Some(file) = cx.system().files().open(path).await? else { return Ok(true) };
    let mut piece = vec![0; PIECE];
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = file.read_at(offset, &mut piece).await?;
        if count == 0 {
            return Ok(true);
        }
        if piece.iter().take(count).any(|byte| *byte != 0) {
            return Ok(false);
        }
        offset += count as u64;
    }
}

#[async_trait]
impl Stepwise for Swap {
    const TYPE: &'static str = "system.swap";
    const ONLY_LINUX: &'static str = "it is about what Linux swaps to";
    type Step = SwapStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<SwapStep>> {
        let mut findings = Findings::new();
        if self.state.is_present() {
            let not_yet = if self.is_file(cx).await? {
                self.check_file(cx, &mut findings).await?
            } else {
                self.check_device(cx, &mut findings).await?
            };
            if let Some(status) = not_yet {
                return Ok(Findings { status, ..Findings::new() });
            }
            // The line is written last, so that unusable swap space does not stop the next boot.
            self.check_table(cx, &mut findings).await?;
        } else {
            self.check_absent(cx, &mut findings).await?;
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &SwapStep) -> Result<()> {
        let files = cx.system().files();
        let file = Path::new(&self.source);
        match step {
            SwapStep::Off(path) => tools::change(cx, "swapoff", [path.to_string_lossy()]).await,
            SwapStep::Make(size) => self.make_file(cx, *size).await,
            SwapStep::Close => Ok(files.set_mode(file, MODE).await?),
            SwapStep::Format(path) => tools::change(cx, "mkswap", [path.to_string_lossy()]).await,
            SwapStep::On(path) => {
                let mut args: Vec<String> = Vec::new();
                if let Some(priority) = self.priority {
                    args.extend(["--priority".to_owned(), priority.to_string()]);
                }
                args.push(path.to_string_lossy().into_owned());
                tools::change(cx, "swapon", args).await
            }
            SwapStep::Edit => {
                text_file::edit(cx, Path::new(fstab::FILE), |text| Ok(self.edit(text)?.text)).await
            }
            SwapStep::Reload => tools::change(cx, "systemctl", ["daemon-reload"]).await,
            SwapStep::RemoveFile => Ok(files.remove_file(file).await?),
        }
    }
}

steps::task!(Swap);

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow, WriteFile};

use super::name::{DropIn, UnitFileName};
use crate::steps::{self, Findings, Stepwise};
use crate::text::Text;
use crate::{platform, text_file, tools};

/// A directory that exists if systemd is the first process.
const SYSTEMD_RUNS: &str = "/run/systemd/system";

/// The mode of the scratch directory, which only systemd-analyze reads.
const SCRATCH_MODE: u32 = 0o700;

/// The task of a `systemd.unit.file` resource.
#[derive(Debug, Export)]
pub struct UnitFile {
    /// The name of the unit, with its suffix.
    #[export]
    pub(super) unit: UnitFileName,
    /// Path of the file.
    #[export]
    pub(super) destination: String,
    /// The content of the file.
    #[export]
    pub(super) content: Text,
    /// Whether the file is to be present.
    #[export]
    pub(super) state: Ensure,
    pub(super) path: PathBuf,
    pub(super) drop_in: Option<DropIn>,
    pub(super) enabled: Option<bool>,
    pub(super) steps: Vec<UnitFileStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitFileStep {
    Disable,
    Write,
    Remove,
    Reload,
    /// Create exactly the links that the file declares.
    Enable,
}

impl UnitFile {
    /// Checks for systemd before anything is changed, because the last steps need it.
    async fn check_systemd(&self, cx: &Context) -> Result<()> {
        tools::require(cx, "systemctl").await?;
        if cx.system().files().metadata(Path::new(SYSTEMD_RUNS), Follow::Links).await?.is_none() {
            return Err(platform::unsupported(cx, Self::TYPE, "systemd is not running"));
        }
        Ok(())
    }

    /// Whether systemd has not read the present file, because an earlier run was killed before the reload.
    ///
    /// A template is read again for each of its instances.
    async fn is_unread(&self, cx: &Context) -> Result<bool> {
        if self.unit.is_template() {
            return Ok(false);
        }
        let unit = self.unit.to_string();
        let option = "--property=NeedDaemonReload,LoadState,DropInPaths";
        let output = tools::look(cx, "systemctl", ["show", option, &unit]).await?;
        let property = |name| output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        if property("NeedDaemonReload") == Some("yes") {
            return Ok(true);
        }
        // systemd does not notice a first drop-in, because its directory did not exist when systemd read the
        // unit.
        let is_known = || {
            let paths = property("DropInPaths").unwrap_or_default();
            paths.split(' ').any(|path| Path::new(path) == self.path)
        };
        let is_there = self.drop_in.is_some() && self.state.is_present();
        // systemd reads drop-ins only for loaded units.
        let is_read = matches!(property("LoadState"), Some("loaded" | "bad-setting"));
        Ok(is_there && is_read && !is_known())
    }

    /// Whether the unit is started at boot.
    ///
    /// systemd prints `enabled` in that case, and many other words with various exit codes otherwise.
    async fn is_enabled(&self, cx: &Context) -> Result<bool> {
        let command = Command::new("systemctl").args(["is-enabled", &self.unit.to_string()]);
        let (_, output) = tools::try_look(cx, command).await?;
        Ok(String::from_utf8_lossy(&output.stdout).trim() == "enabled")
    }

    async fn inspect_present(
        &self,
        cx: &Context,
        found: Option<&str>,
        look: &mut Findings<UnitFileStep>,
    ) -> Result<()> {
        let is_written = found == Some(&*self.content);
        if !is_written {
            tools::require(cx, "systemd-analyze").await?;
            text_file::differs(&mut look.status, "content", found, &self.content);
            look.steps.extend([UnitFileStep::Write, UnitFileStep::Reload]);
        } else if self.is_unread(cx).await? {
            look.status.add_difference("systemd", "has read an older file", "has read the file");
            look.steps.push(UnitFileStep::Reload);
        }
        let Some(target) = self.enabled else { return Ok(()) };
        let is_enabled = found.is_some() && self.is_enabled(cx).await?;
        if is_enabled != target {
            look.status.add_difference("enabled", is_enabled.to_string(), target.to_string());
        }
        match target {
            // An enabled unit is enabled again too, because its `WantedBy` may have changed.
            true if !is_enabled || !is_written => look.steps.push(UnitFileStep::Enable),
            false if is_enabled => look.steps.insert(0, UnitFileStep::Disable),
            _ => {}
        }
        Ok(())
    }

    async fn inspect_absent(
        &self,
        cx: &Context,
        found: Option<&str>,
        look: &mut Findings<UnitFileStep>,
    ) -> Result<()> {
        if found.is_some() {
            look.status.add_difference("state", "present", "absent");
            if self.drop_in.is_none() && self.is_enabled(cx).await? {
                look.status.add_difference("enabled", "true", "false");
                look.steps.push(UnitFileStep::Disable);
            }
            look.steps.extend([UnitFileStep::Remove, UnitFileStep::Reload]);
        } else if self.is_unread(cx).await? {
            look.status.add_difference("systemd", "has read a file that is gone", "has read its files");
            look.steps.push(UnitFileStep::Reload);
        }
        Ok(())
    }

    /// Verifies the file with `systemd-analyze` in a separate directory, before it is written.
    async fn verify(&self, cx: &Context) -> Result<()> {
        let folder = cx.system().files().temp_dir().await?;
        let verified = self.verify_in(cx, folder.path()).await;
        folder.remove().await?;
        verified
    }

    async fn verify_in(&self, cx: &Context, folder: &Path) -> Result<()> {
        let files = cx.system().files();
        let path = folder.join(self.unit.file(self.drop_in.as_ref()));
        if self.drop_in.is_some()
            && let Some(parent) = path.parent()
        {
            files.create_dir(parent, SCRATCH_MODE).await?;
        }
        files.write(&path, WriteFile::new(self.content.as_bytes())).await?;
        // A drop-in is verified together with the unit, wherever that is.
        let looked_at = match &self.drop_in {
            Some(_) => self.unit.to_string(),
            None => path.to_string_lossy().into_owned(),
        };
        let mut command =
            Command::new("systemd-analyze").args(["verify", "--man=no", "--recursive-errors=no", &looked_at]);
        if self.drop_in.is_some() {
            // A colon at the end adds the default directories of systemd.
            command.env.insert("SYSTEMD_UNIT_PATH".to_owned(), format!("{}:", folder.display()));
        }
        let (_, output) = tools::try_look(cx, command).await?;
        if output.exit.success() {
            return Ok(());
        }
        if self.content.is_secret() {
            return Err(Error::msg("`systemd-analyze verify` refuses it; what it says may show the secret"));
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let message = message.replace(&format!("{}/", folder.display()), "");
        Err(Error::msg(format!("`systemd-analyze verify` refuses it: {}", message.trim())))
    }
}

#[async_trait]
impl Stepwise for UnitFile {
    const TYPE: &'static str = "systemd.unit.file";
    const ONLY_LINUX: &'static str = "systemd exists only on Linux";
    type Step = UnitFileStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<UnitFileStep>> {
        self.check_systemd(cx).await?;
        let mut findings = Findings::new();
        let text = text_file::read(cx, &self.path).await?;
        if self.state.is_present() {
            self.inspect_present(cx, text.as_deref(), &mut findings).await?;
        } else {
            self.inspect_absent(cx, text.as_deref(), &mut findings).await?;
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &UnitFileStep) -> Result<()> {
        let unit = self.unit.to_string();
        match step {
            UnitFileStep::Write => {
                self.verify(cx).await?;
                text_file::make_folder(cx, &self.path).await?;
                text_file::write(cx, &self.path, &self.content).await
            }
            UnitFileStep::Remove => text_file::remove(cx, &self.path).await,
            UnitFileStep::Reload => tools::change(cx, "systemctl", ["daemon-reload"]).await,
            UnitFileStep::Enable => tools::change(cx, "systemctl", ["reenable", &unit]).await,
            UnitFileStep::Disable => tools::change(cx, "systemctl", ["disable", &unit]).await,
        }
    }
}

steps::task!(UnitFile);

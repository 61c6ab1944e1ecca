use std::path::PathBuf;

use converge_sdk::prelude::*;
use converge_sdk::system::{SystemError, SystemErrorKind};

use super::edit::{self, Key, Setting};
use crate::steps::{self, Findings, Stepwise};
use crate::text::Text;
use crate::{missing_dependency, text_file};

/// The task of a `system.sysctl` resource.
#[derive(Debug, Export)]
pub struct Sysctl {
    /// The name of the setting, with dots.
    #[export]
    pub(super) name: Key,
    /// The declared value.
    #[export]
    pub(super) value: String,
    /// Path of the file.
    #[export]
    pub(super) file: String,
    /// Whether the line is to be present.
    #[export]
    pub(super) state: Ensure,
    pub(super) live: bool,
    pub(super) setting: Setting,
    pub(super) path: PathBuf,
    pub(super) steps: Vec<SysctlStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SysctlStep {
    /// Edit the file as it is at that moment.
    Edit,
    /// Give the value to the kernel.
    Set,
}

impl Sysctl {
    /// Returns the kernel's present value, or `None` if the kernel has no such setting.
    async fn live_value(&self, cx: &Context) -> Result<Option<String>> {
        Ok(text_file::read(cx, &self.name.path()).await?.map(|value| edit::words(&value)))
    }

    /// Gives the value to the kernel.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel refuses the value, or takes another one.
    async fn set(&self, cx: &Context) -> Result<()> {
        let (name, value) = (self.name.dotted(), &self.value);
        let (path, line) = (self.name.path(), format!("{value}\n"));
        match cx.system().files().write_in_place(&path, line.as_bytes()).await {
            Err(SystemError { kind: SystemErrorKind::InvalidPath, .. }) => {
                return Err(Error::msg(format!("the kernel refuses {value:?} for {name}")));
            }
            written => written?,
        }
        match self.live_value(cx).await? {
            Some(has) if has != *value => {
                Err(Error::msg(format!("the kernel has {has:?} for {name} after {value:?} was written")))
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Stepwise for Sysctl {
    const TYPE: &'static str = "system.sysctl";
    const ONLY_LINUX: &'static str = "it is about settings of the kernel of Linux";
    type Step = SysctlStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<SysctlStep>> {
        let mut findings = Findings::new();
        if self.live && self.state.is_present() {
            match self.live_value(cx).await? {
                None => {
                    let name = self.name.dotted();
                    let status = missing_dependency::missing(
                        cx,
                        "setting of the kernel",
                        name,
                        format!("the kernel has no {name} yet"),
                    )?;
                    return Ok(Findings { status, ..findings });
                }
                Some(value) if value != self.value => {
                    findings.status.add_difference("live", value, self.value.as_str());
                    findings.steps.push(SysctlStep::Set);
                }
                Some(_) => {}
            }
        }
        let text = text_file::read(cx, &self.path).await?;
        let edited = self.setting.edit(text.as_deref().unwrap_or_default());
        if edited.text != text.unwrap_or_default() {
            let absent = || "absent".to_owned();
            let (before, after) = (edited.before, self.setting.value.clone());
            findings.status.add_difference(
                self.file.as_str(),
                before.unwrap_or_else(absent),
                after.unwrap_or_else(absent),
            );
            // The file comes last, so that no boot gets a value that the kernel refuses now.
            findings.steps.push(SysctlStep::Edit);
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &SysctlStep) -> Result<()> {
        match step {
            SysctlStep::Edit => {
                let text = text_file::read(cx, &self.path).await?;
                let edited = self.setting.edit(text.as_deref().unwrap_or_default());
                text_file::make_folder(cx, &self.path).await?;
                text_file::write(cx, &self.path, &Text::new(edited.text, false)).await
            }
            SysctlStep::Set => self.set(cx).await,
        }
    }
}

steps::task!(Sysctl);

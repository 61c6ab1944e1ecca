use std::path::Path;

use converge_sdk::prelude::*;

use super::edit::{self, Edited};
use crate::steps::{self, Findings, Stepwise};
use crate::system::host_name::HostName;
use crate::{missing_dependency, text_file};

/// The file with the name for the next boot.
pub(super) const FILE: &str = "/etc/hostname";

/// The file with the pretty name.
pub(super) const INFO: &str = "/etc/machine-info";

/// The kernel's file with the present name.
const LIVE: &str = "/proc/sys/kernel/hostname";

/// The task of a `system.hostname` resource.
#[derive(Debug, Export)]
pub struct Hostname {
    /// The name of the machine.
    #[export]
    pub(super) name: HostName,
    /// The name for people, if one is declared.
    #[export]
    pub(super) pretty: Option<String>,
    pub(super) live: bool,
    pub(super) steps: Vec<HostnameStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostnameStep {
    /// Edit the file of the name as it is at that moment.
    Name,
    /// Edit the file of the pretty name as it is at that moment.
    Pretty,
    /// Give the name to the kernel.
    Live,
}

impl Hostname {
    fn edit_name(&self, text: &str) -> Edited {
        edit::name(text, self.name.as_str())
    }

    fn edit_pretty(&self, text: &str) -> Edited {
        edit::pretty(text, self.pretty.as_deref().unwrap_or_default())
    }
}

/// Compares a file with its declared content.
async fn compare(
    cx: &Context,
    path: &str,
    wanted: &str,
    step: HostnameStep,
    edit: impl Fn(&str) -> Edited,
    look: &mut Findings<HostnameStep>,
) -> Result<()> {
    let text = text_file::read(cx, Path::new(path)).await?.unwrap_or_default();
    let edited = edit(&text);
    if edited.text != text {
        let before = edited.before.unwrap_or_default();
        look.status.add_difference_with_default(path, before, wanted, "absent");
        look.steps.push(step);
    }
    Ok(())
}

#[async_trait]
impl Stepwise for Hostname {
    const TYPE: &'static str = "system.hostname";
    const ONLY_LINUX: &'static str = "it is about the files that Linux and systemd have the name in";
    type Step = HostnameStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<HostnameStep>> {
        let mut findings = Findings::new();
        let name = self.name.as_str();
        compare(cx, FILE, name, HostnameStep::Name, |text| self.edit_name(text), &mut findings).await?;
        if let Some(pretty) = self.pretty.as_deref() {
            let edit = |text: &str| self.edit_pretty(text);
            compare(cx, INFO, pretty, HostnameStep::Pretty, edit, &mut findings).await?;
        }
        if self.live {
            let live = text_file::read(cx, Path::new(LIVE)).await?;
            let Some(live) = live else {
                let status =
                    missing_dependency::missing(cx, "file", LIVE, format!("there is no {LIVE} yet"))?;
                return Ok(Findings { status, ..Findings::new() });
            };
            if live.trim_end() != name {
                findings.status.add_difference("live", live.trim_end(), name);
                // The kernel comes first, so that no boot gets a name that cannot be set now.
                findings.steps.insert(0, HostnameStep::Live);
            }
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &HostnameStep) -> Result<()> {
        match step {
            HostnameStep::Name => {
                text_file::edit(cx, Path::new(FILE), |text| Ok(self.edit_name(text).text)).await
            }
            HostnameStep::Pretty => {
                text_file::edit(cx, Path::new(INFO), |text| Ok(self.edit_pretty(text).text)).await
            }
            HostnameStep::Live => {
                let name = format!("{}\n", self.name);
                Ok(cx.system().files().write_in_place(Path::new(LIVE), name.as_bytes()).await?)
            }
        }
    }
}

steps::task!(Hostname);

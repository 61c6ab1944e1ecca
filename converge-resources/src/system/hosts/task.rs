use std::path::PathBuf;

use converge_sdk::prelude::*;

use super::edit::{Edited, HostEntry};
use crate::steps::{self, Findings, Stepwise};
use crate::system::host_name::HostName;
use crate::text::Text;
use crate::text_file;

/// The task of a `system.hosts` resource.
#[derive(Debug, Export)]
pub struct Hosts {
    /// The host name.
    #[export]
    pub(super) name: HostName,
    /// The address.
    #[export]
    pub(super) ip: Option<String>,
    /// Further names for the address.
    #[export]
    pub(super) aliases: Vec<HostName>,
    /// Path of the file.
    #[export]
    pub(super) file: String,
    /// Whether the line is to be present.
    #[export]
    pub(super) state: Ensure,
    pub(super) entry: HostEntry,
    pub(super) path: PathBuf,
    pub(super) steps: Vec<HostsStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostsStep {
    /// Edit the file as it is at that moment.
    Edit,
}

impl Hosts {
    fn edit(&self, text: Option<&str>) -> Result<Edited> {
        let edited = self.entry.edit(text.unwrap_or_default());
        edited.map_err(|reason| Error::msg(format!("{}: {reason}", self.file)))
    }
}

#[async_trait]
impl Stepwise for Hosts {
    const TYPE: &'static str = "system.hosts";
    const ONLY_LINUX: &'static str = "it is about the file that the C library of Linux reads";
    type Step = HostsStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<HostsStep>> {
        let mut findings = Findings::new();
        let text = text_file::read(cx, &self.path).await?;
        let edited = self.edit(text.as_deref())?;
        if edited.text != text.unwrap_or_default() {
            let absent = || "absent".to_owned();
            let (before, after) = (edited.before, self.entry.shown());
            findings.status.add_difference(
                "entry",
                before.unwrap_or_else(absent),
                after.unwrap_or_else(absent),
            );
            findings.steps.push(HostsStep::Edit);
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &HostsStep) -> Result<()> {
        let HostsStep::Edit = step;
        let text = text_file::read(cx, &self.path).await?;
        let edited = self.edit(text.as_deref())?;
        text_file::write(cx, &self.path, &Text::new(edited.text, false)).await
    }
}

steps::task!(Hosts);

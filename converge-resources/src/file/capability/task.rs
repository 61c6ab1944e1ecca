use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use super::set::CapabilitySet;
use crate::file::direct_change;
use crate::steps::{self, Findings, Stepwise};
use crate::{missing_dependency, tools};

/// The task of a `file.capability` resource.
#[derive(Debug, Export)]
pub struct Capability {
    /// The path of the program.
    #[export]
    pub(super) destination: String,
    /// The declared capabilities.
    #[export]
    pub(super) capabilities: Option<CapabilitySet>,
    /// Whether the program has any capabilities.
    #[export]
    pub(super) state: Ensure,
    pub(super) steps: Vec<CapabilityStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CapabilityStep {
    /// Gives the file exactly the declared capabilities.
    Set,
    Remove,
}

impl Capability {
    /// Whether the file exists and may be changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not a file, or if the file has a name that somebody else may have
    /// given it.
    async fn is_there(&self, cx: &Context) -> Result<bool> {
        let path = Path::new(&self.destination);
        let Some(metadata) = cx.system().files().metadata(path, Follow::Never).await? else {
            return Ok(false);
        };
        let refused = |what: &str, fix: &str| {
            Err(Error::msg(format!("{} is {what}, which has no capabilities: {fix}", self.destination)))
        };
        match metadata.kind {
            FileKind::File => direct_change::is_allowed(cx, path, &metadata).await.map(|()| true),
            FileKind::Symlink => refused("a link", "name the file that it leads to"),
            FileKind::Directory => refused("a folder", "name the program in it"),
            FileKind::Special(special) => refused(&special.to_string(), "name a program"),
        }
    }

    async fn found(&self, cx: &Context) -> Result<CapabilitySet> {
        let printed = tools::look(cx, "getcap", [self.destination.as_str()]).await?;
        let of_file = printed.strip_prefix(self.destination.as_str()).unwrap_or_default();
        CapabilitySet::from_getcap(of_file)
            .map_err(|reason| Error::msg(format!("`getcap` printed: {reason}")))
    }
}

#[async_trait]
impl Stepwise for Capability {
    const TYPE: &'static str = "file.capability";
    const ONLY_LINUX: &'static str = "file capabilities exist only on Linux";
    type Step = CapabilityStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<CapabilityStep>> {
        let mut findings = Findings::new();
        if !self.is_there(cx).await? {
            if !self.state.is_present() {
                return Ok(findings);
            }
            let message = format!("there is no {} yet", self.destination);
            let status = missing_dependency::missing(cx, "file", &self.destination, message)?;
            return Ok(Findings { status, ..findings });
        }
        let current = self.found(cx).await?;
        let target = self.capabilities.clone().unwrap_or_default();
        if current != target {
            let text = |set: &CapabilitySet| if set.is_empty() { "none".to_owned() } else { set.to_string() };
            findings.status.add_difference("capabilities", text(&current), text(&target));
            findings.steps.push(if target.is_empty() { CapabilityStep::Remove } else { CapabilityStep::Set });
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &CapabilityStep) -> Result<()> {
        let path = self.destination.as_str();
        match (step, &self.capabilities) {
            (CapabilityStep::Set, Some(set)) => {
                tools::change(cx, "setcap", [set.to_string().as_str(), path]).await
            }
            _ => tools::change(cx, "setcap", ["-r", path]).await,
        }
    }
}

steps::task!(Capability);

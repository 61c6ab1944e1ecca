//! The change of one user or group: what differs, which program makes the change, and what prevents it.

use std::path::PathBuf;

use converge_core::prelude::*;
use converge_core::value::Secret;

use super::error;
use super::run;
use super::tool::{AccountTool, ToolRun};

/// Options of a program, as they are collected.
#[derive(Debug, Default)]
pub(super) struct Options(Vec<String>);

impl Options {
    pub(super) fn flag(&mut self, flag: &str) {
        self.0.push(flag.to_owned());
    }

    pub(super) fn value(&mut self, flag: &str, value: &(impl ToString + ?Sized)) {
        self.0.extend([flag.to_owned(), value.to_string()]);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The run of `tool` on the user or group `name`.
    pub(super) fn run(mut self, tool: AccountTool, name: &str) -> ToolRun {
        // Whatever the name begins with, it is no option.
        self.0.extend(["--".to_owned(), name.to_owned()]);
        ToolRun { tool, args: self.0, input: Secret::default() }
    }
}

/// Whether there is a change to make, in a plan in which something that the resource depends on has changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Certainty {
    /// There is: nothing makes the account but this resource. What stands in the way only keeps it from being made yet.
    Certain,
    /// There is, unless something stands in the way: what clears it away may change the account as well. Users follow
    /// their group when it gets another id, for one.
    #[default]
    UnlessHindered,
    /// Nothing can be said before something else is there.
    Open,
}

/// What it takes to bring one user or group to its declared state.
#[derive(Debug, Default)]
pub(super) struct AccountChange {
    /// Attribute, what it is, what it is to be.
    pub(super) differences: Vec<(&'static str, String, String)>,
    pub(super) messages: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) obstacles: Vec<String>,
    pub(super) certainty: Certainty,
    /// One after the other.
    pub(super) runs: Vec<ToolRun>,
    /// A home directory that the run does not make.
    pub(super) home: Option<PathBuf>,
    /// A home directory that is to get a key.
    pub(super) ssh_key: Option<PathBuf>,
    /// Where the home directory is until the programs move it.
    pub(super) moved: Option<PathBuf>,
}

/// What no program does, and is still to be done after the programs have run.
#[derive(Debug, Default)]
pub(super) struct Remaining {
    pub(super) home: Option<PathBuf>,
    pub(super) ssh_key: Option<PathBuf>,
}

impl AccountChange {
    pub(super) fn differs(&mut self, name: &'static str, is: impl Into<String>, wanted: impl Into<String>) {
        self.differences.push((name, is.into(), wanted.into()));
    }

    pub(super) async fn report(&self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        for (name, is, wanted) in &self.differences {
            status.add_difference(*name, is, wanted);
        }
        status.raise_level_for_diffs();
        for message in &self.messages {
            status.add_message(message);
        }
        for warning in &self.warnings {
            status.add_warning(warning);
        }
        let mut obstacles = self.obstacles.clone();
        let key_tool = self.ssh_key.as_ref().map(|_| AccountTool::SshKeygen);
        for tool in self.runs.iter().map(|run| run.tool).chain(key_tool) {
            obstacles.extend(run::obstacle(cx, tool).await?);
        }
        let may_change = match self.certainty {
            Certainty::Certain => false,
            Certainty::UnlessHindered => !obstacles.is_empty() && !cx.pending().is_empty(),
            Certainty::Open => true,
        };
        if may_change {
            status.raise_level(StatusLevel::MayChange);
        }
        error::report(cx, &mut status, &obstacles);
        Ok(status)
    }

    fn is_nothing(&self) -> bool {
        self.runs.is_empty() && self.home.is_none() && self.ssh_key.is_none() && self.obstacles.is_empty()
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.runs, &self.home, &self.ssh_key, &self.obstacles)
            == (&other.runs, &other.home, &other.ssh_key, &other.obstacles)
    }

    /// Runs the programs, in an apply that has just looked again and found this. Nothing is run when that is not what was
    /// planned: `changed` is the error then. Gives what is still to be made.
    pub(super) async fn apply(
        self,
        planned: &Self,
        changed: impl FnOnce() -> String,
        cx: &Context,
    ) -> Result<Remaining> {
        if self.is_nothing() {
            return Ok(Remaining::default());
        }
        if !self.is_same(planned) {
            return Err(Error::msg(changed()));
        }
        for run in &self.runs {
            run::run(cx, run).await?;
        }
        Ok(Remaining { home: self.home, ssh_key: self.ssh_key })
    }
}

//! The change of one user or group: its differences, the programs that make it, and the obstacles.

use std::path::PathBuf;

use converge_sdk::prelude::*;
use converge_sdk::value::Secret;

use super::error;
use super::run;
use super::tool::{AccountTool, ToolRun};

/// The options of a program, while they are collected.
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

    /// Returns the run of `tool` on the user or group `name`.
    pub(super) fn run(mut self, tool: AccountTool, name: &str) -> ToolRun {
        // The `--` prevents a name from being read as an option.
        self.0.extend(["--".to_owned(), name.to_owned()]);
        ToolRun { tool, args: self.0, input: Secret::default() }
    }
}

/// The certainty of a change, in a plan in which a dependency has pending changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The change is certain: only this resource creates the account. An obstacle only delays it.
    Certain,
    /// The change is certain unless there is an obstacle.
    ///
    /// The removal of the obstacle may change the account as well. For example, users follow their group if
    /// its id changes.
    #[default]
    UnlessHindered,
    /// The change is unknown until a pending change is made.
    Open,
}

/// The change that brings one user or group to its declared state.
#[derive(Debug, Default)]
pub(super) struct AccountChange {
    /// The differences: attribute, present value, declared value.
    pub(super) differences: Vec<(&'static str, String, String)>,
    pub(super) messages: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) obstacles: Vec<String>,
    pub(super) certainty: Certainty,
    /// The program runs, in order.
    pub(super) runs: Vec<ToolRun>,
    /// The home directory to create, which no program run creates.
    pub(super) home: Option<PathBuf>,
    /// The home directory that is to get a key.
    pub(super) ssh_key: Option<PathBuf>,
    /// The present path of the home directory, until the programs move it.
    pub(super) moved: Option<PathBuf>,
}

/// The work that remains after the program runs.
#[derive(Debug, Default)]
pub(super) struct Remaining {
    pub(super) home: Option<PathBuf>,
    pub(super) ssh_key: Option<PathBuf>,
}

impl AccountChange {
    pub(super) fn differs(
        &mut self,
        name: &'static str,
        current: impl Into<String>,
        target: impl Into<String>,
    ) {
        self.differences.push((name, current.into(), target.into()));
    }

    pub(super) async fn report(&self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        for (name, current, target) in &self.differences {
            status.add_difference(*name, current, target);
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

    /// Runs the programs, and returns the remaining work.
    ///
    /// The apply has inspected the machine again. If the result differs from the plan, nothing is run, and
    /// the error is that of `changed`.
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

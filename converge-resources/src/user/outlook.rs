//! What a look at the machine gives: what differs, what to do about it, and what stands in the way.

use std::path::PathBuf;

use converge_core::prelude::*;

use super::error::{self, AccountError};
use super::tool::Tool;

/// One run of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) tool: Tool,
    pub(super) args: Vec<String>,
}

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
    pub(super) fn run(mut self, tool: Tool, name: &str) -> Run {
        // Whatever the name begins with, it is no option.
        self.0.extend(["--".to_owned(), name.to_owned()]);
        Run { tool, args: self.0 }
    }
}

/// What a look at the machine gives.
#[derive(Debug, Default)]
pub(super) struct Outlook {
    /// Attribute, what it is, what it is to be.
    pub(super) differences: Vec<(&'static str, String, String)>,
    pub(super) messages: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) obstacles: Vec<AccountError>,
    /// Whether nothing can be said of the differences before something else is there.
    pub(super) undecided: bool,
    pub(super) run: Option<Run>,
    /// A home directory that the run does not make.
    pub(super) home: Option<PathBuf>,
}

impl Outlook {
    pub(super) fn differs(&mut self, name: &'static str, is: impl Into<String>, wanted: impl Into<String>) {
        self.differences.push((name, is.into(), wanted.into()));
    }

    /// What it says to the user.
    pub(super) async fn report(&self, cx: &Context) -> Result<Status> {
        let mut status = Status::new();
        for (name, is, wanted) in &self.differences {
            status.add_difference(*name, is, wanted, "");
        }
        status.raise_level_for_diffs();
        for message in &self.messages {
            status.add_message(message);
        }
        for warning in &self.warnings {
            status.set_warning(warning);
        }
        if self.undecided {
            status.raise_level(StatusLevel::MayChange);
        }
        let mut obstacles = self.obstacles.clone();
        if let Some(run) = &self.run {
            obstacles.extend(run.tool.obstacle(cx).await?);
        }
        error::report(cx, &mut status, obstacles);
        Ok(status)
    }

    /// Runs the program, in an apply that has just looked again and found this. Nothing is run when that is not what was
    /// planned: `changed` is the error then. Gives the home directory that is still to be made.
    pub(super) async fn apply(
        self,
        planned: &Self,
        changed: impl FnOnce() -> AccountError,
        cx: &Context,
    ) -> Result<Option<PathBuf>> {
        if self.run.is_none() && self.home.is_none() && self.obstacles.is_empty() {
            return Ok(None);
        }
        if self.run != planned.run || self.home != planned.home || self.obstacles != planned.obstacles {
            return Err(Error::other(changed()));
        }
        if let Some(run) = &self.run {
            run.tool.run(cx, &run.args).await?;
        }
        Ok(self.home)
    }
}

//! The programs that manage alternatives.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow};

use super::group::Group;
use super::name::AlternativeName;
use crate::tools;

/// The database of the program of Debian.
const DEBIAN_DATABASE: &str = "/var/lib/dpkg/alternatives";

/// The program of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Debian,
    Rpm,
}

impl Tool {
    /// Detects the program of the machine.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none.
    pub(super) async fn detect(cx: &Context) -> Result<Self> {
        if cx.system().files().metadata(Path::new(DEBIAN_DATABASE), Follow::Links).await?.is_some() {
            return Ok(Self::Debian);
        }
        match tools::require(cx, "alternatives").await {
            Ok(()) => Ok(Self::Rpm),
            // Both programs may have this name.
            Err(_) => tools::require(cx, "update-alternatives").await.map(|()| Self::Debian),
        }
    }

    fn program(self) -> &'static str {
        match self {
            Self::Debian => "update-alternatives",
            Self::Rpm => "alternatives",
        }
    }

    /// Returns the group of a name, or `None` if there is none.
    pub(super) async fn group(self, cx: &Context, name: &AlternativeName) -> Result<Option<Group>> {
        let (option, absent_text) = match self {
            Self::Debian => ("--query", "no alternatives for"),
            Self::Rpm => ("--display", "No such file"),
        };
        let command = Command::new(self.program()).args([option.to_owned(), name.to_string()]);
        let (line, output) = tools::try_look(cx, command).await?;
        let text = String::from_utf8_lossy(&output.stdout);
        match (output.exit.success(), self) {
            (true, _) if text.trim().is_empty() => Ok(None),
            (true, Self::Debian) => Ok(Some(Group::parse_query(&text))),
            (true, Self::Rpm) => Ok(Some(Group::parse_display(&text))),
            (false, _) if String::from_utf8_lossy(&output.stderr).contains(absent_text) => Ok(None),
            (false, _) => Err(tools::failed(line, &output)),
        }
    }

    pub(super) async fn change(self, cx: &Context, args: Vec<String>) -> Result<()> {
        tools::change(cx, self.program(), args).await
    }
}

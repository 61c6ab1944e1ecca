//! The programs that change users and groups.

use std::fmt;
use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{Command, FileKind, Follow};

use super::error::AccountError;

/// A program of shadow-utils.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    UserAdd,
    UserMod,
    UserDel,
    GroupAdd,
    GroupMod,
    GroupDel,
}

/// Where the programs are when `PATH` does not lead to them: that of a user or of cron often leaves these out.
const USUAL: [&str; 2] = ["/usr/sbin", "/sbin"];

impl Tool {
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::UserAdd => "useradd",
            Self::UserMod => "usermod",
            Self::UserDel => "userdel",
            Self::GroupAdd => "groupadd",
            Self::GroupMod => "groupmod",
            Self::GroupDel => "groupdel",
        }
    }

    /// The path of the program; `None` when the machine does not have it.
    async fn find(self, cx: &Context) -> Result<Option<String>> {
        let path = cx.system().env("PATH").unwrap_or_default();
        let directories = path.split(':').filter(|directory| directory.starts_with('/')).chain(USUAL);
        for directory in directories {
            let program = Path::new(directory).join(self.program());
            let found = cx.system().files().metadata(&program, Follow::Links).await;
            // A directory that may not be searched is not where it would be found.
            if found.ok().flatten().is_some_and(|found| found.kind == FileKind::File) {
                return Ok(Some(program.to_string_lossy().into_owned()));
            }
        }
        Ok(None)
    }

    /// What stands in the way of running it.
    pub(super) async fn obstacle(self, cx: &Context) -> Result<Option<AccountError>> {
        Ok(self.find(cx).await?.is_none().then_some(AccountError::NoTool { tool: self }))
    }

    /// Runs it to its end.
    ///
    /// # Errors
    ///
    /// It is missing, or it refuses.
    pub(super) async fn run(self, cx: &Context, args: &[String]) -> Result<()> {
        let found = self.find(cx).await?;
        let program = found.ok_or_else(|| Error::other(AccountError::NoTool { tool: self }))?;
        let mut command = Command::new(program).args(args);
        command.env.insert("LC_ALL".to_owned(), "C".to_owned());
        command.timeout = cx.remaining();
        let output = cx.system().processes().run(command).await?;
        if output.exit.success() { Ok(()) } else { Err(Error::other(AccountError::refused(self, &output))) }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

/// On which machines these programs are the way to change users.
///
/// # Errors
///
/// [`Error::Unsupported`] everywhere but on Linux.
pub(super) fn supported(cx: &Context, resource: &'static str) -> Result<()> {
    match cx.system().platform().os.as_str() {
        "linux" => Ok(()),
        other => Err(Error::Unsupported {
            resource,
            platform: other.to_owned(),
            reason: "users and groups are changed with `useradd` and its like, which only Linux has"
                .to_owned(),
        }),
    }
}

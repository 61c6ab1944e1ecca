//! Runs the programs that change users and groups.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{Command, FileKind, Follow};

use super::error;
use super::tool::{AccountTool, ToolRun};

/// Where the programs are when `PATH` does not lead to them: that of a user or of cron often leaves these out.
const USUAL: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// The path of the program; `None` when the machine does not have it.
async fn find(cx: &Context, tool: AccountTool) -> Result<Option<String>> {
    let path = cx.system().env("PATH").unwrap_or_default();
    let directories = path.split(':').filter(|directory| directory.starts_with('/')).chain(USUAL);
    for directory in directories {
        let program = Path::new(directory).join(tool.program());
        let found = cx.system().files().metadata(&program, Follow::Links).await;
        // A directory that may not be searched is not where it would be found.
        if found.ok().flatten().is_some_and(|found| found.kind == FileKind::File) {
            return Ok(Some(program.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// What stands in the way of running it.
pub(super) async fn obstacle(cx: &Context, tool: AccountTool) -> Result<Option<String>> {
    Ok(find(cx, tool).await?.is_none().then(|| error::not_installed(tool)))
}

pub(super) async fn run(cx: &Context, run: &ToolRun) -> Result<()> {
    let tool = run.tool;
    let found = find(cx, tool).await?;
    let program = found.ok_or_else(|| Error::msg(error::not_installed(tool)))?;
    let mut command = Command::new(program).args(&run.args);
    command.env.insert("LC_ALL".to_owned(), "C".to_owned());
    command.stdin = run.input.expose().as_bytes().to_vec();
    command.timeout = cx.remaining();
    let output = cx.progress().run(command).await?;
    if output.exit.success() { Ok(()) } else { Err(Error::msg(error::refused(tool, &output))) }
}

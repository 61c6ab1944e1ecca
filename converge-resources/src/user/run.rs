//! Runs of the programs that change users and groups.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, FileKind, Follow};

use super::error;
use super::tool::{AccountTool, ToolRun};

/// The usual directories of the programs, for a `PATH` without them, as a user or cron often has.
const USUAL: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// Returns the path of the program, or `None` if the machine does not have it.
async fn find(cx: &Context, tool: AccountTool) -> Result<Option<String>> {
    let path = cx.system().env("PATH").unwrap_or_default();
    let directories = path.split(':').filter(|directory| directory.starts_with('/')).chain(USUAL);
    for directory in directories {
        let program = Path::new(directory).join(tool.program());
        let metadata = cx.system().files().metadata(&program, Follow::Links).await;
        // A directory that may not be searched is skipped.
        if metadata.ok().flatten().is_some_and(|metadata| metadata.kind == FileKind::File) {
            return Ok(Some(program.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// Returns the reason why the program cannot be run, if there is one.
pub(super) async fn obstacle(cx: &Context, tool: AccountTool) -> Result<Option<String>> {
    Ok(find(cx, tool).await?.is_none().then(|| error::not_installed(tool)))
}

pub(super) async fn run(cx: &Context, run: &ToolRun) -> Result<()> {
    let tool = run.tool;
    let path = find(cx, tool).await?;
    let program = path.ok_or_else(|| Error::msg(error::not_installed(tool)))?;
    let mut command = Command::new(program).args(&run.args);
    command.env.insert("LC_ALL".to_owned(), "C".to_owned());
    command.stdin = run.input.expose().as_bytes().to_vec();
    command.timeout = cx.remaining();
    let output = cx.progress().run(command).await?;
    if output.exit.success() { Ok(()) } else { Err(Error::msg(error::failure_message(tool, &output))) }
}

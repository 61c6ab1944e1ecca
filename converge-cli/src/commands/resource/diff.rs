//! The `converge resource diff` command.

use clap::Args;
use converge_client::ClientError;

use super::command_context::Work;
use super::files::FileArgs;
use super::files::{Draft, Drafts};
use crate::args::ServerArgs;
use crate::console::{Console, print};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::unified;
use crate::remote::{Found, Named, RemoteError, Server};

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0    an apply would change nothing
  1    a mistake, or a resource that would be refused
  2    an apply would change something")]
pub(super) struct DiffArgs {
    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    server: ServerArgs,
}

impl DiffArgs {
    pub(super) fn run(&self, work: &Work) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let Some(drafts) = self.files.read(&types, work.console)? else { return Ok(Exit::Error) };
        let mut exit = Exit::Done;
        for draft in &drafts.all {
            exit = exit.max(one(&server, &drafts, draft, work.console)?);
        }
        Ok(exit)
    }
}

fn one(server: &Server, drafts: &Drafts, draft: &Draft, console: Console) -> Result<Exit, CliError> {
    let read = match server.read(&draft.named, true) {
        Err(error) if error.is("not_found") => Ok(None),
        other => other.map(Some),
    };
    let planned = read.and_then(|before| Ok((before, server.write(&draft.named, &draft.body, true)?)));
    let (before, after) = match planned {
        Ok(planned) => planned,
        Err(RemoteError::Client(ClientError::Refused(refusal))) => {
            drafts.report_refusal(draft, &refusal, console);
            return Ok(Exit::Error);
        }
        Err(error) => return Err(error.into()),
    };
    let format = |found: &Found| to_yaml(&found.desired_state());
    let (before, after) = (before.as_ref().map(format).unwrap_or_default(), format(&after));
    if before == after {
        return Ok(Exit::Done);
    }
    print(&unified(&name(&draft.named), &before, &after, console.stdout))?;
    Ok(Exit::Changes)
}

fn name(id: &Named) -> String {
    format!("{} {}", id.resource_type, id.name)
}

//! The `converge resource apply` command.

use clap::Args;
use converge_client::ClientError;
use converge_core::view::render::sanitize_line;

use super::command_context::Work;
use super::files::{Draft, Drafts, FileArgs};
use super::show;
use super::wait::{self, ConditionArg};
use crate::args::{Output, ServerArgs, TimeoutArgs};
use crate::console::{ADD, CHANGE, Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::remote::{Found, RemoteError, Server};

#[derive(Debug, Args)]
#[command(after_help = "\
Everything is read and checked before anything is sent. Then resources are written in the order of the files; if one is
refused, the others are still written. One with a `version` is written only if nobody has changed it since.")]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    files: FileArgs,

    /// Make all checks of a write, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Wait until a condition of each holds: `accepted`, `accepted=false`, or `KEY/accepted` for that of
    /// one status
    #[arg(long, value_name = "CONDITION", conflicts_with = "dry_run")]
    wait: Option<ConditionArg>,

    #[command(flatten)]
    timeout: TimeoutArgs,

    /// The output: a line for each, or the stored resources
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    server: ServerArgs,
}

/// The outcome of a write.
enum Outcome {
    Created,
    Changed,
    Unchanged,
}

impl ApplyArgs {
    pub(super) fn run(&self, work: &Work) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let Some(drafts) = self.files.read(&types, work.console)? else { return Ok(Exit::Error) };
        let mut exit = Exit::Done;
        for draft in &drafts.all {
            exit = exit.max(self.one(&server, &drafts, draft, work.console)?);
        }
        Ok(exit)
    }

    fn one(
        &self,
        server: &Server,
        drafts: &Drafts,
        draft: &Draft,
        console: Console,
    ) -> Result<Exit, CliError> {
        let (outcome, resource) = match self.write(server, draft) {
            Ok(result) => result,
            Err(RemoteError::Client(ClientError::Refused(refusal))) => {
                drafts.report_refusal(draft, &refusal, console);
                return Ok(Exit::Error);
            }
            Err(error) => return Err(error.into()),
        };
        match self.output {
            Output::Table => self.line(draft, &outcome, console)?,
            output => show::print_one(&resource, output)?,
        }
        let Some(condition) = &self.wait else { return Ok(Exit::Done) };
        match wait::until(server, &resource, &draft.named, condition, self.timeout.timeout) {
            Ok(()) => Ok(Exit::Done),
            // The other resources are written nevertheless.
            Err(CliError::Wait(problem)) => {
                console.error(problem);
                Ok(Exit::Error)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes a resource that differs from the stored one.
    ///
    /// Writing an unchanged resource would make controllers reconcile it again.
    fn write(&self, server: &Server, draft: &Draft) -> Result<(Outcome, Found), RemoteError> {
        let before = match server.read(&draft.named, true) {
            Err(error) if error.is("not_found") => {
                return Ok((Outcome::Created, server.write(&draft.named, &draft.body, self.dry_run)?));
            }
            before => before?,
        };
        let planned = server.write(&draft.named, &draft.body, true)?;
        if before.desired_state() == planned.desired_state() {
            return Ok((Outcome::Unchanged, before));
        }
        let resource = if self.dry_run { planned } else { server.write(&draft.named, &draft.body, false)? };
        Ok((Outcome::Changed, resource))
    }

    fn line(&self, draft: &Draft, outcome: &Outcome, console: Console) -> Result<(), CliError> {
        let paint = console.stdout;
        let outcome = match outcome {
            Outcome::Created => paint.paint(ADD, "created"),
            Outcome::Changed => paint.paint(CHANGE, "changed"),
            Outcome::Unchanged => "unchanged".to_owned(),
        };
        let title = format!("{} {}", draft.named.resource_type, draft.named.name);
        let note = if self.dry_run { " (dry run)" } else { "" };
        print(&format!("{} {outcome}{note}\n", sanitize_line(&title)))
    }
}

//! The `converge resource watch` command.

use clap::Args;
use converge_core::view::render::sanitize_line;
use serde_json::json;

use super::args::SelectArgs;
use super::command_context::Work;
use super::show::conditions;
use crate::args::{Output, ServerArgs};
use crate::console::{ADD, CHANGE, Console, REMOVE, Stdout};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::remote::{Change, Changes, Found};
use crate::server_runtime::block_on;

#[derive(Debug, Args)]
pub(super) struct WatchArgs {
    #[command(flatten)]
    select: SelectArgs,

    /// The output: a line for each change, a JSON object on each line, or a YAML document for each
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    server: ServerArgs,
}

impl WatchArgs {
    pub(super) fn run(&self, work: &Work) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let resource_type = types.find(&self.select.resource_type)?.clone();
        let mut changes = Changes::new(server, resource_type, self.select.query());
        let watched = block_on(async {
            loop {
                let change = changes.next().await?;
                if let Change::Lost(problem) = &change {
                    let note = "changes made meanwhile are shown after reconnecting";
                    work.console.warning(format_args!("{problem}; {note}"));
                    continue;
                }
                if self.write_change(&change, work.console)? {
                    // The reader closed the output.
                    return Ok(Exit::Interrupted);
                }
            }
        });
        watched.map_err(CliError::Start)?
    }

    /// Writes a whole change, and returns whether the reader closed the output.
    fn write_change(&self, change: &Change, console: Console) -> Result<bool, CliError> {
        let (word, style, resource) = match change {
            Change::Added(found) => ("added", ADD, Some(found)),
            Change::Changed(found) => ("changed", CHANGE, Some(found)),
            Change::Deleted(found) => ("deleted", REMOVE, Some(found)),
            Change::Synced => ("synced", CHANGE, None),
            Change::Lost(_) => return Ok(false),
        };
        let event = || match resource {
            Some(resource) => json!({ "event": word, "resource": resource.json }),
            None => json!({ "event": word }),
        };
        let mut stdout = Stdout::new(std::io::stdout().lock());
        match self.output {
            Output::Json => stdout.write(&format!("{}\n", event()))?,
            Output::Yaml => stdout.write(&format!("---\n{}", to_yaml(&event())))?,
            Output::Table => {
                let Some(resource) = resource else { return Ok(false) };
                let padding = " ".repeat(9 - word.len());
                let word = console.stdout.paint(style, word);
                stdout.write(format!("{word}{padding}{}", line(resource)).trim_end())?;
                stdout.write("\n")?;
            }
        }
        stdout.flush()?;
        Ok(stdout.is_closed())
    }
}

fn line(resource: &Found) -> String {
    let units = [resource.partition(), resource.namespace(), resource.name()];
    let name = units.into_iter().filter(|unit| !unit.is_empty()).collect::<Vec<_>>().join("/");
    sanitize_line(&format!("{name}  {}", conditions(resource))).into_owned()
}

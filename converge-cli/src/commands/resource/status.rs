//! The `converge resource status` command.

use clap::Args;
use serde_json::json;

use super::args::NameArgs;
use crate::args::Output;
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::remote::Condition;

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    name: NameArgs,

    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,
}

/// The key of a status, whether it is about the current generation of the resource, and a condition.
type Row<'a> = (&'a str, bool, &'a Condition);

impl StatusArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.name.server.open()?;
        let (id, _) = self.name.named(&server)?;
        let resource = server.read(&id, true)?;
        let nothing = json!({});
        let status = resource.json.get("status").unwrap_or(&nothing);
        match self.output {
            Output::Json => print_exact(&(serde_json::to_string_pretty(status)? + "\n"))?,
            Output::Yaml => print_exact(&to_yaml(status))?,
            Output::Table => {
                let rows: Vec<Row<'_>> = resource.conditions().collect();
                let columns: [Column<'_, Row<'_>>; 6] = [
                    ("KEY", &|(key, ..)| (*key).to_owned()),
                    ("CONDITION", &|(.., condition)| condition.name.clone()),
                    ("STATE", &|(.., condition)| condition.state.clone()),
                    ("OF", &|(_, current, _)| if *current { "now" } else { "before" }.to_owned()),
                    ("REASON", &|(.., condition)| condition.reason.clone()),
                    ("MESSAGE", &|(.., condition)| condition.message.clone()),
                ];
                if rows.is_empty() {
                    print("no controller has reported on it\n")?;
                } else {
                    print(&table(&columns, &rows))?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

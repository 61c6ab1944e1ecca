//! The `converge type list` command.

use clap::Args;
use serde_json::{Value as Json, json};

use super::name::DEFINITION;
use crate::args::{Output, ServerArgs};
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::remote::{Found, Query};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    server: ServerArgs,
}

impl ListArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let query = Query::default().with("consistent", "true");
        let definitions = server.list(types.find(DEFINITION)?, &query)?;
        if self.output == Output::Table {
            let columns: [Column<'_, Found>; 4] = [
                ("NAME", &|definition| definition.name().to_owned()),
                ("STATE", &|definition| state(definition).0.to_owned()),
                ("TYPES", &|definition| state(definition).1),
                ("DESCRIPTION", &|definition| {
                    definition.json["data"]["description"].as_str().unwrap_or_default().to_owned()
                }),
            ];
            print(&table(&columns, &definitions))?;
            return Ok(Exit::Done);
        }
        let definitions: Vec<Json> = definitions.into_iter().map(|definition| definition.json).collect();
        let document = json!({ "resources": definitions });
        match self.output {
            Output::Yaml => print_exact(&to_yaml(&document))?,
            _ => print_exact(&(serde_json::to_string_pretty(&document)? + "\n"))?,
        }
        Ok(Exit::Done)
    }
}

/// Returns the state of a definition in one word, with its types or its mistakes.
fn state(definition: &Found) -> (&'static str, String) {
    let condition = |name: &str| {
        let mut conditions = definition.conditions();
        conditions.find(|(of, _, condition)| *of == "definitions" && condition.name == name)
    };
    if definition.is_marked_for_deletion() {
        let left = condition("deleted").map(|(.., condition)| condition.message.clone());
        return ("deleting", left.unwrap_or_default());
    }
    match condition("accepted") {
        Some((_, true, accepted)) if accepted.state == "true" => ("accepted", accepted.message.clone()),
        Some((_, true, refused)) => ("refused", refused.message.clone()),
        Some((_, false, _)) | None => ("new", String::new()),
    }
}

//! The `converge secret list` command.

use clap::Args;
use serde_json::{Value as Json, json};

use super::name::SECRET;
use crate::args::{Output, ServerArgs, TenancyArgs};
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::remote::{Found, Query};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    tenancy: TenancyArgs,

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
        let TenancyArgs { partition, namespace } = &self.tenancy;
        let query = Query::default().with("consistent", "true");
        let query = query.with_non_empty("partition", partition).with_non_empty("namespace", namespace);
        let secrets = server.list(types.find(SECRET)?, &query)?;
        if self.output == Output::Table {
            let columns: [Column<'_, Found>; 4] = [
                ("NAMESPACE", &|secret| secret.namespace().to_owned()),
                ("NAME", &|secret| secret.name().to_owned()),
                ("KEY", &|secret| text(&secret.json["data"]["key"])),
                ("DESCRIPTION", &|secret| text(&secret.json["data"]["description"])),
            ];
            print(&table(&columns, &secrets))?;
            return Ok(Exit::Done);
        }
        let secrets: Vec<Json> = secrets.into_iter().map(|secret| secret.json).collect();
        let document = json!({ "resources": secrets });
        match self.output {
            Output::Yaml => print_exact(&to_yaml(&document))?,
            _ => print_exact(&(serde_json::to_string_pretty(&document)? + "\n"))?,
        }
        Ok(Exit::Done)
    }
}

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

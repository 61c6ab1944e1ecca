//! The `converge rollout history` command.

use clap::Args;
use serde_json::{Value as Json, json};

use super::module::{ModuleArgs, Rollout, none};
use crate::args::Output;
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Column, table};

#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    #[command(flatten)]
    module: ModuleArgs,

    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,
}

impl HistoryArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let module = self.module.open()?;
        let rollouts = module.rollouts()?;
        if self.output != Output::Table {
            let rollouts: Vec<Json> = rollouts.into_iter().map(|rollout| rollout.0.json).collect();
            let document = json!({ "rollouts": rollouts });
            match self.output {
                Output::Yaml => print_exact(&to_yaml(&document))?,
                _ => print_exact(&(serde_json::to_string_pretty(&document)? + "\n"))?,
            }
            return Ok(Exit::Done);
        }
        if rollouts.is_empty() {
            return Err(none(module.name()));
        }
        let columns: [Column<'_, Rollout>; 6] = [
            ("NUMBER", &|rollout| rollout.number().to_string()),
            ("PHASE", &Rollout::phase),
            ("REVISION", &|rollout| rollout.to().to_owned()),
            ("BEGAN", &|rollout| rollout.began().to_owned()),
            ("ENDED", &|rollout| rollout.ended().to_owned()),
            ("MESSAGE", &|rollout| rollout.condition().map_or_else(String::new, |said| said.message.clone())),
        ];
        print(&table(&columns, &rollouts))?;
        Ok(Exit::Done)
    }
}

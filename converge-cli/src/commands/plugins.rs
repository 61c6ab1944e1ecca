//! The `converge plugins` command.

use std::path::PathBuf;

use clap::Args;
use converge_core::plugin::Plugin;
use serde_json::json;

use crate::args::{Format, PluginArgs};
use crate::command_context::Surroundings;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{json_line, table};
use crate::plugins;

#[derive(Debug, Args)]
pub(crate) struct PluginsArgs {
    /// Module files whose plugins are listed as well
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    plugins: PluginArgs,
}

impl PluginsArgs {
    /// Starts each plugin and lists it; a plugin that cannot be used is listed with its problem.
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let (plugins, problems) = plugins::start_all(surroundings.registry, &self.plugins, &self.files);
        let listed: Vec<&Plugin> = plugins.started.iter().collect();
        match self.format {
            Format::Json => listed.iter().try_for_each(|plugin| print(&json_line(&as_json(plugin))?))?,
            Format::Human if listed.is_empty() && problems.is_empty() => {
                print(
                    "no plugins: name a folder with --plugin-dir or CONVERGE_PLUGIN_PATH, or a module with a `plugin` block\n",
                )?;
            }
            Format::Human if listed.is_empty() => {}
            Format::Human => print(&human(&listed))?,
        }
        let mut exit = Exit::Done;
        for problem in problems {
            surroundings.console.error(CliError::from(problem));
            exit = Exit::Error;
        }
        // The problem of a plugin that a module names is reported at its position in the module.
        for file in &self.files {
            let surroundings = plugins.around(surroundings);
            let loaded =
                converge_core::load::Loader::new(surroundings.registry).for_inspection().load_file(file);
            let is_about_plugins = |code: &str| matches!(code, "plugin" | "bad-plugin");
            for problem in loaded.diagnostics.iter().filter(|problem| is_about_plugins(problem.code)) {
                surroundings.console.error(format_args!("{}: {}", file.display(), problem.message));
                exit = Exit::Error;
            }
        }
        Ok(exit)
    }
}

fn human(plugins: &[&Plugin]) -> String {
    let types = |plugin: &&Plugin| plugin.types().collect::<Vec<_>>().join(", ");
    table(
        &[
            ("NAME", &|plugin: &&Plugin| plugin.name().to_owned()),
            ("VERSION", &|plugin| plugin.version().to_owned()),
            ("TYPES", &types),
            ("SHA256", &|plugin| plugin.sha256().to_owned()),
            ("FILE", &|plugin| plugin.path().display().to_string()),
        ],
        plugins,
    )
}

fn as_json(plugin: &Plugin) -> serde_json::Value {
    json!({
        "name": plugin.name(),
        "version": plugin.version(),
        "types": plugin.types().collect::<Vec<_>>(),
        "sha256": plugin.sha256(),
        "file": plugin.path().display().to_string(),
    })
}

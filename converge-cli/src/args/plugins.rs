//! Where plugins are looked for.

use std::path::PathBuf;

use clap::Args;
use converge_core::plugin::PluginSearch;

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PluginArgs {
    /// Run the plugins in this folder, and use their types: executables whose names begin with `converge-plugin-`. Nobody but root
    /// and you may be able to change them. Can be given several times; several folders in one are separated by `:`.
    #[arg(
        long = "plugin-dir",
        value_name = "DIR",
        env = "CONVERGE_PLUGIN_PATH",
        hide_env_values = true,
        value_delimiter = ':',
        help_heading = "Plugins"
    )]
    folders: Vec<PathBuf>,
}

impl PluginArgs {
    /// The folders in which plugins are looked for.
    pub(crate) fn search(&self) -> PluginSearch {
        let named = self.folders.iter().filter(|folder| !folder.as_os_str().is_empty());
        named.fold(PluginSearch::new(), PluginSearch::folder)
    }
}

//! The folders that plugins are searched in.

#[cfg(feature = "plugins")]
use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "plugins")]
use converge_core::plugin::PluginSearch;

// Without the `plugins` feature there are no options.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PluginArgs {
    /// Run the plugins in this folder, and use their types. Plugins are executables whose names begin with
    /// `converge-plugin-`. Only root and you may be able to change them. May be repeated; one value can hold
    /// several folders, separated by `:`
    #[cfg(feature = "plugins")]
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

#[cfg(feature = "plugins")]
impl PluginArgs {
    /// Returns the folders that plugins are searched in.
    pub(crate) fn search(&self) -> PluginSearch {
        let folders = self.folders.iter().filter(|folder| !folder.as_os_str().is_empty());
        folders.fold(PluginSearch::new(), PluginSearch::folder)
    }
}

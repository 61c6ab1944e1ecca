//! Where plugins are looked for.

#[cfg(feature = "plugins")]
use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "plugins")]
use converge_core::plugin::PluginSearch;

// Without plugins there is nothing to say.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PluginArgs {
    /// Run the plugins in this folder, and use their types: executables whose names begin with `converge-plugin-`. Nobody but root
    /// and you may be able to change them. Can be given several times; several folders in one are separated by `:`.
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
    /// The folders in which plugins are looked for.
    pub(crate) fn search(&self) -> PluginSearch {
        let named = self.folders.iter().filter(|folder| !folder.as_os_str().is_empty());
        named.fold(PluginSearch::new(), PluginSearch::folder)
    }
}

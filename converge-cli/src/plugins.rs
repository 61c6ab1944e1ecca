//! The plugins of a command: those in the plugin folders, and those that modules name.

use std::path::PathBuf;

use converge_core::Registry;
use converge_core::load::PluginBlock;
use converge_core::plugin::{Plugin, PluginError, PluginFile, PluginLimits, PluginOrigin};

use crate::args::PluginArgs;
use crate::command_context::Surroundings;
use crate::error::CliError;

/// All resource types, including those of the running plugins, which stop on drop.
#[derive(Debug)]
pub(crate) struct Plugins {
    registry: Registry,
    pub(crate) started: Vec<Plugin>,
}

impl Plugins {
    /// Returns the context with the types of the plugins.
    pub(crate) fn around<'a>(&'a self, surroundings: Surroundings<'a>) -> Surroundings<'a> {
        Surroundings { registry: &self.registry, ..surroundings }
    }
}

impl Drop for Plugins {
    fn drop(&mut self) {
        for plugin in &self.started {
            plugin.end();
        }
    }
}

/// Starts the plugins in the folders, and those that module files name.
///
/// A problem with a plugin that a module names is reported when the module is loaded.
///
/// # Errors
///
/// Fails if a plugin in a folder cannot be used.
pub(crate) fn start(
    around: Surroundings<'_>,
    args: &PluginArgs,
    files: &[PathBuf],
) -> Result<Plugins, CliError> {
    let (plugins, problems) = start_all(around.registry, args, files);
    match problems.into_iter().next() {
        Some(problem) => Err(problem.into()),
        None => Ok(plugins),
    }
}

/// Like [`start`], but returns all problems of plugins in folders while the others run.
pub(crate) fn start_all(
    registry: &Registry,
    args: &PluginArgs,
    files: &[PathBuf],
) -> (Plugins, Vec<PluginError>) {
    let (found, mut problems) = args.search().find();
    let named = files.iter().flat_map(|file| PluginBlock::of_file(file)).map(|block| PluginFile {
        name: block.name,
        path: block.source,
        origin: PluginOrigin::Pinned { sha256: block.sha256 },
        version: block.version,
    });
    let plugin_files = found.into_iter().chain(named);
    let (registry, started, errors) =
        Plugin::start_all(plugin_files, registry.clone(), PluginLimits::default());
    problems.extend(errors);
    (Plugins { registry, started }, problems)
}

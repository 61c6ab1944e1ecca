//! The plugins of a command: those in the plugin folders, and those that modules name.

use std::path::PathBuf;

use converge_core::Registry;
use converge_core::load::PluginBlock;
use converge_core::plugin::{Plugin, PluginError, PluginLimits};

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
    let mut plugins = Plugins { registry: registry.clone(), started: Vec::new() };
    let (plugin_files, mut problems) = args.search().find();
    for file in plugin_files {
        let added = Plugin::start(file, PluginLimits::default()).and_then(|plugin| {
            let registry = plugin.add_to(plugins.registry.clone())?;
            Ok((registry, plugin))
        });
        match added {
            Ok((registry, plugin)) => {
                plugins.registry = registry;
                plugins.started.push(plugin);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let blocks: Vec<PluginBlock> = files.iter().flat_map(|file| PluginBlock::of_file(file)).collect();
    let (registry, module_plugins) =
        PluginBlock::start_all(&blocks, plugins.registry.clone(), PluginLimits::default());
    plugins.registry = registry;
    plugins.started.extend(module_plugins);
    (plugins, problems)
}

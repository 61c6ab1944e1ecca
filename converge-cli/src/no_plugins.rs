//! Substitute for `plugins` in a build without plugin support.

#[cfg(feature = "lsp")]
use std::convert::Infallible;
use std::path::PathBuf;

use converge_core::Registry;
use converge_core::load::PluginBlock;

use crate::args::PluginArgs;
use crate::command_context::Surroundings;
use crate::error::CliError;

/// The resource types of this program.
#[derive(Debug)]
pub(crate) struct Plugins {
    registry: Registry,
}

impl Plugins {
    /// Returns the context unchanged.
    pub(crate) fn around<'a>(&'a self, around: Surroundings<'a>) -> Surroundings<'a> {
        Surroundings { registry: &self.registry, ..around }
    }
}

/// Starts nothing.
///
/// # Errors
///
/// Fails if a module file names a plugin.
pub(crate) fn start(
    around: Surroundings<'_>,
    _args: &PluginArgs,
    files: &[PathBuf],
) -> Result<Plugins, CliError> {
    for file in files {
        if let Some(block) = PluginBlock::of_file(file).into_iter().next() {
            return Err(CliError::WithoutPlugins { file: file.clone(), name: block.name });
        }
    }
    Ok(Plugins { registry: around.registry.clone() })
}

/// Starts nothing, and reports no problems.
#[cfg(feature = "lsp")]
pub(crate) fn start_all(
    registry: &Registry,
    _args: &PluginArgs,
    _files: &[PathBuf],
) -> (Plugins, Vec<Infallible>) {
    (Plugins { registry: registry.clone() }, Vec::new())
}

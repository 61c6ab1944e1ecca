//! In place of plugins, in a command that was built without them: the types that it has itself.

#[cfg(feature = "lsp")]
use std::convert::Infallible;
use std::path::PathBuf;

use converge_core::Registry;
use converge_core::load::PluginBlock;

use crate::args::PluginArgs;
use crate::error::CliError;
use crate::surroundings::Surroundings;

/// The types that there are.
#[derive(Debug)]
pub(crate) struct Plugins {
    registry: Registry,
}

impl Plugins {
    /// What there is to work with.
    pub(crate) fn around<'a>(&'a self, around: Surroundings<'a>) -> Surroundings<'a> {
        Surroundings { registry: &self.registry, ..around }
    }
}

/// Starts nothing.
///
/// # Errors
///
/// A module file names a plugin.
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

/// Starts nothing, and finds nothing wrong.
#[cfg(feature = "lsp")]
pub(crate) fn start_all(
    registry: &Registry,
    _args: &PluginArgs,
    _files: &[PathBuf],
) -> (Plugins, Vec<Infallible>) {
    (Plugins { registry: registry.clone() }, Vec::new())
}

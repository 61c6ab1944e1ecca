//! Module files, loaded and reported on.

use std::path::{Path, PathBuf};

use converge_core::Registry;
use converge_core::load::{Loaded, Loader};
use converge_core::report::json;

use crate::args::{Format, Param};
use crate::console::{Console, notice, print};
use crate::diagnostics;
use crate::error::CliError;
use crate::output;

/// One module file.
#[derive(Debug)]
pub(crate) struct Module {
    /// The name that messages show: the path as it was given.
    pub(crate) name: String,
    /// What loading gave.
    pub(crate) loaded: Loaded,
}

impl Module {
    /// Loads a file with parameters; whatever is wrong is in the diagnostics.
    pub(crate) fn load(registry: &Registry, params: &[Param], file: &Path) -> Self {
        let loader = params.iter().fold(Loader::new(registry), |loader, param| {
            loader.with_param(param.name.clone(), param.value.as_str())
        });
        Self { name: file.display().to_string(), loaded: loader.load_file(file) }
    }

    /// Whether the module cannot be run.
    pub(crate) fn has_errors(&self) -> bool {
        self.loaded.diagnostics.has_errors()
    }

    /// Tells what loading found: people on standard error, programs on standard output.
    pub(crate) fn report(&self, format: Format, console: Console) -> Result<(), CliError> {
        let Loaded { diagnostics, sources, .. } = &self.loaded;
        match format {
            Format::Human => {
                let color = console.stderr_color;
                notice(&diagnostics::render_all(&self.name, diagnostics, sources, color));
                Ok(())
            }
            Format::Json => diagnostics.iter().try_for_each(|diagnostic| {
                print(&output::json_line(&json::diagnostic(diagnostic, sources))?)
            }),
        }
    }
}

/// Loads and reports on every file, so that all mistakes are told at once.
pub(crate) fn load_all(
    registry: &Registry,
    params: &[Param],
    files: &[PathBuf],
    format: Format,
    console: Console,
) -> Result<Vec<Module>, CliError> {
    let modules: Vec<Module> = files.iter().map(|file| Module::load(registry, params, file)).collect();
    modules.iter().try_for_each(|module| module.report(format, console))?;
    Ok(modules)
}

//! Module files, loaded and reported on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::Registry;
use converge_core::graph::Graph;
use converge_core::load::{Folder, GivenParam, Loaded, Loader, SourceError, Sources};
use converge_core::report::{Diagnostics, SourceMap, json};

use crate::args::Format;
use crate::console::{Console, notice, print};
use crate::diagnostics;
use crate::error::CliError;
use crate::output;

/// What modules are loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be run, so every parameter needs a value.
    Run,
    /// To be looked at.
    Inspect,
}

/// One module file.
#[derive(Debug)]
pub(crate) struct Module {
    /// The name that messages show: the path as it was given.
    pub(crate) name: String,
    /// What loading gave.
    pub(crate) loaded: Loaded,
}

impl Module {
    /// Loads a file, or what a URL leads to, with parameters; whatever is wrong is in the diagnostics.
    pub(crate) fn load<'a>(
        registry: &Registry,
        sources: &Sources,
        params: impl IntoIterator<Item = &'a GivenParam>,
        file: &Path,
        purpose: Purpose,
    ) -> Self {
        let loader = Loader::new(registry).with_sources(sources.clone());
        let loader = match purpose {
            Purpose::Run => loader,
            Purpose::Inspect => loader.for_inspection(),
        };
        let loader = params.into_iter().fold(loader, |loader, param| loader.with_given(param.clone()));
        // Only text can be a URL.
        let name = file.display().to_string();
        Self { name, loaded: file.to_str().map_or_else(|| loader.load_file(file), |url| loader.load(url)) }
    }

    /// Stands for what could not be found.
    fn missing(path: &Path, problem: SourceError) -> Self {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(problem.into());
        let loaded = Loaded { graph: Graph::default(), diagnostics, sources: Arc::default() };
        Self { name: path.display().to_string(), loaded }
    }

    /// Whether the module has this parameter.
    fn takes(&self, param: &GivenParam) -> bool {
        self.loaded.graph.find(&format!("root/param.{}", param.name)).is_some()
    }

    /// Whether the module cannot be run.
    pub(crate) fn has_errors(&self) -> bool {
        self.loaded.diagnostics.has_errors()
    }

    /// Tells what loading found: people on standard error, programs on standard output.
    pub(crate) fn report(&self, format: Format, console: Console) -> Result<(), CliError> {
        report(&self.name, &self.loaded.diagnostics, &self.loaded.sources, format, console)
    }
}

/// Tells what is wrong with a text of this name.
pub(crate) fn report(
    name: &str,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
    format: Format,
    console: Console,
) -> Result<(), CliError> {
    match format {
        Format::Human => {
            notice(&diagnostics::render_all("load", name, diagnostics, sources, console.stderr_color));
            Ok(())
        }
        Format::Json => diagnostics
            .iter()
            .try_for_each(|diagnostic| print(&output::json_line(&json::diagnostic(diagnostic, sources))?)),
    }
}

/// Loads and reports on every file, so that all mistakes are told at once. A parameter is for those of the
/// files that have it; one that none has is a mistake in each.
pub(crate) fn load_all(
    registry: &Registry,
    sources: &Sources,
    params: &[GivenParam],
    files: &[PathBuf],
    purpose: Purpose,
    format: Format,
    console: Console,
) -> Result<Vec<Module>, CliError> {
    let mut modules: Vec<Module> =
        files.iter().map(|file| Module::load(registry, sources, params, file, purpose)).collect();
    let elsewhere: Vec<&GivenParam> =
        params.iter().filter(|param| modules.iter().any(|module| module.takes(param))).collect();
    for (module, file) in modules.iter_mut().zip(files) {
        if elsewhere.iter().any(|param| !module.takes(param)) {
            let known: Vec<bool> = params.iter().map(|param| module.takes(param)).collect();
            let fitting = params
                .iter()
                .zip(known)
                .filter(|(param, known)| *known || !elsewhere.iter().any(|other| other.name == param.name));
            *module = Module::load(registry, sources, fitting.map(|(param, _)| param), file, purpose);
        }
    }
    modules.iter().try_for_each(|module| module.report(format, console))?;
    Ok(modules)
}

/// The files and URLs that are given, with the modules of a folder in its place, and a module that stands for each
/// folder that has none.
pub(crate) fn in_folders(given: &[PathBuf]) -> (Vec<PathBuf>, Vec<Module>) {
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for path in given {
        match Folder::read(path) {
            Some(folder) => {
                files.extend(folder.modules);
                missing.extend(folder.problems.into_iter().map(|problem| Module::missing(path, problem)));
            }
            None => files.push(path.clone()),
        }
    }
    (files, missing)
}

//! Loading of module files, and reports of their mistakes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::diagnostic::{Diagnostics, SourceMap};
use converge_core::graph::ParamOrigin;
use converge_core::load::{
    AutomaticEdges, Folder, GivenParam, GivenParams, Loaded, Loader, SourceError, Sources,
};
use converge_core::plan::Plan;
use converge_core::{Limits, Redactor, Registry};

use crate::args::{Format, ModuleArgs};
use crate::command_context::Surroundings;
use crate::console::Console;
use crate::error::CliError;
use crate::output::diagnostics;

/// The purpose that modules are loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The module will be run, so every parameter needs a value.
    Run,
    /// The module is only inspected.
    Inspect,
}

#[derive(Debug)]
pub(crate) struct Module {
    /// The name in messages: the path as it was given.
    pub(crate) name: String,
    pub(crate) loaded: Loaded,
}

impl Module {
    fn takes(&self, param: &GivenParam) -> bool {
        self.loaded.partial_graph().find(&format!("root/param.{}", param.name)).is_some()
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.loaded.diagnostics.has_errors()
    }

    pub(crate) fn report(&self, format: Format, console: Console) -> Result<(), CliError> {
        diagnostics::report(&self.name, &self.loaded.diagnostics, &self.loaded.sources, format, console)?;
        if self.has_errors() && format == Format::Human {
            diagnostics::report_files_beside(&self.name);
        }
        Ok(())
    }
}

/// The mistakes in one validated file: a module, a file of parameters, or a path that was not found.
#[derive(Debug)]
pub(crate) struct FileReport {
    pub(crate) name: String,
    pub(crate) diagnostics: Diagnostics,
    sources: Arc<SourceMap>,
    kind: Kind,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Module,
    Params,
    Missing,
}

impl FileReport {
    fn missing(path: &Path, problem: SourceError) -> Self {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(problem.into());
        Self { name: path.display().to_string(), diagnostics, sources: Arc::default(), kind: Kind::Missing }
    }

    fn params(path: &Path, params: GivenParams) -> Self {
        let GivenParams { diagnostics, sources, .. } = params;
        Self { name: path.display().to_string(), diagnostics, sources: Arc::new(sources), kind: Kind::Params }
    }

    pub(crate) fn show(&self, format: Format, console: Console) -> Result<(), CliError> {
        diagnostics::report(&self.name, &self.diagnostics, &self.sources, format, console)?;
        if self.kind == Kind::Module && self.diagnostics.has_errors() && format == Format::Human {
            diagnostics::report_files_beside(&self.name);
        }
        Ok(())
    }
}

impl From<Module> for FileReport {
    fn from(Module { name, loaded }: Module) -> Self {
        Self { name, diagnostics: loaded.diagnostics, sources: loaded.sources, kind: Kind::Module }
    }
}

#[derive(Debug)]
pub(crate) struct ModuleLoader<'a> {
    registry: &'a Registry,
    redactor: &'a Redactor,
    sources: Sources,
    params: Vec<GivenParam>,
    automatic: AutomaticEdges,
    limits: Limits,
    purpose: Purpose,
}

impl<'a> ModuleLoader<'a> {
    /// Returns a loader with these types, or reports unreadable parameters and returns `None`.
    pub(crate) fn new(
        Surroundings { registry, redactor, console }: Surroundings<'a>,
        args: &ModuleArgs,
        purpose: Purpose,
        format: Format,
    ) -> Result<Option<Self>, CliError> {
        let mut params = Vec::new();
        let mut is_whole = true;
        for read in args.params.read() {
            diagnostics::report(&read.name, &read.given.diagnostics, &read.given.sources, format, console)?;
            is_whole &= !read.given.diagnostics.has_errors();
            params.extend(read.given.params);
        }
        Ok(is_whole.then(|| Self {
            registry,
            redactor,
            sources: args.sources.sources(console),
            params,
            automatic: args.automatic_edges(),
            limits: args.limits(),
            purpose,
        }))
    }

    /// Replaces the sources that modules are loaded from.
    #[cfg(feature = "git")]
    pub(crate) fn with_sources(self, sources: Sources) -> Self {
        Self { sources, ..self }
    }

    /// Adds the parameters of a plan, except for those that are given again.
    ///
    /// # Errors
    ///
    /// Fails if sensitive parameters, which are not in a plan, are missing.
    pub(crate) fn for_plan(
        mut self,
        plan: &Plan,
        file: &Path,
        no_auto_edges: bool,
    ) -> Result<Self, CliError> {
        let origin = ParamOrigin::File { file: file.display().to_string().into(), line: None };
        let mut missing = Vec::new();
        for (name, value) in plan.params() {
            if self.params.iter().any(|param| &*param.name == name) {
                continue;
            }
            match value {
                Some(value) => self.params.push(GivenParam::new(name, value.clone(), origin.clone())),
                None => missing.push(format!("`{name}`")),
            }
        }
        if !missing.is_empty() {
            return Err(CliError::SensitiveMissing { names: missing.join(", ") });
        }
        self.automatic = if no_auto_edges { AutomaticEdges::Omit } else { AutomaticEdges::Add };
        Ok(self)
    }

    /// Loads a file or a URL; mistakes are in the diagnostics of the result.
    pub(crate) fn load(&self, file: &Path) -> Module {
        self.load_with(&self.params, file)
    }

    fn load_with<'p>(&self, params: impl IntoIterator<Item = &'p GivenParam>, file: &Path) -> Module {
        let loader = Loader::new(self.registry)
            .with_sources(self.sources.clone())
            .with_redactor(self.redactor.clone())
            .with_limits(self.limits)
            .with_automatic_edges(self.automatic);
        let loader = match self.purpose {
            Purpose::Run => loader,
            Purpose::Inspect => loader.for_inspection(),
        };
        let loader = params.into_iter().fold(loader, |loader, param| loader.with_given(param.clone()));
        Module {
            name: Redactor::without_passwords(&file.display().to_string()),
            // Only UTF-8 text can be a URL.
            loaded: file.to_str().map_or_else(|| loader.load_file(file), |url| loader.load(url)),
        }
    }

    /// Loads every file.
    ///
    /// Each parameter applies to the files that declare it. A parameter that no file declares is a mistake in
    /// each.
    pub(crate) fn load_all(&self, files: &[PathBuf]) -> Vec<Module> {
        let mut modules: Vec<Module> = files.iter().map(|file| self.load(file)).collect();
        let is_known = |param: &&GivenParam| modules.iter().any(|module| module.takes(param));
        let known_params: Vec<&GivenParam> = self.params.iter().filter(is_known).collect();
        for (module, file) in modules.iter_mut().zip(files) {
            // A parameter of another file is not a mistake in this one.
            let foreign: Vec<&str> =
                known_params.iter().filter(|param| !module.takes(param)).map(|param| &*param.name).collect();
            if !foreign.is_empty() {
                let params = self.params.iter().filter(|param| !foreign.contains(&&*param.name));
                *module = self.load_with(params, file);
            }
        }
        modules
    }
}

pub(crate) fn report_all(modules: &[Module], format: Format, console: Console) -> Result<(), CliError> {
    modules.iter().try_for_each(|module| module.report(format, console))
}

/// Expands folders to the module files in them.
///
/// The second part of the result has a report for each folder without modules, and for each file of
/// parameters in a folder.
pub(crate) fn in_folders(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<FileReport>) {
    let (mut files, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        match Folder::read(path) {
            Some(folder) => {
                for file in folder.modules {
                    match GivenParams::among_modules(&file) {
                        Some(params) => others.push(FileReport::params(&file, params)),
                        None => files.push(file),
                    }
                }
                others.extend(folder.problems.into_iter().map(|problem| FileReport::missing(path, problem)));
            }
            None => files.push(path.clone()),
        }
    }
    (files, others)
}

//! The loader of modules.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;

use super::cancellation::stopped;
use super::expand::Expander;
use super::final_checks::complete;
use super::link::link;
use super::load_result::Loaded;
use super::parameters::GivenParam;
use crate::analysis::constants::Constants;
use crate::analysis::secrets;
use crate::diagnostic::SourceMap;
use crate::files::cache::ModuleCache;
use crate::files::module_file::ModuleFile;
use crate::files::module_files::ModuleFiles;
use crate::files::unused_names;
use crate::footprint::AutomaticEdges;
use crate::graph::{Graph, ParamOrigin, PathNames};
use crate::language::WorkBudget;
use crate::model::problems::Problems;
use crate::model::purpose::Purpose;
use crate::redact::Redactor;
use crate::sdk::app_state::AppState;
use crate::sdk::registry::Registry;
use crate::types::type_table::TypeTable;
use converge_graph::app_state::missing_state;
use converge_source::{Source, SourceError, Sources};
use converge_value::types::cancellation::Stop;
use converge_value::types::limits::Limits;
use converge_value::types::value::{Text, Value};
use converge_value::types::visibility::Visible;

/// A loader of modules with the resource types of a registry.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
///
/// let registry = Registry::new();
/// let loaded = Loader::new(&registry).load_text("hello.hcl", r#"param "who" { default = "you" }"#);
/// assert!(loaded.diagnostics.is_empty());
/// assert_eq!(loaded.into_graph()?.len(), 1);
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
#[derive(Debug)]
pub struct Loader<'a> {
    types: TypeTable<'a>,
    params: IndexMap<Arc<str>, GivenParam>,
    purpose: Purpose,
    limits: Limits,
    sources: Sources,
    redactor: Redactor,
    app_state: Option<AppState>,
    cache: Option<ModuleCache>,
    automatic: AutomaticEdges,
    visible: Arc<Visible>,
    deadline: Option<Duration>,
    token: Option<CancellationToken>,
}

impl<'a> Loader<'a> {
    /// Creates a loader without parameters.
    pub fn new(registry: &'a Registry) -> Self {
        Self {
            types: TypeTable::new(registry),
            params: IndexMap::new(),
            purpose: Purpose::Run,
            limits: Limits::default(),
            sources: Sources::new(),
            redactor: Redactor::new(),
            app_state: None,
            cache: None,
            automatic: AutomaticEdges::default(),
            visible: Arc::default(),
            deadline: None,
            token: None,
        }
    }

    /// Sets a parameter of the module; a later value for the same name wins.
    ///
    /// A value must be UTF-8, so a path is given as `Value::try_from(path)?`.
    pub fn with_param(self, name: impl Into<Text>, value: impl Into<Value>) -> Self {
        self.with_given(GivenParam::new(name, value, ParamOrigin::Code))
    }

    /// Sets a parameter of the module, with its origin; a later value for the same name wins.
    ///
    /// Text from the command line or the environment is parsed as JSON if the parameter's type is a list or a
    /// map. An environment variable for a parameter that the module does not have is ignored.
    ///
    /// ```
    /// use converge_core::Registry;
    /// use converge_core::graph::ParamOrigin;
    /// use converge_core::load::{GivenParam, Loader};
    ///
    /// let registry = Registry::new();
    /// let ports = GivenParam::new("ports", "[80, 443]", ParamOrigin::CommandLine);
    /// let module = r#"param "ports" { type = "list(number)" }"#;
    /// assert!(Loader::new(&registry).with_given(ports).load_text("web.hcl", module).into_graph().is_ok());
    /// ```
    pub fn with_given(mut self, param: GivenParam) -> Self {
        self.params.insert(Arc::clone(&param.name), param);
        self
    }

    /// Loads modules for inspection rather than a run; a parameter without a value is then no error.
    pub fn for_inspection(mut self) -> Self {
        self.purpose = Purpose::Inspect;
        self
    }

    /// Limits the resources, the text and the work of expressions and templates of a load.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Cancels a load that takes longer than `deadline`.
    ///
    /// This applies to every stage: a slow server or [`ModuleSource`](converge_source::ModuleSource), an expression, or
    /// a long text. The load then fails with the code `load-deadline`, and the error names what was being
    /// read or evaluated.
    ///
    /// Each text is then read on its own thread. After a cancellation the thread ends when its source returns
    /// or checks its [`Reading`](converge_source::Reading). Functions of the program itself are not interrupted.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use converge_core::Registry;
    /// use converge_core::load::{Loader, ModuleSource, Reading, SourceError, Sources};
    ///
    /// /// A source that is never heard of again.
    /// #[derive(Debug)]
    /// struct Lost;
    ///
    /// impl ModuleSource for Lost {
    ///     fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
    ///         while reading.stopped().is_none() {
    ///             std::thread::yield_now();
    ///         }
    ///         Err(SourceError::Unreadable { name: name.to_owned(), reason: "it is lost".to_owned() })
    ///     }
    /// }
    ///
    /// let registry = Registry::new();
    /// let loader = Loader::new(&registry).with_sources(Sources::only(Lost)).with_deadline(Duration::from_millis(10));
    /// let error = loader.load("site.hcl").into_graph().unwrap_err();
    /// // And it says what was being read, when the load came so far.
    /// assert!(error.to_string().starts_with("error[load-deadline]: site.hcl was not loaded: it took longer than 10ms"));
    /// ```
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Cancels a load when `token` is cancelled, with the code `load-cancelled`.
    ///
    /// The load ends in the same way as at a [deadline](Self::with_deadline).
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.token = Some(token);
        self
    }

    /// Sets whether edges are derived from what resources manage and need; by default they are.
    pub fn with_automatic_edges(mut self, automatic: AutomaticEdges) -> Self {
        self.automatic = automatic;
        self
    }

    /// Sets how modules are found and read; by default they are files.
    pub fn with_sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// Sets the cache that checked module files are read from and stored in.
    pub fn with_cache(mut self, cache: &ModuleCache) -> Self {
        self.cache = Some(cache.clone());
        self
    }

    /// Sets what modules see of the machine and of this process; by default everything.
    ///
    /// This applies at load and in a run.
    pub fn with_visible(mut self, visible: Visible) -> Self {
        self.visible = Arc::new(visible);
        self
    }

    /// Sets the application state of the engine, `Engine::app_state`.
    ///
    /// A resource whose type [needs](converge_sdk::Preparer::NEEDS) more is then a load error. Without this setting
    /// it is an error of the run, before the run begins.
    pub fn with_app_state(mut self, state: AppState) -> Self {
        self.app_state = Some(state);
        self
    }

    /// Sets the redactor for the secrets of the modules, which every graph then shares.
    ///
    /// By default the graphs of this loader share a redactor of their own.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Loads the module at a path or a URL that the [`Sources`] support, and the modules that it calls.
    pub fn load(&self, source: &str) -> Loaded {
        self.load_resolved(self.sources.resolve(None, source))
    }

    /// Loads a module file, and the modules that it calls.
    pub fn load_file(&self, path: &Path) -> Loaded {
        self.load_source(&Source::file(path))
    }

    /// Loads a module from text, and the modules that it calls.
    ///
    /// Messages call the module `name`; its paths are relative to the working directory.
    pub fn load_text(&self, name: &str, text: impl Into<Text>) -> Loaded {
        let (name, text) = (name.into(), text.into().into());
        let sources = self.sources.beside(Some(Path::new("")));
        self.load_module(&Arc::clone(&name), &sources, |files, problems| files.given(name, &text, problems))
    }

    /// Loads the module at a place, and the modules that it calls.
    pub fn load_source(&self, source: &Source) -> Loaded {
        self.load_resolved(Ok(source.clone()))
    }

    fn load_resolved(&self, source: Result<Source, SourceError>) -> Loaded {
        let name = source.as_ref().map_or_else(|_| "the module".into(), |source| Arc::clone(source.name()));
        // The lock file of a module that is a folder is in that folder.
        let folder = source.as_ref().ok().and_then(Source::folder);
        let sources = self.sources.beside(folder.as_deref());
        self.load_module(&name, &sources, |files, problems| {
            let source = files.settle(source?)?;
            files.open_first(&source, problems)
        })
    }

    /// Loads a module and all modules that it calls into a graph.
    fn load_module(
        &self,
        name: &Arc<str>,
        sources: &Sources,
        open: impl FnOnce(&mut ModuleFiles<'_>, &mut Problems) -> Result<ModuleFile, SourceError>,
    ) -> Loaded {
        let stop = Stop::new(self.deadline, self.token.clone());
        let mut problems = Problems { stop: stop.clone(), ..Problems::default() };
        let budget = Arc::new(WorkBudget::from_limits(self.limits).until(stop.clone()));
        let mut files = ModuleFiles::new(&self.types, sources, &self.redactor, Arc::clone(&budget))
            .with_cache(self.cache.as_ref());
        let file = match open(&mut files, &mut problems) {
            Ok(file) => file,
            Err(error) => {
                problems.report(error.into());
                let sources = Arc::new(SourceMap::with_redactor(self.redactor.clone()));
                return self.unloaded(name, problems, sources);
            }
        };
        let unused = match self.purpose {
            Purpose::Inspect => unused_names::find(&file),
            Purpose::Run => Vec::new(),
        };
        let mut constants = Constants::new(self.purpose, budget).with_functions(self.types.functions());
        let expander = Expander::new(&self.types, files, &mut constants, &mut problems);
        // A load that may not see the working directory is for other machines.
        let shows_paths = self.visible.shows_working_dir();
        let paths = if shows_paths { PathNames::from_machine() } else { PathNames::default() };
        let (drafts, sources) = expander.root(file, &self.params, Arc::clone(&self.visible), paths);
        let sources = Arc::new(sources);
        if problems.stopped().is_some() {
            return self.unloaded(name, problems, sources);
        }
        let mut graph = link(drafts, Arc::clone(&sources), &constants, &mut problems);
        graph.functions = self.types.functions().clone();
        if problems.stopped().is_some() {
            return self.unloaded(name, problems, sources);
        }
        let Problems { mut diagnostics, unread, .. } = problems;
        diagnostics.extend(self.app_state.iter().flat_map(|state| missing_state(&graph, state)));
        secrets::withhold(&mut diagnostics, &unread, &sources);
        complete(&mut graph, &constants, self.automatic, &mut diagnostics);
        // After an error, a parameter may seem unused only because its use could not be read.
        if !diagnostics.has_errors() {
            diagnostics.extend(unused.into_iter().filter_map(|unused| unused.warning_in(&graph)));
        }
        if let Some(reason) = stop.as_ref().and_then(Stop::reason) {
            // The graph is incomplete.
            (graph, diagnostics) = (Graph::default(), stopped(name, reason, &diagnostics));
            diagnostics.redact(&self.redactor);
        }
        diagnostics.sort(&sources);
        // An error in a module that is called twice is reported once.
        diagnostics.dedup();
        let resources = graph.resources().count();
        tracing::info!(module = &**name, resources, problems = diagnostics.len(), "loaded");
        Loaded::new(graph, diagnostics, sources)
    }
    /// Returns the result of a load that failed to open the module or was cancelled before linking.
    fn unloaded(&self, name: &str, problems: Problems, sources: Arc<SourceMap>) -> Loaded {
        let reason = problems.stopped();
        let Problems { mut diagnostics, unread, .. } = problems;
        secrets::withhold(&mut diagnostics, &unread, &sources);
        if let Some(reason) = reason {
            diagnostics = stopped(name, reason, &diagnostics);
        }
        diagnostics.redact(&self.redactor);
        diagnostics.sort(&sources);
        Loaded::new(Graph::default(), diagnostics, sources)
    }
}

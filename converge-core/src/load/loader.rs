//! Loads modules.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;

use super::app_state::missing_state;
use super::cache::ModuleCache;
use super::cancellation::stopped;
use super::constants::Constants;
use super::expand::Expander;
use super::final_checks::complete;
use super::footprint::AutomaticEdges;
use super::link::link;
use super::load_result::Loaded;
use super::module_file::ModuleFile;
use super::module_files::ModuleFiles;
use super::parameters::GivenParam;
use super::problems::Problems;
use super::purpose::Purpose;
use super::secrets;
use super::source::{Source, SourceError, Sources};
use super::type_table::TypeTable;
use super::unused_names;
use crate::diagnostic::SourceMap;
use crate::graph::{Graph, ParamOrigin};
use crate::language::WorkBudget;
use crate::redact::Redactor;
use crate::sdk::app_state::AppState;
use crate::sdk::registry::Registry;
use crate::types::cancellation::Stop;
use crate::types::limits::Limits;
use crate::types::value::{Text, Value};
use crate::types::visibility::Visible;

/// Loads modules with the resource types of a registry.
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
    /// A loader with no parameters.
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

    /// Gives a parameter of the module a value. A later value for the same name wins.
    ///
    /// What is not UTF-8 is no value, so a path is given as `Value::try_from(path)?`.
    pub fn with_param(self, name: impl Into<Text>, value: impl Into<Value>) -> Self {
        self.with_given(GivenParam::new(name, value, ParamOrigin::Code))
    }

    /// Gives a parameter of the module a value, and says where that comes from. A later value for the same name
    /// wins.
    ///
    /// Text from the command line or the environment is read as JSON for a parameter whose type is a list or a
    /// map; an environment variable for a parameter that the module does not have is no mistake.
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

    /// Loads modules to look at them rather than to run them: that a parameter has no value is then no
    /// mistake.
    pub fn for_inspection(mut self) -> Self {
        self.purpose = Purpose::Inspect;
        self
    }

    /// Limits what a load may cost: its resources, the text that it reads, and the work of its expressions and templates.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Gives up a load that takes longer, whatever it is at: a server or a [`ModuleSource`](super::ModuleSource) that is slow, an expression
    /// that computes, a text that is long. It is then an error with the code `load-deadline`, which names what was being read or
    /// evaluated.
    ///
    /// A thread for itself reads each text then. One that was given up ends when its source does, or looks at its
    /// [`Reading`](super::Reading). What is not interrupted are functions of the program itself.
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

    /// Gives up a load when this token is cancelled, in the same way as at a [deadline](Self::with_deadline). The code is
    /// `load-cancelled`.
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.token = Some(token);
        self
    }

    /// Says whether resources wait for each other because of what they manage and need, without a name that says so.
    /// They do when nothing is said.
    pub fn with_automatic_edges(mut self, automatic: AutomaticEdges) -> Self {
        self.automatic = automatic;
        self
    }

    /// Says how modules are found and read. Without it, they are files.
    pub fn with_sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// Takes module files that were read and checked before from this cache, and keeps them there.
    pub fn with_cache(mut self, cache: &ModuleCache) -> Self {
        self.cache = Some(cache.clone());
        self
    }

    /// Says what modules see of the machine and of this process, at load and in a run. Without it, they see everything.
    pub fn with_visible(mut self, visible: Visible) -> Self {
        self.visible = Arc::new(visible);
        self
    }

    /// Says what state of the application the engine will have, [`Engine::app_state`](crate::engine::Engine::app_state). A resource
    /// whose type [needs](crate::Preparer::NEEDS) more is then an error of the module. Without this it is one of the run, before it
    /// begins.
    pub fn with_app_state(mut self, state: AppState) -> Self {
        self.app_state = Some(state);
        self
    }

    /// Keeps the secrets of the modules in this redactor, which every graph has then. Without it the graphs of this loader have
    /// one of their own.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Loads the module of a path, or of any URL that the [`Sources`] know, and the modules that it calls.
    pub fn load(&self, source: &str) -> Loaded {
        self.load_source(self.sources.resolve(None, source))
    }

    /// Loads a module file, and the modules that it calls.
    pub fn load_file(&self, path: &Path) -> Loaded {
        self.load_source(Ok(Source::file(path)))
    }

    /// Loads a module from text, and the modules that it calls. `name` is what messages call it; paths in it are
    /// relative to the working directory.
    pub fn load_text(&self, name: &str, text: impl Into<Text>) -> Loaded {
        let (name, text) = (name.into(), text.into().into());
        let sources = self.sources.beside(Some(Path::new("")));
        self.load_module(&Arc::clone(&name), &sources, |files, problems| files.given(name, &text, problems))
    }

    fn load_source(&self, source: Result<Source, SourceError>) -> Loaded {
        let name = source.as_ref().map_or_else(|_| "the module".into(), |source| Arc::clone(source.name()));
        // Of a folder, the lock file is in it.
        let folder = source.as_ref().ok().and_then(Source::folder);
        let sources = self.sources.beside(folder.as_deref());
        self.load_module(&name, &sources, |files, problems| {
            let source = files.settle(source?)?;
            files.open_first(&source, problems)
        })
    }

    /// The graph of a module, and of all that it calls.
    fn load_module(
        &self,
        name: &Arc<str>,
        sources: &Sources,
        open: impl FnOnce(&mut ModuleFiles<'_>, &mut Problems) -> Result<ModuleFile, SourceError>,
    ) -> Loaded {
        let stop = Stop::new(self.deadline, self.token.clone());
        let mut problems = Problems { stop: stop.clone(), ..Problems::default() };
        let budget = Arc::new(WorkBudget::of(self.limits).until(stop.clone()));
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
        let (drafts, sources) = expander.root(file, &self.params, Arc::clone(&self.visible));
        let sources = Arc::new(sources);
        if problems.stopped().is_some() {
            return self.unloaded(name, problems, sources);
        }
        let mut graph = link(drafts, Arc::clone(&sources), &mut problems);
        graph.functions = self.types.functions().clone();
        if problems.stopped().is_some() {
            return self.unloaded(name, problems, sources);
        }
        let Problems { mut diagnostics, unread, .. } = problems;
        diagnostics.extend(self.app_state.iter().flat_map(|state| missing_state(&graph, state)));
        secrets::withhold(&mut diagnostics, &unread, &sources);
        complete(&mut graph, &constants, self.automatic, &mut diagnostics);
        // What is wrong may be all that uses it.
        if !diagnostics.has_errors() {
            diagnostics.extend(unused.into_iter().filter_map(|unused| unused.warning_in(&graph)));
        }
        if let Some(reason) = stop.as_ref().and_then(Stop::reason) {
            // Not all of it is there.
            (graph, diagnostics) = (Graph::default(), stopped(name, reason, &diagnostics));
            diagnostics.redact(&self.redactor);
        }
        diagnostics.sort(&sources);
        // What is wrong in a module that is called twice is one mistake.
        diagnostics.dedup();
        let resources = graph.resources().count();
        tracing::info!(module = &**name, resources, problems = diagnostics.len(), "loaded");
        Loaded::new(graph, diagnostics, sources)
    }
    /// What there is of a module that cannot be read, or whose load was given up before there is a graph.
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

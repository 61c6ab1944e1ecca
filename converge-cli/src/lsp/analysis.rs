//! Background analysis of modules, separate from the answers to requests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use converge_core::Registry;
use converge_core::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use converge_core::engine::CancellationToken;
use converge_core::load::{GivenParams, Loaded, Loader, ModuleCache, Source, Sources};

/// The maximum duration of a load, after which it is abandoned with a diagnostic.
const DEADLINE: Duration = Duration::from_secs(30);

/// The stack size in bytes, that of a main thread: expressions may be nested deeply.
const STACK: usize = 8 << 20;

/// A file to analyse, as the entry file of a load.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) root: Source,
    /// The text that the client has.
    pub(super) text: Arc<str>,
    /// The number of text changes before the job started.
    pub(super) changes: u64,
    pub(super) registry: Registry,
    pub(super) sources: Sources,
    pub(super) cache: ModuleCache,
    pub(super) token: CancellationToken,
}

/// The result of an analysis.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) root: Source,
    pub(super) text: Arc<str>,
    pub(super) changes: u64,
    pub(super) diagnostics: Diagnostics,
    pub(super) files: Arc<SourceMap>,
    /// Whether the analysis was abandoned because a text changed.
    pub(super) is_stale: bool,
}

impl Job {
    /// Runs the job on its own thread, which passes its findings to `hand_on`.
    ///
    /// # Errors
    ///
    /// Fails if no thread can be started; then no findings follow.
    pub(super) fn start(self, hand_on: impl FnOnce(Findings) + Send + 'static) -> std::io::Result<()> {
        let thread = thread::Builder::new().name("analysis".to_owned()).stack_size(STACK);
        thread.spawn(move || hand_on(self.run())).map(drop)
    }

    fn run(self) -> Findings {
        let Self { root, text, changes, registry, sources, cache, token } = self;
        let result = catch_unwind(AssertUnwindSafe(|| {
            if let Some(GivenParams { diagnostics, sources, .. }) =
                GivenParams::from_values(root.name(), &text)
            {
                return (diagnostics, Arc::new(sources));
            }
            // Each load has its own secrets, so that a half typed value is not redacted in the next load.
            let loader = Loader::new(&registry)
                .with_sources(sources)
                .with_cache(&cache)
                .with_deadline(DEADLINE)
                .cancel_on(token.clone())
                .for_inspection();
            let path = Path::new(&**root.name());
            // A file of a module folder is analysed together with the folder.
            let folder = Source::folder_of(path).and_then(|_| path.parent());
            let Loaded { diagnostics, sources, .. } = loader.load_file(folder.unwrap_or(path));
            (diagnostics, sources)
        }));
        // No findings at all would look like a module without mistakes.
        let panicked = |_| {
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(Diagnostic::error("load-panicked", "the program panicked when it loaded this"));
            (diagnostics, Arc::default())
        };
        let (diagnostics, files) = result.unwrap_or_else(panicked);
        Findings { root, text, changes, diagnostics, files, is_stale: token.is_cancelled() }
    }
}

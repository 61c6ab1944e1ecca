//! What is wrong with a module, found out beside the answers to the client.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use converge_core::Registry;
use converge_core::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use converge_core::engine::CancellationToken;
use converge_core::load::{GivenParams, Loaded, Loader, ModuleCache, Source, Sources};

/// After this long a load is given up, and says so.
const DEADLINE: Duration = Duration::from_secs(30);

/// As much as the first thread has: expressions may be nested deep.
const STACK: usize = 8 << 20;

/// A file that is to be looked at, as a load would begin with it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) root: Source,
    /// How the client has it.
    pub(super) text: Arc<str>,
    /// How many changes of texts there were before.
    pub(super) changes: u64,
    pub(super) registry: Registry,
    pub(super) sources: Sources,
    pub(super) cache: ModuleCache,
    pub(super) token: CancellationToken,
}

/// What was found out about a file.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) root: Source,
    pub(super) text: Arc<str>,
    pub(super) changes: u64,
    pub(super) diagnostics: Diagnostics,
    pub(super) files: Arc<SourceMap>,
    /// Whether it was given up because something has changed.
    pub(super) is_stale: bool,
}

impl Job {
    /// Does it on a thread of its own, which hands the findings on. Nothing comes when no thread can be had.
    pub(super) fn start(self, hand_on: impl FnOnce(Findings) + Send + 'static) -> std::io::Result<()> {
        let thread = thread::Builder::new().name("analysis".to_owned()).stack_size(STACK);
        thread.spawn(move || hand_on(self.run())).map(drop)
    }

    fn run(self) -> Findings {
        let Self { root, text, changes, registry, sources, cache, token } = self;
        let found = catch_unwind(AssertUnwindSafe(|| {
            if let Some(GivenParams { diagnostics, sources, .. }) =
                GivenParams::from_values(root.name(), &text)
            {
                return (diagnostics, Arc::new(sources));
            }
            // Each load has secrets of its own: what is half typed is no secret of the next one.
            let loader = Loader::new(&registry)
                .with_sources(sources)
                .with_cache(&cache)
                .with_deadline(DEADLINE)
                .cancel_on(token.clone())
                .for_inspection();
            let path = Path::new(&**root.name());
            // What is part of a folder means nothing by itself.
            let folder = Source::folder_of(path).and_then(|_| path.parent());
            let Loaded { diagnostics, sources, .. } = loader.load_file(folder.unwrap_or(path));
            (diagnostics, sources)
        }));
        // Silence would say that nothing is wrong.
        let panicked = |_| {
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(Diagnostic::error("load-panicked", "the program panicked when it loaded this"));
            (diagnostics, Arc::default())
        };
        let (diagnostics, files) = found.unwrap_or_else(panicked);
        Findings { root, text, changes, diagnostics, files, is_stale: token.is_cancelled() }
    }
}

//! What `plan`, `apply` and `healthcheck` have in common.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use converge_core::diagnostic::SourceMap;
use converge_core::engine::{Engine, Event, EventSink, Interrupt, Summary};
use converge_core::graph::{Edge, EdgeReason, Graph};
use converge_core::system::LocalSystem;
use converge_core::view::explain::Reports;
use converge_core::{Registry, RunMode};
use serde_json::json;

use crate::args::{Format, ModuleArgs, StateArgs};
use crate::console::{BOLD, Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::Signals;
use crate::modules::{Module, ModuleLoader, Purpose, report_all};
use crate::output::{HumanView, Printer, View, json_line};

/// How long threads that do not heed a cancellation are waited for at the end.
const SHUTDOWN: Duration = Duration::from_millis(200);

/// The arguments of all of them.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Module files or URLs; each is a run of its own, in this order.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Run on this machine; this is what happens without it, too.
    #[arg(long)]
    local: bool,

    #[command(flatten)]
    modules: ModuleArgs,

    #[command(flatten)]
    state: StateArgs,

    /// Work on at most this many resources at once [default: the number of processors].
    #[arg(long, value_name = "N")]
    parallelism: Option<NonZeroUsize>,

    /// How to write what happens.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
}

/// Shows a run that is over, in place of its events, and gives its exit code.
type ShowFinished<'a> = &'a dyn Fn(&Graph, &Reports, &Summary) -> Result<Exit, CliError>;

impl RunArgs {
    /// Loads all files, then runs them one after the other. Events are shown as they happen, unless `show_finished`
    /// shows all at the end.
    ///
    /// With a mistake in any file nothing is run. A run that fails or is interrupted is the last one of an
    /// apply, as later files may build on earlier ones; a plan changes nothing, and goes on.
    pub(super) fn run(
        &self,
        mode: RunMode,
        show_finished: Option<ShowFinished<'_>>,
        registry: &Registry,
        console: Console,
    ) -> Result<Exit, CliError> {
        let loader = ModuleLoader::new(registry, &self.modules, Purpose::Run, self.format, console)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let modules = loader.load_all(&self.files);
        report_all(&modules, self.format, console)?;
        if modules.iter().any(Module::has_errors) {
            return Ok(Exit::Error);
        }
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            // One more than one, as signals must be heard while a resource keeps a thread busy.
            .worker_threads(workers.get().max(2))
            .enable_all()
            .build()
            .map_err(CliError::Start)?;
        let journal = self.state.journal();
        let has_journal = journal.is_some();
        let engine = Engine::new(Arc::new(LocalSystem::new()));
        let engine = self.parallelism.into_iter().fold(engine, Engine::with_parallelism);
        let engine = journal.into_iter().fold(engine, Engine::with_journal);
        let (format, interrupt) = (self.format, Interrupt::new());
        let runner = Runner { mode, show_finished, format, console, engine, has_journal, interrupt };
        let exit = runtime.block_on(runner.run_all(modules));
        runtime.shutdown_timeout(SHUTDOWN);
        exit
    }
}

struct Runner<'a> {
    mode: RunMode,
    show_finished: Option<ShowFinished<'a>>,
    format: Format,
    console: Console,
    engine: Engine,
    /// Whether refreshes that are owed outlive the run.
    has_journal: bool,
    interrupt: Interrupt,
}

impl Runner<'_> {
    async fn run_all(&self, modules: Vec<Module>) -> Result<Exit, CliError> {
        let signals = Signals::new().map_err(CliError::Start)?;
        // A task of its own, as this one waits whenever the output cannot be written fast enough.
        tokio::spawn(signals.watch(self.interrupt.clone(), self.console));
        let several = modules.len() > 1;
        let mut exit = Exit::Done;
        let mut modules = modules.into_iter();
        for module in modules.by_ref() {
            self.print_header(&module.name, several)?;
            exit = exit.max(self.run(module).await?);
            if exit == Exit::Interrupted || (exit == Exit::Error && self.mode == RunMode::Apply) {
                break;
            }
        }
        for module in modules {
            self.console.error(format_args!("{} was not begun", module.name));
        }
        Ok(exit)
    }

    fn print_header(&self, file: &str, several: bool) -> Result<(), CliError> {
        match self.format {
            // Says which file the following events are about.
            Format::Json => print(&json_line(&json!({ "event": "module", "file": file }))?),
            Format::Human if several => {
                print(&format!("{}\n", self.console.stdout.paint(BOLD, format_args!("{file}:"))))
            }
            Format::Human => Ok(()),
        }
    }

    async fn run(&self, module: Module) -> Result<Exit, CliError> {
        let graph = Arc::new(module.loaded.graph);
        if self.mode == RunMode::Apply && !self.has_journal && has_refreshes(&graph) {
            self.console.warning(format_args!(
                "{}: a refresh that is not made in this run will be forgotten, as there is no home directory to write \
                 it down in; name a folder with --state-dir",
                module.name
            ));
        }
        let printer = Printer::start(self.view(module.loaded.sources), self.console)?;
        let reports = self.show_finished.map(|_| Reports::new());
        let mut sink = Sink { printer, reports };
        let summary = match self.mode {
            RunMode::Plan => self.engine.plan(&graph, &self.interrupt, &mut sink).await,
            RunMode::Apply => self.engine.apply(&graph, &self.interrupt, &mut sink).await,
        };
        sink.printer.finish()?;
        let summary = summary?;
        let exit = match (self.show_finished, sink.reports) {
            (Some(show), Some(reports)) => show(&graph, &reports, &summary)?,
            _ => verdict(&summary),
        };
        // It is interrupted even when everything was done before the signal had an effect: whoever sent it wants to know
        // that it arrived.
        Ok(if self.interrupt.raised().is_some() { Exit::Interrupted } else { exit })
    }

    fn view(&self, sources: Arc<SourceMap>) -> View {
        match self.format {
            _ if self.show_finished.is_some() => View::Progress(self.format),
            Format::Human => View::Human(HumanView::new(self.console.stdout, sources)),
            Format::Json => View::Json(sources),
        }
    }
}

/// Prints events, and keeps the reports where they are asked for.
struct Sink {
    printer: Printer,
    reports: Option<Reports>,
}

impl EventSink for Sink {
    fn emit(&mut self, event: Event) {
        if let (Some(reports), Event::ResourceFinished(report)) = (&mut self.reports, &event) {
            reports.insert(report.id.clone(), report.clone());
        }
        self.printer.emit(event);
    }

    fn flush(&mut self) {
        self.printer.flush();
    }
}

/// Whether something in the graph has `on_change_of`.
fn has_refreshes(graph: &Graph) -> bool {
    let is_named = |edge: &Edge| edge.reason == EdgeReason::OnChange;
    graph.nodes().any(|(index, _)| graph.dependencies(index).iter().any(is_named))
}

fn verdict(summary: &Summary) -> Exit {
    if !summary.is_success() {
        Exit::Error
    } else if summary.has_changes() {
        Exit::Changes
    } else {
        Exit::Done
    }
}

#[cfg(test)]
mod tests {
    use converge_core::engine::Outcome;

    use super::*;

    #[test]
    fn what_has_refreshes_is_seen() {
        let registry = converge_resources::registry().unwrap();
        let check = |text: &str, expect| {
            let loaded = converge_core::load::Loader::new(&registry).load_text("site.hcl", text);
            assert_eq!(has_refreshes(&loaded.into_graph().unwrap()), expect, "{text}");
        };
        check(
            "task \"a\" { check = \"true\" }\ntask \"b\" {\n  check = \"true\"\n  depends = [\"task.a\"]\n}",
            false,
        );
        check(
            "task \"a\" { check = \"true\" }\ntask \"b\" {\n  check = \"true\"\n  apply = \"true\"\n  on_change_of = [\"task.a\"]\n}",
            true,
        );
    }

    #[test]
    fn the_worst_outcome_counts() {
        let check = |outcomes: &[Outcome], expect| {
            let mut summary = Summary::default();
            for outcome in outcomes {
                summary.count(*outcome);
            }
            assert_eq!(verdict(&summary), expect, "{outcomes:?}");
        };
        check(&[], Exit::Done);
        check(&[Outcome::Unchanged, Outcome::Changed], Exit::Done);
        check(&[Outcome::Unchanged, Outcome::WillChange], Exit::Changes);
        check(&[Outcome::MayChange], Exit::Changes);
        check(&[Outcome::WillChange, Outcome::Failed], Exit::Error);
        check(&[Outcome::Skipped], Exit::Error);
        check(&[Outcome::NotRun], Exit::Error);
    }
}

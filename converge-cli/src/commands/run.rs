//! What `plan`, `apply` and `healthcheck` have in common.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use converge_core::engine::{Engine, Event, EventSink, Interrupt, Summary};
use converge_core::graph::{Edge, EdgeReason, Graph};
use converge_core::report::SourceMap;
use converge_core::report::explain::Reports;
use converge_core::system::LocalSystem;
use serde::Serialize;

use super::healthcheck::{self, Shown};
use crate::args::{Format, ParamArgs, SourceArgs, StateArgs};
use crate::console::{Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::Signals;
use crate::modules::{self, Module, Purpose};
use crate::output::{BOLD, HumanView, JsonView, Paint, Printer, View, json_line};

/// How long threads that do not heed a cancellation are waited for at the end.
const SHUTDOWN: Duration = Duration::from_millis(200);

/// The arguments of all of them.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Module files or URLs; each is a run of its own, in this order.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Run on this machine; this is what happens without it, too.
    #[arg(long)]
    local: bool,

    #[command(flatten)]
    params: ParamArgs,

    #[command(flatten)]
    sources: SourceArgs,

    #[command(flatten)]
    state: StateArgs,

    /// Work on at most this many resources at once [default: the number of processors].
    #[arg(long, value_name = "N")]
    parallelism: Option<NonZeroUsize>,

    /// How to write what happens.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// What a run is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    Plan,
    Apply,
    /// A plan, seen as health.
    Health(Shown),
}

/// In a stream of JSON, says which file the following events are about.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "module")]
struct ModuleStarted<'a> {
    file: &'a str,
}

/// Loads all files, then runs them one after the other.
///
/// With a mistake in any file nothing is run. A run that fails or is interrupted is the last one of an
/// apply, as later files may build on earlier ones; a plan changes nothing, and goes on.
pub(super) fn run(aim: Aim, args: &RunArgs, console: Console) -> Result<Exit, CliError> {
    let registry = super::registry()?;
    let Some(params) = args.params.given(args.format, console)? else { return Ok(Exit::Error) };
    let sources = args.sources.sources();
    let modules =
        modules::load_all(&registry, &sources, &params, &args.files, Purpose::Run, args.format, console)?;
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
    let exit = runtime.block_on(Runner::new(aim, args, console).run_all(modules));
    runtime.shutdown_timeout(SHUTDOWN);
    exit
}

/// Runs modules on this machine.
struct Runner<'a> {
    aim: Aim,
    args: &'a RunArgs,
    console: Console,
    engine: Engine,
    /// Where refreshes that are owed are kept.
    journal: Option<PathBuf>,
    interrupt: Interrupt,
}

impl<'a> Runner<'a> {
    fn new(aim: Aim, args: &'a RunArgs, console: Console) -> Self {
        let engine = Engine::new(Arc::new(LocalSystem::new()));
        let engine = match args.parallelism {
            Some(parallelism) => engine.with_parallelism(parallelism),
            None => engine,
        };
        let journal = args.state.journal();
        let engine = match &journal {
            Some(folder) => engine.with_journal(folder),
            None => engine,
        };
        Self { aim, args, console, engine, journal, interrupt: Interrupt::new() }
    }

    async fn run_all(&self, modules: Vec<Module>) -> Result<Exit, CliError> {
        let signals = Signals::new().map_err(CliError::Start)?;
        // A task of its own, as this one waits whenever the output cannot be written fast enough.
        tokio::spawn(signals.watch(self.interrupt.clone(), self.console));
        let several = modules.len() > 1;
        let mut exit = Exit::Done;
        let mut modules = modules.into_iter();
        for module in modules.by_ref() {
            self.introduce(&module.name, several)?;
            exit = exit.worst(self.run(module).await?);
            if exit == Exit::Interrupted || (exit == Exit::Error && self.aim == Aim::Apply) {
                break;
            }
        }
        for module in modules {
            self.console.error(format_args!("{} was not begun", module.name));
        }
        Ok(exit)
    }

    fn introduce(&self, file: &str, several: bool) -> Result<(), CliError> {
        match self.args.format {
            Format::Json => print(&json_line(&ModuleStarted { file })?),
            Format::Human if several => {
                let paint = Paint { color: self.console.stdout_color };
                print(&format!("{}\n", paint.paint(BOLD, format_args!("{file}:"))))
            }
            Format::Human => Ok(()),
        }
    }

    async fn run(&self, module: Module) -> Result<Exit, CliError> {
        let graph = Arc::new(module.loaded.graph);
        if self.aim == Aim::Apply && self.journal.is_none() && has_refreshes(&graph) {
            self.console.warning(format_args!(
                "{}: a refresh that is not made in this run will be forgotten, as there is no home directory to write \
                 it down in; name a folder with --state-dir",
                module.name
            ));
        }
        let mut printer = Printer::start(self.view(module.loaded.sources), self.console)?;
        let mut reports = None;
        let summary = match self.aim {
            Aim::Plan => self.engine.plan(&graph, &self.interrupt, &mut printer).await,
            Aim::Apply => self.engine.apply(&graph, &self.interrupt, &mut printer).await,
            Aim::Health(_) => {
                let mut collector = Collector { printer: &mut printer, reports: Reports::new() };
                let summary = self.engine.plan(&graph, &self.interrupt, &mut collector).await;
                reports = Some(collector.reports);
                summary
            }
        };
        printer.finish()?;
        let (summary, interrupted) = (summary?, self.interrupt.raised().is_some());
        match (self.aim, reports) {
            (Aim::Health(shown), Some(reports)) => {
                let exit =
                    healthcheck::tell(&graph, &reports, &summary, shown, self.args.format, self.console)?;
                Ok(if interrupted { Exit::Interrupted } else { exit })
            }
            _ => Ok(verdict(&summary, interrupted)),
        }
    }

    fn view(&self, sources: Arc<SourceMap>) -> View {
        match self.args.format {
            _ if matches!(self.aim, Aim::Health(_)) => View::Progress(self.args.format),
            Format::Human => View::Human(HumanView::new(self.console.stdout_color, sources)),
            Format::Json => View::Json(JsonView::new(sources)),
        }
    }
}

/// Keeps what is reported, for when all is known.
struct Collector<'a> {
    printer: &'a mut Printer,
    reports: Reports,
}

impl EventSink for Collector<'_> {
    fn emit(&mut self, event: Event) {
        if let Event::ResourceFinished(report) = &event {
            self.reports.insert(report.id.clone(), report.clone());
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

/// What came of one run. It is interrupted even when everything was done before the signal had an effect:
/// whoever sent it wants to know that it arrived.
fn verdict(summary: &Summary, interrupted: bool) -> Exit {
    if interrupted {
        Exit::Interrupted
    } else if !summary.is_success() {
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
        let check = |outcomes: &[Outcome], interrupted, expect| {
            let mut summary = Summary::default();
            for outcome in outcomes {
                summary.count(*outcome);
            }
            assert_eq!(verdict(&summary, interrupted), expect, "{outcomes:?}");
        };
        check(&[], false, Exit::Done);
        check(&[Outcome::Unchanged, Outcome::Changed], false, Exit::Done);
        check(&[Outcome::Unchanged, Outcome::WillChange], false, Exit::Changes);
        check(&[Outcome::MayChange], false, Exit::Changes);
        check(&[Outcome::WillChange, Outcome::Failed], false, Exit::Error);
        check(&[Outcome::Skipped], false, Exit::Error);
        check(&[Outcome::NotRun], false, Exit::Error);
        check(&[Outcome::Changed], true, Exit::Interrupted);
        check(&[Outcome::Failed], true, Exit::Interrupted);
    }
}

//! Runs of modules, shared by `plan`, `apply`, `healthcheck` and other commands.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use converge_core::RunMode;
use converge_core::diagnostic::SourceMap;
use converge_core::engine::{
    Engine, EngineError, Event, EventKind, EventSink, LockWait, OnDrift, ResourceReport, Run, Summary,
};
use converge_core::graph::Graph;
use converge_core::plan::{ApplyPlanError, Plan};
use converge_core::state::Owner;
use converge_core::system::LocalSystem;
use converge_core::view::explain::Reports;
use serde_json::json;

use crate::args::{Format, ModuleArgs, Selected, SelectionArgs, StateArgs, duration};
use crate::command_context::Surroundings;
use crate::console::{BOLD, Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::{Stop, watch};
use crate::modules::{Module, ModuleLoader, Purpose, report_all};
use crate::output::{HumanView, Printer, View, json_line};
use crate::plan_file::{self, PlanOrigin};
use crate::platform::{Signals, survive_large_files};
use crate::plugins;
use crate::runtime;

/// The time to wait at exit for threads that ignore the cancellation.
const SHUTDOWN: Duration = Duration::from_millis(200);

/// The arguments that all commands with runs share.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Module files or URLs; each is a run of its own, in this order
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Run on this machine; this is also the default
    #[arg(long)]
    local: bool,

    #[command(flatten)]
    modules: ModuleArgs,

    #[command(flatten)]
    state: StateArgs,

    /// Work on at most this many resources at once [default: the number of processors]
    #[arg(long, value_name = "N")]
    parallelism: Option<NonZeroUsize>,

    #[command(flatten)]
    selection: SelectionArgs,

    /// Cancel a run that takes longer (`90s`, `1h`)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    deadline: Option<Duration>,

    /// Let running resources finish for this long when a run is cancelled [default: no time]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    grace: Option<Duration>,

    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(super) format: Format,
}

/// Shows a finished run instead of its events, and returns its exit code.
type ShowFinished<'a> = &'a dyn Fn(&Graph, &Reports, &Summary) -> Result<Exit, CliError>;

/// The kind of run to make of the modules.
pub(super) enum Work<'a> {
    /// Show the changes.
    Plan,
    /// Make a plan, and show it with this function.
    PlanFor(ShowFinished<'a>),
    /// Make and show a plan, and write it into this file.
    PlanInto(PathBuf),
    /// Apply the changes, holding the lock.
    Apply(LockWait),
    /// Apply a saved plan.
    ApplyPlan(Box<PlanToApply>),
}

/// A plan that was read from a file.
pub(super) struct PlanToApply {
    pub(super) plan: Plan,
    pub(super) file: PathBuf,
    pub(super) on_drift: OnDrift,
    pub(super) wait: LockWait,
}

impl<'a> Work<'a> {
    fn mode(&self) -> RunMode {
        match self {
            Self::Plan | Self::PlanFor(_) | Self::PlanInto(_) => RunMode::Plan,
            Self::Apply(_) | Self::ApplyPlan(_) => RunMode::Apply,
        }
    }

    /// Returns the owner that the applied plan was made for.
    fn owner(&self) -> Option<&Owner> {
        match self {
            Self::ApplyPlan(apply) => apply.plan.owner(),
            Self::Plan | Self::PlanFor(_) | Self::PlanInto(_) | Self::Apply(_) => None,
        }
    }

    fn show_finished(&self) -> Option<ShowFinished<'a>> {
        match self {
            Self::PlanFor(show) => Some(*show),
            Self::Plan | Self::PlanInto(_) | Self::Apply(_) | Self::ApplyPlan(_) => None,
        }
    }
}

impl RunArgs {
    /// Returns the module files on the command line.
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Loads all files, then runs them one after the other.
    ///
    /// Events are shown as they happen, unless `work` shows everything at the end.
    ///
    /// If any file has a mistake, nothing is run. An apply stops after a run that fails or is interrupted, as
    /// later files may depend on earlier ones. A plan changes nothing, so it continues.
    pub(super) fn run(&self, work: Work<'_>, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        let console = surroundings.console;
        let runtime = runtime::start()?;
        runtime.block_on(async { survive_large_files() }).map_err(CliError::Start)?;
        let origin = match &work {
            Work::ApplyPlan(apply) => {
                if let Some(option) = self.selection.first_option() {
                    return Err(CliError::SelectionOfPlan { option });
                }
                let origin = PlanOrigin::from_plan(&apply.plan, &apply.file)?;
                origin.check_directory(&apply.file)?;
                Some((origin, apply))
            }
            _ => None,
        };
        let files = origin.as_ref().map_or(&*self.files, |(origin, _)| std::slice::from_ref(&origin.module));
        let plugins = plugins::start(surroundings, &self.modules.plugins, files)?;
        let surroundings = plugins.around(surroundings);
        let loader = ModuleLoader::new(surroundings, &self.modules, Purpose::Run, self.format)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let loader = match &origin {
            Some((origin, apply)) => loader.for_plan(&apply.plan, &apply.file, origin.no_auto_edges)?,
            None => loader,
        };
        let modules = loader.load_all(files);
        report_all(&modules, self.format, console)?;
        if modules.iter().any(Module::has_errors) {
            return Ok(Exit::Error);
        }
        let limits = self.modules.limits();
        let system = LocalSystem::builder().limits(&limits).build().map_err(CliError::System)?;
        let engine = Engine::new(Arc::new(system)).with_limits(limits);
        let engine = self.parallelism.into_iter().fold(engine, Engine::with_parallelism);
        let engine = self.state.configure(engine, work.mode(), work.owner(), console)?;
        let no_auto_edges = self.modules.no_auto_edges;
        let runner = Runner {
            args: self,
            work,
            no_auto_edges,
            format: self.format,
            console,
            engine,
            stop: Stop::default(),
        };
        let exit = runtime.block_on(runner.run_all(modules));
        runtime.shutdown_timeout(SHUTDOWN);
        exit
    }
}

/// The outcome of a run.
struct Done {
    summary: Summary,
    /// The plan to write into a file.
    plan: Option<Plan>,
    /// The graph with the nodes that the run added, if the run is shown at its end.
    grown: Option<Arc<Graph>>,
}

struct Runner<'a> {
    args: &'a RunArgs,
    work: Work<'a>,
    no_auto_edges: bool,
    format: Format,
    console: Console,
    engine: Engine,
    stop: Stop,
}

impl Runner<'_> {
    async fn run_all(&self, modules: Vec<Module>) -> Result<Exit, CliError> {
        let signals = Signals::new().map_err(CliError::Start)?;
        // The task is separate because this one blocks while the output is slow.
        tokio::spawn(watch(signals, self.stop.clone(), self.console));
        let several = modules.len() > 1;
        let mut exit = Exit::Done;
        let mut modules = modules.into_iter();
        for module in modules.by_ref() {
            self.print_header(&module.name, several)?;
            exit = exit.max(self.run(module).await?);
            if exit == Exit::Interrupted || (exit >= Exit::Error && self.work.mode() == RunMode::Apply) {
                break;
            }
        }
        for module in modules {
            self.console.error(format_args!("{} was not started", module.name));
        }
        Ok(exit)
    }

    fn print_header(&self, file: &str, several: bool) -> Result<(), CliError> {
        match self.format {
            // This line names the file of the events that follow.
            Format::Json => print(&json_line(&json!({ "event": "module", "file": file }))?),
            Format::Human if several => {
                print(&format!("{}\n", self.console.stdout.paint(BOLD, format_args!("{file}:"))))
            }
            Format::Human => Ok(()),
        }
    }

    async fn run(&self, module: Module) -> Result<Exit, CliError> {
        // If any module has a mistake, which has been reported, no run is started.
        let Ok(graph) = module.loaded.into_graph() else { return Ok(Exit::Error) };
        let selected = self.args.selection.resolve(&graph)?;
        let view = self.view(&graph, Arc::clone(graph.sources()));
        let printer = Printer::start(view, self.console, self.stop.clone())?;
        let show_finished = self.work.show_finished();
        let reports = show_finished.map(|_| Reports::new());
        let mut sink = Sink { printer, reports };
        let result = self.work_on(&graph, selected, &mut sink).await;
        sink.printer.finish()?;
        let Done { summary, plan, grown } = match result {
            Ok(outcome) => outcome,
            Err(ApplyPlanError::Engine(error)) => return self.report_locked(&module.name, error),
            Err(error) => return Err(error.into()),
        };
        if let (Work::PlanInto(file), Some(plan)) = (&self.work, plan) {
            self.write(plan, &module.name, file).await?;
        }
        let exit = match (show_finished, sink.reports) {
            (Some(show), Some(reports)) => show(grown.as_deref().unwrap_or(&graph), &reports, &summary)?,
            _ => verdict(&summary),
        };
        // A signal counts as an interruption even if everything was done before it took effect: its sender
        // wants to know that it arrived. A machine that reboots also sends a signal, which does not count.
        let is_signal = self.stop.is_asked() && exit != Exit::Booting;
        Ok(if is_signal { Exit::Interrupted } else { exit })
    }

    /// Runs a graph, and returns the plan if it is to be saved.
    async fn work_on(
        &self,
        graph: &Arc<Graph>,
        selected: Selected,
        sink: &mut Sink,
    ) -> Result<Done, ApplyPlanError> {
        let engine = &self.engine;
        let summary = match &self.work {
            Work::Plan => self.configure(engine.plan(graph), selected).sink(sink).await?,
            Work::PlanFor(_) => {
                let run = self.configure(engine.plan(graph), selected).with_graph();
                let (summary, grown) = run.sink(sink).await?;
                return Ok(Done { summary, plan: None, grown: Some(grown) });
            }
            Work::Apply(wait) => {
                self.configure(engine.apply(graph), selected).lock_wait(*wait).sink(sink).await?
            }
            Work::PlanInto(_) => {
                let plan = self.configure(engine.make_plan(graph), selected).sink(sink).await?;
                return Ok(Done { summary: plan.report.summary, plan: Some(plan), grown: None });
            }
            Work::ApplyPlan(apply) => {
                let run = self.configure(engine.apply_plan(graph, &apply.plan), selected);
                run.on_drift(apply.on_drift).lock_wait(apply.wait).sink(sink).await?.summary
            }
        };
        Ok(Done { summary, plan: None, grown: None })
    }

    /// Applies the signals and the command line options to a run.
    fn configure<T, E>(&self, run: Run<T, E>, selected: Selected) -> Run<T, E> {
        let run = run.finish_on(self.stop.finish.clone()).cancel_on(self.stop.cancel.clone());
        let run = self.args.deadline.into_iter().fold(run, Run::deadline);
        let run = self.args.grace.into_iter().fold(run, Run::grace);
        selected.restrict(run)
    }

    /// Writes a plan into a file if it covers every resource.
    async fn write(&self, mut plan: Plan, module: &str, file: &Path) -> Result<(), CliError> {
        if !plan.report.summary.is_success() {
            let file = file.display();
            self.console
                .error(format_args!("{file} was not written because some resources could not be checked"));
            return Ok(());
        }
        PlanOrigin::current(module, self.no_auto_edges)?.mark(&mut plan);
        plan_file::write(&plan, file).await
    }

    /// Reports a run that did not get the lock; returns any other error.
    fn report_locked(&self, module: &str, error: EngineError) -> Result<Exit, CliError> {
        let exit = match error {
            EngineError::Locked { .. } => Exit::Locked,
            EngineError::Interrupted => Exit::Interrupted,
            error => return Err(error.into()),
        };
        self.console.error(format_args!("{module} was not started: {error}"));
        Ok(exit)
    }

    fn view(&self, graph: &Arc<Graph>, sources: Arc<SourceMap>) -> View {
        match self.format {
            _ if self.work.show_finished().is_some() => View::Progress(self.format),
            Format::Human => {
                let view = HumanView::new(self.console.stdout, sources).verbose(self.console.verbose);
                View::Human(if self.work.mode() == RunMode::Plan { view.ordered(graph) } else { view })
            }
            Format::Json => View::Json(sources),
        }
    }
}

/// Prints events, and keeps the reports if they are needed.
struct Sink {
    printer: Printer,
    reports: Option<Reports>,
}

impl EventSink for Sink {
    fn emit(&mut self, event: Event) {
        if let (
            Some(reports),
            EventKind::ResourceFinished(report) | EventKind::ResourceUndone { report, .. },
        ) = (&mut self.reports, &event.kind)
        {
            reports.insert(report.id.clone(), ResourceReport::clone(report));
        }
        self.printer.emit(event);
    }

    fn flush(&mut self) {
        self.printer.flush();
    }
}

fn verdict(summary: &Summary) -> Exit {
    if summary.is_booting && summary.failed + summary.skipped == 0 {
        Exit::Booting
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

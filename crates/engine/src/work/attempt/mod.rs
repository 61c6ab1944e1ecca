//! One attempt at a node: render, prepare, check, apply or refresh, and check again.
//!
//! Each attempt begins with the templates, so that nothing remains from a failed one. If a later attempt
//! finds nothing to do after an earlier one began a change, the resource counts as changed.

mod context;
mod differences;
mod plan;
mod report;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::attempt_progress::{AttemptProgress, Freshness, PlannedChange, ResumePoint};
use super::late_names::declared_by_now;
use super::system_layers::observed_paths::ObservedSystem;
use super::system_layers::secret_exposure::WatchedSystem;
use super::timeout::{Limit, Paused};
use crate::events::approval::OnDrift;
use crate::events::difference::Difference;
use crate::events::error::EngineError;
use crate::events::outcome::Outcome;
use crate::events::progress::ProgressReceiver;
use crate::events::report::{Failure, ResourceReport, Stage};
use crate::graph::{Node, NodeIndex};
use crate::inputs::blocking::offload;
use crate::inputs::node_identity::identity;
use crate::inputs::planned_exports::planned_exports;
use crate::inputs::rendering::{Rendered, evaluate, render};
use crate::inputs::scope::{LARGE, NodeScope};
use crate::sdk::context::{Context, Refreshing, RunMode};
use crate::sdk::declared_things::Declared;
use crate::sdk::error::{Error, Result};
use crate::sdk::export::Exports;
use crate::sdk::progress::ProgressTarget;
use crate::sdk::registry::AnyTask;
use crate::sdk::status::{Status, StatusLevel, TaskStatus};
use crate::tables::managed_so_far::{Values, footprint};
use crate::tables::node_flags::WAITS_FOR_CHANGES;
use crate::tables::refreshes::{RefreshCause, Refreshes};
use crate::tables::run_tables::Shared;
use crate::types::footprint::Footprint;

pub(crate) use self::differences::{add_new, differences};
use self::differences::{amend, failed_status, failed_with, still_differs};
use converge_graph::footprint::takes_turns;

/// The work on a node until it finishes, fails, or waits for the scheduler.
pub(in crate::work) struct Attempt<'a> {
    shared: &'a Arc<Shared>,
    tells: &'a Arc<dyn ProgressReceiver>,
    index: NodeIndex,
    node: &'a Node,
    report: &'a mut ResourceReport,
    marks: &'a mut AttemptState,
    footprint: &'a mut Option<Box<Footprint>>,
    limit: Option<Limit>,
    /// Observes what the checks read, if the run is asked for it.
    observed: Option<Arc<ObservedSystem>>,
    /// Observes the programs that the task runs, if there are secrets.
    watched: Option<Arc<WatchedSystem>>,
    /// The receiver of progress, if there is a subscriber.
    progress: Option<Arc<ProgressTarget>>,
    /// The things that others declare, if the run knows more of them than the load.
    declared: Option<Declared>,
}

/// The state that attempts at a node pass on to later attempts.
#[derive(Debug, Default)]
pub(super) struct AttemptState {
    /// Whether an attempt may have changed the machine.
    touched: bool,
    /// Whether the change was not approved, which no further attempt can alter.
    pub(super) drifted: bool,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(
        shared: &'a Arc<Shared>,
        tells: &'a Arc<dyn ProgressReceiver>,
        report: &'a mut ResourceReport,
        marks: &'a mut AttemptState,
        footprint: &'a mut Option<Box<Footprint>>,
        index: NodeIndex,
    ) -> Self {
        let node = shared.graph.node(index);
        Self {
            shared,
            tells,
            index,
            node,
            report,
            marks,
            footprint,
            limit: None,
            observed: None,
            watched: None,
            progress: None,
            declared: None,
        }
    }

    /// Continues the attempt and stops it at its time limit.
    ///
    /// The running future is then dropped, as by a cancellation.
    pub(super) async fn run(
        mut self,
        at: ResumePoint,
        timeout: Option<Duration>,
    ) -> Result<AttemptProgress, Failure> {
        self.limit = match &at {
            ResumePoint::Start => timeout.and_then(Limit::new),
            ResumePoint::Apply(change, _)
            | ResumePoint::JoinBatch(change, _)
            | ResumePoint::Applied(change, _) => change.paused.and_then(Paused::resume),
            ResumePoint::Finished(_) => None,
        };
        let worked = match self.limit {
            None => self.work(at).await,
            Some(limit) => {
                let worked = tokio::time::timeout_at(limit.deadline(), self.work(at)).await;
                worked.unwrap_or_else(|_| Err(limit.failure(self.shared.stage(self.index))))
            }
        };
        // A status that failed has already set the level.
        if worked.is_err() && !self.report.level.halts() {
            self.report.level = StatusLevel::Fatal;
        }
        worked
    }

    async fn work(&mut self, resume_point: ResumePoint) -> Result<AttemptProgress, Failure> {
        self.declared = declared_by_now(self.shared, self.index).await;
        let progress = match resume_point {
            ResumePoint::Start => match self.prepare().await? {
                AttemptProgress::Planned(change) if !self.is_scheduled(&change) => {
                    self.begin(change, Freshness::Fresh).await?
                }
                progress => return Ok(progress),
            },
            ResumePoint::Apply(change, freshness) => self.begin(change, freshness).await?,
            ResumePoint::JoinBatch(change, freshness) => return self.begin(change, freshness).await,
            ResumePoint::Applied(change, applied) => {
                return self.finish(change, applied).await.map(AttemptProgress::Finished);
            }
            ResumePoint::Finished(finished) => return finished.map(AttemptProgress::Finished),
        };
        let AttemptProgress::Planned(mut change) = progress else { return Ok(progress) };
        let cx = self.context(change.refreshing);
        let applied = match change.stage {
            Stage::Refresh => change.task.refresh_any(&cx).await.unwrap_or_else(|| Err(self.no_refresh())),
            _ => change.task.apply_any(&cx).await,
        };
        self.finish(change, applied).await.map(AttemptProgress::Finished)
    }

    /// Checks the node without a change, and returns what an apply would correct.
    pub(super) async fn look(mut self, timeout: Option<Duration>) -> Result<Vec<Difference>, Failure> {
        self.limit = timeout.and_then(Limit::new);
        let Some(limit) = self.limit else { return self.look_now().await };
        let looked = tokio::time::timeout_at(limit.deadline(), self.look_now()).await;
        looked.unwrap_or_else(|_| Err(limit.failure(self.shared.stage(self.index))))
    }

    async fn look_now(&mut self) -> Result<Vec<Difference>, Failure> {
        self.declared = declared_by_now(self.shared, self.index).await;
        let Ok(mut task) = self.build().await? else { return Ok(Vec::new()) };
        let scope = NodeScope::new(self.shared, self.index);
        // A resource that acts in each apply has acted, so nothing is to be done now.
        let cx = self.context(Refreshing::NotNow).into_owned().with_refreshing(Refreshing::NotNow);
        self.enter(Stage::CheckAfterApply);
        let checked = task.check_any(&cx, &scope).await.unwrap_or_else(failed_status);
        let checked = self.settle(Stage::CheckAfterApply, checked)?;
        if !checked.has_changes() {
            return Ok(Vec::new());
        }
        let mut differences = differences(&checked, self.node.resource.schema());
        if differences.is_empty() {
            differences.push(Difference::new("state", "changed", "as declared"));
        }
        Ok(differences)
    }

    /// Builds the task and runs its check.
    async fn prepare(&mut self) -> Result<AttemptProgress, Failure> {
        let task = match self.build().await? {
            Ok(task) => task,
            Err(unknown) => {
                let exports = self.report_unknown(unknown)?;
                return Ok(AttemptProgress::Finished(Some(exports)));
            }
        };
        let scope = NodeScope::new(self.shared, self.index);
        let cx = self.context(Refreshing::NotNow);
        self.check(task, &cx, &scope).await
    }

    /// Builds the task, or returns the rendered fields if values are not known yet.
    async fn build(&mut self) -> Result<Result<Box<dyn AnyTask>, Rendered>, Failure> {
        let (shared, node) = (self.shared, self.node);
        self.enter(Stage::Render);
        let stopped = |error: EngineError| Failure::new(Stage::Render, error.to_string());
        let rendered = evaluate(shared, self.index, render).await.map_err(stopped)?;
        let rendered = rendered.map_err(|diagnostics| Failure::of_diagnostics(Stage::Render, diagnostics))?;
        self.check_footprint(&rendered.values)?;
        if !rendered.unknown.is_empty() {
            return Ok(Err(rendered));
        }
        let result = if rendered.is_large {
            let resource = Arc::clone(&node.resource);
            offload(true, move || resource.from_values(rendered.values)).await.map_err(stopped)?
        } else {
            node.resource.from_values(rendered.values)
        };
        let resource = result
            .map_err(|errors| Failure::of_diagnostics(Stage::Render, self.field_diagnostics(&errors)))?;
        let scope = NodeScope::new(shared, self.index);
        let cx = self.context(Refreshing::NotNow);
        self.enter(Stage::Prepare);
        let prepared = resource.prepare_any(&cx, &scope).await;
        prepared.map(Ok).map_err(|error| self.failure(Stage::Prepare, &error))
    }

    /// Runs the check and decides which change is needed.
    async fn check(
        &mut self,
        mut task: Box<dyn AnyTask>,
        cx: &Context,
        scope: &NodeScope<'_>,
    ) -> Result<AttemptProgress, Failure> {
        let (shared, index) = (self.shared, self.index);
        self.enter(Stage::Check);
        let checked = task.check_any(cx, scope).await.unwrap_or_else(failed_status);
        self.report.reads = self.reads();
        let doubt = self.doubt();
        if let Some(doubt) = doubt.filter(|_| checked.level().halts()) {
            let exports = exports(shared, &*task, index);
            return Ok(self.report_uncertain_failure(exports, checked, doubt).await);
        }
        let checked = self.settle(Stage::Check, checked)?;
        let cause = match refreshes(shared, index) {
            Some(refreshes) => {
                let identify = |index| identity(shared, index);
                let cause = refreshes.cause(index, &shared.flags, shared.mode(), &identify).await;
                cause.map_err(|error| self.failure(Stage::Check, &Error::other(error)))?
            }
            None => None,
        };
        let change = checked.has_changes();
        // If an earlier attempt began the change, the report keeps the differences from before it.
        if !self.marks.touched || self.report.differences.is_empty() {
            self.report.differences = differences(&checked, self.node.resource.schema());
            self.report.differences.extend(cause.as_ref().map(RefreshCause::difference));
        }
        if !change && cause.is_none() && doubt.is_none() {
            if self.marks.touched {
                self.report.outcome = Outcome::Changed;
            }
            let exports = exports(shared, &*task, index);
            return Ok(AttemptProgress::Finished(mark_secrets(shared, exports).await));
        }
        if shared.mode() == RunMode::Plan {
            let level = Self::plan_level(checked.level(), change, cause.as_ref(), doubt);
            self.report.level = self.report.level.max(level);
            self.report.outcome = match level {
                StatusLevel::MayChange => Outcome::MayChange,
                _ => Outcome::WillChange,
            };
            if level == StatusLevel::MayChange {
                self.report.pending = doubt.map(|doubt| shared.graph.node(doubt.cause).id.clone());
            }
            let exports = mark_secrets(shared, exports(shared, &*task, index)).await;
            let exports = exports.map(|exports| planned_exports(self.node, exports));
            return Ok(AttemptProgress::Finished(exports));
        }
        match self.drift(&checked, change, cause.is_some()) {
            None => {}
            Some((OnDrift::Refuse, drift)) => {
                self.marks.drifted = true;
                let message = format!("it has drifted: the plan did not show {drift}");
                return Err(Failure::new(Stage::Check, message));
            }
            Some((OnDrift::Skip, drift)) => {
                self.report.level = StatusLevel::WontChange;
                let warning = format!("it has drifted and was not changed: the plan did not show {drift}");
                self.report.warnings.push(warning);
                let exports = exports(shared, &*task, index);
                return Ok(AttemptProgress::Finished(mark_secrets(shared, exports).await));
            }
            Some((OnDrift::Replan, drift)) => {
                let message = format!("it has drifted and was planned again: the plan did not show {drift}");
                add_new(&mut self.report.messages, &[&message]);
            }
        }
        // An apply establishes the whole declaration from the current state, so no separate refresh is
        // needed.
        let stage = if change { Stage::Apply } else { Stage::Refresh };
        let paused = self.limit.map(Limit::pause);
        let refreshing = if cause.is_some() { Refreshing::Now } else { Refreshing::NotNow };
        let change = PlannedChange { task, checked, stage, refreshing, paused };
        Ok(AttemptProgress::Planned(Box::new(change)))
    }

    /// Returns the drift of a change and the reaction to it, if the plan did not show the change.
    fn drift(&self, checked: &Status, applies: bool, refreshes: bool) -> Option<(OnDrift, String)> {
        let approval = self.shared.setup.approval.as_ref()?;
        let changes = differences(checked, self.node.resource.schema());
        let graph = &self.shared.graph;
        let end_nodes = graph.ends_of_added(self.index).map(|end| &graph.node(end).id);
        let ids = std::iter::once(&self.node.id).chain(end_nodes);
        let drift = approval.drift(ids, &changes, applies, refreshes)?;
        Some((approval.on_drift(), drift))
    }

    /// Computes and keeps the footprint that was not known at load, and reports clashes.
    fn check_footprint(&mut self, values: &Values) -> Result<(), Failure> {
        let Self { shared, index, node, .. } = *self;
        let graph = &shared.graph;
        if graph.managed_in_run().unclear.contains(&index) || graph.ends_of_added(index).next().is_some() {
            let result = shared.managed.keep(graph, index, &footprint(node, Some(values)), values);
            result.map_err(|clash| Failure::of_diagnostics(Stage::Render, vec![clash]))?;
        }
        let is_asked = shared.mode() == RunMode::Plan
            && (shared.is_asked_about(index) || shared.flags.has(index, WAITS_FOR_CHANGES));
        if (is_asked || shared.mode() == RunMode::Apply) && !node.is_known() {
            *self.footprint = Some(Box::new(footprint(node, Some(values))));
        }
        Ok(())
    }

    /// Whether the scheduler decides when the change is applied.
    fn is_scheduled(&self, change: &PlannedChange) -> bool {
        let resource = &self.node.resource;
        let is_alone = resource.lock().is_some() || takes_turns(self.node);
        is_alone || resource.batches() && change.fits_a_batch()
    }

    /// Prepares the change, up to the point where the machine is modified.
    async fn begin(
        &mut self,
        mut change: Box<PlannedChange>,
        freshness: Freshness,
    ) -> Result<AttemptProgress, Failure> {
        if freshness == Freshness::Stale {
            let scope = NodeScope::new(self.shared, self.index);
            let cx = self.context(Refreshing::NotNow);
            match self.check(change.task, &cx, &scope).await? {
                AttemptProgress::Planned(again) => change = again,
                end @ AttemptProgress::Finished(_) => return Ok(end),
            }
        }
        // The grace period after a cancellation is for finishing work, not for beginning it.
        if self.shared.setup.context.cancellation().is_cancelled() {
            return Err(self.failure(change.stage, &Error::Cancelled));
        }
        if let Some(refreshes) = &self.shared.refreshes {
            let recorded =
                refreshes.record_listeners(self.index, &|index| identity(self.shared, index)).await;
            recorded.map_err(|error| self.failure(Stage::Apply, &Error::other(error)))?;
        }
        self.marks.touched = true;
        self.enter(change.stage);
        change.paused = self.limit.map(Limit::pause);
        Ok(AttemptProgress::Planned(change))
    }

    /// Evaluates the result of a change and checks again.
    async fn finish(
        &mut self,
        change: Box<PlannedChange>,
        applied: Result<Status>,
    ) -> Result<Option<Exports>, Failure> {
        let PlannedChange { mut task, mut checked, stage, .. } = *change;
        let (shared, index) = (self.shared, self.index);
        let applied = match applied {
            // A reboot is neither success nor failure.
            //
            // A pending refresh stays in the journal, which the next boot clears.
            Err(Error::Booting(how)) => {
                self.report.outcome = Outcome::NotRun;
                add_new(&mut self.report.messages, &[&*format!("the machine is booting: {how}")]);
                shared.is_booting.store(true, Ordering::Release);
                return Ok(None);
            }
            Ok(mut status) => {
                amend(&mut self.report.differences, differences(&status, self.node.resource.schema()));
                // An error is handled the same whether it was returned or set on the status.
                match status.take_own_error() {
                    Some(error) => failed_with(checked, &status, error),
                    None => status,
                }
            }
            Err(error) => {
                checked.set_error(error);
                checked
            }
        };
        self.settle(stage, applied)?;
        self.enter(Stage::CheckAfterApply);
        let cx = self.context(Refreshing::NotNow);
        let new_status = task.check_any(&cx, &NodeScope::new(shared, index)).await;
        let mut new_status = new_status.unwrap_or_else(failed_status);
        if !new_status.level().halts() && new_status.has_changes() {
            new_status.set_error(still_differs(&new_status, stage));
        }
        self.settle(Stage::CheckAfterApply, new_status)?;
        self.report.outcome = Outcome::Changed;
        if let Some(refreshes) = refreshes(shared, index)
            && let Err(error) = refreshes.refreshed(index, &|index| identity(shared, index)).await
        {
            self.report.warnings.push(format!("the next apply will refresh it again: {error}"));
        }
        let exports = exports(shared, &*task, index);
        Ok(mark_secrets(shared, exports).await)
    }

    fn no_refresh(&self) -> Error {
        Error::msg(format!("{} cannot be refreshed: remove `on_change_of`", self.node.resource.name()))
    }
}

/// Returns the exports of a task if another node may look them up. Their secrets are not [marked] yet.
fn exports(shared: &Shared, task: &dyn AnyTask, index: NodeIndex) -> Option<Exports> {
    shared.is_read(index).then(|| task.exports_any())
}

/// Marks the secrets in exports, on the blocking pool if there is much to search.
async fn mark_secrets(shared: &Shared, exports: Option<Exports>) -> Option<Exports> {
    let mut exports = exports?;
    let redactor = shared.redactor();
    if !exports.is_larger(LARGE) {
        exports.mark_secrets(redactor);
        return Some(exports);
    }
    let redactor = redactor.clone();
    let mark = move || {
        exports.mark_secrets(&redactor);
        exports
    };
    // Without a runtime, no node remains that could look the exports up.
    offload(true, mark).await.ok()
}

/// Returns the refreshes of the run if something refreshes this node.
fn refreshes(shared: &Shared, index: NodeIndex) -> Option<&Refreshes> {
    shared.refreshes.as_ref().filter(|refreshes| refreshes.concerns(index))
}

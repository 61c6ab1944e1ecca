//! The parts of an attempt that only a plan needs.

use super::differences::{add_new, differences};
use super::{Attempt, mark_secrets};
use crate::events::difference::Difference;
use crate::events::outcome::Outcome;
use crate::events::report::{Failure, Stage};
use crate::graph::Role;
use crate::graph::param::VALUE_FIELD;
use crate::inputs::planned_exports::{planned_exports, unknown_exports};
use crate::inputs::rendering::Rendered;
use crate::sdk::context::RunMode;
use crate::sdk::error::Error;
use crate::sdk::export::Exports;
use crate::sdk::status::{DiffValue, Status, StatusLevel, TaskStatus};
use crate::tables::managed_so_far::footprint;
use crate::tables::node_flags::WAITS_FOR_CHANGES;
use crate::tables::pending_changes::{About, Doubt};
use crate::tables::refreshes::RefreshCause;
use crate::types::value::{Unknown, Value};
use crate::work::attempt_progress::AttemptProgress;

/// The export of a parameter, a local or an output that holds its value.
const VALUE: &str = "val";

impl Attempt<'_> {
    /// Returns, in a plan, the reason why an apply may find another state than this check.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        let Self { shared, index, node, .. } = *self;
        if shared.mode() != RunMode::Plan || !shared.flags.has(index, WAITS_FOR_CHANGES) {
            return None;
        }
        match &*self.footprint {
            Some(rendered) => shared.pending.doubt(&shared.graph, index, rendered),
            None => shared.pending.doubt(&shared.graph, index, &footprint(node, None)),
        }
    }

    /// Reports a failed check as *may change*, because changes that the plan does not make may fix it.
    pub(super) async fn report_uncertain_failure(
        &mut self,
        exports: Option<Exports>,
        mut checked: Status,
        doubt: Doubt,
    ) -> AttemptProgress {
        let Self { shared, node, .. } = *self;
        let report = &mut *self.report;
        (report.level, report.outcome) = (StatusLevel::MayChange, Outcome::MayChange);
        report.pending = Some(shared.graph.node(doubt.cause).id.clone());
        report.differences = differences(&checked, node.resource.schema());
        add_new(&mut report.messages, &checked.messages());
        add_new(&mut report.warnings, &checked.warnings());
        if let Some(error) = checked.take_error() {
            report.messages.push(format!("its check fails for now: {error}"));
        }
        let exports = mark_secrets(shared, exports).await.map(|exports| planned_exports(node, exports));
        AttemptProgress::Finished(exports)
    }

    /// Reports a node whose fields are not all known yet.
    pub(super) fn report_unknown(&mut self, rendered: Rendered) -> Result<Exports, Failure> {
        let Rendered { mut values, unknown: fields, .. } = rendered;
        if self.shared.mode() == RunMode::Apply {
            let waits = |(field, unknown): &(&str, Unknown)| {
                format!("`{field}` is not known: it waits for {}", unknown.waits_for)
            };
            let message = fields.iter().map(waits).collect::<Vec<_>>().join("\n");
            return Err(self.failure(Stage::Render, &Error::Message(message)));
        }
        self.report.level = StatusLevel::MayChange;
        self.report.outcome = Outcome::MayChange;
        let difference = |(field, _): &(&'static str, Unknown)| Difference {
            field: Some((*field).into()),
            ..Difference::new(*field, "", DiffValue::Unknown)
        };
        self.report.differences = fields.iter().map(difference).collect();
        let mut exports = unknown_exports(self.node);
        let value =
            values.get_mut(VALUE_FIELD).filter(|_| matches!(self.node.role, Role::Param | Role::Output));
        // A list or a map keeps what is known of it.
        if let Some(value) = value.and_then(Option::take).filter(|value| !matches!(value, Value::Unknown(_)))
        {
            exports.insert(VALUE, value);
        }
        Ok(exports)
    }

    /// Returns how certain a change is in a plan.
    pub(super) fn plan_level(
        checked: StatusLevel,
        change: bool,
        cause: Option<&RefreshCause>,
        doubt: Option<Doubt>,
    ) -> StatusLevel {
        let is_own = doubt.is_some_and(|doubt| doubt.about == About::Own);
        let certain = change && checked != StatusLevel::MayChange && !is_own;
        if certain || cause.is_some_and(|cause| cause.is_certain) {
            StatusLevel::WillChange
        } else {
            StatusLevel::MayChange
        }
    }
}

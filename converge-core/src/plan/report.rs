//! What a run said of all resources.

use std::collections::BTreeMap;

use crate::engine::{Outcome, OutputReport, Summary};
use crate::graph::NodeId;
use crate::sdk::context::{RunId, RunMode};
use crate::state::Owner;
use crate::types::convert::FromValue;
use crate::types::value::Value;

use super::basis::Basis;
use super::export::{self, ExportError};
use super::plan_diff::PlanDiff;
use super::resource::ResourceResult;

/// What a run did, or what a plan found, resource by resource.
///
/// ```
/// use std::sync::Arc;
/// use converge_core::prelude::embed::*;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let registry = Registry::new();
/// let loaded = Loader::new(&registry).load_text("hello.hcl", r#"param "who" { default = "you" }"#);
/// let graph = loaded.into_graph().map_err(|mistakes| format!("{mistakes:?}"))?;
/// let engine = Engine::new(Arc::new(LocalSystem::new()));
/// let plan = engine.make_plan(&graph).await?;
///
/// let text = serde_json::to_string(&plan)?;
/// assert_eq!(serde_json::from_str::<Plan>(&text)?, plan);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The run.
    pub run: RunId,
    /// Whether it could change the machine.
    pub mode: RunMode,
    /// The resources, sorted by id; and parameters and parts of the structure that failed.
    pub resources: Vec<ResourceResult>,
    /// The values that the root module gives, sorted by name.
    pub outputs: Vec<OutputReport>,
    /// How many had each outcome.
    pub summary: Summary,
}

impl Report {
    /// What was said of a resource.
    pub fn resource(&self, id: &NodeId) -> Option<&ResourceResult> {
        let at = self.resources.binary_search_by(|resource| resource.id.cmp(id)).ok()?;
        self.resources.get(at)
    }

    /// The resources that an apply changed, sorted by id; of a plan there are none. How many there are is in the
    /// [summary](Summary::changed).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use converge_core::prelude::embed::*;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let registry = Registry::new();
    /// # let graph = Loader::new(&registry).load_text("empty.hcl", "").into_graph()?;
    /// let report = Engine::new(Arc::new(LocalSystem::new())).apply_for_report(&graph).await?;
    /// for resource in report.changed() {
    ///     println!("{} was changed: {} differences", resource.id, resource.differences.len());
    /// }
    /// assert_eq!(report.changed().count(), report.summary.changed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn changed(&self) -> impl Iterator<Item = &ResourceResult> {
        self.resources.iter().filter(|resource| resource.outcome == Outcome::Changed)
    }

    /// A value that a resource exports, as a type of Rust. Names match without regard to case, and a dot leads into a
    /// map: `status.ip`.
    ///
    /// # Errors
    ///
    /// There is no such resource, no such export (as when it is not known yet, or holds a secret), or it is of another type.
    pub fn export<T: FromValue>(&self, id: &NodeId, name: &str) -> Result<T, ExportError> {
        let resource = self.resource(id).ok_or_else(|| export::no_resource(id, &self.resources))?;
        export::find(resource, name)
    }
}

/// What an apply would do, as a value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// What the plan found.
    pub report: Report,
    /// What the application keeps with the plan, such as where the module is. It is not looked at here.
    pub labels: BTreeMap<String, String>,
    pub(super) basis: Basis,
}

impl Plan {
    /// What was said of a resource.
    pub fn resource(&self, id: &NodeId) -> Option<&ResourceResult> {
        self.report.resource(id)
    }

    /// The parameters that were given a value from outside when the plan was made, with that value. What is sensitive has
    /// `None`: it has to be given again for the plan to be applied.
    pub fn params(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.basis.params()
    }

    /// For whom the plan was made: the [owner](crate::engine::Engine::with_owner) of the engine, which has to be the same where the plan
    /// is applied.
    pub fn owner(&self) -> Option<&Owner> {
        self.basis.owner.as_ref()
    }

    /// How this plan is another than an earlier one.
    pub fn diff<'a>(&'a self, earlier: &'a Self) -> PlanDiff<'a> {
        PlanDiff::new(&self.report.resources, &earlier.report.resources)
    }
}

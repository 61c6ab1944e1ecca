//! The result of a run for all resources.

use std::collections::BTreeMap;

use crate::graph::NodeId;
use crate::sdk::context::{RunId, RunMode};
use crate::state::Owner;
use crate::types::convert::FromValue;
use crate::types::value::Value;
use crate::{Outcome, OutputReport, Summary};

use super::basis::Basis;
use super::export::{self, ExportError};
use super::plan_diff::PlanDiff;
use super::resource::ResourceResult;

/// The result of an apply or of a plan, resource by resource.
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
    /// The ID of the run.
    pub run: RunId,
    /// Whether the run was a plan or an apply.
    pub mode: RunMode,
    /// The resources, sorted by ID; also parameters and structural nodes that failed.
    pub resources: Vec<ResourceResult>,
    /// The outputs of the root module, sorted by name.
    pub outputs: Vec<OutputReport>,
    /// The number of resources per outcome.
    pub summary: Summary,
}

impl Report {
    /// Returns the result of a resource.
    pub fn resource(&self, id: &NodeId) -> Option<&ResourceResult> {
        let index = self.resources.binary_search_by(|resource| resource.id.cmp(id)).ok()?;
        self.resources.get(index)
    }

    /// Returns the resources that an apply changed, sorted by ID; none for a plan.
    ///
    /// Their number is in the [summary](Summary::changed).
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

    /// Returns the value of an export, converted to a Rust type.
    ///
    /// Names are case-insensitive, and a dot leads into a map: `status.ip`.
    ///
    /// # Errors
    ///
    /// Fails if there is no such resource, or if the value has another type. Also fails if there is no such
    /// export, as for a value that is unknown or contains a secret.
    pub fn export<T: FromValue>(&self, id: &NodeId, name: &str) -> Result<T, ExportError> {
        let resource = self.resource(id).ok_or_else(|| export::no_resource(id, &self.resources))?;
        export::find(resource, name)
    }
}

/// The changes that an apply would make, as a value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The result of the plan.
    pub report: Report,
    /// Labels that the application stores with the plan, such as the path of the module.
    pub labels: BTreeMap<String, String>,
    pub(super) basis: Basis,
}

impl Plan {
    /// Returns the result of a resource.
    pub fn resource(&self, id: &NodeId) -> Option<&ResourceResult> {
        self.report.resource(id)
    }

    /// Returns the parameters that were given from outside when the plan was made, with their values.
    ///
    /// A sensitive value is `None`; it must be given again to apply the plan.
    pub fn params(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.basis.params()
    }

    /// Returns the [owner](crate::Engine::with_owner) of the engine that made the plan.
    ///
    /// The engine that applies the plan must have the same owner.
    pub fn owner(&self) -> Option<&Owner> {
        self.basis.owner.as_ref()
    }

    /// Returns the differences from an earlier plan.
    pub fn diff<'a>(&'a self, earlier: &'a Self) -> PlanDiff<'a> {
        PlanDiff::new(&self.report.resources, &earlier.report.resources)
    }
}

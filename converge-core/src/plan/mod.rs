//! Plans and reports as values: what a run said of every resource, to be kept, compared, sent and read by another program.
//!
//! [`Engine::make_plan`](crate::engine::Engine::make_plan) gives a [`Plan`],
//! [`Engine::apply_for_report`](crate::engine::Engine::apply_for_report) a [`Report`], and a [`Recorder`] makes a report of
//! the events of any run. All of it is serialised with the kind and the version of the document, and a document that this
//! version cannot read is refused by name; [`json_schema`] describes it.
//!
//! No secret is in any of it. A difference says that a side is [secret](crate::DiffValue::Secret), and what is exported and
//! holds a secret is left out.

mod document;
mod export;
mod json_schema;
mod plan_diff;
mod recorder;
mod report;
mod resource;
mod run;
mod sides;

pub use document::{DocumentError, VERSION};
pub use export::ExportError;
pub use json_schema::json_schema;
pub use plan_diff::{ChangedResource, PlanDiff};
pub use recorder::Recorder;
pub use report::{Plan, Report};
pub use resource::{FailureResult, Mistake, MistakeLabel, ResourceResult};

//! Plans and reports as values: what a run said of every resource, to be kept, compared, sent and read by another program.
//!
//! [`Engine::make_plan`](crate::engine::Engine::make_plan) gives a [`Plan`],
//! [`Engine::apply_for_report`](crate::engine::Engine::apply_for_report) a [`Report`], and a [`Recorder`] makes a report of
//! the events of any run. All of it is serialised with the kind and the version of the document, and a document that this
//! version cannot read is refused by name; [`json_schema`] describes it.
//!
//! [`Engine::apply_plan`](crate::engine::Engine::apply_plan) does what a plan showed, and nothing else; what has changed since is
//! [drift](crate::engine::OnDrift). For that a plan holds digests of what it was made of and of the differences that it showed, with
//! a key of its own. Who has the document has the key, and can try what a short secret behind a digest may be: keep it
//! where only those may read it who may read the secrets.
//!
//! No secret itself is in any of it. A difference says that a side is [secret](crate::DiffValue::Secret), and what is exported and
//! holds a secret is left out.

mod basis;
mod difference_format;
mod document;
mod export;
mod json_schema;
mod plan_diff;
mod recorder;
mod report;
mod resource;
mod run;

pub use basis::Mismatch;
pub use document::{DocumentError, VERSION};
pub use export::ExportError;
pub use json_schema::json_schema;
pub use plan_diff::{ChangedResource, PlanDiff};
pub use recorder::Recorder;
pub use report::{Plan, Report};
pub use resource::{FailureResult, Mistake, MistakeLabel, ResourceResult};
pub use run::ApplyPlanError;

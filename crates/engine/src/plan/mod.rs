//! Plans and reports as values that can be stored, compared, sent and read by other programs.
//!
//! [`Engine::make_plan`](crate::Engine::make_plan) returns a [`Plan`], and
//! [`Engine::apply_for_report`](crate::Engine::apply_for_report) a [`Report`]. A [`Recorder`] creates
//! a report from the events of any run. All are serialized with the kind and the version of the document. A
//! document that this version cannot read is refused with an error that names the version. [`json_schema`]
//! describes the documents.
//!
//! [`Engine::apply_plan`](crate::Engine::apply_plan) does what a plan showed, and nothing else; later
//! changes are [drift](crate::OnDrift). A plan therefore contains digests of its basis and of the
//! differences that it showed, made with a key of its own. The document contains the key, so its readers can
//! try guesses of short secrets against the digests. Store it where only those who may read the secrets can
//! read it.
//!
//! No secret itself is in a document. A difference states that a side is [secret](converge_sdk::DiffValue::Secret),
//! and exports that contain a secret are left out.

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

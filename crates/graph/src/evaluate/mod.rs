//! Evaluation of an `Input` to a `Value`, both when a module is loaded and when it runs.

mod diagnose;
mod evaluator;
mod locate;
mod provenance;

#[doc(hidden)]
pub use evaluator::Evaluator;
#[doc(hidden)]
pub use locate::{expression_diagnostic, input_span, input_spans, template_diagnostic};
#[doc(hidden)]
pub use provenance::Provenance;

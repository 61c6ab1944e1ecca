//! From what a module writes to values: the one way from an [`Input`] to a [`Value`], when a module is loaded
//! and when it runs.

mod diagnose;
mod evaluator;
mod locate;
mod provenance;

pub(crate) use evaluator::Evaluator;
pub(crate) use locate::{expression_diagnostic, input_span, input_spans, template_diagnostic};
pub(crate) use provenance::Provenance;

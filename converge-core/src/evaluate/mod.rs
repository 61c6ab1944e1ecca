//! Evaluation of an [`Input`] to a [`Value`], both when a module is loaded and when it runs.

mod diagnose;
mod evaluator;
mod locate;
mod provenance;

pub(crate) use evaluator::Evaluator;
pub(crate) use locate::{expression_diagnostic, input_span, input_spans, template_diagnostic};
pub(crate) use provenance::Provenance;

//! Values during the run of a template, their output, and the work limits of a run.

pub(super) mod budget;
pub(super) mod datum;
pub(super) mod json;
pub(super) mod sink;

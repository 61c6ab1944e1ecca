//! Values while a template runs, how they print, and the limit on the work of a run.

pub(super) mod budget;
pub(super) mod datum;
pub(super) mod json;
pub(super) mod sink;
